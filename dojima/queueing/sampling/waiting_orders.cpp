#include "dojima/queueing/sampling/waiting_orders.hpp"

#include <algorithm>

namespace dojima::queueing {

using market::Side;
using time::Duration;
using time::Time;

void WaitingOrders::begin(Time now) {
  begin_ = now;
  const std::int64_t every = plan_.every.count(), start = time::nanoseconds_of(now);
  next_ = time::from_nanoseconds((start / every + 1) * every);
}

void WaitingOrders::ask_until(Time now, const RecentRates& rates, std::uint64_t entries) {
  for (; next_ < now; next_ += plan_.every) {
    if (plan_.is_asked_again) ask_again(rates);
    if (!is_whole_ || !touch_.is_market()) continue;
    for (const Side side : {Side::buy, Side::sell}) {
      Waiting order{.side = side,
                    .price = touch_.price(side),
                    .ahead = touch_.quantity(side),
                    .entry = entries,
                    .steps_to_next = plan_.is_asked_again ? 1u : 0u};
      waiting_.push_back(waiting_of(order, 0, rates));
    }
  }
}

/// Those that wait at the best price are samples again, and the new sample goes on asking.
void WaitingOrders::ask_again(const RecentRates& rates) {
  if (!is_whole_ || !touch_.is_market()) return;
  const std::size_t count = waiting_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Waiting& order = waiting_[i];
    if (order.steps_to_next == 0 || order.is_filled) continue;
    const FillSample& sample = samples_[order.sample];
    const auto since = (next_ - sample.at) / plan_.every + sample.steps_waited;
    if (since < order.steps_to_next) continue;
    Waiting again = order;
    order.steps_to_next = 0;
    if (plan_.every * since > plan_.horizon || touch_.price(order.side) != order.price) continue;
    again.steps_to_next *= 2;
    waiting_.push_back(waiting_of(again, static_cast<std::uint32_t>(since), rates));
  }
}

WaitingOrders::Waiting WaitingOrders::waiting_of(Waiting order, std::uint32_t steps, const RecentRates& rates) {
  const Side other = order.side == Side::buy ? Side::sell : Side::buy;
  FillSample sample{.at = next_,
                    .side = order.side,
                    .steps_waited = steps,
                    .ahead = std::max<std::int64_t>(order.ahead, 0),
                    .own = touch_.quantity(order.side),
                    .other = touch_.quantity(other),
                    .spread = touch_.ask - touch_.bid};
  rates.write(sample, begin_);
  order.sample = samples_.size();
  order.doubled_mid = touch_.bid + touch_.ask;
  samples_.push_back(sample);
  return order;
}

void WaitingOrders::fill(Waiting& order, Time now) {
  order.is_filled = true;
  samples_[order.sample].filled_after = now - samples_[order.sample].at;
}

void WaitingOrders::follow(const QueueChange& change, Time now) {
  for (Waiting& order : waiting_) follow(order, change, now);
}

void WaitingOrders::follow(Waiting& order, const QueueChange& change, Time now) {
  if (order.is_filled || change.kind == QueueChange::Kind::none || change.side != order.side) return;
  const bool is_execution = change.kind == QueueChange::Kind::executed;
  if (change.price == order.price) {
    if (change.kind != QueueChange::Kind::cancelled && !is_execution) return;
    const bool is_behind = change.entry > order.entry;
    if (is_execution && (is_behind || order.ahead <= 0)) return fill(order, now);
    if (!is_behind) order.ahead -= change.quantity;
    return;
  }
  const bool is_worse = order.side == Side::buy ? change.price < order.price : change.price > order.price;
  if (is_execution && is_worse) fill(order, now);
}

void WaitingOrders::look_at(const Touch& touch, std::size_t shown_levels, Time now) {
  is_whole_ = true;
  touch_ = touch;
  const bool is_market = touch.is_market();
  for (Waiting& order : waiting_) {
    FillSample& sample = samples_[order.sample];
    if (!order.is_filled) {
      const bool is_reached = order.side == Side::buy ? touch.ask_quantity > 0 && touch.ask <= order.price
                                                      : touch.bid_quantity > 0 && touch.bid >= order.price;
      if (is_reached) fill(order, now);
      if (touch.quantity(order.side) > 0 && touch.price(order.side) == order.price) {
        order.ahead = std::min(order.ahead, touch.quantity(order.side));
      } else if (!order.is_filled && shown_levels == 1) {
        sample.was_out_of_view = true;
      }
    }
    if (is_market && sample.mid_moved_after == Duration::max() && touch.bid + touch.ask != order.doubled_mid)
      sample.mid_moved_after = now - sample.at;
  }
  std::erase_if(waiting_, [&](const Waiting& order) {
    const FillSample& sample = samples_[order.sample];
    if (order.is_filled) return true;
    return sample.mid_moved_after != Duration::max() && now - sample.at > plan_.horizon;
  });
}

}  // namespace dojima::queueing
