#pragma once

// What a FixedMap knows of seven cells beside each other, in one word: from the lowest byte up a mark for each cell, a
// byte of its key's hash, 0 where it is free; in the highest byte how many entries had to pass by to a later group.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace dojima {

/// Looks at such a word, and makes the word that follows a change.
class CellGroup {
 public:
  static constexpr std::size_t k_cells = 7;

  explicit CellGroup(std::uint64_t word) noexcept : word_(word) {}

  /// A bit for each cell whose mark is the hash's: first_of() has the first of them. Behind a cell that is right others
  /// may be shown that are not.
  [[nodiscard]] std::uint64_t like(std::uint64_t hash) const noexcept {
    const std::uint64_t difference = word_ ^ k_low_bits * mark_of(hash);
    return (difference - k_low_bits) & ~difference & k_all_high_bits;
  }
  /// Likewise for each free cell.
  [[nodiscard]] std::uint64_t free_cells() const noexcept { return ~word_ & k_all_high_bits; }
  [[nodiscard]] static std::size_t first_of(std::uint64_t cells) noexcept {
    return static_cast<std::size_t>(std::countr_zero(cells)) / 8;
  }

  /// The first cell with the hash's mark, or where its key would go; the last cell where there is neither. By
  /// arithmetic: whether a key is there cannot be guessed.
  [[nodiscard]] std::size_t likely(std::uint64_t hash) const noexcept {
    const std::uint64_t found = like(hash);
    const std::uint64_t none = std::uint64_t{found != 0} - 1;
    return first_of(found | (free_cells() & none) | k_high_bits << (k_cells - 1) * 8);
  }
  /// No cell has the hash's mark, and nobody has passed by: a key of this hash is not in the map.
  [[nodiscard]] bool is_without(std::uint64_t hash) const noexcept {
    return (like(hash) | word_ >> k_count_shift) == 0;
  }

  [[nodiscard]] bool is_used(std::size_t cell) const noexcept { return (word_ >> (cell * 8) & k_high_bits) != 0; }
  [[nodiscard]] std::uint64_t with_used(std::size_t cell, std::uint64_t hash) const noexcept {
    return word_ | mark_of(hash) << (cell * 8);
  }
  [[nodiscard]] std::uint64_t with_free(std::size_t cell) const noexcept {
    return word_ & ~(std::uint64_t{0xff} << (cell * 8));
  }

  /// Whether an entry that belongs here is in a later group, or may be.
  [[nodiscard]] bool is_passed() const noexcept { return word_ >> k_count_shift != 0; }
  /// One more has passed by, or one less.
  [[nodiscard]] std::uint64_t with_passing() const noexcept {
    return word_ >> k_count_shift != k_most ? word_ + (std::uint64_t{1} << k_count_shift) : word_;
  }
  [[nodiscard]] std::uint64_t without_passing() const noexcept {
    return word_ >> k_count_shift != k_most ? word_ - (std::uint64_t{1} << k_count_shift) : word_;
  }

 private:
  static constexpr unsigned k_count_shift = 56;
  static constexpr std::uint64_t k_most = 0xff;  // a count that has come so far stays: it only costs look-ups
  static constexpr std::uint64_t k_low_bits = 0x0001'0101'0101'0101, k_high_bits = 0x80;
  static constexpr std::uint64_t k_all_high_bits = k_low_bits * k_high_bits;

  /// What a used cell has: never 0.
  [[nodiscard]] static std::uint64_t mark_of(std::uint64_t hash) noexcept { return hash >> 57 | k_high_bits; }

  std::uint64_t word_;
};

}  // namespace dojima
