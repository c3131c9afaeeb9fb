#pragma once

// What a recording of jitter becomes: tables, charts, histograms and notes of an artefact, and the raw list of gaps.
// Pure; allocates.

#include <string>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/jitter.hpp"
#include "dojima/instruments/studies/gap_analysis.hpp"

namespace dojima::instruments {

/// Adds parameters, tables ("jitter", "periods", "largest", "overhead"), charts (gaps over time, spectrum), a run with
/// its histogram for each processor, and a note of quality where the budget of real-time threads was at work.
void add_jitter(evidence::Artefact& artefact, const JitterPlan& plan, const JitterRecording& recording,
                const RealTimeBudget& budget);

/// All gaps of all processors: a line of names, then "cpu,at_ns,duration_ns".
[[nodiscard]] std::string gap_list(const JitterRecording& recording);

}  // namespace dojima::instruments
