#pragma once

// Recorded order events as Bitstamp's order events in CSV: what is left of an order after each change, behind the time
// at which it was received and the time at which the order was entered. One instrument; prices and quantities of at
// most eight decimals. `execute` and `reduce` become `changed`, or `deleted` where nothing is left: the format has no
// trades of its own, and other events than those of orders are refused. Memory grows with live orders.
//
//   BitstampWriter writer(sink);

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dojima/recorded/event_writer.hpp"

namespace dojima::recorded {

class BitstampWriter final : public EventWriter {
 public:
  explicit BitstampWriter(ByteSink& sink) : sink_(sink) {}

  [[nodiscard]] Written write(std::span<const RecordedEvent> events,
                              std::span<const RecordedInstrument> instruments) override;
  [[nodiscard]] Written finish() override;

 private:
  /// A resting order, in the file's units.
  struct Order {
    Time entered;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    market::Side side = market::Side::none;
  };
  [[nodiscard]] Written put(const RecordedEvent& event);
  void put_line(const RecordedEvent& event, const Order& order, std::string_view action);
  [[nodiscard]] Written flush();

  ByteSink& sink_;
  std::string text_;
  std::int64_t price_unit_ = 0, quantity_unit_ = 0;  // in 1e-8
  std::unordered_map<std::uint64_t, Order> orders_;
};

}  // namespace dojima::recorded
