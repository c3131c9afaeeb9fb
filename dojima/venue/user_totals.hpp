#pragma once

// A user's lots in one partition, to be checked at the end of a run.

#include <cstdint>

namespace dojima::venue {

/// What became of a user's lots in this partition, counted modulo 2^64:
/// submitted = bought + sold + resting + cancelled + expired, after every command.
struct UserTotals {
  std::uint64_t bought = 0;
  std::uint64_t sold = 0;
  std::uint64_t submitted = 0;  ///< of accepted orders, by their present total
  std::uint64_t cancelled = 0;
  std::uint64_t expired = 0;
  std::uint64_t trades = 0;  ///< fills, each side its own

  /// What is still live of what was submitted; never negative.
  [[nodiscard]] constexpr std::int64_t open() const noexcept {
    return static_cast<std::int64_t>(submitted - bought - sold - cancelled - expired);
  }
  friend bool operator==(const UserTotals&, const UserTotals&) = default;
};

}  // namespace dojima::venue
