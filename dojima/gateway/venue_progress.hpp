#pragma once

// How far the reports of a venue have come to one of its users: for each partition the number of the last report that
// was taken, and what it said in short. The number is where a recovery begins; what it said tells that venue from
// another one, or from the same one with fewer reports. Plain values, O(partitions).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// The last report of a partition.
struct PartitionProgress {
  std::uint64_t sequence = 0;  ///< 0: none
  std::uint64_t digest = 0;    ///< of what it said
  std::uint8_t partition = 0;
};

/// The same for the same report, and hardly ever for two.
[[nodiscard]] std::uint64_t digest_of(const market::OwnerReport& report) noexcept;

class VenueProgress {
 public:
  /// AppID is 1 to 4 in the protocol.
  static constexpr std::size_t k_most = 8;

  /// Null: no report of that partition has come.
  [[nodiscard]] const PartitionProgress* find(std::uint8_t partition) const noexcept;
  /// Takes the place of what was there. False: no room for another partition.
  [[nodiscard]] bool set(const PartitionProgress& progress) noexcept;
  /// Nothing has come of that partition.
  void forget(std::uint8_t partition) noexcept;
  /// Nothing has come.
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] std::span<const PartitionProgress> all() const noexcept { return {partitions_.data(), count_}; }

 private:
  std::array<PartitionProgress, k_most> partitions_{};
  std::size_t count_ = 0;
};

}  // namespace dojima::gateway
