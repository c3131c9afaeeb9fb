#pragma once

// A demo's result for people (a text) and for scripts (an artefact: one JSON object, see evidence/artefact.hpp). Pure
// functions; they allocate.

#include <string>

#include "dojima/app/demo/run.hpp"
#include "dojima/evidence/artefact.hpp"

namespace dojima::app::demo {

/// The table at the end of a run: what was done, latencies by stage, checks, and the history of the order that broke
/// one.
[[nodiscard]] std::string text_of(const DemoResult& result);

/// The same with the counts of all histograms. Evidence is for the program to add: it knows how it was started.
[[nodiscard]] evidence::Artefact artefact_of(const DemoResult& result, const std::string& command = "dojima demo");

/// One line: phase, rate, done of all, time left.
[[nodiscard]] std::string text_of(const Progress& progress, const Settings& settings);

}  // namespace dojima::app::demo
