#pragma once

// Results of one benchmark from several builds as one: what `dojima bench --merge` does with those of a g++ and a clang
// build. Each table appears once, with a first column that names the compiler.
//
//   const Artefact both = harness::merged(std::vector{from_gcc, from_clang});

#include <span>

#include "dojima/evidence/artefact.hpp"

namespace dojima::harness {

/// One artefact with the tables of all: rows in the order of the results, columns by name, those that one result lacks
/// not measured there. Checks keep their outcomes; the ids of what was merged are its parameters. The evidence names
/// the results; each keeps its own.
[[nodiscard]] evidence::Artefact merged(std::span<const evidence::Artefact> results);

}  // namespace dojima::harness
