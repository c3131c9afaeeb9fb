#pragma once

// The executions that a venue took back last from its users, so that one is taken back once, however often and under
// whatever number the venue says it. O(capacity) per bust, which are rare; no allocation. One thread.

#include <algorithm>
#include <cstdint>

#include "dojima/gateway/journaled_ring.hpp"

namespace dojima::gateway {

/// An execution that no longer counts.
struct BustedExecution {
  std::uint64_t execution = 0;
  std::uint32_t user = 0;
};

class BustedExecutions : public JournaledRing<BustedExecution, 256> {
 public:
  [[nodiscard]] bool has(std::uint32_t user, std::uint64_t execution) const noexcept {
    return execution != 0 && std::ranges::any_of(entries(), [&](const BustedExecution& entry) {
             return entry.execution == execution && entry.user == user;
           });
  }
};

}  // namespace dojima::gateway
