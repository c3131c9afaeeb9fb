#pragma once

// Time as the containers of the scheduler see it: unsigned nanoseconds, so that differences wrap into "far away" and
// slot arithmetic never overflows. Order and distance are those of `Time`. Plain values, no allocation.
//
//   Instant at = instant_of(now + 5ms);   time_of(at)

#include <algorithm>
#include <cstdint>

#include "dojima/time/time.hpp"

namespace dojima::sched {

using time::Time;

/// Nanoseconds since the year 1823: 2^62 ns before 1970. The last `Time` lies at 3/4 of the range, so that the end of
/// the slot or block of any instant is a number as well.
using Instant = std::uint64_t;

/// After every instant of a `Time`.
inline constexpr Instant k_no_instant = ~Instant{0};

inline constexpr std::int64_t k_instant_origin = -(std::int64_t{1} << 62);

/// Times before 1823 count as 1823.
[[nodiscard]] constexpr Instant instant_of(Time time) noexcept {
  const std::int64_t nanoseconds = std::max(time::nanoseconds_of(time), k_instant_origin);
  return static_cast<Instant>(nanoseconds) - static_cast<Instant>(k_instant_origin);
}

[[nodiscard]] constexpr Time time_of(Instant instant) noexcept {
  return time::from_nanoseconds(static_cast<std::int64_t>(instant + static_cast<Instant>(k_instant_origin)));
}

}  // namespace dojima::sched
