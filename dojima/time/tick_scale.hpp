#pragma once

// From ticks of a counter with an unknown but steady frequency to nanoseconds: continuous, never backwards, drawn to
// the reference by each calibration. Where the reference is behind, the scale goes slower until they meet; where it is
// far ahead (the machine was suspended), the scale jumps forward. No clock is read here. One thread.
//
//   TickScale scale(ticks, nanoseconds, 0.385);
//   scale.calibrate(later_ticks, later_nanoseconds);   // gives the residual
//   scale.nanoseconds(now_ticks);

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dojima::time {

class TickScale {
 public:
  /// Calibrate at least that often: beyond, products would overflow.
  static constexpr std::uint64_t k_ticks_max = std::uint64_t{1} << 32;
  /// What is further ahead is jumped to, not drawn to.
  static constexpr std::int64_t k_jump_ns = 1'000'000;

  /// `nanoseconds_per_tick` from 1/16 to 4.
  TickScale(std::uint64_t ticks, std::int64_t nanoseconds, double nanoseconds_per_tick) noexcept
      : anchor_ticks_(ticks), anchor_(nanoseconds), base_ticks_(ticks), base_(nanoseconds) {
    slope_ = to_fixed(nanoseconds_per_tick);
    rate_ = nanoseconds_per_tick;
  }

  /// At most k_ticks_max behind the last calibration; earlier ticks give its time. O(1).
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t ticks) const noexcept {
    if (ticks <= base_ticks_) return base_;
    const std::uint64_t passed = std::min(ticks - base_ticks_, k_ticks_max);
    return base_ + static_cast<std::int64_t>((passed * slope_) >> k_bits);
  }

  /// Whether the last calibration is too far back to trust.
  [[nodiscard]] bool is_due(std::uint64_t ticks) const noexcept {
    return ticks > base_ticks_ && ticks - base_ticks_ > k_ticks_max / 2;
  }

  /// The reference says `nanoseconds` at `ticks`. Gives the residual: the reference less what the scale said before.
  std::int64_t calibrate(std::uint64_t ticks, std::int64_t reference) noexcept {
    if (ticks <= base_ticks_) return residual_;
    const std::int64_t said = nanoseconds(ticks);
    residual_ = reference - said;
    worst_ = std::max(worst_, residual_ < 0 ? -residual_ : residual_);
    if (reference > anchor_) {
      const double rate = static_cast<double>(reference - anchor_) / static_cast<double>(ticks - anchor_ticks_);
      rate_ = std::clamp(rate, 1.0 / 16, 4.0);
    }
    const auto interval = static_cast<double>(ticks - base_ticks_);
    base_ticks_ = ticks;
    if (residual_ > k_jump_ns) {
      base_ = reference;
      slope_ = to_fixed(rate_);
    } else {
      base_ = said;
      // As long an interval again, and they have met; never slower than a tenth, never faster than double.
      const double corrected = rate_ + static_cast<double>(residual_) / interval;
      slope_ = to_fixed(std::clamp(corrected, rate_ / 10, 2 * rate_));
    }
    return residual_;
  }

  [[nodiscard]] std::int64_t residual_ns() const noexcept { return residual_; }  ///< of the last calibration
  [[nodiscard]] std::int64_t worst_residual_ns() const noexcept { return worst_; }
  [[nodiscard]] double nanoseconds_per_tick() const noexcept { return rate_; }

 private:
  static constexpr unsigned k_bits = 28;
  [[nodiscard]] static std::uint64_t to_fixed(double rate) noexcept {
    return static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(std::uint64_t{1} << k_bits)));
  }

  std::uint64_t anchor_ticks_;
  std::int64_t anchor_;
  std::uint64_t base_ticks_;
  std::int64_t base_;
  std::uint64_t slope_;
  double rate_;
  std::int64_t residual_ = 0, worst_ = 0;
};

}  // namespace dojima::time
