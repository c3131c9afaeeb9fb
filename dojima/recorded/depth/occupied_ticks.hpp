#pragma once

// Which ticks of a window have something: a bit for each, a bit for each group of 64 of them, and again, so a change
// costs a handful of instructions and the next occupied tick is found with a few.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dojima::recorded {

class OccupiedTicks {
 public:
  static constexpr std::size_t k_ticks = std::size_t{1} << 15;
  static constexpr std::size_t k_nothing = k_ticks;

  /// O(k_ticks / 64).
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  [[nodiscard]] bool is_empty() const noexcept { return top_ == 0; }
  /// The first occupied tick, or k_nothing.
  [[nodiscard]] std::size_t first() const noexcept {
    // The masks are for an empty window, whose zeros count as 64.
    const auto group = static_cast<std::size_t>(std::countr_zero(top_)) % k_groups;
    const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(groups_[group])) % 64;
    const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word])) % 64;
    return top_ != 0 ? at : k_nothing;
  }
  /// The next one behind `at`.
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept {
    const std::size_t word = at / 64;
    // Twice by one: a shift by 64 is not defined.
    const std::uint64_t in_word = words_[word] & (~std::uint64_t{0} << (at % 64) << 1);
    if (in_word != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(in_word));
    std::size_t group = word / 64;
    std::uint64_t behind = groups_[group] & (~std::uint64_t{0} << (word % 64) << 1);
    while (behind == 0) {
      if (++group == k_groups) return k_nothing;
      behind = groups_[group];
    }
    const std::size_t found = group * 64 + static_cast<std::size_t>(std::countr_zero(behind));
    return found * 64 + static_cast<std::size_t>(std::countr_zero(words_[found]));
  }

  /// `is_there`: 1 or 0. No branch asks whether a tick comes or goes: that no branch prediction can know. Whether the
  /// first of 64 comes or the last goes it knows mostly.
  void set(std::size_t at, std::uint64_t is_there) noexcept {
    std::uint64_t& word = words_[at / 64];
    const std::uint64_t before = word;
    put_bit(word, at % 64, is_there);
    if ((before == 0) != (word == 0)) [[unlikely]]
      note_word(at / 64);
  }
  void clear() noexcept {
    words_.fill(0);
    groups_.fill(0);
    top_ = 0;
  }

 private:
  static constexpr std::size_t k_words = k_ticks / 64;
  static constexpr std::size_t k_groups = k_words / 64;

  static void put_bit(std::uint64_t& word, std::size_t bit, std::uint64_t value) noexcept {
    word = (word & ~(std::uint64_t{1} << bit)) | value << bit;
  }

  void note_word(std::size_t at) noexcept {
    std::uint64_t& group = groups_[at / 64];
    put_bit(group, at % 64, words_[at] != 0 ? 1 : 0);
    put_bit(top_, at / 64, group != 0 ? 1 : 0);
  }

  std::array<std::uint64_t, k_words> words_{};
  std::array<std::uint64_t, k_groups> groups_{};
  std::uint64_t top_ = 0;
};

}  // namespace dojima::recorded
