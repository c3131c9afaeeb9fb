#pragma once

// What an artefact must not say: absolute paths of the machine that made it. A path is cut to its last part, so a
// reader still sees which file it was. Host and user names are never collected in the first place. Pure functions.
//
//   without_paths("--in /home/kaori/day1.csv")  ->  "--in day1.csv"

#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"

namespace dojima::evidence {

/// `text` with every absolute path cut to its last part.
[[nodiscard]] std::string without_paths(std::string_view text);
/// The same for every text in `document`.
[[nodiscard]] Document document_without_paths(const Document& document);

/// The places ("evidence.flags", "checks[2].detail") whose text holds an absolute path.
[[nodiscard]] std::vector<std::string> places_with_paths(const Document& document);

}  // namespace dojima::evidence
