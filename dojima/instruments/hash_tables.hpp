#pragma once

// What a study of the timed hash says, as tables and charts: the article's table with its four rows and ours, its twin
// that outliers do not move, plain limits, fits, and what the processor's clock does not see. Of each cell the run with
// the middle mean represents all. Pure: the same recording gives the same tables.

#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/studies/hash_study.hpp"
#include "dojima/measure/fit_tests.hpp"
#include "dojima/measure/sample_summary.hpp"

namespace dojima::instruments {

/// A row of the article, in nanoseconds.
struct PublishedHash {
  bool is_loaded;
  bool is_real_time;
  double mean, median, deviation, min, max;
  std::uint64_t beyond[10];  ///< the mean plus 1, 2, 3, 4, 5, 6, 10, 20, 50 and 100 deviations
};
[[nodiscard]] const std::vector<PublishedHash>& published_hashes();

/// The run whose mean is in the middle; null when there is none.
[[nodiscard]] const HashRun* middle_run(const HashCell& cell);

/// All tables and charts of the study. `tick_ns`: the period of the kernel's tick, where it is known.
void add_hash_results(evidence::Artefact& artefact, const HashStudy& study, std::optional<double> tick_ns);

/// "monotonic_fifo_loaded": names a cell in files and labels.
[[nodiscard]] std::string label_of(const HashCell& cell);

/// "bulk up to 738 ns: not exponential (D 0.610), perhaps shifted exponential (D 0.003); tail: 993 values 30 ns farther
/// in the mean, perhaps exponential (D 0.020); 7 stalls up to 4 ms; no lattice"
[[nodiscard]] std::string verdict_of(const measure::Lattice& lattice, const measure::Shape& shape);

}  // namespace dojima::instruments
