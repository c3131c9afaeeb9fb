#pragma once

// The other direction of event.hpp: events go out in a format, as bytes into a sink that is handed in. What a format
// cannot say is refused, never dropped in silence, so that a file that was written holds what its reader was given.
//
//   CompactWriter writer(sink, "lobster");
//   while (!(events = reader.next_batch()).empty())
//     if (auto written = writer.write(events, reader.instruments()); !written) return written.error();
//   return writer.finish();

#include <expected>
#include <span>
#include <string>

#include "dojima/base/bytes.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

using Written = std::expected<void, std::string>;

/// Where bytes go: a file, or memory.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Takes all of them. An error is for the user: "the disk is full".
  [[nodiscard]] virtual Written write(Bytes bytes) = 0;
};

/// Bytes kept in memory.
class MemorySink final : public ByteSink {
 public:
  [[nodiscard]] Written write(Bytes bytes) override {
    text_ += as_text(bytes);
    return {};
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

class EventWriter {
 public:
  virtual ~EventWriter() = default;
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// The next events, in order. `instruments` are those known by now: the same ones as before, and more behind them.
  [[nodiscard]] virtual Written write(std::span<const RecordedEvent> events,
                                      std::span<const RecordedInstrument> instruments) = 0;
  /// The end: what has to come behind the events. Once.
  [[nodiscard]] virtual Written finish() = 0;

 protected:
  EventWriter() = default;
};

}  // namespace dojima::recorded
