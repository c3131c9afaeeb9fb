#include "dojima/book/queues/ladder_queue.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::book {
namespace {

constexpr unsigned k_largest = LevelPool::k_largest_window;

}  // namespace

LadderQueue::LadderQueue(Side side, OrderTable& orders, std::size_t) noexcept
    : orders_(orders),
      records_(&orders.level_pool()[0]),
      pool_(orders.level_pool()),
      flip_(side == Side::buy ? -1 : 0),
      far_(pool_) {}

LadderQueue::~LadderQueue() {
  for (std::size_t at = window_.first_from(0); at != k_none; at = window_.first_from(at + 1)) {
    pool_.give(window_[at]);
    window_.take_out(at);
  }
  while (!far_.is_empty()) {
    const LevelIndex record = far_.lowest();
    far_.erase(record);
    pool_.give(record);
  }
  window_.give_back(pool_);
}

Level LadderQueue::worse(Level level) const noexcept {
  const std::int64_t behind = std::int64_t{rank_of(level)} + 1;
  const std::size_t at =
      window_.first_from(static_cast<std::size_t>(std::max<std::int64_t>(behind - window_.base(), 0)));
  if (at != k_none) return level_of_record(window_[at]);
  const LevelIndex record = far_.at_or_above(behind);
  return record == 0 ? k_no_level : level_of_record(record);
}

void LadderQueue::put(LevelIndex record) noexcept {
  window_.put(records_[record].orders.rank, record);
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
    window_.begin_at(LadderWindow::base_for(rank, window_.log2()));
    return open_inside(rank);
  }
  if (rank < window_.base()) {
    move_window(LadderWindow::base_for(rank, window_.log2()));
    return open_inside(rank);
  }
  // Half of the window lies before the best price: time to follow it. Else the window is too small for this order, and
  // perhaps for many.
  const std::int64_t best = records_[best_].orders.rank;
  if (best - window_.base() >= static_cast<std::int64_t>(window_.size()) / 2)
    move_window(LadderWindow::base_for(best, window_.log2()));
  else if (rank < LadderWindow::base_for(best, k_largest) + (std::int64_t{1} << k_largest) && window_.miss())
    grow(rank);
  if (window_.is_inside(rank)) {
    const LevelIndex record = window_.at(rank);
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
  if (!window_.is_inside(level.rank)) {
    far_.erase(record);
    pool_.give(record);
    return;
  }
  const std::size_t at = window_.place_of(level.rank);
  window_.take_out(at);
  pool_.give(record);
  if (record != best_) return;
  std::size_t next = window_.first_from(at);
  if (next == k_none && !far_.is_empty()) {
    window_.begin_at(LadderWindow::base_for(records_[far_.lowest()].orders.rank, window_.log2()));
    take_in_far_levels();
    next = window_.first_from(0);
  }
  set_best(next == k_none ? 0 : window_[next]);
  orders_.slots().prefetch(front());  // it is what aggressors meet next
}

/// Levels that the window leaves become far, far ones that it reaches come in.
void LadderQueue::move_window(std::int64_t base) noexcept {
  window_.move_to(base, [this](LevelIndex record) {
    if (window_.is_inside(records_[record].orders.rank))
      put(record);
    else
      far_.insert(record);
  });
  take_in_far_levels();
}

void LadderQueue::take_in_far_levels() noexcept {
  for (;;) {
    const LevelIndex record = far_.at_or_above(window_.base());
    if (record == 0 || records_[record].orders.rank >= window_.end()) return;
    far_.erase(record);
    put(record);
  }
}

/// Takes a window that reaches from the best price to this rank, if there is one.
void LadderQueue::grow(std::int32_t rank) noexcept {
  window_.forget_misses();
  const std::int64_t best = records_[best_].orders.rank;
  unsigned log2 = std::max(window_.log2() + 1, LevelPool::k_smallest_window);
  while (log2 < k_largest && LadderWindow::base_for(best, log2) + (std::int64_t{1} << log2) <= rank) ++log2;
  if (log2 > k_largest) return;
  const std::int64_t base = LadderWindow::base_for(best, log2);
  if (!window_.grow_to(log2, base, pool_, [this](LevelIndex record) { put(record); })) return;
  take_in_far_levels();
}

const char* LadderQueue::inconsistency() const noexcept {
  if (const char* wrong = window_.inconsistency()) return wrong;
  std::size_t seen = 0;
  for (std::size_t at = 0; at < window_.size(); ++at) {
    const LevelIndex record = window_[at];
    if (record == 0) continue;
    ++seen;
    if (records_[record].orders.rank != window_.base() + static_cast<std::int64_t>(at))
      return "a level lies at another's tick";
    if (const char* wrong = records_[record].orders.inconsistency(orders_, record)) return wrong;
  }
  std::int64_t last = window_.end() - 1;
  for (LevelIndex record = far_.lowest(); record != 0; record = far_.at_or_above(last + 1)) {
    const std::int64_t rank = records_[record].orders.rank;
    if (rank <= last) return "a far level is not behind the window";
    last = rank;
    ++seen;
    if (const char* wrong = records_[record].orders.inconsistency(orders_, record)) return wrong;
  }
  if (seen != level_count_) return "the ladder counts other levels than it has";
  const std::size_t first = window_.first_from(0);
  if (best_rank_ != (best_ == 0 ? k_beyond_all : records_[best_].orders.rank)) return "the best rank is another's";
  return best_ == (first == k_none ? 0 : window_[first]) ? nullptr : "the best level is another";
}

}  // namespace dojima::book
