#pragma once

// How often (key ^ seed) % denominator is a perfect hash of keys that are random, and how large the denominator has to
// be. Every seed that matters is tried, so "none" means that there is none. Deterministic but for the times; allocates.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "dojima/evidence/table.hpp"

namespace dojima::cli {

struct SmallestHash {
  std::uint64_t denominator = 0;
  std::uint64_t seed = 0;
  std::uint64_t tries = 0;  ///< pairs of seed and denominator that were looked at
};

/// The smallest denominator, then the smallest seed, of keys below 2^`bits`; none up to `last_denominator`.
/// O(denominators * 2^bits * keys).
[[nodiscard]] std::optional<SmallestHash> smallest_hash(std::span<const std::uint64_t> keys, unsigned bits,
                                                        std::uint64_t last_denominator);

struct DenominatorPlan {
  std::size_t sets = 300;
  std::uint64_t seed = 1;
  /// Before each row.
  std::function<void(std::size_t done, std::size_t all)> progress{};
};

/// A row for each number of keys, of one and of two bytes.
[[nodiscard]] evidence::Table denominator_table(const DenominatorPlan& plan);

}  // namespace dojima::cli
