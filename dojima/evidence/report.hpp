#pragma once

// Artefacts as one HTML page: verdict and quality, percentiles with their intervals, the plots that the data allow,
// runs, tables and provenance. The page is self-contained (inline SVG and CSS, no script, nothing fetched), follows the
// reader's light or dark theme, says in a table what every plot shows, and has the same bytes for the same artefacts.
// Pure.
//
//   write(file, evidence::report({run}));
//
// Several artefacts are laid over each other first and shown one after the other below.

#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"

namespace dojima::evidence {

/// At least one artefact.
[[nodiscard]] std::string report(const std::vector<Artefact>& artefacts);

/// The page's style sheet (report/style.cpp).
[[nodiscard]] const char* report_style() noexcept;

}  // namespace dojima::evidence
