#include "dojima/book/queues/ladder_queue.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::book {
namespace {

constexpr unsigned k_largest = LevelPool::k_largest_window;

}  // namespace

LadderQueue::LadderQueue(Side side, OrderTable& orders, std::size_t) noexcept
    : orders_(orders),
      records_(&orders.level_pool()[0]),
      pool_(orders.level_pool()),
      window_{&own_bits_, own_levels_},
      flip_(side == Side::buy ? -1 : 0),
      far_(pool_) {}

LadderQueue::~LadderQueue() {
  for (std::size_t at = first_from(0); at != k_none; at = first_from(at + 1)) {
    pool_.give(window_.levels[at]);
    take_out(at);
  }
  while (!far_.is_empty()) {
    const LevelIndex record = far_.lowest();
    far_.erase(record);
    pool_.give(record);
  }
  if (log2_ != k_own_log2) pool_.give_window(window_, log2_);
}

/// The first occupied tick of the window at or behind a place; k_none: there is none.
std::size_t LadderQueue::first_from(std::size_t at) const noexcept {
  if (at >> log2_ != 0) return k_none;
  const std::size_t group = at / 64;
  const std::uint64_t bits = window_.bits[group] >> (at % 64);
  if (bits != 0) return at + static_cast<std::size_t>(std::countr_zero(bits));
  const std::uint64_t behind = group == 63 ? 0 : groups_ >> (group + 1);
  if (behind == 0) return k_none;
  const std::size_t next = group + 1 + static_cast<std::size_t>(std::countr_zero(behind));
  return next * 64 + static_cast<std::size_t>(std::countr_zero(window_.bits[next]));
}

Level LadderQueue::worse(Level level) const noexcept {
  const std::int64_t behind = std::int64_t{rank_of(level)} + 1;
  const std::size_t at = first_from(static_cast<std::size_t>(std::max<std::int64_t>(behind - base_, 0)));
  if (at != k_none) return level_of_record(window_.levels[at]);
  const LevelIndex record = far_.at_or_above(behind);
  return record == 0 ? k_no_level : level_of_record(record);
}

/// Where a window should begin: a quarter of it before the best price.
std::int64_t LadderQueue::base_for(std::int64_t best, unsigned log2) const noexcept {
  return best - (std::int64_t{1} << log2) / 4;
}

void LadderQueue::put(LevelIndex record) noexcept {
  const auto at = static_cast<std::size_t>(records_[record].orders.rank - base_);
  window_.levels[at] = record;
  window_.bits[at / 64] |= std::uint64_t{1} << (at % 64);
  groups_ |= std::uint64_t{1} << (at / 64);
}

void LadderQueue::take_out(std::size_t at) noexcept {
  window_.levels[at] = 0;
  window_.bits[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  if (window_.bits[at / 64] == 0) groups_ &= ~(std::uint64_t{1} << (at / 64));
}

LevelIndex LadderQueue::open_inside(std::int32_t rank) noexcept {
  const LevelIndex record = pool_.take();
  records_[record].orders.rank = rank;
  put(record);
  if (rank < best_rank_) set_best(record);
  ++level_count_;
  return record;
}

/// The window holds the best level whenever there is one; behind it everything else may be far.
LevelIndex LadderQueue::open_outside(std::int32_t rank) noexcept {
  if (level_count_ == 0) {
    base_ = base_for(rank, log2_);
    return open_inside(rank);
  }
  if (rank < base_) {
    move_window(base_for(rank, log2_));
    return open_inside(rank);
  }
  // Half of the window lies before the best price: time to follow it. Else the window is too small for this order, and
  // perhaps for many.
  const std::int64_t best = records_[best_].orders.rank;
  if (best - base_ >= static_cast<std::int64_t>(window_ticks()) / 2)
    move_window(base_for(best, log2_));
  else if (rank < base_for(best, k_largest) + (std::int64_t{1} << k_largest) && ++misses_ >= k_patience)
    grow(rank);
  if (is_inside(rank)) {
    const LevelIndex record = window_.levels[rank - base_];
    return record != 0 ? record : open_inside(rank);
  }
  if (const LevelIndex record = far_.find(rank)) return record;
  const LevelIndex record = pool_.take();
  records_[record].orders.rank = rank;
  far_.insert(record);
  ++level_count_;
  return record;
}

void LadderQueue::close(LevelIndex record) noexcept {
  const LinkedOrders& level = records_[record].orders;
  DOJIMA_ASSERT(level.total.lots == 0, "a level without orders has nothing left");
  --level_count_;
  if (!is_inside(level.rank)) {
    far_.erase(record);
    pool_.give(record);
    return;
  }
  const auto at = static_cast<std::size_t>(level.rank - base_);
  take_out(at);
  pool_.give(record);
  if (record != best_) return;
  std::size_t next = first_from(at);
  if (next == k_none && !far_.is_empty()) {
    base_ = base_for(records_[far_.lowest()].orders.rank, log2_);
    take_in_far_levels();
    next = first_from(0);
  }
  set_best(next == k_none ? 0 : window_.levels[next]);
  orders_.slots().prefetch(front());  // it is what aggressors meet next
}

/// Levels that the window leaves become far, far ones that it reaches come in.
void LadderQueue::move_window(std::int64_t base) noexcept {
  const bool is_worse = base > base_;
  base_ = base;
  // Those nearest to where the window goes move first, so that none is written over before it has moved.
  const std::size_t groups = (window_ticks() + 63) / 64;
  for (std::size_t step = 0; step < groups; ++step) {
    const std::size_t group = is_worse ? step : groups - 1 - step;
    std::uint64_t bits = std::exchange(window_.bits[group], 0);
    groups_ &= ~(std::uint64_t{1} << group);
    while (bits != 0) {
      const auto bit = static_cast<unsigned>(is_worse ? std::countr_zero(bits) : 63 - std::countl_zero(bits));
      bits &= ~(std::uint64_t{1} << bit);
      const LevelIndex record = std::exchange(window_.levels[group * 64 + bit], 0);
      if (is_inside(records_[record].orders.rank))
        put(record);
      else
        far_.insert(record);
    }
  }
  take_in_far_levels();
}

void LadderQueue::take_in_far_levels() noexcept {
  const std::int64_t end = base_ + static_cast<std::int64_t>(window_ticks());
  for (;;) {
    const LevelIndex record = far_.at_or_above(base_);
    if (record == 0 || records_[record].orders.rank >= end) return;
    far_.erase(record);
    put(record);
  }
}

/// Takes a window that reaches from the best price to this rank, if there is one.
void LadderQueue::grow(std::int32_t rank) noexcept {
  misses_ = 0;
  const std::int64_t best = records_[best_].orders.rank;
  unsigned log2 = std::max(log2_ + 1, LevelPool::k_smallest_window);
  while (log2 < k_largest && base_for(best, log2) + (std::int64_t{1} << log2) <= rank) ++log2;
  if (log2 > k_largest) return;
  const LevelPool::Window larger = pool_.take_window(log2);
  if (larger.bits == nullptr) return;
  const LevelPool::Window smaller = std::exchange(window_, larger);
  const unsigned smaller_log2 = std::exchange(log2_, log2);
  base_ = base_for(best, log2);
  groups_ = 0;
  for (std::size_t group = 0; group < (std::size_t{1} << smaller_log2) / 64; ++group) {
    for (std::uint64_t bits = std::exchange(smaller.bits[group], 0); bits != 0; bits &= bits - 1)
      put(std::exchange(smaller.levels[group * 64 + static_cast<std::size_t>(std::countr_zero(bits))], 0));
  }
  if (smaller_log2 != k_own_log2) pool_.give_window(smaller, smaller_log2);
  take_in_far_levels();
}

const char* LadderQueue::inconsistency() const noexcept {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < window_ticks(); ++at) {
    const LevelIndex record = window_.levels[at];
    const bool has_bit = (window_.bits[at / 64] >> (at % 64) & 1) != 0;
    if (has_bit != (record != 0)) return "a bit of the window is wrong";
    if (has_bit && (groups_ >> (at / 64) & 1) == 0) return "a group's bit is missing";
    if (record == 0) continue;
    ++seen;
    if (records_[record].orders.rank != base_ + static_cast<std::int64_t>(at))
      return "a level stands at another's tick";
    if (const char* wrong = records_[record].orders.inconsistency(orders_, record)) return wrong;
  }
  for (std::size_t group = 0; group < window_ticks() / 64; ++group)
    if (window_.bits[group] == 0 && (groups_ >> group & 1) != 0) return "a group's bit is set for nothing";
  const std::int64_t end = base_ + static_cast<std::int64_t>(window_ticks());
  std::int64_t last = end - 1;
  for (LevelIndex record = far_.lowest(); record != 0; record = far_.at_or_above(last + 1)) {
    const std::int64_t rank = records_[record].orders.rank;
    if (rank <= last) return "a far level is not behind the window";
    last = rank;
    ++seen;
    if (const char* wrong = records_[record].orders.inconsistency(orders_, record)) return wrong;
  }
  if (seen != level_count_) return "the ladder counts other levels than it has";
  const std::size_t first = first_from(0);
  if (best_rank_ != (best_ == 0 ? k_beyond_all : records_[best_].orders.rank)) return "the best rank is another's";
  return best_ == (first == k_none ? 0 : window_.levels[first]) ? nullptr : "the best level is another";
}

}  // namespace dojima::book
