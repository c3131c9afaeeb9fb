#pragma once

// How far the reports of a venue have come to one of its users: for each partition the number of the last report that
// was taken, and what it said in short; and which day of which venue these numbers are of. The number is where a
// recovery begins; what it said distinguishes that venue from the same one with fewer reports, the day from another day
// or venue. Plain values, O(partitions).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/market/report.hpp"
#include "dojima/mit/messages.hpp"

namespace dojima::gateway {

/// The last report of a partition.
struct PartitionProgress {
  std::uint64_t sequence = 0;  ///< 0: none
  std::uint64_t digest = 0;    ///< of what it said
  std::uint8_t partition = 0;
};

/// The day of a venue that the numbers of its reports are of.
struct KnownDay {
  mit::VenueDay day;       ///< the last one that the venue said; none: it says none, or nobody has asked yet
  bool is_over = false;    ///< the venue has ended it, so that what comes next is of another
  bool is_missed = false;  ///< a day ended before all of it had come, and orders do not say yet that it may be missing
  friend bool operator==(const KnownDay&, const KnownDay&) = default;
};

/// What the day that a venue says means for what has come.
enum class DayRelation : std::uint8_t {
  unknown,  ///< it says none, or it is not known of which day the last reports were
  first,    ///< nothing has come yet
  same,
  next,         ///< all of the day before has come
  later,        ///< some of the days since may be missing
  other_venue,  ///< or the same one, which no longer has what it had sent
};
[[nodiscard]] DayRelation relation_of(const KnownDay& known, const mit::VenueDay& said, bool has_progress) noexcept;

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
