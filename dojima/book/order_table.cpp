#include "dojima/book/order_table.hpp"

#include <stdexcept>

#include "dojima/book/digest.hpp"

namespace dojima::book {
namespace {

constexpr unsigned k_partition_shift = 60;
constexpr unsigned k_generation_shift = 32;

const OrderTableOptions& checked(const OrderTableOptions& options) {
  if (options.partition == 0 || options.partition > 15) throw std::invalid_argument("order table: partition 1 to 15");
  if (options.capacity == 0 || options.capacity > (std::size_t{1} << 31))
    throw std::invalid_argument("order table: capacity 1 to 2^31");
  if (options.owners == 0 || options.owners > 65'536) throw std::invalid_argument("order table: owners 1 to 65536");
  if (options.first_generation == 0 || options.first_generation > OrderTable::k_last_generation)
    throw std::invalid_argument("order table: first generation out of range");
  return options;
}

}  // namespace

OrderTable::OrderTable(const OrderTableOptions& options)
    : options_(checked(options)),
      orders_(std::make_unique<Order[]>(options.capacity)),
      labels_(options.capacity),
      owners_(options.owners),
      free_(options.capacity),
      foreign_(options.ids == Ids::foreign ? options.capacity : 0) {
  for (std::size_t slot = 0; slot < options.capacity; ++slot) {
    free_[slot] = Slot{static_cast<std::uint32_t>(slot)};
    orders_[slot].generation = options.first_generation - 1;
  }
}

Slot OrderTable::take() noexcept {
  DOJIMA_ASSERT(!is_full(), "a full table is seen before an order is added");
  const Slot slot = free_[next_free_];
  next_free_ = next_free_ + 1 == free_.size() ? 0 : next_free_ + 1;
  ++size_;
  return slot;
}

void OrderTable::fill(Slot slot, OrderId id, const market::OrderTerms& terms, std::uint32_t instrument) {
  DOJIMA_ASSERT(terms.owner < owners_.size(), "an order has a known owner");
  Order& order = orders_[index(slot)];
  DOJIMA_ASSERT(!order.is_live, "a free slot holds no live order");
  OwnerList& list = owners_[terms.owner];
  order = Order{.terms = terms,
                .id = id,
                .executed = {},
                .previous_of_owner = list.last,
                .instrument = instrument,
                .generation = order.generation,
                .is_live = true};
  (list.last == k_no_slot ? list.first : orders_[index(list.last)].next_of_owner) = slot;
  list.last = slot;
  ++list.count;
}

Slot OrderTable::add(const market::OrderTerms& terms, const market::OrderLabels& labels, std::uint32_t instrument) {
  DOJIMA_ASSERT(options_.ids == Ids::issued, "this table does not make ids");
  const Slot slot = take();
  std::uint32_t& generation = orders_[index(slot)].generation;
  generation = generation == k_last_generation ? 1 : generation + 1;
  const OrderId id{std::uint64_t{options_.partition} << k_partition_shift |
                   std::uint64_t{generation} << k_generation_shift | static_cast<std::uint32_t>(slot)};
  fill(slot, id, terms, instrument);
  labels_[index(slot)] = labels;
  return slot;
}

Slot OrderTable::adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument) {
  DOJIMA_ASSERT(options_.ids == Ids::foreign, "this table makes its own ids");
  if (is_full() || foreign_.find(id) != nullptr) return k_no_slot;
  const Slot slot = take();
  const bool is_inserted = foreign_.insert(id, slot);
  DOJIMA_ASSERT(is_inserted, "the map has room for every order of the table");
  fill(slot, id, terms, instrument);
  return slot;
}

void OrderTable::release(Slot slot) {
  Order& order = orders_[index(slot)];
  DOJIMA_ASSERT(order.is_live && !order.is_resting, "only a live order outside the book is released");
  if (options_.ids == Ids::foreign) foreign_.erase(order.id);
  OwnerList& list = owners_[order.terms.owner];
  (order.previous_of_owner == k_no_slot ? list.first : orders_[index(order.previous_of_owner)].next_of_owner) =
      order.next_of_owner;
  (order.next_of_owner == k_no_slot ? list.last : orders_[index(order.next_of_owner)].previous_of_owner) =
      order.previous_of_owner;
  --list.count;
  order.is_live = false;
  std::size_t end = next_free_ + (options_.capacity - size_);
  if (end >= free_.size()) end -= free_.size();
  free_[end] = slot;
  --size_;
}

Slot OrderTable::find(OrderId id) const noexcept {
  if (options_.ids == Ids::foreign) {
    const Slot* slot = foreign_.find(id);
    return slot != nullptr ? *slot : k_no_slot;
  }
  const auto slot = static_cast<std::uint32_t>(id.value);
  if (slot >= options_.capacity || !orders_[slot].is_live || orders_[slot].id != id) return k_no_slot;
  return Slot{slot};
}

std::uint64_t OrderTable::digest() const noexcept {
  Digest digest;
  for (std::size_t slot = 0; slot < options_.capacity; ++slot) digest.add(orders_[slot].generation);
  for (std::size_t at = 0; at < options_.capacity - size_; ++at) digest.add(free_[(next_free_ + at) % free_.size()]);
  for (const OwnerList& list : owners_) {
    for (Slot slot = list.first; slot != k_no_slot; slot = orders_[index(slot)].next_of_owner) {
      const Order& order = orders_[index(slot)];
      digest.add(order.terms);
      digest.add(labels_[index(slot)]);
      digest.add(order.id);
      digest.add(order.executed);
      digest.add(order.instrument);
    }
    digest.add(list.count);
  }
  return digest.value();
}

}  // namespace dojima::book
