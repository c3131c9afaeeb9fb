#pragma once

// A hash map of fixed capacity: groups of seven cells, with a byte of each cell's hash and the number of entries that
// had to go further in one word beside them, so a look-up decides in that word and reads the one cell that it is about.
// Entries never move, and erasing leaves nothing behind. Memory is taken once. Keys are plain records compared byte by
// byte. There is no iteration on purpose: no output may depend on hash order.
//
//   FixedMap<Text<20>, std::uint32_t> orders(1000);
//   if (!orders.insert(id, slot)) ...     // full, or the key is there already
//   if (const auto* slot = orders.find(id)) ...

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima {

/// A fixed hash of the bytes of a record: the same on every machine and in every run.
[[nodiscard]] std::uint64_t hash_bytes(const void* data, std::size_t size) noexcept;

template <class Key, class Value>
  requires std::has_unique_object_representations_v<Key> && std::is_trivially_copyable_v<Value>
class FixedMap {
 public:
  /// Takes memory for `capacity` entries at a load of at most four sevenths. Throws std::bad_alloc.
  explicit FixedMap(std::size_t capacity)
      : capacity_(capacity),
        mask_(std::bit_ceil(capacity / 4 + 1) - 1),
        groups_(mask_ + 1),
        cells_((mask_ + 1) * k_cells) {}

  /// The value of `key`, or null. Valid until the key is erased. O(1) expected.
  [[nodiscard]] Value* find(const Key& key) noexcept {
    const std::size_t at = locate(key, hash_of(key));
    return at != k_nowhere ? &cells_[at].value : nullptr;
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FixedMap*>(this)->find(key); }

  /// Hints that the key will be asked for, inserted or erased soon: the first, and some time after it the second, which
  /// reads what the first has fetched. O(1), no branch.
  // Inlined by force: g++ 12 takes a function that only fetches ahead for one that does nothing, and drops the call.
  [[gnu::always_inline]] void prefetch(const Key& key) const noexcept {
    __builtin_prefetch(&groups_[hash_of(key) & mask_], 1);
  }
  [[gnu::always_inline]] void prefetch_cell(const Key& key) const noexcept {
    __builtin_prefetch(&cells_[likely_cell(key)], 1);
  }

  /// What `find` will probably answer, for whoever wants to fetch what the value leads to: any value where the key is
  /// not there, and rarely where it is. Not to be decided upon. O(1), no branch.
  [[nodiscard]] const Value& hint(const Key& key) const noexcept { return cells_[likely_cell(key)].value; }

  static constexpr std::size_t k_nowhere = ~std::size_t{0};

  /// False: full or already there, nothing changed. O(1) expected.
  [[nodiscard]] bool insert(const Key& key, const Value& value) noexcept { return insert_at(key, value) != k_nowhere; }

  /// The same; answers the cell where the entry stands until it is erased, for erase_at(), or k_nowhere.
  [[nodiscard]] std::size_t insert_at(const Key& key, const Value& value) noexcept {
    const std::uint64_t hash = hash_of(key);
    if (size_ == capacity_) [[unlikely]] {
      return k_nowhere;
    }
    const std::size_t group = hash & mask_;
    const std::uint64_t word = groups_[group], empty = ~word & k_all_high_bits;
    // Nobody like it in its own group, nobody has gone further, and there is room: it is not there, and goes there.
    if ((cells_like(word, hash) | word >> k_count_shift) == 0 && empty != 0) [[likely]] {
      return put_in(group, empty, key, value, hash);
    }
    return locate(key, hash) == k_nowhere ? put(key, value, hash) : k_nowhere;
  }

  /// Inserts or overwrites. False: full and not there, nothing changed. O(1) expected.
  [[nodiscard]] bool assign(const Key& key, const Value& value) noexcept {
    const std::uint64_t hash = hash_of(key);
    if (const std::size_t at = locate(key, hash); at != k_nowhere) {
      cells_[at].value = value;
      return true;
    }
    if (size_ == capacity_) return false;
    put(key, value, hash);
    return true;
  }

  /// False: not there. O(1) expected.
  bool erase(const Key& key) noexcept {
    const std::uint64_t hash = hash_of(key);
    const std::size_t at = locate(key, hash);
    if (at == k_nowhere) return false;
    clear(at, hash);
    return true;
  }

  /// Erases the entry in a cell that insert_at() gave and that still has it: no look-up. O(1) expected.
  void erase_at(std::size_t cell) noexcept {
    DOJIMA_ASSERT(cell < cells_.size() && (groups_[cell / k_cells] >> (cell % k_cells * 8) & k_high_bits) != 0,
                  "a cell that is erased has an entry", cell, cells_.size());
    // Who is not in its own group has passed by the one before; if nobody has, the key need not be read.
    const std::size_t group = cell / k_cells;
    if (groups_[(group - 1) & mask_] >> k_count_shift != 0) [[unlikely]] {
      return clear(cell, hash_of(cells_[cell].key));
    }
    free_cell(group, cell);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }

 private:
  static constexpr std::size_t k_cells = 7;  // of a group
  static constexpr unsigned k_count_shift = 56;
  static constexpr std::uint64_t k_most = 0xff;  // a count that has come so far stays: it only costs look-ups
  static constexpr std::uint64_t k_low_bits = 0x0001'0101'0101'0101, k_high_bits = 0x80;
  static constexpr std::uint64_t k_all_high_bits = k_low_bits * k_high_bits;

  struct Cell {
    Key key{};
    Value value{};
  };

  [[nodiscard]] static std::uint64_t hash_of(const Key& key) noexcept {
    if constexpr (sizeof key == sizeof(std::uint64_t)) {
      // One round of a multiplication to both sides is enough for a word, and it is inlined.
      std::uint64_t word;
      std::memcpy(&word, &key, sizeof word);
      __extension__ using Wide = unsigned __int128;
      const Wide product = static_cast<Wide>(word ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
      return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    } else {
      return hash_bytes(&key, sizeof key);
    }
  }
  /// What a used cell has in its group's word: never 0.
  [[nodiscard]] static std::uint64_t mark_of(std::uint64_t hash) noexcept { return hash >> 57 | k_high_bits; }

  /// The high bit of each cell's byte whose mark is the hash's. Behind a cell that is right others may be shown that
  /// are not.
  [[nodiscard]] static std::uint64_t cells_like(std::uint64_t group, std::uint64_t hash) noexcept {
    const std::uint64_t difference = group ^ k_low_bits * mark_of(hash);
    return (difference - k_low_bits) & ~difference & k_all_high_bits;
  }
  [[nodiscard]] static std::size_t first_of(std::uint64_t bits) noexcept {
    return static_cast<std::size_t>(std::countr_zero(bits)) / 8;
  }

  /// The first cell with the key's mark, or where the key would go, in its own group.
  [[nodiscard]] std::size_t likely_cell(const Key& key) const noexcept {
    const std::uint64_t hash = hash_of(key);
    const std::size_t group = hash & mask_;
    const std::uint64_t found = cells_like(groups_[group], hash);
    const std::uint64_t free = ~groups_[group] & k_all_high_bits;
    // By arithmetic: whether the key is there cannot be guessed. The last cell, where nothing is found.
    const std::uint64_t none = std::uint64_t{found != 0} - 1;
    return group * k_cells + first_of(found | (free & none) | k_high_bits << (k_cells - 1) * 8);
  }

  /// The cell of `key`.
  [[nodiscard]] std::size_t locate(const Key& key, std::uint64_t hash) const noexcept {
    std::size_t group = hash & mask_;
    for (std::size_t tried = 0; tried <= mask_; ++tried, group = (group + 1) & mask_) {
      for (std::uint64_t found = cells_like(groups_[group], hash); found != 0; found &= found - 1) {
        const std::size_t at = group * k_cells + first_of(found);
        if (std::memcmp(&cells_[at].key, &key, sizeof key) == 0) [[likely]] {
          return at;
        }
      }
      if (groups_[group] >> k_count_shift == 0) [[likely]] {
        return k_nowhere;
      }
    }
    return k_nowhere;
  }

  void clear(std::size_t at, std::uint64_t hash) noexcept {
    const std::size_t group = at / k_cells;
    free_cell(group, at);
    for (std::size_t passed = hash & mask_; passed != group; passed = (passed + 1) & mask_)
      if (groups_[passed] >> k_count_shift != k_most) groups_[passed] -= std::uint64_t{1} << k_count_shift;
  }
  void free_cell(std::size_t group, std::size_t at) noexcept {
    groups_[group] &= ~(std::uint64_t{0xff} << ((at - group * k_cells) * 8));
    --size_;
  }

  /// The key is not there, and there is room. Its cell.
  std::size_t put(const Key& key, const Value& value, std::uint64_t hash) noexcept {
    std::size_t group = hash & mask_;
    std::uint64_t empty = ~groups_[group] & k_all_high_bits;
    for (; empty == 0; empty = ~groups_[group] & k_all_high_bits) {
      if (groups_[group] >> k_count_shift != k_most) groups_[group] += std::uint64_t{1} << k_count_shift;
      group = (group + 1) & mask_;
    }
    return put_in(group, empty, key, value, hash);
  }
  /// Into the first of a group's empty cells.
  std::size_t put_in(std::size_t group, std::uint64_t empty, const Key& key, const Value& value,
                     std::uint64_t hash) noexcept {
    const std::size_t at = first_of(empty);
    groups_[group] |= mark_of(hash) << (at * 8);
    cells_[group * k_cells + at] = Cell{key, value};
    ++size_;
    return group * k_cells + at;
  }

  std::size_t capacity_;
  std::size_t mask_;
  std::vector<std::uint64_t> groups_;  // from the lowest byte up a mark for each cell, 0: free; then how many passed by
  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

}  // namespace dojima
