#pragma once

// What has happened in the last so many nanoseconds, as far as limits have to know: whether there were as many as they
// allow. Exact, in the time of the commands, which never steps back. Memory is taken when a limit is set; a step is
// O(1): one store, and a comparison as long as a limit cannot be reached. What a step needs lies with what else is
// counted (TimesTail), all other things here. One thread.
//
//   if (tail.note(now) && times.go_on()) { if (times.is_full(limit, now, window)) ...; times.plan(limit, now, window);
//                                          times.look_at(limit.look); }

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

using time::Duration;
using time::Time;

/// How many of something may come within a window, and which of them count: those since it was set or cleared.
struct TimesLimit {
  static constexpr std::uint64_t k_never = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t most = 0;        ///< 0: there is no limit
  std::uint64_t begin = 0;       ///< how many came before the first one that counts
  std::uint64_t look = k_never;  ///< before so many have come in all it is not full
};

/// Where the newest of something is noted.
struct TimesTail {
  Time* at = nullptr;    ///< where the next one goes
  Time* stop = nullptr;  ///< behind the next one that is to be looked at, or the end of the memory

  /// True: it has come to `stop`, and goes on with RecentTimes::go_on() only. The line of the cache behind the one that
  /// is written is fetched with each step: a limit of many has memory that no cache has, and whoever writes there
  /// waits.
  [[gnu::always_inline]] bool note(Time now) noexcept {
    __builtin_prefetch(at + k_line, 1);
    *at = now;
    return ++at == stop;
  }

 private:
  static constexpr std::size_t k_line = 64 / sizeof(Time);
};

/// Memory for lists of times, many of them in one huge page: each is written at its end, and without these the page of
/// each would have to be looked up anew. What is given back is taken again, none goes back to the system. One thread.
class TimesMemory {
 public:
  static constexpr std::size_t k_most = std::size_t{1} << 18;  ///< a huge page

  /// For so many, a power of two up to k_most, whatever they are. May allocate; throws std::bad_alloc.
  [[nodiscard]] Time* take(std::size_t size) {
    DOJIMA_ASSERT(std::has_single_bit(size) && size <= k_most, "a power of two within a huge page", size);
    const auto wanted = static_cast<std::size_t>(std::countr_zero(size));
    std::size_t at = wanted;
    while (at < free_.size() && free_[at].empty()) ++at;
    if (at == free_.size()) {
      pages_.push_back(std::make_unique<LargeArray<Time>>(k_most, k_untouched));
      free_[--at].push_back(&(*pages_.back())[0]);
      *free_[at].back() = {};  // it is cleared now, not while an order waits
    }
    Time* const taken = free_[at].back();
    free_[at].pop_back();
    while (at > wanted) {
      --at;
      free_[at].push_back(taken + (std::size_t{1} << at));
    }
    return taken;
  }
  void give_back(Time* memory, std::size_t size) {
    free_[static_cast<std::size_t>(std::countr_zero(size))].push_back(memory);
  }

  /// The number that a list begins with: as all of them have the same place in their pages, those that are as long
  /// would have to share few sets of the caches.
  [[nodiscard]] std::uint64_t first_number() noexcept {
    constexpr std::uint64_t k_in_line = 64 / sizeof(Time), k_lines = 1024, k_apart = 397;
    return lists_++ * k_apart % k_lines * k_in_line;
  }

 private:
  std::array<std::vector<Time*>, std::countr_zero(k_most) + 1> free_;  // by their sizes
  std::vector<std::unique_ptr<LargeArray<Time>>> pages_;
  std::uint64_t lists_ = 0;
};

/// When the newest of something came, for the limits that look at it. It is written to where it stopped last, and one
/// comparison says both that its memory begins again and that somebody has to look.
class RecentTimes {
 public:
  /// Both must outlive this. May allocate, and gives back nothing at its end, as `memory` ends with it.
  RecentTimes(TimesTail& tail, TimesMemory& memory) : tail_(tail), memory_(memory), times_(memory.take(k_least)) {
    place(memory.first_number());
  }
  RecentTimes(const RecentTimes&) = delete;
  RecentTimes& operator=(const RecentTimes&) = delete;

  /// True: as many were noted as look_at() was given, or more.
  bool note(Time now) noexcept { return tail_.note(now) && go_on(); }
  /// The same, of what the tail has noted.
  [[gnu::noinline]] bool go_on() noexcept {
    place(noted());
    return noted() >= look_;
  }
  /// How many were noted in all, and a number that it began with.
  [[nodiscard]] std::uint64_t noted() const noexcept { return base_ + static_cast<std::uint64_t>(tail_.at - times_); }
  /// From so many on note() says that it is to be looked at; behind set(), clear() and plan().
  void look_at(std::uint64_t look) noexcept {
    look_ = look;
    find_stop();
  }

  /// Makes room for a limit of so many beside `other`; what it has counted stays counted, the newest so many. Its
  /// window may be another one. Allocates.
  void set(TimesLimit& limit, std::uint64_t most, const TimesLimit& other = {}) {
    limit.begin = noted() - std::min(size(limit), most);
    limit.most = most;
    limit.look = most == 0 ? TimesLimit::k_never : 0;
    reserve(std::max(most, other.most));
  }
  void clear(TimesLimit& limit) const noexcept {
    limit.begin = noted();
    limit.look = limit.most == 0 ? TimesLimit::k_never : 0;
  }

  /// Whether so many came later than `window` before now that one more would be too many. `now`: not before that of the
  /// last plan().
  [[nodiscard]] bool is_full(const TimesLimit& limit, Time now, Duration window) const noexcept {
    if (noted() < limit.look) [[likely]]
      return false;
    return noted() - limit.begin >= limit.most && newest(limit.most - 1) > now - window;
  }
  /// Says from how many on the limit is to be looked at again. Of those within the window now there are fewer than half
  /// as many as may be, than three quarters and so on, or it is looked at with each: so a look is O(1), and rare where
  /// a limit is wide.
  void plan(TimesLimit& limit, Time now, Duration window) const noexcept {
    for (std::uint64_t room = limit.most / 2, least = limit.most / k_nearest; room > least; room /= 2) {
      const std::uint64_t fewer = limit.most - room;
      if (noted() - limit.begin >= fewer && newest(fewer - 1) > now - window) continue;
      limit.look = noted() + room + 1;
      return;
    }
  }

  /// How many of those that the limit counts are remembered.
  [[nodiscard]] std::uint64_t size(const TimesLimit& limit) const noexcept {
    return std::min(noted() - limit.begin, limit.most);
  }
  /// 0: the newest.
  [[nodiscard]] Time newest(std::uint64_t back) const noexcept {
    return times_[static_cast<std::size_t>(noted() - 1 - back) & (size_ - 1)];
  }
  /// How many came later than `window` before now.
  [[nodiscard]] std::uint64_t within(const TimesLimit& limit, Time now, Duration window) const noexcept {
    std::uint64_t count = 0;
    while (count < size(limit) && newest(count) > now - window) ++count;
    return count;
  }

 private:
  static constexpr std::size_t k_least = 64;      // what nobody looks at goes round too
  static constexpr std::uint64_t k_nearest = 32;  // with such a part of its room left a limit is looked at each time

  /// A ring of a power of two.
  void reserve(std::uint64_t most) {
    const std::size_t size = std::max(std::bit_ceil(static_cast<std::size_t>(most)), k_least);
    if (size == size_) return;
    const std::uint64_t all = noted();
    Time* const larger = memory_.take(size);
    const std::uint64_t kept = std::min<std::uint64_t>({all, size_, size});
    for (std::uint64_t at = all - kept; at != all; ++at) larger[at & (size - 1)] = times_[at & (size_ - 1)];
    memory_.give_back(times_, size_);
    times_ = larger;
    size_ = size;
    place(all);
  }
  /// So many were noted.
  void place(std::uint64_t noted) noexcept {
    base_ = noted & ~(std::uint64_t{size_} - 1);
    tail_.at = times_ + (noted - base_);
    find_stop();
  }
  void find_stop() noexcept {
    const std::uint64_t until_end = base_ + size_ - noted();
    const std::uint64_t until_look = look_ > noted() ? look_ - noted() : 1;
    tail_.stop = tail_.at + std::min(until_end, until_look);
  }

  TimesTail& tail_;
  TimesMemory& memory_;
  std::uint64_t base_ = 0;
  std::uint64_t look_ = TimesLimit::k_never;
  Time* times_;  // what was noted as number n lies at n modulo size_
  std::size_t size_ = k_least;
};

}  // namespace dojima::venue
