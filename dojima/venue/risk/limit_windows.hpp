#pragma once

// What has happened in the last so many nanoseconds, as far as a limit has to know: whether there were as many as it
// allows, and whether an order like this one came. Exact, in the time of the commands. O(1) a step; memory is taken
// when a limit is set. One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

using time::Duration;
using time::Time;

/// The times of the newest `most` of something.
class RecentTimes {
 public:
  /// Keeps the newest of those that are there. Allocates.
  void resize(std::size_t most) {
    std::vector<Time> kept;
    const std::size_t count = std::min(count_, most);
    for (std::size_t back = count; back > 0; --back) kept.push_back(newest(back - 1));
    kept.resize(most);
    times_ = std::move(kept);
    count_ = count;
    next_ = most == 0 ? 0 : count % most;
  }
  /// Whether so many came later than `window` before now that one more would be too many.
  [[nodiscard]] bool is_full(Time now, Duration window) const noexcept {
    return count_ == times_.size() && count_ != 0 && times_[next_] > now - window;
  }
  void note(Time now) noexcept {
    if (times_.empty()) return;
    times_[next_] = now;
    next_ = next_ + 1 == times_.size() ? 0 : next_ + 1;
    count_ = std::min(count_ + 1, times_.size());
  }
  void clear() noexcept { count_ = next_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t most() const noexcept { return times_.size(); }
  /// 0: the newest.
  [[nodiscard]] Time newest(std::size_t back) const noexcept {
    return times_[(next_ + times_.size() - 1 - back) % times_.size()];
  }
  /// How many came later than `window` before now.
  [[nodiscard]] std::size_t within(Time now, Duration window) const noexcept {
    std::size_t count = 0;
    while (count < count_ && newest(count) > now - window) ++count;
    return count;
  }

 private:
  std::vector<Time> times_;  // a ring; the next one goes to next_
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

/// An order as a limit on duplicates sees it.
struct OrderLikeness {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::uint32_t cell = 0;   ///< whose limit it is
  std::uint32_t place = 0;  ///< of the instrument
  std::uint64_t side = 0;
};

/// When the last order of each likeness came.
class RecentOrders {
 public:
  struct Entry {
    OrderLikeness order;
    Time time;
  };

  /// Throws std::bad_alloc.
  explicit RecentOrders(std::size_t capacity) : last_(capacity), ring_(capacity) {}

  /// Whether so many more orders can be kept, once those before `since` are forgotten.
  [[nodiscard]] bool has_room(std::size_t wanted, Time since) const noexcept {
    if (count_ + wanted <= ring_.size()) return true;
    return wanted <= ring_.size() && entry(count_ + wanted - ring_.size() - 1).time <= since;
  }
  /// Null: none that is known.
  [[nodiscard]] const Time* find(const OrderLikeness& order) const noexcept { return last_.find(order); }
  /// Forgets what came at `since` or before; there must be room.
  void note(const OrderLikeness& order, Time now, Time since) noexcept {
    while (count_ != 0 && entry(0).time <= since) drop_oldest();
    if (count_ == ring_.size() || !last_.assign(order, now)) return;
    ring_[(oldest_ + count_++) % ring_.size()] = {order, now};
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// 0: the oldest.
  [[nodiscard]] const Entry& entry(std::size_t at) const noexcept { return ring_[(oldest_ + at) % ring_.size()]; }

 private:
  void drop_oldest() noexcept {
    const Entry& gone = ring_[oldest_];
    if (const Time* last = last_.find(gone.order); last != nullptr && *last == gone.time) last_.erase(gone.order);
    oldest_ = (oldest_ + 1) % ring_.size();
    --count_;
  }

  FixedMap<OrderLikeness, Time> last_;
  std::vector<Entry> ring_;
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
};

}  // namespace dojima::venue
