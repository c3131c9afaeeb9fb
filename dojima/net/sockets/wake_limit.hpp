#pragma once

// How often a loop that sleeps may be woken: so many times a second, with a few at once. A wake that would come too
// early is put off, and what arrives meanwhile is served together; a loop that is woken more seldom is never held up.
// It is the usual leaky bucket, kept as the time when the bucket is empty.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dojima::net {

class WakeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// Wakes a second, at most 1,000,000; 0: no limit.
  explicit WakeLimit(std::uint32_t a_second) noexcept
      : interval_(a_second == 0 ? Clock::duration::zero() : Clock::duration{std::chrono::seconds{1}} / a_second) {}

  [[nodiscard]] bool is_set() const noexcept { return interval_ != Clock::duration::zero(); }
  /// How long a loop that goes to sleep now sleeps at least.
  [[nodiscard]] Clock::duration pause(Clock::time_point now) const noexcept {
    return std::max(empty_ - (k_at_once - 1) * interval_ - now, Clock::duration::zero());
  }
  /// It has been woken now. Sooner than it might have been is no debt.
  void note(Clock::time_point now) noexcept {
    empty_ = std::min(std::max(empty_, now) + interval_, now + k_at_once * interval_);
  }

  static constexpr int k_at_once = 8;  ///< wakes in a row that nothing puts off

 private:
  Clock::duration interval_;
  Clock::time_point empty_{};
};

}  // namespace dojima::net
