#pragma once

// The table `fit` of the timed hash: the lattice of each cell's clock, the bulk of its times against distributions, and
// what lies behind it. Pure; seconds for a study in full.

#include "dojima/evidence/table.hpp"
#include "dojima/instruments/studies/hash_study.hpp"

namespace dojima::instruments {

[[nodiscard]] evidence::Table fit_table(const HashStudy& study);

}  // namespace dojima::instruments
