#pragma once

// The table `demonstration` of the timed hash: statements about clocks and policies, each with the figures that decide
// it, over all runs of a cell. Pure.

#include "dojima/evidence/table.hpp"
#include "dojima/instruments/studies/hash_study.hpp"

namespace dojima::instruments {

/// `tick_ns`: the period of the kernel's tick; a preemption costs one at least.
[[nodiscard]] evidence::Table demonstration_table(const HashStudy& study, double tick_ns);

}  // namespace dojima::instruments
