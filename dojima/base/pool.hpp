#pragma once

// A pool of objects of one type in memory taken once: slots are numbers, so records that refer to each other stay
// valid in a snapshot and on another machine. Free slots are used again in the order in which they were released
// (oldest first), which is deterministic and keeps a late reference to a released slot recognisable for longest.
//
//   Pool<Order> orders(1000);
//   if (auto slot = orders.acquire()) orders[*slot] = ...;

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima {

template <class T>
class Pool {
 public:
  using Index = std::uint32_t;

  /// Takes memory for `capacity` objects, all default-constructed. Throws std::bad_alloc.
  explicit Pool(std::size_t capacity) : objects_(capacity), free_(capacity), used_(capacity, false) {
    for (std::size_t slot = 0; slot < capacity; ++slot) free_[slot] = static_cast<Index>(slot);
  }

  /// A free slot, or none when all are taken. Its object holds whatever it held when it was released. O(1).
  [[nodiscard]] std::optional<Index> acquire() noexcept {
    if (size_ == objects_.size()) return std::nullopt;
    const Index slot = free_[next_free_];
    next_free_ = next_free_ + 1 == free_.size() ? 0 : next_free_ + 1;
    ++size_;
    used_[slot] = true;
    return slot;
  }

  /// Gives `slot` back. It must be taken. O(1).
  void release(Index slot) noexcept {
    DOJIMA_ASSERT(slot < objects_.size() && used_[slot], "only a taken slot can be released");
    used_[slot] = false;
    std::size_t end = next_free_ + (objects_.size() - size_);
    if (end >= free_.size()) end -= free_.size();
    free_[end] = slot;
    --size_;
  }

  /// Takes these very slots, each once, of a pool where none is taken: for what is restored. The others stay free, the
  /// lowest first. O(capacity).
  void acquire_all(const std::vector<Index>& slots) noexcept {
    DOJIMA_ASSERT(size_ == 0, "slots are restored into an empty pool");
    for (const Index slot : slots) {
      DOJIMA_ASSERT(slot < objects_.size() && !used_[slot], "only a free slot can be taken");
      used_[slot] = true;
    }
    size_ = slots.size();
    next_free_ = 0;
    std::size_t end = 0;
    for (std::size_t slot = 0; slot < objects_.size(); ++slot)
      if (!used_[slot]) free_[end++] = static_cast<Index>(slot);
  }

  [[nodiscard]] bool is_used(Index slot) const noexcept { return slot < objects_.size() && used_[slot]; }
  [[nodiscard]] T& operator[](Index slot) noexcept {
    DOJIMA_ASSERT(slot < objects_.size(), "slot inside the pool");
    return objects_[slot];
  }
  [[nodiscard]] const T& operator[](Index slot) const noexcept {
    DOJIMA_ASSERT(slot < objects_.size(), "slot inside the pool");
    return objects_[slot];
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return objects_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return size_ == objects_.size(); }

 private:
  std::vector<T> objects_;
  std::vector<Index> free_;  // a ring of the free slots, oldest first, starting at next_free_
  std::vector<bool> used_;
  std::size_t next_free_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dojima
