#pragma once

// A hash map of fixed capacity: groups of seven cells, with a byte of each cell's hash and the number of entries that
// had to go further in one word beside them, so a look-up decides in that word and reads the one cell that it is about
// (map/cell_table.hpp). Entries never move, and erasing leaves nothing behind. Memory is taken once. Keys are plain
// records compared byte by byte. There is no iteration on purpose: no output may depend on hash order.
//
//   FixedMap<Text<20>, std::uint32_t> orders(1000);
//   if (!orders.insert(id, slot)) ...     // full, or the key is there already
//   if (const auto* slot = orders.find(id)) ...

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dojima/base/map/cell_table.hpp"

namespace dojima {

/// A fixed hash of the bytes of a record: the same on every machine and in every run.
[[nodiscard]] std::uint64_t hash_bytes(const void* data, std::size_t size) noexcept;

/// The hash by which a map places a key: a word's own, inlined, or hash_bytes().
template <class Key>
[[nodiscard]] std::uint64_t map_hash(const Key& key) noexcept {
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

template <class Key, class Value>
  requires std::has_unique_object_representations_v<Key> && std::is_trivially_copyable_v<Value>
class FixedMap {
 public:
  /// Takes memory for `capacity` entries at a load of at most four sevenths. Throws std::bad_alloc.
  explicit FixedMap(std::size_t capacity) : capacity_(capacity), cells_(capacity) {}

  /// Of a key, for callers that look ahead at it and ask for it later: every function that takes one spares the key's.
  enum class Hash : std::uint64_t {};
  [[nodiscard]] static Hash hash_of(const Key& key) noexcept { return Hash{map_hash(key)}; }

  /// The value of `key`, or null. Valid until the key is erased. O(1) expected.
  [[nodiscard]] Value* find(const Key& key) noexcept { return find(key, hash_of(key)); }
  [[nodiscard]] Value* find(const Key& key, Hash hash) noexcept {
    const std::size_t at = cells_.locate(key, static_cast<std::uint64_t>(hash));
    return at != k_nowhere ? &cells_.value(at) : nullptr;
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FixedMap*>(this)->find(key); }
  [[nodiscard]] const Value* find(const Key& key, Hash hash) const noexcept {
    return const_cast<FixedMap*>(this)->find(key, hash);
  }

  /// Hints that the key will be asked for, inserted or erased soon: the first, and some time after it the second, which
  /// reads what the first has fetched. O(1), no branch.
  // Inlined by force: g++ 12 takes a function that only fetches ahead for one that does nothing, and drops the call.
  [[gnu::always_inline]] void prefetch(Hash hash) const noexcept {
    cells_.prefetch_group(static_cast<std::uint64_t>(hash));
  }
  [[gnu::always_inline]] void prefetch(const Key& key) const noexcept { prefetch(hash_of(key)); }
  [[gnu::always_inline]] void prefetch_cell(Hash hash) const noexcept {
    cells_.prefetch_cell(cells_.likely_cell(static_cast<std::uint64_t>(hash)));
  }
  [[gnu::always_inline]] void prefetch_cell(const Key& key) const noexcept { prefetch_cell(hash_of(key)); }

  /// What `find` will probably answer, for callers that fetch what the value leads to: any value where the key is not
  /// there, and rarely where it is. Not to be decided upon. O(1), no branch.
  [[nodiscard]] const Value& hint(Hash hash) const noexcept {
    return cells_.value(cells_.likely_cell(static_cast<std::uint64_t>(hash)));
  }
  [[nodiscard]] const Value& hint(const Key& key) const noexcept { return hint(hash_of(key)); }

  static constexpr std::size_t k_nowhere = CellTable<Key, Value>::k_nowhere;

  /// False: full or already there, nothing changed. O(1) expected.
  [[nodiscard]] bool insert(const Key& key, const Value& value) noexcept { return insert_at(key, value) != k_nowhere; }

  /// The same; answers the cell where the entry lies until it is erased, for erase_at(), or k_nowhere.
  [[nodiscard]] std::size_t insert_at(const Key& key, const Value& value) noexcept {
    return insert_at(key, value, hash_of(key));
  }
  [[nodiscard]] std::size_t insert_at(const Key& key, const Value& value, Hash hash) noexcept {
    if (is_full()) [[unlikely]] {
      return k_nowhere;
    }
    return cells_.insert(key, value, static_cast<std::uint64_t>(hash));
  }

  /// Inserts or overwrites. False: full and not there, nothing changed. O(1) expected.
  [[nodiscard]] bool assign(const Key& key, const Value& value) noexcept {
    const std::uint64_t hash = map_hash(key);
    if (const std::size_t at = cells_.locate(key, hash); at != k_nowhere) {
      cells_.value(at) = value;
      return true;
    }
    if (is_full()) return false;
    cells_.put(key, value, hash);
    return true;
  }

  /// False: not there. O(1) expected.
  bool erase(const Key& key) noexcept {
    const std::uint64_t hash = map_hash(key);
    const std::size_t at = cells_.locate(key, hash);
    if (at == k_nowhere) return false;
    cells_.erase(at, hash);
    return true;
  }

  /// Erases the entry in a cell that insert_at() gave and that still has it: no look-up. O(1) expected.
  void erase_at(std::size_t cell) noexcept {
    cells_.erase_by(cell, [](const Key& key) { return map_hash(key); });
  }

  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool is_full() const noexcept { return size() == capacity_; }

 private:
  std::size_t capacity_;
  CellTable<Key, Value> cells_;
};

}  // namespace dojima
