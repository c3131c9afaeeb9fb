#pragma once

// The orders of a gateway in their slots, with the ClOrdIDs that they have and what finds them by the venue's ids.
// Closed orders stay findable until their slot is needed again, oldest first. Every operation is O(1); memory is taken
// at construction, and running out is an answer.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/records/client_order_ids.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/record_changes.hpp"
#include "dojima/gateway/records/slot_index.hpp"
#include "dojima/gateway/records/slot_queue.hpp"

namespace dojima::gateway {

class OrderRecords {
 public:
  /// A slot for a new order; none when all are taken by open ones. May forget the order that closed first.
  [[nodiscard]] std::optional<std::uint32_t> open_order() noexcept {
    const std::uint32_t slot = open_slot();
    return slot == k_no_slot ? std::nullopt : std::optional(slot);
  }
  [[nodiscard]] Order& order_at(std::uint32_t slot) noexcept {
    changes_.note_order(slot);
    return order_in(slot);
  }
  [[nodiscard]] const Order& order_at(std::uint32_t slot) const noexcept {
    return const_cast<OrderRecords*>(this)->order_in(slot);
  }
  [[nodiscard]] bool has_order(std::uint32_t slot) const noexcept {
    return slot < orders_.size() && is_order_used_[slot];
  }
  /// Of an order of these records; null: its client has said nothing of the kind.
  [[nodiscard]] const OrderParties* parties_of(const Order& order) const noexcept {
    if (!order.has_parties) return nullptr;
    const auto slot = static_cast<std::size_t>(&order - orders_.data());
    DOJIMA_ASSERT(slot < orders_.size(), "an order of these records", slot, orders_.size(), order.order_id);
    return &parties_[slot];
  }
  void set_parties(std::uint32_t slot, const OrderParties& parties) noexcept {
    order_at(slot).has_parties = !parties.is_empty();
    parties_[slot] = parties;
  }
  /// The order has this id from now on.
  void name_order(Order& order, ClOrdIdRef id) noexcept {
    ids_.hold(id);
    ids_.drop(order.cl_ord_id);
    order.cl_ord_id = id;
  }
  /// The id that the venue has given the order, which finds it from now on.
  void set_venue_id(std::uint32_t slot, market::OrderId id) noexcept;
  /// The order of the venue user with that id of its venue's; none: it has none, or it is no longer remembered.
  [[nodiscard]] std::optional<std::uint32_t> find_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept;
  /// The cancel or replace of the order that is not answered; k_no_slot: none. No change that a journal has to know.
  void set_pending_change(std::uint32_t slot, std::uint32_t request) noexcept {
    order_in(slot).pending_change = request;
  }
  /// Gives back a slot whose order was never sent.
  void undo_order(std::uint32_t slot) noexcept;
  /// A closed order without a pending change: it may be forgotten when its slot is needed. Once for each order.
  void retire_order(std::uint32_t slot) noexcept;

  /// Lives until the id is forgotten and no record has it.
  [[nodiscard]] const ClOrdId& text(ClOrdIdRef id) const noexcept { return ids_.text(id); }
  [[nodiscard]] const ClOrdId& id_of(const Order& order) const noexcept { return text(order.cl_ord_id); }
  [[nodiscard]] const ClientOrderIds& ids() const noexcept { return ids_; }

  [[nodiscard]] std::size_t orders() const noexcept { return orders_.size() - free_orders_.size(); }
  [[nodiscard]] std::size_t order_capacity() const noexcept { return orders_.size(); }
  [[nodiscard]] std::size_t closed_orders() const noexcept { return closed_orders_.size(); }

 protected:
  /// Parties by a place: memory of the system only where there are some, as most have none.
  struct FreeParties {
    void operator()(OrderParties* parties) const noexcept { std::free(parties); }
  };
  using PartiesByPlace = std::unique_ptr<OrderParties[], FreeParties>;
  /// Throws std::bad_alloc.
  [[nodiscard]] static PartiesByPlace parties_for(std::size_t places);

  /// So many slots, and places for so many ids. Throws std::bad_alloc.
  OrderRecords(std::size_t orders, std::size_t ids);
  ~OrderRecords() = default;
  OrderRecords(const OrderRecords&) = delete;
  OrderRecords& operator=(const OrderRecords&) = delete;

  /// As order_at(), but no change that a journal has to know.
  [[nodiscard]] Order& order_in(std::uint32_t slot) noexcept {
    DOJIMA_ASSERT(slot < orders_.size(), "an order's slot is one of those that there are", slot, orders_.size());
    return orders_[slot];
  }
  /// The slot, which is free, has this order of an earlier life; behind the last one end_restore().
  void restore_order(std::uint32_t slot, const SavedOrder& saved) noexcept;
  void end_restore() noexcept;
  [[nodiscard]] std::size_t order_bytes() const noexcept;
  [[nodiscard]] std::size_t venue_index_bytes() const noexcept { return venue_ids_.bytes(); }

  ClientOrderIds ids_;
  RecordChanges changes_;

 private:
  /// k_no_slot: none. An optional that a call gives back goes through memory, and is waited for.
  [[nodiscard]] std::uint32_t open_slot() noexcept;
  [[nodiscard]] static std::uint64_t hash_of(std::uint32_t user, market::OrderId id) noexcept;
  [[nodiscard]] std::uint32_t slot_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept;
  void index_venue_id(std::uint32_t slot) noexcept;
  void forget_venue_id(std::uint32_t slot) noexcept;

  std::vector<Order> orders_;
  PartiesByPlace parties_;                   // by slot
  std::vector<std::uint32_t> order_behind_;  // by slot, of the two queues
  std::vector<bool> is_order_used_;
  SlotQueue free_orders_, closed_orders_;  // used again oldest first
  SlotIndex venue_ids_;                    // slots of orders
};

}  // namespace dojima::gateway
