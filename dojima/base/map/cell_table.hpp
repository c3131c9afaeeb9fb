#pragma once

// Where the entries of a FixedMap lie: groups of seven cells, each entry in the first group from its hash's own on that
// had a free cell when it came. Entries never move. It has room for more than the map lets in, so that a group without
// a free cell is rare.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/base/map/cell_group.hpp"

namespace dojima {

template <class Key, class Value>
class CellTable {
 public:
  static constexpr std::size_t k_nowhere = ~std::size_t{0};

  /// For `capacity` entries at a load of at most four sevenths. Throws std::bad_alloc.
  explicit CellTable(std::size_t capacity)
      : mask_(std::bit_ceil((capacity + 3) / 4) - 1), groups_(mask_ + 1), cells_((mask_ + 1) * k_cells) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Value& value(std::size_t cell) noexcept { return cells_[cell].value; }
  [[nodiscard]] const Value& value(std::size_t cell) const noexcept { return cells_[cell].value; }

  [[gnu::always_inline]] void prefetch_group(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&groups_[hash & mask_], 1);
  }
  [[gnu::always_inline]] void prefetch_cell(std::size_t cell) const noexcept { __builtin_prefetch(&cells_[cell], 1); }

  /// The first cell with the hash's mark, or where its key would go, in its own group.
  [[nodiscard]] std::size_t likely_cell(std::uint64_t hash) const noexcept {
    const std::size_t group = hash & mask_;
    return group * k_cells + CellGroup(groups_[group]).likely(hash);
  }

  /// The cell of `key`, or k_nowhere.
  [[nodiscard]] std::size_t locate(const Key& key, std::uint64_t hash) const noexcept {
    std::size_t group = hash & mask_;
    for (std::size_t tried = 0; tried <= mask_; ++tried, group = (group + 1) & mask_) {
      for (std::uint64_t found = CellGroup(groups_[group]).like(hash); found != 0; found &= found - 1) {
        const std::size_t at = group * k_cells + CellGroup::first_of(found);
        if (std::memcmp(&cells_[at].key, &key, sizeof key) == 0) [[likely]] {
          return at;
        }
      }
      if (!CellGroup(groups_[group]).is_passed()) [[likely]] {
        return k_nowhere;
      }
    }
    return k_nowhere;
  }

  /// The cell of a new entry; k_nowhere: the key is there already.
  [[nodiscard]] std::size_t insert(const Key& key, const Value& value, std::uint64_t hash) noexcept {
    const std::size_t group = hash & mask_;
    const CellGroup own(groups_[group]);
    const std::uint64_t free = own.free_cells();
    // Nobody like it in its own group, nobody has gone further, and there is room: it is not there, and goes there.
    if (own.is_without(hash) && free != 0) [[likely]] {
      return put_in(group, free, key, value, hash);
    }
    return locate(key, hash) == k_nowhere ? put(key, value, hash) : k_nowhere;
  }

  /// The same for a key that is not there.
  std::size_t put(const Key& key, const Value& value, std::uint64_t hash) noexcept {
    std::size_t group = hash & mask_;
    std::uint64_t free = CellGroup(groups_[group]).free_cells();
    for (; free == 0; free = CellGroup(groups_[group]).free_cells()) {
      groups_[group] = CellGroup(groups_[group]).with_passing();
      group = (group + 1) & mask_;
    }
    return put_in(group, free, key, value, hash);
  }

  /// Erases the entry of a cell.
  void erase(std::size_t cell, std::uint64_t hash) noexcept {
    const std::size_t group = cell / k_cells;
    free_cell(group, cell);
    for (std::size_t passed = hash & mask_; passed != group; passed = (passed + 1) & mask_)
      groups_[passed] = CellGroup(groups_[passed]).without_passing();
  }
  /// The same by a hash that `hash_of(key)` finds only where it is needed.
  template <class HashOf>
  void erase_by(std::size_t cell, HashOf hash_of) noexcept {
    DOJIMA_ASSERT(cell < cells_.size() && CellGroup(groups_[cell / k_cells]).is_used(cell % k_cells),
                  "a cell that is erased has an entry", cell, cells_.size());
    // Who is not in its own group has passed by the one before; if nobody has, the key need not be read.
    const std::size_t group = cell / k_cells;
    if (CellGroup(groups_[(group - 1) & mask_]).is_passed()) [[unlikely]] {
      return erase(cell, hash_of(cells_[cell].key));
    }
    free_cell(group, cell);
  }

 private:
  static constexpr std::size_t k_cells = CellGroup::k_cells;

  struct Cell {
    Key key{};
    Value value{};
  };

  /// Into the first of a group's free cells.
  std::size_t put_in(std::size_t group, std::uint64_t free, const Key& key, const Value& value,
                     std::uint64_t hash) noexcept {
    const std::size_t at = CellGroup::first_of(free);
    groups_[group] = CellGroup(groups_[group]).with_used(at, hash);
    cells_[group * k_cells + at] = Cell{key, value};
    ++size_;
    return group * k_cells + at;
  }
  void free_cell(std::size_t group, std::size_t at) noexcept {
    groups_[group] = CellGroup(groups_[group]).with_free(at - group * k_cells);
    --size_;
  }

  std::size_t mask_;
  LargeArray<std::uint64_t> groups_;  // the word of each: CellGroup
  LargeArray<Cell> cells_;
  std::size_t size_ = 0;
};

}  // namespace dojima
