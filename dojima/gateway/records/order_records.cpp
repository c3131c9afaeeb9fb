#include "dojima/gateway/records/order_records.hpp"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

namespace dojima::gateway {
namespace {

/// Copied in less time than as much is cleared.
constexpr Order k_blank_order{};

}  // namespace

OrderRecords::PartiesByPlace OrderRecords::parties_for(std::size_t places) {
  static_assert(std::is_trivially_copyable_v<OrderParties>, "made by writing to it");
  PartiesByPlace parties(static_cast<OrderParties*>(std::calloc(places, sizeof(OrderParties))));
  if (parties == nullptr && places != 0) throw std::bad_alloc();
  return parties;
}

OrderRecords::OrderRecords(std::size_t orders, std::size_t ids)
    : ids_(ids),
      orders_(orders),
      parties_(parties_for(orders)),
      order_behind_(orders),
      is_order_used_(orders),
      venue_ids_(orders) {
  for (std::uint32_t slot = 0; slot < orders_.size(); ++slot) free_orders_.push(slot, order_behind_);
}

std::size_t OrderRecords::order_bytes() const noexcept {
  return orders_.capacity() * sizeof(Order) + order_behind_.capacity() * sizeof(std::uint32_t) +
         is_order_used_.capacity() / 8;
}

std::uint32_t OrderRecords::open_slot() noexcept {
  std::optional<std::uint32_t> slot = free_orders_.pop(order_behind_);
  if (!slot) slot = closed_orders_.pop(order_behind_);
  if (!slot) return k_no_slot;
  Order& order = orders_[*slot];
  forget_venue_id(*slot);
  ids_.drop(order.cl_ord_id);
  // Ids of the order that had this slot before lead nowhere from now on.
  const std::uint32_t generation = order.generation + 1;
  order = k_blank_order;
  order.generation = generation;
  is_order_used_[*slot] = true;
  changes_.note_order(*slot);
  return *slot;
}

/// The fold of a product: one round of a multiplication to both sides is enough for a word.
std::uint64_t OrderRecords::hash_of(std::uint32_t user, market::OrderId id) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product =
      static_cast<Wide>((id.value + user * 0x9e3779b97f4a7c15ULL) ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint32_t OrderRecords::slot_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept {
  return venue_ids_.find(hash_of(user, id), [&](std::uint32_t slot) {
    return orders_[slot].order_id == id && orders_[slot].user == user;
  });
}

/// A venue that lost its orders gives their ids to others: the newest has it.
void OrderRecords::index_venue_id(std::uint32_t slot) noexcept {
  const Order& order = orders_[slot];
  const std::uint64_t hash = hash_of(order.user, order.order_id);
  const std::uint32_t known = venue_ids_.find(hash, [&](std::uint32_t other) {
    return other != slot && orders_[other].order_id == order.order_id && orders_[other].user == order.user;
  });
  if (known == SlotIndex::k_nowhere)
    venue_ids_.insert(hash, slot);
  else
    venue_ids_.replace(hash, known, slot);
}

void OrderRecords::set_venue_id(std::uint32_t slot, market::OrderId id) noexcept {
  Order& order = order_at(slot);
  if (order.order_id == id) return;
  forget_venue_id(slot);
  order.order_id = id;
  index_venue_id(slot);
}

void OrderRecords::forget_venue_id(std::uint32_t slot) noexcept {
  const Order& order = orders_[slot];
  if (order.order_id.value == 0) return;
  // Another order may have the id by now.
  venue_ids_.erase(hash_of(order.user, order.order_id), slot,
                   [this](std::uint32_t other) { return hash_of(orders_[other].user, orders_[other].order_id); });
}

std::optional<std::uint32_t> OrderRecords::find_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept {
  if (id.value == 0) return std::nullopt;
  const std::uint32_t slot = slot_by_venue_id(user, id);
  return slot == SlotIndex::k_nowhere ? std::nullopt : std::optional(slot);
}

void OrderRecords::undo_order(std::uint32_t slot) noexcept {
  DOJIMA_ASSERT(has_order(slot), "only an order that there is is given back", slot, orders_.size());
  ids_.drop(std::exchange(orders_[slot].cl_ord_id, k_no_id));
  is_order_used_[slot] = false;
  free_orders_.push(slot, order_behind_);
}

void OrderRecords::retire_order(std::uint32_t slot) noexcept {
  const Order& order = order_in(slot);
  DOJIMA_ASSERT(!is_open(order.state), "only a closed order retires", slot, order.state, order.order_id);
  DOJIMA_ASSERT(order.pending_change == k_no_slot, "no change of an order that retires is pending", slot,
                order.pending_change, order.order_id);
  DOJIMA_ASSERT(closed_orders_.size() < orders(), "an order retires once", slot, closed_orders_.size(), orders());
  closed_orders_.push(slot, order_behind_);
}

void OrderRecords::restore_order(std::uint32_t slot, const SavedOrder& saved) noexcept {
  Order& order = order_in(slot);
  order = saved;
  if (saved.has_parties) parties_[slot] = saved.parties;
  order.cl_ord_id = ids_.keep(saved.cl_ord_id_text, saved.client);
  ids_.hold(order.cl_ord_id);
  is_order_used_[slot] = true;
  if (order.order_id.value != 0) index_venue_id(slot);
}

void OrderRecords::end_restore() noexcept {
  free_orders_.clear();
  for (std::uint32_t slot = 0; slot < orders_.size(); ++slot)
    if (!is_order_used_[slot]) free_orders_.push(slot, order_behind_);
}

}  // namespace dojima::gateway
