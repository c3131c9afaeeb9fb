#include "dojima/backtest/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "dojima/base/assert.hpp"

namespace dojima::backtest {

void RoundTrips::apply(const Fill& fill, Money fee, const Account& account) {
  const std::int64_t change = fill.side == Side::buy ? fill.quantity : -fill.quantity;
  if (position_ == 0) {
    begin_ = fill.at;
    cash_ = 0;
  }
  const bool is_closing = position_ != 0 && (position_ > 0) != (change > 0);
  const std::int64_t closing = is_closing ? std::min(std::abs(position_), fill.quantity) : 0;
  const std::int64_t opening = fill.quantity - closing;
  const auto paid = [&](std::int64_t quantity) {
    const Money worth = account.value(fill.price, quantity);
    return fill.side == Side::buy ? -worth : worth;
  };
  cash_ += paid(closing) - fee;
  position_ += change > 0 ? closing : -closing;
  if (is_closing && position_ == 0) {
    ++count_;
    winners_ += cash_ > 0 ? 1 : 0;
    profit_ += cash_;
    held_ += fill.at - begin_;
    begin_ = fill.at;
    cash_ = 0;
  }
  cash_ += paid(opening);
  position_ += change > 0 ? opening : -opening;
}

Marks::Marks(Time begin, Duration every, TouchOf touch_of, EquityOf equity_of)
    : touch_of_(std::move(touch_of)), equity_of_(std::move(equity_of)), every_(every), sample_(begin), next_(begin) {
  DOJIMA_ASSERT(every > Duration{}, "time passes between two looks", every.count());
}

void Marks::find_next(std::span<const Fill> fills) {
  next_ = sample_;
  for (std::size_t horizon = 0; horizon < at_.size(); ++horizon)
    if (at_[horizon] < fills.size()) next_ = std::min(next_, fills[at_[horizon]].at + k_markout_horizons[horizon]);
}

void Marks::advance(Time now, std::span<const Fill> fills) {
  for (; sample_ < now; sample_ += every_) equity_.emplace_back(sample_, equity_of_());
  for (std::size_t horizon = 0; horizon < at_.size(); ++horizon)
    for (std::size_t& at = at_[horizon]; at < fills.size() && fills[at].at + k_markout_horizons[horizon] < now; ++at)
      look(fills[at], horizon);
  find_next(fills);
}

void Marks::look(const Fill& fill, std::size_t horizon) {
  const Touch touch = touch_of_(fill.instrument);
  if (!touch.bid || !touch.ask) return;
  if (fill.instrument >= markouts_.size()) markouts_.resize(fill.instrument + 1);
  Markout& markout = markouts_[fill.instrument][horizon];
  const Money gain = static_cast<Money>(*touch.bid) + *touch.ask - 2 * static_cast<Money>(fill.price);
  ++markout.fills;
  markout.quantity += fill.quantity;
  markout.twice_gain += (fill.side == Side::buy ? gain : -gain) * fill.quantity;
}

void Marks::finish(Time now) {
  if (equity_.empty() || equity_.back().first < now) equity_.emplace_back(now, equity_of_());
}

Performance performance_of(std::span<const std::pair<Time, double>> equity, Duration every) {
  Performance result;
  if (equity.empty()) return result;
  result.profit = equity.back().second - equity.front().second;
  double height = equity.front().second;
  Time since = equity.front().first;
  double sum = 0, squares = 0, falls = 0;
  for (std::size_t at = 0; at < equity.size(); ++at) {
    const auto& [time, value] = equity[at];
    if (value >= height) {
      height = value;
      since = time;
    }
    result.drawdown = std::max(result.drawdown, height - value);
    result.longest_fall = std::max(result.longest_fall, time - since);
    if (at == 0) continue;
    const double change = value - equity[at - 1].second;
    sum += change;
    squares += change * change;
    if (change < 0) falls += change * change;
  }
  const auto steps = static_cast<double>(equity.size() - 1);
  if (steps < 2) return result;
  const double mean = sum / steps;
  const double variance = (squares - sum * mean) / (steps - 1);
  const double scale = std::sqrt(86'400e9 / static_cast<double>(every.count()));
  if (variance > 0) result.sharpe = mean / std::sqrt(variance) * scale;
  if (falls > 0) result.sortino = mean / std::sqrt(falls / steps) * scale;
  return result;
}

}  // namespace dojima::backtest
