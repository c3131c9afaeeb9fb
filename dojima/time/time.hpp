#pragma once

// The one time axis: UTC nanoseconds since 1970, used for timers, stamps and journals; and `Ticks`, the reading of a
// latency counter, a type of its own that no output and no decision can take. Plain values, no allocation.
//
//   Time due = now + std::chrono::seconds{3};

#include <chrono>
#include <cstdint>

namespace dojima::time {

/// A point in UTC, in nanoseconds. Anchored once per process and advanced monotonically, never stepped back.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// Later than every event: "nothing is due".
inline constexpr Time k_never = Time::max();

[[nodiscard]] constexpr std::int64_t nanoseconds_of(Time time) noexcept {
  return time.time_since_epoch().count();
}
[[nodiscard]] constexpr Time from_nanoseconds(std::int64_t nanoseconds) noexcept {
  return Time{Duration{nanoseconds}};
}

/// The start of the UTC day of `time`.
[[nodiscard]] constexpr Time day_of(Time time) noexcept {
  return std::chrono::floor<std::chrono::days>(time);
}

/// A reading of the latency counter; only differences mean anything, and only a probe reads it.
struct Ticks {
  std::uint64_t count = 0;
  friend constexpr auto operator<=>(const Ticks&, const Ticks&) = default;
};

}  // namespace dojima::time
