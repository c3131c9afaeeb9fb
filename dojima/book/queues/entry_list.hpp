#pragma once

// Orders in the order in which they came to wait: the dark orders of a side, the trailing stops of a book. O(1) per
// change, no allocation. One thread.

#include "dojima/book/queues/links.hpp"

namespace dojima::book {

class EntryList {
 public:
  explicit EntryList(OrderTable& orders) : orders_(orders) {}

  void append(Slot slot) { list_.append(orders_, slot, 0); }
  void erase(Slot slot) { static_cast<void>(list_.erase(orders_, orders_[slot])); }
  void resize(Slot slot, Quantity change) {
    orders_[slot].leaves += change;
    list_.total += change;
  }

  [[nodiscard]] Slot first() const noexcept { return list_.count == 0 ? k_no_slot : list_.front(); }
  [[nodiscard]] Slot next(Slot slot) const noexcept { return LinkedOrders::next(orders_[slot]); }
  [[nodiscard]] bool is_empty() const noexcept { return list_.count == 0; }
  /// Null, or what is wrong with the links. O(orders).
  [[nodiscard]] const char* inconsistency() const noexcept {
    return is_empty() ? nullptr : list_.inconsistency(orders_, 0);
  }

 private:
  OrderTable& orders_;
  LinkedOrders list_;
};

}  // namespace dojima::book
