#include "dojima/queueing/fills/touch_rates.hpp"

#include <algorithm>
#include <bit>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {

using market::Side;

TouchRatesCounter::TouchRatesCounter(std::uint32_t instrument, std::int64_t tick, std::int64_t order_quantity)
    : instrument_(instrument),
      tick_(tick),
      order_quantity_(static_cast<double>(order_quantity)),
      follower_(instrument) {
  DOJIMA_ASSERT(tick > 0 && order_quantity > 0, "tick and quantity are above 0", tick, order_quantity);
}

std::size_t TouchRatesCounter::spread_class(std::int64_t ticks) noexcept {
  const auto above = static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 1) - 1);
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(above)), k_spreads - 1);
}

void TouchRatesCounter::take(std::span<const recorded::RecordedEvent> events,
                             std::span<const recorded::RecordedInstrument> instruments) {
  for (const recorded::RecordedEvent& event : events) {
    if (event.instrument != instrument_) continue;
    if (event.replay_time() != recorded::k_unknown_time) note_time(event.replay_time());
    const QueueChange change = follower_.apply(event, instruments);
    if (!event.has(recorded::k_snapshot)) note(change);
    if (event.has(recorded::k_last)) touch_ = follower_.touch();
  }
}

void TouchRatesCounter::note_time(time::Time now) {
  if (last_ != recorded::k_unknown_time && now > last_ && touch_.is_market()) {
    const double seconds = static_cast<double>((now - last_).count()) * 1e-9;
    seconds_ += 2 * seconds;  // of both sides
    waiting_ += seconds * static_cast<double>(touch_.bid_quantity + touch_.ask_quantity) / order_quantity_;
    spreads_[spread_class((touch_.ask - touch_.bid) / tick_)].seconds += 2 * seconds;
  }
  last_ = last_ == recorded::k_unknown_time ? now : std::max(last_, now);
}

void TouchRatesCounter::note(const QueueChange& change) {
  if (change.kind == QueueChange::Kind::none || change.kind == QueueChange::Kind::hidden_execution) return;
  if (!touch_.is_market()) return;
  const double orders = static_cast<double>(change.quantity) / order_quantity_;
  const std::int64_t best = touch_.price(change.side);
  const bool is_better = change.side == Side::buy ? change.price > best : change.price < best;
  if (change.kind == QueueChange::Kind::entered && is_better)
    ++spreads_[spread_class((touch_.ask - touch_.bid) / tick_)].improvements;
  if (change.price != best) return;
  if (change.kind == QueueChange::Kind::entered) arrived_ += orders;
  if (change.kind == QueueChange::Kind::executed) executed_ += orders;
  if (change.kind == QueueChange::Kind::cancelled) cancelled_ += orders;
}

TouchRates TouchRatesCounter::rates(std::int64_t spread) const noexcept {
  if (seconds_ <= 0) return {};
  const Spread& at = spreads_[spread_class(spread)];
  return {.arrival = arrived_ / seconds_,
          .execution = executed_ / seconds_,
          .cancel = waiting_ > 0 ? cancelled_ / waiting_ : 0,
          .improvement = at.seconds > 0 ? at.improvements / at.seconds : 0};
}

}  // namespace dojima::queueing
