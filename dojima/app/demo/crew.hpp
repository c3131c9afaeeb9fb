#pragma once

// The parts of a demo that share a thread, and what that thread allocated and worked while the flow ran.

#include <cstdint>
#include <ctime>
#include <vector>

#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/parts.hpp"
#include "dojima/app/loop/machine_settings.hpp"
#include "dojima/base/allocation_counter.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::app::demo {

/// Counts the heap allocations of one thread, and its processor time, while the flow runs and drains.
class Meter {
 public:
  void before_parts(Phase phase) {
    if (!is_begun_ || is_over_ || phase <= Phase::draining) return;
    is_over_ = true;
    allocations_ = heap_allocations() - before_;
    cpu_s_ = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_s_;
    wall_s_ = seconds_of(CLOCK_MONOTONIC) - wall_s_;
  }
  void after_parts(Phase phase) {
    if (is_begun_ || phase < Phase::flowing) return;
    is_begun_ = true;
    before_ = heap_allocations();
    cpu_s_ = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    wall_s_ = seconds_of(CLOCK_MONOTONIC);
  }
  [[nodiscard]] std::uint64_t allocations() const noexcept { return allocations_; }
  /// Once it is over.
  [[nodiscard]] double cpu_s() const noexcept { return is_over_ ? cpu_s_ : 0; }
  [[nodiscard]] double wall_s() const noexcept { return is_over_ ? wall_s_ : 0; }

 private:
  [[nodiscard]] static double seconds_of(clockid_t clock) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  }

  bool is_begun_ = false;
  bool is_over_ = false;
  std::uint64_t before_ = 0;
  std::uint64_t allocations_ = 0;
  double cpu_s_ = 0, wall_s_ = 0;  // at the beginning, then what it took
};

/// The parts of one thread.
struct Crew {
  std::vector<Part*> parts;
  Meter meter;
  evidence::Document applied{};  // of the thread
  AppliedSettings loop{};        // likewise

  void after_turn(Phase phase, time::Time now) {
    meter.before_parts(phase);
    for (Part* part : parts) part->after_turn(phase, now);
    meter.after_parts(phase);
  }
};

}  // namespace dojima::app::demo
