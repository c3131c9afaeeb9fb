#pragma once

// All live orders of one partition, shared by its books. An order lives in a slot; its id names partition, generation
// and slot, so a late reference to a slot that has been used again is recognised. Freed slots are used again in the
// order in which they were freed. Every live order is also in its owner's list, in the order of entry.
//
// Memory is taken once, every operation but the digest is O(1), a full table is seen with is_full() before anything
// is changed. The record of a released order stays readable until the next add: who turns a command's reports into
// text after the command still finds the labels. One thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/tick_table.hpp"

namespace dojima::book {

using market::Level;
using market::OrderId;
using market::Price;
using market::Quantity;
using market::Side;

enum class Slot : std::uint32_t {};
inline constexpr Slot k_no_slot = Slot{0xffffffff};

/// One order. Two cache lines: the terms, and what matching changes.
struct alignas(64) Order {
  market::OrderTerms terms;
  OrderId id;
  Quantity executed;
  Slot next = k_no_slot;      // behind it in its level
  Slot previous = k_no_slot;  // before it in its level
  Slot next_of_owner = k_no_slot;
  Slot previous_of_owner = k_no_slot;
  Level level{};                 // while it rests
  std::uint32_t instrument = 0;  ///< instrument id
  std::uint32_t generation = 0;
  bool is_live = false;
  bool is_resting = false;

  [[nodiscard]] Quantity leaves() const noexcept { return terms.quantity - executed; }
};
static_assert(sizeof(Order) == 128);

/// Who makes the ids.
enum class Ids : std::uint8_t {
  issued,   ///< the table: add()
  foreign,  ///< somebody else: adopt(), found through a map. For mirrors.
};

struct OrderTableOptions {
  std::uint8_t partition = 1;      ///< 1 to 15
  std::size_t capacity = 1 << 16;  ///< live orders, 1 to 2^31
  std::size_t owners = 1;          ///< owner indices are below this, at most 65,536
  Ids ids = Ids::issued;
  std::uint32_t first_generation = 1;  ///< 1 to k_last_generation; for tests of the wrap
};

class OrderTable {
 public:
  /// Generations have 28 bits; behind the last one comes 1 again.
  static constexpr std::uint32_t k_last_generation = (1U << 28) - 1;

  /// Throws std::bad_alloc, std::invalid_argument for options out of range.
  explicit OrderTable(const OrderTableOptions& options);
  OrderTable(const OrderTable&) = delete;
  OrderTable& operator=(const OrderTable&) = delete;

  /// A new live order, not resting. The table must not be full and issue its own ids.
  Slot add(const market::OrderTerms& terms, const market::OrderLabels& labels, std::uint32_t instrument);

  /// A new live order with somebody else's id, for a table of foreign ids. No slot: full, or the id lives already.
  Slot adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument);

  /// The order ended. It must be live and must not rest.
  void release(Slot slot);

  /// The live order of that id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept;

  /// Where the order of an id issued by this table stands, or stood until it was released.
  [[nodiscard]] Slot slot_of(OrderId id) const noexcept {
    const auto slot = static_cast<std::uint32_t>(id.value);
    DOJIMA_ASSERT(slot < options_.capacity && orders_[slot].id == id, "the slot still holds the order");
    return Slot{slot};
  }

  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[index(slot)]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[index(slot)]; }
  [[nodiscard]] market::OrderLabels& labels(Slot slot) noexcept { return labels_[index(slot)]; }
  [[nodiscard]] const market::OrderLabels& labels(Slot slot) const noexcept { return labels_[index(slot)]; }

  /// The owner's live order that was entered first; on with Order::next_of_owner.
  [[nodiscard]] Slot first_of_owner(std::uint16_t owner) const noexcept { return owners_[owner].first; }
  [[nodiscard]] std::uint32_t count_of_owner(std::uint16_t owner) const noexcept { return owners_[owner].count; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return options_.capacity; }
  [[nodiscard]] std::size_t owners() const noexcept { return options_.owners; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == options_.capacity; }

  /// Over everything that decides the ids to come and over every live order in its owner's list. O(capacity).
  [[nodiscard]] std::uint64_t digest() const noexcept;

 private:
  struct OwnerList {
    Slot first = k_no_slot;
    Slot last = k_no_slot;
    std::uint32_t count = 0;
  };

  [[nodiscard]] std::size_t index(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    DOJIMA_ASSERT(at < options_.capacity, "slot inside the table");
    return at;
  }
  Slot take() noexcept;
  void fill(Slot slot, OrderId id, const market::OrderTerms& terms, std::uint32_t instrument);

  OrderTableOptions options_;
  std::unique_ptr<Order[]> orders_;
  std::vector<market::OrderLabels> labels_;
  std::vector<OwnerList> owners_;
  std::vector<Slot> free_;  // a ring of the free slots, oldest first, starting at next_free_
  std::size_t next_free_ = 0;
  std::size_t size_ = 0;
  FixedMap<OrderId, Slot> foreign_;
};

}  // namespace dojima::book
