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

/// Of what only some orders need.
Memory memory_beside(const OrderTableOptions& options) noexcept {
  return options.memory == Memory::gradual ? Memory::gradual : Memory::untouched;
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
    : options_(checked(options)),
      counts_(options.owners),
      slots_(options.partition, options.capacity, options.first_generation, options.memory),
      terms_(options.capacity, memory_beside(options)),
      extras_(options.capacity, memory_beside(options)),
      foreign_(options.ids == Ids::foreign ? options.capacity : 0),
      levels_(
          std::make_unique<LevelPool>(options.capacity, window_ticks_for(options.capacity), memory_beside(options))),
      listed_(options.capacity, k_untouched) {}

OrderTable::~OrderTable() = default;

Slot OrderTable::adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument) {
  const Slot slot = take_for(id);
  if (slot != k_no_slot) fill(slot, terms, instrument);
  return slot;
}

Slot OrderTable::take_for(OrderId id) {
  DOJIMA_ASSERT(options_.ids == Ids::foreign, "this table makes its own ids");
  if (is_full()) return k_no_slot;
  // The slot that comes next, so that one look-up says whether the id lives and enters it.
  const Slot slot = slots_.next();
  const std::size_t entry = foreign_.enter(id, slot);
  if (entry == ForeignIds::k_nowhere) return k_no_slot;
  const Slot taken = slots_.take();
  DOJIMA_ASSERT(taken == slot, "the next slot is the one that was seen", taken, slot, id, size());
  slots_[slot].generation = static_cast<std::uint32_t>(entry);
  return slot;
}

Slot OrderTable::find_foreign(OrderId id) const noexcept {
  return foreign_.find(id);
}

std::span<const Slot> OrderTable::of_owner(std::uint16_t owner) const {
  std::size_t found = 0;
  for (std::uint32_t at = 0; found < counts_[owner]; ++at) {
    const Order& order = slots_[Slot{at}];
    if (order.owner == owner && order.is_live()) listed_[found++] = Slot{at};
  }
  std::sort(&listed_[0], &listed_[0] + found,
            [this](Slot left, Slot right) { return slots_[left].entry < slots_[right].entry; });
  return {&listed_[0], found};
}

std::span<const Slot> OrderTable::live() const {
  std::size_t found = 0;
  for (std::uint32_t at = 0; found < size(); ++at) {
    if (slots_[Slot{at}].is_live()) listed_[found++] = Slot{at};
  }
  std::sort(&listed_[0], &listed_[0] + found, [this](Slot left, Slot right) {
    const std::uint16_t left_owner = slots_[left].owner, right_owner = slots_[right].owner;
    if (left_owner != right_owner) return left_owner < right_owner;
    return slots_[left].entry < slots_[right].entry;
  });
  return {&listed_[0], found};
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
  out.add(slots_.partition_bits());
  out.add(entries_);
  slots_.save_generations(out);
  slots_.save_free(out);
  out.add(std::uint64_t{size()});
  for (std::uint32_t at = 0; at < options_.capacity; ++at) {
    const Slot slot{at};
    const Order& order = slots_[slot];
    if (!order.is_live()) continue;
    out.add(SavedOrder{.leaves = order.leaves,
                       .slot = at,
                       .instrument = order.instrument,
                       .owner = order.owner,
                       .side = order.side,
                       .state = static_cast<std::uint8_t>(order.state & ~(k_resting | k_compact | k_expanded))});
    out.add(terms(slot));
    out.add(labels(slot));
    out.add(order.entry);
    if (!order.is_special()) continue;
    const OrderExtra& more = extra(slot);
    out.add(SavedExtra{.displayed = more.displayed,
                       .trigger = more.trigger,
                       .entered = more.entered,
                       .linked = more.linked,
                       .is_triggered = more.is_triggered,
                       .is_iceberg = more.is_iceberg});
  }
}

bool OrderTable::load(StateReader& in) {
  DOJIMA_ASSERT(options_.ids == Ids::issued, "only a table that makes its own ids is loaded", options_.ids);
  DOJIMA_ASSERT(size() == 0 && entries_ == 0, "a table is loaded before it is used", size(), entries_);
  std::uint64_t capacity = 0, owners = 0, partition_bits = 0;
  in.section("orders");
  if (!in.read(capacity) || !in.read(owners) || !in.read(partition_bits)) return false;
  if (capacity != options_.capacity || owners != options_.owners || partition_bits != slots_.partition_bits())
    return in.fail("an order table of this capacity, these owners and this partition");
  if (!in.read(entries_)) return false;
  if (!slots_.load_generations(in)) return false;
  std::vector<bool> is_used(options_.capacity);
  if (!slots_.load_free(in, is_used)) return false;
  const std::size_t used = slots_.used();
  std::uint64_t size = 0;
  if (!in.read_count(size, options_.capacity, sizeof(SavedOrder))) return false;
  if (size != used) return in.fail("every slot, free or used");
  for (std::uint64_t order = 0; order < size; ++order)
    if (!load_order(in, is_used)) return false;
  return true;
}

bool OrderTable::load_order(StateReader& in, std::vector<bool>& is_used) {
  SavedOrder saved;
  if (!in.read(saved)) return false;
  if (saved.slot >= options_.capacity || saved.owner >= counts_.size() || is_used[saved.slot] ||
      (saved.state & (k_live | k_resting | k_compact | k_expanded)) != k_live || saved.leaves.lots < 0)
    return in.fail("a live order of a known owner in a slot of its own");
  is_used[saved.slot] = true;
  const Slot slot{saved.slot};
  Order& order = slots_[slot];
  order.leaves = saved.leaves;
  order.instrument = saved.instrument;
  order.owner = saved.owner;
  order.side = saved.side;
  order.state = saved.state;
  market::OrderTerms terms;
  if (!in.read(terms) || !in.read(labels(slot)) || !in.read(order.entry)) return false;
  terms_.set(saved.slot, terms);
  if (order.entry > entries_ || terms.owner != order.owner || terms.side != order.side)
    return in.fail("terms that are those of the order");
  if (order.is_special()) {
    SavedExtra more;
    if (!in.read(more)) return false;
    extra(slot) = {.displayed = more.displayed,
                   .trigger = more.trigger,
                   .entered = more.entered,
                   .linked = more.linked,
                   .is_triggered = more.is_triggered != 0,
                   .is_iceberg = more.is_iceberg != 0};
  }
  count_in(order.owner);
  return true;
}

std::uint64_t OrderTable::digest() const {
  Digest digest;
  slots_.add_to(digest);
  auto slot = live().begin();
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
