#pragma once

// Recorded events from one format into another, or out of a generator into a file.
//
//   auto converted = convert({.from = "day.itch.gz", .to = "day.events", .format = Format::compact}, hooks);

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dojima/recorded/event.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/time/time.hpp"

namespace dojima::recorded {

struct ConvertSettings {
  std::string input;
  RecordedOptions recorded{};
  std::string output;  ///< "-": standard output
  Format format = Format::compact;
  std::optional<time::Time> from{};    ///< only events at or after this (replay time) ...
  std::optional<time::Time> until{};   ///< ... and before this
  std::vector<std::string> symbols{};  ///< only these; empty: all
};

struct ConvertNow {
  std::uint64_t events = 0;
  std::optional<double> progress;  ///< 0 to 1
};

struct ConvertHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(const ConvertNow&)> show{};  ///< now and then
};

struct ConvertResult {
  std::string from_format;
  std::uint64_t events_read = 0, events_written = 0, bytes_written = 0;
  std::size_t instruments = 0;  ///< that the written file names: all of the input, without the one for the whole market
  time::Time first = k_unknown_time, last = k_unknown_time;  ///< written, by replay time
  std::string trouble;  ///< where the input ended too early; what came before is written
  bool was_interrupted = false;
};

/// The error is one line for the user. A mapped compact file is not read before `from`.
[[nodiscard]] std::expected<ConvertResult, std::string> convert(const ConvertSettings& settings,
                                                                const ConvertHooks& hooks);

/// What a reader gives, into a file.
[[nodiscard]] std::expected<ConvertResult, std::string> write_events(RecordedReader& reader, const std::string& output,
                                                                     Format format, const ConvertHooks& hooks);

/// "2012-06-21T13:30:00", with decimals or without, or nanoseconds since 1970. The error says what was expected.
[[nodiscard]] std::expected<time::Time, std::string> parse_moment(const std::string& text);

}  // namespace dojima::recorded
