#pragma once

// A recorded day in memory, and what research takes out of it: the touch, depth, trades and labels as tables. Prices
// and quantities as doubles in the instrument's own units, or as the whole numbers that were recorded. Plain C++: the
// binding is elsewhere. One thread a call; a day that is read does not change, so several may look at it.
//
//   auto day = read_day({.file = "day.events"}, {});
//   Table tops = tops_of(*day, {.is_exact = false});

#include "table.hpp"

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::python {

using recorded::RecordedEvent;
using recorded::RecordedInstrument;
using time::Duration;
using time::Time;

struct ReadSettings {
  std::string file;
  recorded::RecordedOptions recorded{};
  std::vector<std::string> symbols{};   ///< only these; empty: all
  std::optional<Time> from{}, until{};  ///< by replay time
};

struct Day {
  std::string file;  ///< or what it was made from
  std::string format;
  recorded::RecordedOptions recorded{};
  bool is_whole_file = false;  ///< it holds all that the file has
  std::vector<RecordedInstrument> instruments;
  std::vector<RecordedEvent> events;
  std::string trouble;  ///< where the file ended too early; empty: nowhere

  /// What back-tests ask of it, worked out once. Any thread.
  [[nodiscard]] const backtest::DaySurvey& survey() const;

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<backtest::DaySurvey> survey_;
};

/// The events of a day again, from the first one on; the day outlives it.
[[nodiscard]] std::unique_ptr<recorded::RecordedReader> reader_of(const Day& day);

/// `is_interrupted` is asked every few thousand events and may throw. The error is one line for the user.
[[nodiscard]] std::expected<std::shared_ptr<Day>, std::string> read_day(const ReadSettings& settings,
                                                                        const std::function<bool()>& is_interrupted);

/// Which rows, and in which form.
struct Selection {
  std::optional<std::uint32_t> instrument{};  ///< none: all
  bool is_exact = false;                      ///< whole numbers as recorded, instead of doubles
};

/// A row for each change of the best prices or of their quantities, when the change is over.
[[nodiscard]] Table tops_of(const Day& day, const Selection& selection);
/// The first `levels` of both sides: every `every` of time, or at every n-th change of them.
struct DepthSettings {
  std::size_t levels = 10;  ///< 1 to 1000
  Duration every{};         ///< 0: by changes
  std::uint64_t changes = 1;
  std::size_t rows = 0;  ///< room for so many from the start
};
/// Throws ValueError, without the lock, where memory for its rows is not there.
[[nodiscard]] Table depth_of(const Day& day, const Selection& selection, const DepthSettings& settings);
/// As a strategy's on_trade() has them.
[[nodiscard]] Table trades_of(const Day& day, const Selection& selection);
/// Row for row with tops_of(): the middle price, and what it is `horizon` later, or so many rows of the same instrument
/// later. Missing: the day ends before.
[[nodiscard]] Table labels_of(const Day& day, const Selection& selection, Duration horizon, std::uint64_t rows);
/// All of every event, as recorded.
[[nodiscard]] Table events_of(const Day& day);

/// The same back. The error is one line: a column that is missing or unknown, or the first row that makes no sense.
[[nodiscard]] std::expected<std::shared_ptr<Day>, std::string> day_of(const Table& events,
                                                                      std::vector<RecordedInstrument> instruments);
/// From records as they are in memory, checked likewise.
[[nodiscard]] std::expected<std::shared_ptr<Day>, std::string> day_of(std::vector<RecordedEvent> events,
                                                                      std::vector<RecordedInstrument> instruments);

}  // namespace dojima::python
