#pragma once

// What single operations took, in a pass of its own before the timed batch: reading the clock twice an operation would
// be most of what the batch measures. Shown as they were measured; what an empty section shows is below the tables.

#include "dojima/harness/bench_harness.hpp"
#include "dojima/measure/timed_section.hpp"

namespace dojima::bench {

using FencedTimer = measure::SectionTimer<measure::Fencing::fenced, measure::FineHistogram>;

class Percentiles {
 public:
  explicit Percentiles(const measure::CycleClock& clock) : clock_(clock) {}

  /// Hands `work` a timer for its sections; keeps what they took.
  template <class Work>
  void measure(Work work) {
    histogram_.reset();
    FencedTimer timer(clock_, histogram_);
    work(timer);
  }

  void add_to(harness::Operations& operations) const {
    operations.figure("p50_ns", static_cast<double>(histogram_.value_at(0.5)))
        .figure("p99_ns", static_cast<double>(histogram_.value_at(0.99)))
        .figure("p999_ns", static_cast<double>(histogram_.value_at(0.999)));
  }

 private:
  measure::CycleClock clock_;
  measure::FineHistogram histogram_;
};

}  // namespace dojima::bench
