#pragma once

// Recorded order events as LOBSTER writes them: a message file, and an order-book file whose row k is the book behind
// message k. All events go into the messages, also those behind the last level of a row. One instrument; prices of four
// decimals; what LOBSTER has no message for is refused.
//
//   LobsterWriter writer(messages, &book, 10);

#include <cstdint>
#include <string>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/event_writer.hpp"

namespace dojima::recorded {

class LobsterWriter final : public EventWriter {
 public:
  /// The sinks outlive the writer; `book` may be null. `levels` > 0.
  LobsterWriter(ByteSink& messages, ByteSink* book, std::size_t levels)
      : messages_(messages), book_(book), levels_(levels) {}

  [[nodiscard]] Written write(std::span<const RecordedEvent> events,
                              std::span<const RecordedInstrument> instruments) override;
  [[nodiscard]] Written finish() override { return flush(); }

 private:
  [[nodiscard]] Written put_message(const RecordedEvent& event);
  void put_row();
  [[nodiscard]] Written flush();

  ByteSink& messages_;
  ByteSink* book_;
  std::size_t levels_;
  std::string message_text_, book_text_;
  DepthBooks books_;
  Time midnight_ = k_unknown_time;
};

}  // namespace dojima::recorded
