#pragma once

// A venue that is made slower on purpose.

#include "dojima/measure/probe.hpp"
#include "dojima/simulate/stages.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app::demo {

/// Lets the venue waste processor time on every request as it comes in.
class Handicap final : public measure::Probe {
 public:
  Handicap(measure::Probe& next, time::Duration wasted) : next_(next), wasted_(wasted) {}

  void mark(std::uint8_t stage, std::uint64_t number) override {
    next_.mark(stage, number);
    if (stage != simulate::index_of(simulate::Stage::venue_in)) return;
    const time::Ticks begin = time::read_ticks();
    while (time::nanoseconds_between(begin, time::read_ticks()) < wasted_.count()) {
    }
  }
  void bind(std::uint64_t number, std::uint64_t client_number) override { next_.bind(number, client_number); }

 private:
  measure::Probe& next_;
  time::Duration wasted_;
};

}  // namespace dojima::app::demo
