#pragma once

// A file of recorded events that is written: the format is said, or follows from the name; formats that are two files
// (LOBSTER's messages and order book) name the second one after the first.
//
//   auto file = EventFile::create("day.csv", Format::csv, "lobster");
//   file->writer().write(events, instruments);
//   file->finish();

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/recorded/event_writer.hpp"
#include "dojima/recorded/formats/format.hpp"

namespace dojima::recorded {

/// By the end of a file's name: ".csv" is CSV; anything else is the compact format.
[[nodiscard]] Format format_for(std::string_view file) noexcept;
/// Those that events can be written in.
[[nodiscard]] std::vector<std::string> writable_formats();

class EventFile {
 public:
  /// `source`: what the events come from, for formats that keep it. The error is one line for the user.
  [[nodiscard]] static std::expected<EventFile, std::string> create(const std::string& file, Format format,
                                                                    std::string_view source);
  [[nodiscard]] EventWriter& writer() noexcept { return *writer_; }
  /// Ends the writer and closes the file.
  [[nodiscard]] Written finish();
  /// Bytes written.
  [[nodiscard]] std::uint64_t size() const noexcept;

 private:
  class FileSink;
  EventFile() = default;
  [[nodiscard]] ByteSink* add_sink(const std::string& file);

  std::vector<std::shared_ptr<FileSink>> sinks_;
  std::unique_ptr<EventWriter> writer_;
};

}  // namespace dojima::recorded
