// Strategies that want a position: imbalance and twap.

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <optional>
#include <vector>

#include "dojima/backtest/latency.hpp"
#include "dojima/backtest/strategies/parameters.hpp"
#include "dojima/market/price.hpp"

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

/// Of the first instrument: in each slice of the time its part waits at the best price of its own side, and what is not
/// done in the slice's last looks is taken. Slices are those of the clock, so that one without quotes moves no other.
class TwapTrader final : public Strategy {
 public:
  explicit TwapTrader(const Parameters& parameters)
      : side_(parameters.text("side") == "buy" ? Side::buy : Side::sell),
        total_(parameters.text("total")),
        slices_(parameters.whole("slices")),
        slice_length_(std::max(parameters.duration("duration") / slices_, Duration{1})),
        period_(std::clamp(slice_length_ / k_looks, Duration{1}, k_longest_period)) {}

  [[nodiscard]] Wakes wakes() const override { return {.period = period_}; }

  void on_wake(Desk& desk) override {
    // Wakes come a period behind the first event.
    if (!begin_) begin_ = desk.now() - period_;
    const auto quotes = quotes_of(desk, 0);
    if (!quotes) return;
    if (quantity_ == 0) quantity_ = quantity_of(total_, desk.instruments()[0]);
    const Duration elapsed = desk.now() - *begin_;
    const std::int64_t slice = std::min<std::int64_t>(elapsed / slice_length_, slices_);
    const Duration slice_begin = slice * slice_length_;
    const bool is_late = slice == slices_ || elapsed - slice_begin >= slice_length_ - k_last_looks * period_;

    const std::int64_t best = side_ == Side::buy ? quotes->bid.price : quotes->ask.price;
    const std::int64_t taking = side_ == Side::buy ? quotes->ask.price : quotes->bid.price;
    std::int64_t there = done_by(desk);
    numbers_.clear();
    for (const OwnOrder& order : desk.orders()) {
      there += order.leaves;
      const bool is_of_before = order.sent < *begin_ + slice_begin;
      if ((is_late || is_of_before) && order.is_accepted && order.price != taking) numbers_.push_back(order.number);
    }
    for (const OrderNumber number : numbers_) desk.replace(number, taking, desk.order(number)->quantity);

    // What earlier slices have left is taken as well.
    const std::int64_t behind = std::max<std::int64_t>(planned_by(slice) - there, 0);
    const std::int64_t part = planned_by(std::min(slice + 1, slices_)) - there - behind;
    submit(desk, taking, behind + (is_late ? std::max<std::int64_t>(part, 0) : 0));
    if (!is_late) submit(desk, best, part);
  }

  void on_end(Desk& desk) override {
    if (quantity_ == 0) return;
    decimals_ = desk.instruments()[0].quantity_decimals;
    missing_ = quantity_ - done_by(desk);
  }

  [[nodiscard]] std::string remark() const override {
    if (!begin_)
      return fmt::format(
          "twap: all of {} is missing at the end: it was over before the first look, {} behind its begin", total_,
          duration_text(period_));
    if (quantity_ == 0)
      return fmt::format("twap: all of {} is missing at the end: no look saw two sides that were apart", total_);
    if (missing_ <= 0) return {};
    char text[market::k_scaled_text_max];
    return fmt::format("twap: {} of {} is missing at the end", market::format_scaled(missing_, decimals_, text),
                       total_);
  }

 private:
  static constexpr std::int64_t k_looks = 10;      // of a slice
  static constexpr std::int64_t k_last_looks = 2;  // of them, that take
  static constexpr Duration k_longest_period = std::chrono::seconds{1};

  [[nodiscard]] std::int64_t done_by(const Desk& desk) const {
    return side_ == Side::buy ? desk.position(0) : -desk.position(0);
  }
  /// By the end of the first `slices`.
  [[nodiscard]] std::int64_t planned_by(std::int64_t slices) const {
    return quantity_ / slices_ * slices + quantity_ % slices_ * slices / slices_;
  }
  void submit(Desk& desk, std::int64_t price, std::int64_t quantity) const {
    if (quantity > 0) desk.submit({.side = side_, .price = price, .quantity = quantity});
  }

  Side side_;
  std::string total_;
  std::int64_t slices_;
  Duration slice_length_, period_;
  std::optional<Time> begin_;
  std::int64_t quantity_ = 0, missing_ = 0;
  unsigned decimals_ = 0;
  std::vector<OrderNumber> numbers_;
};

}  // namespace

std::unique_ptr<Strategy> make_imbalance(const Parameters& parameters) {
  return std::make_unique<ImbalanceTrader>(parameters);
}
std::unique_ptr<Strategy> make_twap(const Parameters& parameters) {
  return std::make_unique<TwapTrader>(parameters);
}

}  // namespace dojima::backtest
