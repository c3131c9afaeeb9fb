#pragma once

// The ClOrdIDs that clients have used, and the order that each addresses. Ids of records in use are kept; ids of the
// past are kept as duplicates to be recognised until the room is needed, and are then forgotten, oldest first. Every
// operation is O(1) expected, no allocation after construction.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/records/order.hpp"

namespace dojima::gateway {

class ClientOrderIds {
 public:
  struct Key {
    ClOrdId id;
    std::uint32_t client = 0;
  };
  /// The order that an id addresses. The generation tells it from a later order in the same slot.
  struct Target {
    std::uint32_t order = k_no_slot;
    std::uint32_t generation = 0;
  };

  /// Room for so many ids, those of the past included. Throws std::bad_alloc.
  explicit ClientOrderIds(std::size_t capacity) : targets_(capacity), past_(capacity) {}

  [[nodiscard]] bool contains(const Key& key) const noexcept { return targets_.find(key) != nullptr; }
  /// Null: not known. An id that was detached addresses k_no_slot.
  [[nodiscard]] const Target* find(const Key& key) const noexcept { return targets_.find(key); }

  /// From now on the id, which must be unknown, addresses `target`. Where there is no room, the oldest id of the past
  /// is forgotten; there must be one.
  void add(const Key& key, const Target& target) noexcept;
  /// The id, which is known, addresses another order from now on.
  void address(const Key& key, const Target& target) noexcept {
    if (Target* known = targets_.find(key); known != nullptr) *known = target;
  }
  /// The id addresses nothing any more, but stays known.
  void detach(const Key& key) noexcept;
  /// The id was never used.
  void erase(const Key& key) noexcept { targets_.erase(key); }
  /// The id belongs to the past. Once for each id.
  void retire(const Key& key) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return targets_.size(); }

  /// How many ids of the past have been there ever; those from `past_begin()` on are still known.
  [[nodiscard]] std::uint64_t past_end() const noexcept { return past_begin_ + past_count_; }
  [[nodiscard]] std::uint64_t past_begin() const noexcept { return past_begin_; }
  [[nodiscard]] const Key& past_at(std::uint64_t number) const noexcept {
    const std::size_t at = first_past_ + static_cast<std::size_t>(number - past_begin_);
    return past_[at >= past_.size() ? at - past_.size() : at];
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return past_.size(); }

 private:
  FixedMap<Key, Target> targets_;
  std::vector<Key> past_;  // a ring, oldest first
  std::size_t first_past_ = 0;
  std::uint64_t past_begin_ = 0;  // how many were forgotten
  std::size_t past_count_ = 0;
};

}  // namespace dojima::gateway
