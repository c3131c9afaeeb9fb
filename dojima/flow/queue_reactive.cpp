#include "dojima/flow/queue_reactive.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::flow {
namespace {

using market::Side;

constexpr std::uint32_t k_most = 1000;
constexpr std::uint64_t k_most_rate = 1'000'000'000'000'000;
__extension__ using Wide = unsigned __int128;

}  // namespace

const char* trouble_of(const QueueReactiveRates& model) noexcept {
  if (model.distances.empty() || model.distances.front() < 1 || model.distances.back() > k_most)
    return "distances go from 1 to at most 1000 ticks";
  if (!std::ranges::is_sorted(model.distances, std::ranges::less_equal{})) return "distances must rise";
  if (model.follow > 1000) return "the chance to follow the middle is at most 1000 thousandths";
  if (model.lengths < 2 || model.lengths > k_most) return "there are 2 to 1000 lengths of a queue";
  if (model.rates.size() != model.distances.size() * model.lengths)
    return "there must be rates for every class of distances and every length";
  bool can_grow = false;
  for (std::size_t at = 0; at < model.rates.size(); ++at) {
    const QueueRates& rates = model.rates[at];
    if (std::max({rates.limit, rates.cancel, rates.execution, rates.occupancy}) >= k_most_rate)
      return "rates and occupancies are below 10^15";
    can_grow = can_grow || (at % model.lengths == 0 && rates.limit > 0);
  }
  return can_grow ? nullptr : "orders must arrive at some queue that is empty";
}

QueueReactiveMarket::QueueReactiveMarket(const QueueReactiveRates& rates, std::int64_t reference, std::uint64_t seed)
    : rates_(&rates), reference_(reference), random_(seed) {
  if (const char* const trouble = trouble_of(rates)) throw std::invalid_argument(trouble);
  for (std::uint32_t distance = 1, at = 0; distance <= rates.levels(); ++distance) {
    if (distance > rates.distances[at]) ++at;
    class_of_.push_back(at);
  }
  for (std::size_t at = 0; at < rates.distances.size(); ++at) {
    occupancies_.push_back(0);
    for (std::uint32_t length = 0; length < rates.lengths; ++length)
      occupancies_.back() += rates.of(at, length).occupancy;
  }
  for (Queues& side : sides_) {
    side.lengths.assign(rates.levels(), 0);
    side.rates.assign(rates.levels(), 0);
  }
  draw_all();
}

std::uint32_t QueueReactiveMarket::drawn_length(std::size_t at) {
  const std::size_t of = class_of_[at];
  if (occupancies_[of] == 0) return 0;
  std::uint64_t drawn = random_.below(occupancies_[of]);
  for (std::uint32_t length = 0; length + 1 < rates_->lengths; ++length) {
    const std::uint64_t weight = rates_->of(of, length).occupancy;
    if (drawn < weight) return length;
    drawn -= weight;
  }
  return rates_->lengths - 1;
}

void QueueReactiveMarket::draw_all() {
  for (const Side side : {Side::buy, Side::sell}) {
    for (std::size_t at = 0; at < on(side).lengths.size(); ++at) on(side).lengths[at] = drawn_length(at);
    refresh(side);
  }
  note_middle();
}

void QueueReactiveMarket::note_middle() noexcept {
  std::int64_t bid = 0, ask = 0;
  if (best(Side::buy, bid) && best(Side::sell, ask)) doubled_mid_ = bid + ask;
}

void QueueReactiveMarket::restart(Side side, std::uint32_t own, std::uint32_t other, std::int64_t spread,
                                  std::uint64_t seed) {
  DOJIMA_ASSERT(own > 0 && other > 0 && spread > 0, "a market has two queues and a spread", own, other, spread);
  random_ = Random(seed);
  const auto levels = static_cast<std::int64_t>(class_of_.size());
  // The nearest prices to the middle: so many ticks from the best ones.
  const bool is_further = spread % 2 == 0 && random_.below(2) == 0;  // the reference has two places then
  const std::int64_t near = (spread - 1) / 2 + (is_further ? 1 : 0);
  const std::int64_t inside = std::min(near, levels - 1);
  const std::int64_t beyond = std::min(spread - 1 - near, levels - 1);
  reference_ = side == Side::buy ? inside : -inside - 1;
  for (const Side each : {Side::buy, Side::sell}) {
    const auto best = static_cast<std::size_t>(each == side ? inside : beyond);
    Queues& queues = on(each);
    for (std::size_t at = 0; at < queues.lengths.size(); ++at)
      queues.lengths[at] = at < best ? 0 : at == best ? (each == side ? own : other) : drawn_length(at);
    refresh(each);
  }
  note_middle();
}

std::int64_t QueueReactiveMarket::level_at(Side side, std::size_t at) const noexcept {
  const auto away = static_cast<std::int64_t>(at);
  return side == Side::buy ? reference_ - away : reference_ + 1 + away;
}

std::int64_t QueueReactiveMarket::furthest(Side side) const noexcept {
  return level_at(side, class_of_.size() - 1);
}

std::uint32_t QueueReactiveMarket::length(Side side, std::int64_t level) const noexcept {
  const std::int64_t away = side == Side::buy ? reference_ - level : level - reference_ - 1;
  if (away < 0 || away >= static_cast<std::int64_t>(class_of_.size())) return 0;
  return on(side).lengths[static_cast<std::size_t>(away)];
}

bool QueueReactiveMarket::best(Side side, std::int64_t& level) const noexcept {
  const Queues& queues = on(side);
  if (queues.best == queues.lengths.size()) return false;
  level = level_at(side, queues.best);
  return true;
}

void QueueReactiveMarket::refresh(Side side) {
  Queues& queues = on(side);
  queues.total = 0;
  queues.best = queues.lengths.size();
  for (std::size_t at = 0; at < queues.lengths.size(); ++at) {
    const std::uint32_t length = queues.lengths[at];
    const QueueRates& rates = rates_->of(class_of_[at], length);
    std::uint64_t rate = rates.limit;
    if (length > 0) {
      rate += rates.cancel;
      if (queues.best == queues.lengths.size()) {
        queues.best = at;
        rate += rates.execution;
      }
    }
    queues.rates[at] = rate;
    queues.total += rate;
  }
}

/// The same when only one queue has changed.
void QueueReactiveMarket::refresh_changed(Side side, std::size_t at) {
  Queues& queues = on(side);
  const std::uint32_t length = queues.lengths[at];
  // Another queue is the best now: all that depends on it.
  if (length > 0 ? at < queues.best : at == queues.best) return refresh(side);
  const QueueRates& rates = rates_->of(class_of_[at], length);
  std::uint64_t rate = rates.limit;
  if (length > 0) rate += rates.cancel + (at == queues.best ? rates.execution : 0);
  queues.total += rate - queues.rates[at];
  queues.rates[at] = rate;
}

std::int64_t QueueReactiveMarket::next() {
  changes_.clear();
  const std::uint64_t total = sides_[0].total + sides_[1].total;
  DOJIMA_ASSERT(total > 0, "something can always happen", reference_);
  const Wide gap = static_cast<Wide>(exponential_q32(random_.next())) * 1'000'000'000'000'000u / total >> 32;
  std::uint64_t drawn = random_.below(total);
  const Side side = drawn < sides_[0].total ? Side::buy : Side::sell;
  if (side == Side::sell) drawn -= sides_[0].total;
  Queues& queues = on(side);
  std::size_t at = 0;
  while (drawn >= queues.rates[at]) drawn -= queues.rates[at++];
  std::uint32_t& length = queues.lengths[at];
  const QueueRates& rates = rates_->of(class_of_[at], length);
  const std::int64_t level = level_at(side, at);
  if (drawn < rates.limit) {
    changes_.push_back({QueueReactiveChange::Kind::added, side, level, length++});
  } else if (drawn < rates.limit + rates.cancel) {
    changes_.push_back(
        {QueueReactiveChange::Kind::cancelled, side, level, static_cast<std::uint32_t>(random_.below(length))});
    --length;
  } else {
    changes_.push_back({QueueReactiveChange::Kind::executed, side, level, 0});
    --length;
  }
  refresh_changed(side, at);
  follow_middle();
  return static_cast<std::int64_t>(std::min<Wide>(gap, Wide{1} << 60));
}

void QueueReactiveMarket::follow_middle() {
  std::int64_t bid = 0, ask = 0;
  if (!best(Side::buy, bid) || !best(Side::sell, ask)) return;
  if (bid + ask == doubled_mid_) return;
  const bool is_up = bid + ask > doubled_mid_;
  doubled_mid_ = bid + ask;
  // The middle is half a tick above `lower`, or on a tick: then the reference may be on either side of it.
  const std::int64_t lower = bid + (ask - bid - 1) / 2;
  std::int64_t moved = lower;
  if ((ask - bid) % 2 == 0) {
    const bool is_followed = random_.below(1000) < rates_->follow;
    if (is_followed ? is_up : reference_ > lower) moved = lower + 1;
  }
  if (moved == reference_) return;
  const std::int64_t by = moved - reference_;
  shift(Side::buy, by);
  shift(Side::sell, -by);
  reference_ = moved;
  // Those that came into view, after the move.
  for (const Side side : {Side::buy, Side::sell}) {
    const std::int64_t appeared = side == Side::buy ? -by : by;
    Queues& queues = on(side);
    const std::size_t size = queues.lengths.size();
    for (std::size_t at =
             size - std::min<std::size_t>(size, static_cast<std::size_t>(std::max<std::int64_t>(appeared, 0)));
         at < size; ++at) {
      queues.lengths[at] = drawn_length(at);
      for (std::uint32_t place = 0; place < queues.lengths[at]; ++place)
        changes_.push_back({QueueReactiveChange::Kind::added, side, level_at(side, at), place});
    }
    refresh(side);
  }
}

/// Queues get `further` ticks away from the reference, or nearer; those beyond the view are cancelled.
void QueueReactiveMarket::shift(Side side, std::int64_t further) {
  Queues& queues = on(side);
  const auto size = static_cast<std::int64_t>(queues.lengths.size());
  const std::int64_t by = std::clamp(further, -size, size);
  const auto middle = [&](std::int64_t at) { return queues.lengths.begin() + at; };
  if (by > 0) {
    for (std::int64_t at = size - by; at < size; ++at)
      for (std::uint32_t left = *middle(at); left > 0; --left)
        changes_.push_back(
            {QueueReactiveChange::Kind::cancelled, side, level_at(side, static_cast<std::size_t>(at)), left - 1});
    std::move_backward(middle(0), middle(size - by), queues.lengths.end());
    std::fill(middle(0), middle(by), 0);
  } else {
    std::move(middle(-by), middle(size), middle(0));
    std::fill(middle(size + by), middle(size), 0);
  }
}

}  // namespace dojima::flow
