// Strategies that want a position: imbalance and twap.

#include <algorithm>

#include "dojima/backtest/strategies/parameters.hpp"

namespace dojima::backtest {
namespace {

class ImbalanceTrader final : public Strategy {
 public:
  explicit ImbalanceTrader(const Parameters& parameters)
      : quantity_(parameters.text("quantity")),
        period_(parameters.duration("period")),
        most_(parameters.whole("max_position")),
        threshold_(parameters.real("threshold")),
        is_taking_(parameters.text("style") == "take") {}

  [[nodiscard]] Wakes wakes() const override { return {.period = period_}; }

  void on_wake(Desk& desk) override {
    const auto instruments = desk.instruments();
    for (std::uint32_t instrument = 0; instrument < instruments.size(); ++instrument) {
      const auto quotes = quotes_of(desk, instrument);
      if (quotes) look(desk, instrument, *quotes, quantity_of(quantity_, instruments[instrument]));
    }
  }

 private:
  void look(Desk& desk, std::uint32_t instrument, const Quotes& quotes, std::int64_t quantity) {
    const auto bid = static_cast<double>(quotes.bid.quantity), ask = static_cast<double>(quotes.ask.quantity);
    const double share = bid / (bid + ask);
    const std::int64_t held = desk.position(instrument) / quantity;
    Side wanted = Side::none;
    if (share >= threshold_ && held < most_) wanted = Side::buy;
    if (share <= 1 - threshold_ && held > -most_) wanted = Side::sell;
    if (!is_taking_) {
      for (const Side side : {Side::buy, Side::sell}) {
        const std::int64_t price = side == Side::buy ? quotes.bid.price : quotes.ask.price;
        keep_at(desk, instrument, side, std::span(&price, side == wanted ? 1 : 0), quantity);
      }
      return;
    }
    const bool is_waiting = std::ranges::any_of(
        desk.orders(), [instrument](const OwnOrder& order) { return order.instrument == instrument; });
    if (wanted == Side::none || is_waiting) return;
    desk.submit({.instrument = instrument,
                 .side = wanted,
                 .time_in_force = market::TimeInForce::immediate_or_cancel,
                 .price = wanted == Side::buy ? quotes.ask.price : quotes.bid.price,
                 .quantity = quantity});
  }

  std::string quantity_;
  Duration period_;
  std::int64_t most_;
  double threshold_;
  bool is_taking_;
};

/// Of the first instrument: at the begin of each slice its part is put at the best price of its own side; at the end of
/// the slice what is behind the plan is taken.
class TwapTrader final : public Strategy {
 public:
  explicit TwapTrader(const Parameters& parameters)
      : side_(parameters.text("side") == "buy" ? Side::buy : Side::sell),
        total_(parameters.text("total")),
        slices_(parameters.whole("slices")),
        slice_length_(parameters.duration("duration") / parameters.whole("slices")) {}

  [[nodiscard]] Wakes wakes() const override { return {.period = std::max(slice_length_, Duration{1})}; }

  void on_wake(Desk& desk) override {
    const auto quotes = quotes_of(desk, 0);
    if (!quotes) return;
    if (quantity_ == 0) quantity_ = quantity_of(total_, desk.instruments()[0]);
    ++slice_;
    const std::int64_t done = side_ == Side::buy ? desk.position(0) : -desk.position(0);
    std::int64_t waiting = 0;
    std::vector<OrderNumber> numbers;
    for (const OwnOrder& order : desk.orders()) {
      waiting += order.leaves;
      numbers.push_back(order.number);
    }
    // What was to be done by now, less what is: taken, by the order that waits, moved to the other side.
    const Side other = market::opposite(side_);
    const std::int64_t taking = other == Side::sell ? quotes->ask.price : quotes->bid.price;
    for (const OrderNumber number : numbers) {
      const OwnOrder* order = desk.order(number);
      if (order != nullptr && order->is_accepted) desk.replace(number, taking, order->quantity);
    }
    if (slice_ > slices_) return;
    const std::int64_t planned = quantity_ / slices_ * slice_ + quantity_ % slices_ * slice_ / slices_;
    const std::int64_t part = planned - done - waiting;
    if (part <= 0) return;
    desk.submit({.side = side_, .price = side_ == Side::buy ? quotes->bid.price : quotes->ask.price, .quantity = part});
  }

 private:
  Side side_;
  std::string total_;
  std::int64_t slices_;
  Duration slice_length_;
  std::int64_t quantity_ = 0, slice_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_imbalance(const Parameters& parameters) {
  return std::make_unique<ImbalanceTrader>(parameters);
}
std::unique_ptr<Strategy> make_twap(const Parameters& parameters) {
  return std::make_unique<TwapTrader>(parameters);
}

}  // namespace dojima::backtest
