#pragma once

// Two tables of `lab clocks --reference` about what the article left open: what the batches that it dropped would have
// done to its figures, and what the kernel counted in the slices in which the largest batches fell. Pure.

#include <string>

#include "dojima/evidence/table.hpp"
#include "dojima/instruments/studies/clock_study.hpp"

namespace dojima::instruments {

/// The first batches of every round beside the others.
[[nodiscard]] evidence::Table settling_table(const ClockStudy& study, const ClockPlan& plan);

/// The slices with the largest batches, and what all others have in the median.
[[nodiscard]] evidence::Table outliers_table(const ClockStudy& study);

/// What a slice has more of than the others; "nothing that the kernel counts" otherwise.
[[nodiscard]] std::string cause_of(const KernelCounts& counts, std::optional<double> usual_interrupts);

}  // namespace dojima::instruments
