#pragma once

// The ids of an order table that does not make them: a mirror's. O(1) expected.

#include <cstddef>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/book/table/order.hpp"

namespace dojima::book {

class ForeignIds {
 public:
  static constexpr std::size_t k_nowhere = FixedMap<OrderId, Slot>::k_nowhere;

  /// 0: of a table that makes its own. Throws std::bad_alloc.
  explicit ForeignIds(std::size_t capacity) : slots_(capacity), ids_(capacity) {}

  /// The live order of that id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    const Slot* slot = slots_.find(id);
    return slot != nullptr ? *slot : k_no_slot;
  }
  /// Where the entry lies, for leave(); k_nowhere: the id lives already.
  [[nodiscard]] std::size_t enter(OrderId id, Slot slot) noexcept {
    const std::size_t entry = slots_.insert_at(id, slot);
    if (entry != k_nowhere) ids_[static_cast<std::size_t>(slot)] = id;
    return entry;
  }
  void leave(std::size_t entry) noexcept { slots_.erase_at(entry); }
  /// The id of the order that is in the slot, or was.
  [[nodiscard]] OrderId of(Slot slot) const noexcept { return ids_[static_cast<std::size_t>(slot)]; }

 private:
  FixedMap<OrderId, Slot> slots_;
  std::vector<OrderId> ids_;  // by slot
};

}  // namespace dojima::book
