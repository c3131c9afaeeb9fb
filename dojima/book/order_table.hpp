#pragma once

// All live orders of one partition, shared by its books. An order lives in a slot (table/order_slots.hpp); its id names
// partition, generation and slot, so a late reference to a slot that has been used again is recognised, and comes back
// only after 2^38 orders at least.
//
// What a book touches for every command is in `Order` (table/order.hpp), one cache line, which is all there is of a
// plain order but its labels: such an order is compact, and its record of terms is written when somebody reads it
// (table/kept_terms.hpp). Memory is taken once, and what only special orders need of it costs nothing until there are
// some. Everything is O(1) but the digest and what lists orders by owner; a full table is seen with is_full() before
// anything is changed. The record of a released order stays readable until the next add: a caller that turns a
// command's reports into text afterwards still finds the labels. One thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/book/table/foreign_ids.hpp"
#include "dojima/book/table/kept_terms.hpp"
#include "dojima/book/table/order.hpp"
#include "dojima/book/table/order_slots.hpp"
#include "dojima/market/order.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::book {

class LevelPool;

/// Who makes the ids.
enum class Ids : std::uint8_t {
  issued,   ///< the table: add()
  foreign,  ///< somebody else: adopt(), found through a map. For mirrors.
};

struct OrderTableOptions {
  std::uint8_t partition = 1;      ///< 1 to 15
  std::size_t capacity = 1 << 16;  ///< live orders, 1 to 2^31; with foreign ids 2^30
  std::size_t owners = 1;          ///< owner indices are below this, at most 65,536
  Ids ids = Ids::issued;
  std::uint32_t first_generation = 1;  ///< 1 to k_last_generation; for tests of the wrap
  Memory memory = Memory::touched;     ///< of free orders; untouched, gradual: of many more than will ever live
};

class OrderTable {
 public:
  static constexpr std::uint32_t k_last_generation = OrderSlots::k_last_generation;

  /// Throws std::bad_alloc, std::invalid_argument for options out of range.
  explicit OrderTable(const OrderTableOptions& options);
  OrderTable(const OrderTable&) = delete;
  OrderTable& operator=(const OrderTable&) = delete;
  ~OrderTable();

  // ---- orders come and go

  /// A new live order, not resting. The table must not be full and issue its own ids.
  Slot add(const market::OrderTerms& terms, const market::OrderLabels& labels, std::uint32_t instrument);
  /// A new live order with somebody else's id, for a table of foreign ids. No slot: full, or the id lives already.
  Slot adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument);

  // The steps of add(), for a caller that writes the order itself and at once: slots().take() or, for a foreign id,
  // take_for(), which have counted nobody yet; next_entry(), set_key() with the state, labels(), set_expiry();
  // count_in() or, if nothing of it stays, slots().give_back().

  [[nodiscard]] OrderSlots& slots() noexcept { return slots_; }
  [[nodiscard]] const OrderSlots& slots() const noexcept { return slots_; }
  /// A slot with its generation written; no slot as of adopt().
  [[nodiscard]] Slot take_for(OrderId id);
  [[nodiscard]] std::uint64_t next_entry() noexcept { return ++entries_; }
  /// Order::entry of the last order that came.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  void count_in(std::uint16_t owner) noexcept {
    DOJIMA_ASSERT(owner < options_.owners, "an order has a known owner", owner, options_.owners);
    ++counts_[owner];
  }
  /// Good till a date or a time: a compact order's record has its expiry; 0 otherwise.
  void set_expiry(Slot slot, time::Time expiry) noexcept { terms_.set_expiry(slots_.index(slot), expiry); }

  /// The order ended. It must be live and must not rest.
  [[gnu::always_inline]] void release(Slot slot);
  /// As release(), of an order that was resting a moment ago or has been written just now, in a table of issued ids.
  [[gnu::always_inline]] void release_fast(Slot slot) noexcept;

  // ---- finding them

  [[nodiscard]] Ids ids() const noexcept { return options_.ids; }
  /// The live order of that id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return find_foreign(id);
    }
    return slots_.find(id);
  }
  /// The id of the order in the slot, or of the one that was there until it was released.
  [[nodiscard]] OrderId id(Slot slot) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return foreign_.of(slot);
    }
    return slots_.id_of(slot, slots_[slot].generation);
  }
  /// Where the order of an id issued by this table lies, or lay until it was released.
  [[nodiscard]] Slot slot_of(OrderId id) const noexcept { return slots_.slot_of(id); }
  /// The owner's live orders in the order of entry, valid until this or live() is called again. Releasing them
  /// meanwhile is fine. O(capacity) for finding them, in a pass over a cache line a slot that ends with the last of
  /// them, and O(n log n) for sorting.
  [[nodiscard]] std::span<const Slot> of_owner(std::uint16_t owner) const;
  /// All live orders, by owner and order of entry; likewise.
  [[nodiscard]] std::span<const Slot> live() const;
  [[nodiscard]] std::uint32_t count_of_owner(std::uint16_t owner) const noexcept { return counts_[owner]; }

  // ---- what they are

  [[nodiscard]] Order& operator[](Slot slot) noexcept { return slots_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return slots_[slot]; }
  [[nodiscard]] market::OrderLabels& labels(Slot slot) noexcept { return slots_.labels(slot); }
  [[nodiscard]] const market::OrderLabels& labels(Slot slot) const noexcept { return slots_.labels(slot); }
  [[nodiscard]] OrderExtra& extra(Slot slot) noexcept { return extras_[slots_.index(slot)]; }
  [[nodiscard]] const OrderExtra& extra(Slot slot) const noexcept { return extras_[slots_.index(slot)]; }
  [[nodiscard]] const market::OrderTerms& terms(Slot slot) const noexcept {
    return terms_.of(slots_[slot], slots_.index(slot));
  }
  /// To be changed: the order is not compact any more.
  [[nodiscard]] market::OrderTerms& change_terms(Slot slot) noexcept {
    return terms_.change(slots_[slot], slots_.index(slot));
  }
  /// Makes an order compact if its terms are those of a plain one. It must not be special.
  void compact(Slot slot) noexcept { terms_.compact(slots_[slot], slots_.index(slot)); }
  /// Of its terms, without writing the record of a compact order, which has no minimum.
  [[nodiscard, gnu::always_inline]] RepeatedTerms repeated_terms(Slot slot) const noexcept {
    return terms_.repeated((*this)[slot], slots_.index(slot));
  }
  // Of its terms, without looking at the record of a compact order.
  [[nodiscard]] Price limit(Slot slot) const noexcept { return terms_.limit((*this)[slot], slots_.index(slot)); }
  [[nodiscard]] Quantity quantity(Slot slot) const noexcept {
    return terms_.quantity((*this)[slot], slots_.index(slot));
  }
  [[nodiscard]] std::uint8_t group(Slot slot) const noexcept { return terms_.group((*this)[slot], slots_.index(slot)); }
  /// OrderFlag bits.
  [[nodiscard]] std::uint8_t flags(Slot slot) const noexcept { return terms_.flags((*this)[slot], slots_.index(slot)); }
  /// What was traded of the order so far.
  [[nodiscard]] Quantity executed(Slot slot) const noexcept { return quantity(slot) - (*this)[slot].leaves; }

  // ---- the table

  [[nodiscard]] std::size_t size() const noexcept { return slots_.used(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return slots_.capacity(); }
  [[nodiscard]] std::size_t owners() const noexcept { return options_.owners; }
  [[nodiscard]] bool is_full() const noexcept { return slots_.is_full(); }
  /// Memory for levels that the ladders of all books share: a level each for every order, and windows.
  [[nodiscard]] LevelPool& level_pool() noexcept { return *levels_; }

  /// Everything but where orders rest, which their books know. The table must make its own ids. O(capacity).
  void save(StateWriter& out) const;
  /// Into a table made with the same options in which no order has ever been: every order is live and rests nowhere
  /// until its book takes it. False: the reader failed, or what it read is no such table; the table is of no use then.
  [[nodiscard]] bool load(StateReader& in);
  /// Over everything that decides the ids to come and over every live order by owner and entry. O(capacity).
  [[nodiscard]] std::uint64_t digest() const;

 private:
  [[nodiscard]] Slot find_foreign(OrderId id) const noexcept;
  [[nodiscard]] bool load_order(StateReader& in, std::vector<bool>& is_used);
  void fill(Slot slot, const market::OrderTerms& terms, std::uint32_t instrument);

  // What a plain order needs comes first. Reading the terms of a compact order writes its record.
  OrderTableOptions options_;
  std::vector<std::uint32_t> counts_;  // live orders by owner
  std::uint64_t entries_ = 0;
  mutable OrderSlots slots_;
  // Of orders that are not plain, and of plain ones somebody asks for: memory that costs nothing until it is used.
  mutable KeptTerms terms_;
  LargeArray<OrderExtra> extras_;
  ForeignIds foreign_;
  std::unique_ptr<LevelPool> levels_;
  mutable LargeArray<Slot> listed_;  // what of_owner() and live() give out
};

inline Slot OrderTable::add(const market::OrderTerms& terms, const market::OrderLabels& labels,
                            std::uint32_t instrument) {
  DOJIMA_ASSERT(options_.ids == Ids::issued, "this table does not make ids");
  const Slot slot = slots_.take();
  slots_[slot].generation = slots_.next_generation(slot);
  fill(slot, terms, instrument);
  slots_.labels(slot) = labels;
  return slot;
}

inline void OrderTable::fill(Slot slot, const market::OrderTerms& terms, std::uint32_t instrument) {
  Order& order = slots_[slot];
  DOJIMA_ASSERT(!order.is_live(), "a free slot holds no live order");
  order.leaves = terms.quantity;
  order.instrument = instrument;
  order.entry = next_entry();
  order.owner = terms.owner;
  order.side = terms.side;
  order.state = k_live;
  terms_.set(slots_.index(slot), terms);
  count_in(order.owner);
}

inline void OrderTable::release(Slot slot) {
  const Order& order = slots_[slot];
  DOJIMA_ASSERT((order.state & (k_live | k_resting)) == k_live, "only a live order outside the book is released");
  if (options_.ids == Ids::foreign) [[unlikely]] {
    foreign_.leave(order.generation);
  }
  release_fast(slot);
}

inline void OrderTable::release_fast(Slot slot) noexcept {
  Order& order = slots_[slot];
  --counts_[order.owner];
  order.state &= k_compact | k_expanded;  // its terms stay readable
  slots_.give_back(slot);
}

}  // namespace dojima::book
