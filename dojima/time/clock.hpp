#pragma once

// Where time comes from, as an interface handed in. `SystemClock` for a live process, `ManualClock` for tests.
// Components never read a clock: only the live pacer of a loop does. One thread per clock object.

#include "dojima/time/time.hpp"

namespace dojima::time {

class Clock {
 public:
  /// UTC now; never earlier than the answer before.
  [[nodiscard]] virtual Time now() noexcept = 0;

 protected:
  ~Clock() = default;
};

/// UTC anchored once, when the object is made, then advanced with the kernel's monotonic clock: steps of the wall
/// clock (NTP, an operator) do not reach it. Objects of one process share the anchor, so their times compare.
class SystemClock final : public Clock {
 public:
  SystemClock() noexcept;
  [[nodiscard]] Time now() noexcept override;

 private:
  std::int64_t offset_ns_;  // UTC minus monotonic at the anchor
};

/// A clock that stands where it was put.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start) noexcept : now_(start) {}
  [[nodiscard]] Time now() noexcept override { return now_; }
  /// Moves forward; an earlier time changes nothing.
  void advance_to(Time time) noexcept {
    if (time > now_) now_ = time;
  }

 private:
  Time now_;
};

/// Reads the latency counter (CLOCK_MONOTONIC in nanoseconds). Only for probes.
[[nodiscard]] Ticks read_ticks() noexcept;

/// `later - earlier` in nanoseconds; 0 when `later` is the earlier one.
[[nodiscard]] constexpr std::int64_t nanoseconds_between(Ticks earlier, Ticks later) noexcept {
  return later.count > earlier.count ? static_cast<std::int64_t>(later.count - earlier.count) : 0;
}

}  // namespace dojima::time
