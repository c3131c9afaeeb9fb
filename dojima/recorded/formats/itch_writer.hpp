#pragma once

// Recorded order events as a NASDAQ TotalView-ITCH 5.0 file: messages behind two bytes of length, with the system
// events of a day around them and a directory entry for each instrument. Prices must have four decimals and quantities
// none; symbols at most eight characters; what ITCH has no message for is refused.
//
//   ItchWriter writer(sink);

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/recorded/event_writer.hpp"

namespace dojima::recorded {

class ItchWriter final : public EventWriter {
 public:
  explicit ItchWriter(ByteSink& sink) : sink_(sink) {}

  [[nodiscard]] Written write(std::span<const RecordedEvent> events,
                              std::span<const RecordedInstrument> instruments) override;
  [[nodiscard]] Written finish() override;

 private:
  [[nodiscard]] Written put(const RecordedEvent& event);
  [[nodiscard]] Written name(const RecordedInstrument& instrument);
  void begin(char type, std::uint16_t locate, std::size_t size);
  void put_system_event(char event);
  void put_big(std::uint64_t value, std::size_t size);
  [[nodiscard]] Written flush();

  ByteSink& sink_;
  std::string text_;
  std::vector<std::string> stocks_;  // of eight characters
  Time midnight_ = k_unknown_time;
  Time now_{};
};

}  // namespace dojima::recorded
