#pragma once

// What a recording of jitter becomes: tables, charts, histograms and notes of an artefact, and the raw list of gaps.
// Pure; allocates.

#include <string>

#include "dojima/lab/artefact.hpp"
#include "dojima/lab/gap_analysis.hpp"
#include "dojima/lab/jitter.hpp"

namespace dojima::lab {

/// Adds parameters, tables ("jitter", "periods", "largest", "overhead"), charts (gaps over time, spectrum), a run with
/// its histogram for each processor, and a note of quality where the budget of real-time threads was at work.
void add_jitter(Artefact& artefact, const JitterPlan& plan, const JitterRecording& recording,
                const RealTimeBudget& budget);

/// All gaps of all processors: a line of names, then "cpu,at_ns,duration_ns".
[[nodiscard]] std::string gap_list(const JitterRecording& recording);

}  // namespace dojima::lab
