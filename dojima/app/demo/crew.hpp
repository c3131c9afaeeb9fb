#pragma once

// The parts of a demo that share a thread, and what that thread allocated while the flow ran.

#include <cstdint>
#include <vector>

#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/parts.hpp"
#include "dojima/app/loop/machine_settings.hpp"
#include "dojima/base/allocation_counter.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::app::demo {

/// Counts the heap allocations of one thread while the flow runs and drains.
class Meter {
 public:
  void before_parts(Phase phase) {
    if (!is_begun_ || is_over_ || phase <= Phase::draining) return;
    is_over_ = true;
    allocations_ = heap_allocations() - before_;
  }
  void after_parts(Phase phase) {
    if (is_begun_ || phase < Phase::flowing) return;
    is_begun_ = true;
    before_ = heap_allocations();
  }
  [[nodiscard]] std::uint64_t allocations() const noexcept { return allocations_; }

 private:
  bool is_begun_ = false;
  bool is_over_ = false;
  std::uint64_t before_ = 0;
  std::uint64_t allocations_ = 0;
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
