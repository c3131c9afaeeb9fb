#include "dojima/book/order_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/book/digest.hpp"
#include "dojima/book/queues/level_pool.hpp"

namespace dojima::book {
namespace {

/// Two full windows for the smallest table, 16 ticks an order for a large one. What nobody uses is never touched.
std::size_t window_ticks_for(std::size_t orders) noexcept {
  return std::max(16 * orders, std::size_t{4} << LevelPool::k_largest_window);
}

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
      partition_bits_(std::uint64_t{options.partition} << k_partition_shift),
      orders_(options.capacity),
      records_(options.capacity),
      extras_(options.capacity),
      counts_(options.owners),
      free_(options.capacity),
      free_count_(options.capacity),
      foreign_(options.ids == Ids::foreign ? options.capacity : 0),
      foreign_ids_(options.ids == Ids::foreign ? options.capacity : 0),
      levels_(std::make_unique<LevelPool>(options.capacity, window_ticks_for(options.capacity))),
      listed_(options.capacity) {
  for (std::size_t slot = 0; slot < options.capacity; ++slot) {
    free_[options.capacity - 1 - slot] = Slot{static_cast<std::uint32_t>(slot)};
    orders_[slot].generation = options.first_generation - 1;
  }
}

OrderTable::~OrderTable() = default;

Slot OrderTable::adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument) {
  DOJIMA_ASSERT(options_.ids == Ids::foreign, "this table makes its own ids");
  if (is_full() || foreign_.find(id) != nullptr) return k_no_slot;
  const Slot slot = take();
  const bool is_inserted = foreign_.insert(id, slot);
  DOJIMA_ASSERT(is_inserted, "the map has room for every order of the table", id, size_);
  foreign_ids_[index(slot)] = id;
  fill(slot, terms.side, terms.owner, terms.quantity, instrument);
  records_[index(slot)].terms = terms;
  return slot;
}

Slot OrderTable::find_foreign(OrderId id) const noexcept {
  const Slot* slot = foreign_.find(id);
  return slot != nullptr ? *slot : k_no_slot;
}

std::span<const Slot> OrderTable::of_owner(std::uint16_t owner) const {
  std::size_t found = 0;
  for (std::size_t slot = 0; found < counts_[owner]; ++slot) {
    if (orders_[slot].owner == owner && orders_[slot].is_live())
      listed_[found++] = Slot{static_cast<std::uint32_t>(slot)};
  }
  std::sort(listed_.begin(), listed_.begin() + static_cast<std::ptrdiff_t>(found),
            [this](Slot left, Slot right) { return records_[index(left)].entry < records_[index(right)].entry; });
  return {listed_.data(), found};
}

std::span<const Slot> OrderTable::live() const {
  std::size_t found = 0;
  for (std::size_t slot = 0; found < size_; ++slot) {
    if (orders_[slot].is_live()) listed_[found++] = Slot{static_cast<std::uint32_t>(slot)};
  }
  std::sort(listed_.begin(), listed_.begin() + static_cast<std::ptrdiff_t>(found), [this](Slot left, Slot right) {
    const std::uint16_t left_owner = orders_[index(left)].owner, right_owner = orders_[index(right)].owner;
    if (left_owner != right_owner) return left_owner < right_owner;
    return records_[index(left)].entry < records_[index(right)].entry;
  });
  return {listed_.data(), found};
}

std::uint64_t OrderTable::digest() const {
  Digest digest;
  for (std::size_t slot = 0; slot < options_.capacity; ++slot) digest.add(orders_[slot].generation);
  // In the order in which they would be used if no more were freed.
  for (std::size_t at = free_count_; at-- > 0;) digest.add(free_[at]);
  for (std::size_t at = 0; at < cooling_count_; ++at) digest.add(cooling_[(oldest_ + at) % k_cooling]);
  const std::span<const Slot> slots = live();
  auto slot = slots.begin();
  for (const std::uint32_t count : counts_) {
    for (const auto end = slot + count; slot != end; ++slot) {
      digest.add(terms(*slot));
      digest.add(labels(*slot));
      digest.add(id(*slot));
      digest.add(executed(*slot));
      digest.add((*this)[*slot].instrument);
    }
    digest.add(count);
  }
  return digest.value();
}

}  // namespace dojima::book
