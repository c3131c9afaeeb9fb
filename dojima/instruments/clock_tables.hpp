#pragma once

// What a comparison of clocks says, as tables and charts: the article's table with its three machines beside this one,
// every clock by the article's protocol, batch sizes, single calls, steps, drift, and what the instrument itself costs.
// Pure: the same recording gives the same tables.

#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/core_to_core.hpp"
#include "dojima/instruments/studies/clock_study.hpp"
#include "dojima/measure/sample_summary.hpp"

namespace dojima::instruments {

/// A sample's statistics per call: each the median over the rounds of what the rounds say.
struct ClockSummary {
  measure::SampleSummary of_rounds;
  std::size_t rounds = 0;
  double mad_percent = 0;  ///< of the rounds' medians: how well they agree
  /// Ten rounds at least, their medians within 2 %.
  [[nodiscard]] bool is_settled() const noexcept { return rounds >= 10 && mad_percent <= 2; }
};
[[nodiscard]] ClockSummary summarise(const ClockSample& sample);

/// What the article measured, in nanoseconds per call.
struct PublishedClock {
  const char* machine;
  double min, max, average, deviation, p99, p9999;
};
[[nodiscard]] const std::vector<PublishedClock>& published_clocks();

/// All tables and charts of the study; `source` is the kernel's clock source, which answered.
void add_clock_results(evidence::Artefact& artefact, const ClockStudy& study, const ClockPlan& plan,
                       const std::string& source);

/// The table `cores`: how far the counters of other processors are from this one's, from exchanges between them.
void add_core_offsets(evidence::Artefact& artefact, const std::vector<CorePair>& pairs, double ns_per_cycle);

/// "gettimeofday_O0_idle": names a sample in files and labels.
[[nodiscard]] std::string label_of(const ClockSample& sample);

}  // namespace dojima::instruments
