#pragma once

// What clients and feed know of a venue, held against what its journal gives.

#include "clients.hpp"

#include <string>
#include <vector>

namespace dojima::crash {

struct Comparison {
  std::uint64_t records = 0;
  std::uint64_t reports = 0;
  std::uint64_t lost = 0;        ///< what somebody saw and the journal does not give
  std::uint64_t invented = 0;    ///< orders in the journal that nobody sent
  std::uint64_t renumbered = 0;  ///< a number that means something else in the journal
  std::uint64_t feed_facts = 0;  ///< orders and trades that were published
  std::string digest;            ///< of the state, as a start shows it
  std::string phase;             ///< of the first instrument, at the end
  std::vector<std::string> complaints;
};

/// Replays the partition's folder from its first record and from its newest snapshot; both must come to the same state.
[[nodiscard]] Comparison compare(const std::string& folder, const Witness& witness,
                                 const std::vector<std::string>& feeds);

/// Only where the journal is: the digest and the phase.
[[nodiscard]] Comparison look(const std::string& folder);

}  // namespace dojima::crash
