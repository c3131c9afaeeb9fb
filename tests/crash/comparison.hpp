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

/// The last auction in a journal that traded, and what its command's reports became.
struct Uncross {
  std::uint64_t command = 0;         ///< record of the phase change; 0: there was none
  std::uint64_t records_behind = 0;  ///< that were written before the venue was killed
  std::uint64_t fills = 0;           ///< of both sides
  std::uint64_t reports = 0;         ///< it made for members
  std::uint64_t seen = 0;            ///< of these, by their members
  /// The venue was killed behind the command and before all that it caused was sent.
  [[nodiscard]] bool is_cut() const noexcept { return command != 0 && seen < reports; }
};

/// Replays the partition's folder from its first record and from its newest snapshot; both must come to the same state.
[[nodiscard]] Comparison compare(const std::string& folder, const Witness& witness,
                                 const std::vector<std::string>& feeds);

/// Only where the journal is: the digest and the phase.
[[nodiscard]] Comparison look(const std::string& folder);

/// What a kill has left of the last auction: before the venue is started again.
[[nodiscard]] Uncross last_uncross(const std::string& folder, const Witness& witness);

}  // namespace dojima::crash
