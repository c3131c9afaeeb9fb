#pragma once

// Whether it pays for a loop that sleeps to be woken less often (WakeLimit). Where requests come whoever answers when,
// as in a market, wakes that are put off serve more at once. Where the next one comes when the last is answered, they
// serve no more, and putting them off is lost time for all. So both are tried now and then, for a few wakes, and what
// each wake had to read says it. A plain value, one thread.

#include <cstdint>

namespace dojima::net {

class HoldTrials {
 public:
  static constexpr std::uint32_t k_free = 32, k_held = 48;  ///< wakes of half a trial without and with
  static constexpr std::uint32_t k_between = 8192;          ///< wakes until the next

  /// Whether the next wake may be put off. Once before each; `bytes`: read since the loop began.
  [[nodiscard]] bool allow(std::uint64_t bytes) noexcept {
    if (left_ == 0) go_on(bytes);
    --left_;
    return phase_ == Phase::held || phase_ == Phase::held_again || (phase_ == Phase::decided && pays_);
  }

 private:
  enum class Phase : std::uint8_t { decided, free, held, free_again, held_again };

  void go_on(std::uint64_t bytes) noexcept {
    const std::uint64_t read = bytes - bytes_;
    bytes_ = bytes;
    switch (phase_) {
      case Phase::decided:
        return begin(Phase::free, k_free);
      case Phase::free:
      case Phase::free_again:
        read_free_ = read;
        return begin(phase_ == Phase::free ? Phase::held : Phase::held_again, k_held);
      case Phase::held:
      case Phase::held_again:
        // Half as much again for each wake.
        pays_ = 2 * read * k_free >= 3 * read_free_ * k_held && read != 0;
        return pays_ && phase_ == Phase::held ? begin(Phase::free_again, k_free) : begin(Phase::decided, k_between);
    }
  }
  void begin(Phase phase, std::uint32_t wakes) noexcept {
    phase_ = phase;
    left_ = wakes;
  }

  Phase phase_ = Phase::decided;
  bool pays_ = false;
  std::uint32_t left_ = 0;
  std::uint64_t bytes_ = 0, read_free_ = 0;
};

}  // namespace dojima::net
