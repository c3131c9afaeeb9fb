#pragma once

// When a processor was away from a thread that never let go of it: the gaps of one recording, in the order of time.
// What `jitter.hpp` records, the importers read and `gap_analysis.hpp` looks into. Plain values.

#include <cstdint>
#include <vector>

namespace dojima::instruments {

struct Gap {
  std::uint64_t at_ns = 0;  ///< when it began, since the recording did
  std::uint64_t duration_ns = 0;
  friend bool operator==(const Gap&, const Gap&) = default;
};

struct GapTrace {
  int cpu = 0;
  std::uint64_t span_ns = 0;       ///< how long was recorded
  std::uint64_t threshold_ns = 0;  ///< shorter gaps are not kept
  std::uint64_t dropped = 0;       ///< gaps beyond the memory that was set aside
  std::vector<Gap> gaps{};

  friend bool operator==(const GapTrace&, const GapTrace&) = default;
};

}  // namespace dojima::instruments
