#pragma once

// What has happened in the last so many nanoseconds, as far as limits have to know: whether there were as many as they
// allow. Exact, in the time of the commands, which never steps back. Memory is taken when a limit is set; a step is
// O(1): one store, and a comparison as long as a limit cannot be reached. One thread.
//
//   times.note(now);
//   if (times.noted() >= limit.look) { if (times.is_full(limit, now, window)) ...; times.plan(limit, now, window); }

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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

/// When the newest of something came, for the limits that look at it.
class RecentTimes {
 public:
  /// There must be a limit.
  void note(Time now) noexcept { times_[noted_++ & mask_] = now; }
  /// How many were noted in all.
  [[nodiscard]] std::uint64_t noted() const noexcept { return noted_; }

  /// Makes room for a limit of so many beside `other`; what it has counted stays counted, the newest so many. Its
  /// window may be another one. Allocates.
  void set(TimesLimit& limit, std::uint64_t most, const TimesLimit& other = {}) {
    limit.begin = noted_ - std::min(size(limit), most);
    limit.most = most;
    limit.look = most == 0 ? TimesLimit::k_never : 0;
    reserve(std::max(most, other.most));
  }
  void clear(TimesLimit& limit) const noexcept {
    limit.begin = noted_;
    limit.look = limit.most == 0 ? TimesLimit::k_never : 0;
  }

  /// Whether so many came later than `window` before now that one more would be too many. `now`: not before that of the
  /// last plan().
  [[nodiscard]] bool is_full(const TimesLimit& limit, Time now, Duration window) const noexcept {
    if (noted_ < limit.look) [[likely]]
      return false;
    return noted_ - limit.begin >= limit.most && newest(limit.most - 1) > now - window;
  }
  /// Says from how many on the limit is to be looked at again. Of those within the window now there are fewer than half
  /// as many as may be, or it is looked at with each: so a look is O(1), and rare where a limit is wide.
  void plan(TimesLimit& limit, Time now, Duration window) const noexcept {
    const std::uint64_t half = limit.most / 2;
    if (half == 0 || (noted_ - limit.begin >= half && newest(half - 1) > now - window)) return;
    limit.look = noted_ + (limit.most - half + 1);
  }

  /// How many of those that the limit counts are remembered.
  [[nodiscard]] std::uint64_t size(const TimesLimit& limit) const noexcept {
    return std::min(noted_ - limit.begin, limit.most);
  }
  /// 0: the newest.
  [[nodiscard]] Time newest(std::uint64_t back) const noexcept { return times_[(noted_ - 1 - back) & mask_]; }
  /// How many came later than `window` before now.
  [[nodiscard]] std::uint64_t within(const TimesLimit& limit, Time now, Duration window) const noexcept {
    std::uint64_t count = 0;
    while (count < size(limit) && newest(count) > now - window) ++count;
    return count;
  }

 private:
  /// A ring of a power of two.
  void reserve(std::uint64_t most) {
    const std::size_t size = most == 0 ? 0 : std::bit_ceil(static_cast<std::size_t>(most));
    if (size == times_.size()) return;
    std::vector<Time> larger(size);
    const std::uint64_t kept = std::min<std::uint64_t>({noted_, times_.size(), size});
    for (std::uint64_t at = noted_ - kept; at != noted_; ++at) larger[at & (size - 1)] = times_[at & mask_];
    times_ = std::move(larger);
    mask_ = size - 1;
  }

  std::vector<Time> times_;  // what was noted as number n stands at n & mask_
  std::uint64_t mask_ = 0;
  std::uint64_t noted_ = 0;
};

}  // namespace dojima::venue
