#pragma once

// The throttle of a real-time session: messages counted in windows of one second, the first of which begins when the
// connection opens. O(1), no allocation, one thread.

#include <chrono>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/time/time.hpp"

namespace dojima::mit {

using time::Time;

class MessageRate {
 public:
  /// A connection opens. `per_second`: 0: no limit.
  void begin(std::uint32_t per_second, Time now) noexcept {
    per_second_ = per_second;
    count_ = crowded_ = 0;
    window_start_ = now;
  }
  /// Holds until the next connection.
  void set_limit(std::uint32_t per_second) noexcept { per_second_ = per_second; }

  /// A message has come. False: one too many.
  [[nodiscard]] bool take(Time now) {
    if (per_second_ == 0) return true;
    constexpr time::Duration k_second = std::chrono::seconds{1};
    DOJIMA_ASSERT(now >= window_start_, "time never runs backwards on a connection", now, window_start_);
    if (now - window_start_ >= k_second) {
      const auto seconds = (now - window_start_) / k_second;
      if (seconds > 1 || count_ <= per_second_) crowded_ = 0;
      window_start_ += seconds * k_second;
      count_ = 0;
    }
    if (count_ > per_second_) return false;
    ++count_;
    if (count_ <= per_second_) return true;
    ++crowded_;
    return false;
  }
  /// Seconds in a row with too many, the current one included.
  [[nodiscard]] std::uint32_t crowded_seconds() const noexcept { return crowded_; }

 private:
  std::uint32_t per_second_ = 0;
  std::uint32_t count_ = 0;  // in the current second; stops one above the limit
  std::uint32_t crowded_ = 0;
  Time window_start_{};
};

}  // namespace dojima::mit
