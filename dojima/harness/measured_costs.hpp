#pragma once

// What `dojima lab tune` measured, in the doctor's table: a finding whose setting was switched off and on says what
// that did, in place of what it costs in general. Allocates.

#include <expected>
#include <string>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/evidence/host/doctor.hpp"

namespace dojima::harness {

/// Puts measured costs into the findings that match a setting of the result. How many; the error says in one line why
/// the document is no result of `dojima lab tune`.
[[nodiscard]] std::expected<std::size_t, std::string> quote_measured(const evidence::Document& tune,
                                                                     std::vector<evidence::DoctorFinding>& findings);

}  // namespace dojima::harness
