#pragma once

// A hash map of fixed capacity: open addressing, linear probing, backward-shift deletion, memory taken once. Keys are
// plain records compared byte by byte. There is no iteration on purpose: no output may depend on hash order.
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
  /// Takes memory for `capacity` entries at a load of at most one half. Throws std::bad_alloc.
  explicit FixedMap(std::size_t capacity)
      : capacity_(capacity), mask_(std::bit_ceil(2 * (capacity == 0 ? 1 : capacity)) - 1), cells_(mask_ + 1) {}

  /// The value of `key`, or null. Valid until the next insert or erase. O(1) expected.
  [[nodiscard]] Value* find(const Key& key) noexcept {
    const std::size_t at = locate(key);
    return cells_[at].is_used ? &cells_[at].value : nullptr;
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FixedMap*>(this)->find(key); }

  /// False: full or already there, nothing changed. O(1) expected.
  [[nodiscard]] bool insert(const Key& key, const Value& value) noexcept {
    if (size_ == capacity_) return false;
    const std::size_t at = locate(key);
    if (cells_[at].is_used) return false;
    cells_[at] = Cell{key, value, true};
    ++size_;
    return true;
  }

  /// Inserts or overwrites. False: full and not there, nothing changed. O(1) expected.
  [[nodiscard]] bool assign(const Key& key, const Value& value) noexcept {
    if (Value* present = find(key)) {
      *present = value;
      return true;
    }
    return insert(key, value);
  }

  /// False: not there. O(1) expected.
  bool erase(const Key& key) noexcept {
    std::size_t hole = locate(key);
    if (!cells_[hole].is_used) return false;
    for (std::size_t at = (hole + 1) & mask_; cells_[at].is_used; at = (at + 1) & mask_) {
      const std::size_t home = home_of(cells_[at].key);
      // The entry may move into the hole unless its home lies behind the hole on its probe path.
      if (((at - home) & mask_) >= ((at - hole) & mask_)) {
        cells_[hole] = cells_[at];
        hole = at;
      }
    }
    cells_[hole].is_used = false;
    --size_;
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }

 private:
  struct Cell {
    Key key{};
    Value value{};
    bool is_used = false;
  };

  [[nodiscard]] std::size_t home_of(const Key& key) const noexcept { return hash_bytes(&key, sizeof key) & mask_; }

  /// The cell of `key`, or the free cell where it would stand.
  [[nodiscard]] std::size_t locate(const Key& key) const noexcept {
    std::size_t at = home_of(key);
    while (cells_[at].is_used && std::memcmp(&cells_[at].key, &key, sizeof key) != 0) at = (at + 1) & mask_;
    return at;
  }

  std::size_t capacity_;
  std::size_t mask_;
  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

}  // namespace dojima
