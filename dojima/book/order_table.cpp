#include "dojima/book/order_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/base/state.hpp"
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
  if (options.ids == Ids::foreign && options.capacity > (std::size_t{1} << 30))
    throw std::invalid_argument("order table: capacity 1 to 2^30 with foreign ids");
  if (options.owners == 0 || options.owners > 65'536) throw std::invalid_argument("order table: owners 1 to 65536");
  if (options.first_generation == 0 || options.first_generation > OrderTable::k_last_generation)
    throw std::invalid_argument("order table: first generation out of range");
  return options;
}

}  // namespace

OrderTable::OrderTable(const OrderTableOptions& options)
    : orders_(checked(options).capacity),
      labels_(options.capacity),
      free_(options.capacity),
      partition_bits_(std::uint64_t{options.partition} << k_partition_shift),
      free_count_(options.capacity),
      counts_(options.owners),
      options_(options),
      terms_(options.capacity, k_untouched),
      extras_(options.capacity, k_untouched),
      foreign_(options.ids == Ids::foreign ? options.capacity : 0),
      foreign_ids_(options.ids == Ids::foreign ? options.capacity : 0),
      levels_(std::make_unique<LevelPool>(options.capacity, window_ticks_for(options.capacity))),
      listed_(options.capacity, k_untouched) {
  for (std::size_t slot = 0; slot < options.capacity; ++slot) {
    free_[options.capacity - 1 - slot] = Slot{static_cast<std::uint32_t>(slot)};
    orders_[slot].generation = options.first_generation - 1;
  }
}

OrderTable::~OrderTable() = default;

Slot OrderTable::adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument) {
  const Slot slot = take_for(id);
  if (slot != k_no_slot) fill(slot, terms, instrument);
  return slot;
}

Slot OrderTable::take_for(OrderId id) {
  DOJIMA_ASSERT(options_.ids == Ids::foreign, "this table makes its own ids");
  if (is_full()) return k_no_slot;
  // The slot that take() gives next, so that one look-up says whether the id lives and enters it.
  const Slot slot = free_count_ != 0 ? free_[free_count_ - 1] : cooling_[oldest_];
  const std::size_t cell = foreign_.insert_at(id, slot);
  if (cell == FixedMap<OrderId, Slot>::k_nowhere) return k_no_slot;
  const Slot taken = take();
  DOJIMA_ASSERT(taken == slot, "the next slot is the one that was seen", taken, slot, id, size());
  foreign_ids_[index(slot)] = id;
  orders_[index(slot)].generation = static_cast<std::uint32_t>(cell);
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
  std::sort(&listed_[0], &listed_[0] + found,
            [this](Slot left, Slot right) { return orders_[index(left)].entry < orders_[index(right)].entry; });
  return {&listed_[0], found};
}

std::span<const Slot> OrderTable::live() const {
  std::size_t found = 0;
  for (std::size_t slot = 0; found < size(); ++slot) {
    if (orders_[slot].is_live()) listed_[found++] = Slot{static_cast<std::uint32_t>(slot)};
  }
  std::sort(&listed_[0], &listed_[0] + found, [this](Slot left, Slot right) {
    const std::uint16_t left_owner = orders_[index(left)].owner, right_owner = orders_[index(right)].owner;
    if (left_owner != right_owner) return left_owner < right_owner;
    return orders_[index(left)].entry < orders_[index(right)].entry;
  });
  return {&listed_[0], found};
}

// ---- Compact orders ------------------------------------------------------------------------------------------------

namespace {

[[nodiscard]] constexpr bool has_expiry(market::TimeInForce time_in_force) noexcept {
  return time_in_force == market::TimeInForce::good_till_date || time_in_force == market::TimeInForce::good_till_time;
}

}  // namespace

/// Writes the record of a compact order; only an expiry stands there already.
void OrderTable::expand(std::size_t at) const noexcept {
  Order& order = orders_[at];
  const PlainTerms& plain = order.plain;
  market::OrderTerms& terms = terms_[at];
  const time::Time expiry = has_expiry(plain.time_in_force) ? terms.expiry : time::Time{};
  terms = {.limit = order.limit,
           .quantity = order.quantity,
           .displayed = order.quantity,
           .expiry = expiry,
           .owner = order.owner,
           .group = plain.group,
           .side = order.side,
           .type = plain.type,
           .time_in_force = plain.time_in_force,
           .capacity = plain.capacity,
           .peg = plain.peg,
           .flags = plain.flags,
           .owner_type = plain.owner_type};
  order.state |= k_expanded;
}

void OrderTable::compact(Slot slot) noexcept {
  Order& order = orders_[index(slot)];
  DOJIMA_ASSERT(!order.is_special(), "a special order has more than plain terms", order.state);
  if (order.is_compact()) return;
  const market::OrderTerms& terms = terms_[index(slot)];
  const bool is_plain = terms.stop.units == 0 && terms.displayed == terms.quantity && terms.minimum.lots == 0 &&
                        terms.offset_bp == 0 && terms.passive == 0 && terms.sub_type == market::OrderSubType::plain &&
                        (terms.flags & market::k_all_or_none) == 0;
  if (!is_plain) return;
  order.limit = terms.limit;
  order.quantity = terms.quantity;
  order.plain = {.type = terms.type,
                 .time_in_force = terms.time_in_force,
                 .group = terms.group,
                 .capacity = terms.capacity,
                 .peg = terms.peg,
                 .flags = terms.flags,
                 .owner_type = terms.owner_type};
  order.state |= k_compact | k_expanded;
}

// ---- Saving and loading --------------------------------------------------------------------------------------------

namespace {

/// A live order without its links.
struct SavedOrder {
  Quantity leaves;
  std::uint32_t slot = 0;
  std::uint32_t instrument = 0;
  std::uint16_t owner = 0;
  Side side = Side::none;
  std::uint8_t state = 0;
  std::uint32_t reserved = 0;
};

struct SavedExtra {
  Quantity displayed;
  Price trigger;
  std::uint64_t entered = 0;
  OrderId linked;
  std::uint32_t is_triggered = 0;
  std::uint32_t is_iceberg = 0;
};

}  // namespace

void OrderTable::save(StateWriter& out) const {
  DOJIMA_ASSERT(options_.ids == Ids::issued, "only a table that makes its own ids is saved", options_.ids);
  out.section("orders");
  out.add(std::uint64_t{options_.capacity});
  out.add(std::uint64_t{options_.owners});
  out.add(partition_bits_);
  out.add(entries_);
  for (std::size_t slot = 0; slot < options_.capacity; ++slot) out.add(orders_[slot].generation);
  out.add(std::uint64_t{free_count_});
  for (std::size_t at = 0; at < free_count_; ++at) out.add(free_[at]);
  out.add(std::uint64_t{cooling_count_});
  for (std::size_t at = 0; at < cooling_count_; ++at) out.add(cooling_[(oldest_ + at) % k_cooling]);
  out.add(std::uint64_t{size()});
  for (std::size_t slot = 0; slot < options_.capacity; ++slot) {
    const Order& order = orders_[slot];
    if (!order.is_live()) continue;
    out.add(SavedOrder{.leaves = order.leaves,
                       .slot = static_cast<std::uint32_t>(slot),
                       .instrument = order.instrument,
                       .owner = order.owner,
                       .side = order.side,
                       .state = static_cast<std::uint8_t>(order.state & ~(k_resting | k_compact | k_expanded))});
    out.add(terms(Slot{static_cast<std::uint32_t>(slot)}));
    out.add(labels_[slot].labels);
    out.add(order.entry);
    if (!order.is_special()) continue;
    const OrderExtra& extra = extras_[slot];
    out.add(SavedExtra{.displayed = extra.displayed,
                       .trigger = extra.trigger,
                       .entered = extra.entered,
                       .linked = extra.linked,
                       .is_triggered = extra.is_triggered,
                       .is_iceberg = extra.is_iceberg});
  }
}

bool OrderTable::load(StateReader& in) {
  DOJIMA_ASSERT(options_.ids == Ids::issued, "only a table that makes its own ids is loaded", options_.ids);
  DOJIMA_ASSERT(size() == 0 && entries_ == 0, "a table is loaded before it is used", size(), entries_);
  std::uint64_t capacity = 0, owners = 0, partition_bits = 0;
  in.section("orders");
  if (!in.read(capacity) || !in.read(owners) || !in.read(partition_bits)) return false;
  if (capacity != options_.capacity || owners != options_.owners || partition_bits != partition_bits_)
    return in.fail("an order table of this capacity, these owners and this partition");
  if (!in.read(entries_)) return false;
  for (std::size_t slot = 0; slot < options_.capacity; ++slot) {
    if (!in.read(orders_[slot].generation)) return false;
    if (orders_[slot].generation > k_last_generation) return in.fail("a generation of 28 bits");
  }
  std::vector<bool> is_used(options_.capacity);
  if (!load_free_slots(in, is_used)) return false;
  std::uint64_t size = 0;
  if (!in.read_count(size, options_.capacity, sizeof(SavedOrder))) return false;
  if (size + free_count_ + cooling_count_ != options_.capacity) return in.fail("every slot, free or used");
  for (std::uint64_t order = 0; order < size; ++order)
    if (!load_order(in, is_used)) return false;
  return true;
}

/// No slot comes twice: `is_used` are those that came.
bool OrderTable::load_free_slots(StateReader& in, std::vector<bool>& is_used) {
  const auto load = [&](Slot& slot) {
    if (!in.read(slot)) return false;
    const auto at = static_cast<std::size_t>(slot);
    if (at >= options_.capacity || is_used[at]) return in.fail("a free slot, once");
    is_used[at] = true;
    return true;
  };
  std::uint64_t count = 0;
  if (!in.read_count(count, options_.capacity, sizeof(Slot))) return false;
  for (free_count_ = 0; free_count_ < count; ++free_count_)
    if (!load(free_[free_count_])) return false;
  if (!in.read_count(count, k_cooling, sizeof(Slot))) return false;
  for (oldest_ = cooling_count_ = 0; cooling_count_ < count; ++cooling_count_)
    if (!load(cooling_[cooling_count_])) return false;
  return true;
}

bool OrderTable::load_order(StateReader& in, std::vector<bool>& is_used) {
  SavedOrder saved;
  if (!in.read(saved)) return false;
  if (saved.slot >= options_.capacity || saved.owner >= counts_.size() || is_used[saved.slot] ||
      (saved.state & (k_live | k_resting | k_compact | k_expanded)) != k_live || saved.leaves.lots < 0)
    return in.fail("a live order of a known owner in a slot of its own");
  is_used[saved.slot] = true;
  Order& order = orders_[saved.slot];
  order.leaves = saved.leaves;
  order.instrument = saved.instrument;
  order.owner = saved.owner;
  order.side = saved.side;
  order.state = saved.state;
  market::OrderTerms& terms = terms_[saved.slot];
  if (!in.read(terms) || !in.read(labels_[saved.slot].labels) || !in.read(order.entry)) return false;
  if (order.entry > entries_ || terms.owner != order.owner || terms.side != order.side)
    return in.fail("terms that are those of the order");
  if (order.is_special()) {
    SavedExtra extra;
    if (!in.read(extra)) return false;
    extras_[saved.slot] = {.displayed = extra.displayed,
                           .trigger = extra.trigger,
                           .entered = extra.entered,
                           .linked = extra.linked,
                           .is_triggered = extra.is_triggered != 0,
                           .is_iceberg = extra.is_iceberg != 0};
  }
  count_in(order.owner);
  return true;
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
