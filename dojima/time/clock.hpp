#pragma once

// Where time comes from, as an interface handed in. `SystemClock` for a live process, `TscClock` where it is
// asked often, `CoarseClock` where a few milliseconds do not matter, `ManualClock` for tests.
// Components never read a clock: only the live pacer of a loop does. One thread per clock object.

#include "dojima/time/tick_scale.hpp"
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

/// The processor's time stamp counter, calibrated against the kernel's monotonic clock: about as exact as SystemClock
/// and cheaper to read. Never goes back, also not when it is calibrated anew, which it does by itself about every
/// second of use. On the axis of SystemClock. Where the counter does not run at a constant rate, or there is none,
/// every reading is SystemClock's. Construction takes 2 ms.
class TscClock final : public Clock {
 public:
  TscClock() noexcept;
  [[nodiscard]] Time now() noexcept override;
  /// Holds the counter against the kernel's clock now.
  void calibrate() noexcept;
  /// How far the clock was off when it was calibrated last, and at worst, in nanoseconds.
  [[nodiscard]] std::int64_t residual_ns() const noexcept { return scale_.residual_ns(); }
  [[nodiscard]] std::int64_t worst_residual_ns() const noexcept { return scale_.worst_residual_ns(); }
  /// False: there is no such counter here.
  [[nodiscard]] bool has_counter() const noexcept { return has_counter_; }

 private:
  SystemClock system_;
  bool has_counter_;
  TickScale scale_;
};

/// The kernel's clock of its last tick (CLOCK_MONOTONIC_COARSE): cheap, and up to resolution() behind. On the axis of
/// SystemClock.
class CoarseClock final : public Clock {
 public:
  CoarseClock() noexcept;
  [[nodiscard]] Time now() noexcept override;
  [[nodiscard]] static Duration resolution() noexcept;

 private:
  std::int64_t offset_ns_;
};

/// A clock that shows the time it was set to.
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
