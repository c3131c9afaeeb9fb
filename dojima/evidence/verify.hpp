#pragma once

// Whether an artefact is what it says: its text canonical, its id the hash of the rest, its summary what its counts
// give, every null explained, and nothing private in it. Needs nothing but the file. Pure; O(size).
//
//   const Verification found = verify(text);
//   for (const std::string& finding : found.findings) complain(finding);

#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"

namespace dojima::evidence {

struct Verification {
  std::string id{};  ///< as the file says it; may be empty
  std::vector<std::string>
      findings{};  ///< one line each: where, what is there, what should be; empty when all is right

  [[nodiscard]] bool is_right() const noexcept { return findings.empty(); }
};

/// Checks the text of an artefact. White space between tokens is free; every other byte counts.
[[nodiscard]] Verification verify(std::string_view text);

/// The places where `found` differs from `expected`: "summary.distributions[0].n: 19, not 20". At most `limit` of them.
[[nodiscard]] std::vector<std::string> differences(const Document& found, const Document& expected,
                                                   const std::string& place, std::size_t limit = 10);

}  // namespace dojima::evidence
