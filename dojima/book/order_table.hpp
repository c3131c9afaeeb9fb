#pragma once

// All live orders of one partition, shared by its books. An order lives in a slot; its id names partition, generation
// and slot, so a late reference to a slot that has been used again is recognised. A freed slot is used again when 1,024
// more have been freed, or when there is no other: the cache still has it then, and an id comes back only after 2^38
// orders at least.
//
// What a book touches for every command stands in `Order`, half a cache line; terms and labels, which only entering,
// replacing and telling owners read, stand apart. Memory is taken once. Everything is O(1) but the digest and what
// lists orders by owner; a full table is seen with is_full() before anything is changed. The record of a released order
// stays readable until the next add: who turns a command's reports into text after the command still finds the labels.
// One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/book/large_array.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/tick_table.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::book {

using market::Level;
using market::OrderId;
using market::Price;
using market::Quantity;
using market::Side;

enum class Slot : std::uint32_t {};
inline constexpr Slot k_no_slot = Slot{0xffffffff};

/// Where an order rests.
enum class Place : std::uint8_t {
  lit,       ///< in a level of its side, displayed in whole or in part
  hidden,    ///< in a level behind those who display
  dark,      ///< outside the levels: pegged, minimum execution size, all-or-none
  stop,      ///< outside the book, until its stop price is traded
  trailing,  ///< likewise, with a stop price that follows
  auction,   ///< outside the book, until the phase that it is meant for
  market,    ///< in a call, before all limits
};

/// Whether an order in such a place stands outside the book.
[[nodiscard]] constexpr bool waits_outside(Place place) noexcept {
  return place == Place::stop || place == Place::trailing || place == Place::auction;
}

/// Bits of Order::state; above them stands the order's Place.
enum OrderState : std::uint8_t {
  k_live = 1,
  k_resting = 2,  ///< it rests in a queue
  k_special = 4,  ///< its OrderExtra matters, or it rests outside the lit levels
};
inline constexpr unsigned k_place_shift = 3;

/// The hot part of an order: two to a cache line.
struct alignas(32) Order {
  Quantity leaves;                       ///< all that is left of it, which its queue counts
  std::array<std::uint32_t, 3> links{};  ///< where it rests: the storage's own
  std::uint32_t instrument = 0;          ///< instrument id
  std::uint32_t generation = 0;
  std::uint16_t owner = 0;  ///< = terms.owner
  Side side = Side::none;   ///< = terms.side
  std::uint8_t state = 0;   ///< OrderState bits

  [[nodiscard]] bool is_live() const noexcept { return (state & k_live) != 0; }
  [[nodiscard]] bool is_resting() const noexcept { return (state & k_resting) != 0; }
  [[nodiscard]] bool is_special() const noexcept { return (state & k_special) != 0; }
  [[nodiscard]] Place place() const noexcept { return static_cast<Place>(state >> k_place_shift); }
  void set_place(Place where) noexcept {
    constexpr unsigned k_others = (1U << k_place_shift) - 1;
    state = static_cast<std::uint8_t>((state & k_others) | static_cast<unsigned>(where) << k_place_shift);
  }
};
static_assert(sizeof(Order) == 32);

/// The cold part: two cache lines that matching a plain order does not touch.
struct alignas(64) OrderRecord {
  market::OrderTerms terms;
  market::OrderLabels labels;
  std::uint64_t entry = 0;  ///< rises with every order of the table
};
static_assert(sizeof(OrderRecord) == 128);

/// What only few orders have.
struct OrderExtra {
  Quantity displayed;         ///< iceberg: what is left of the peak
  Price trigger;              ///< trailing: the stop price now
  std::uint64_t entered = 0;  ///< dark, trailing, auction, market: rises with every order that comes to wait
  OrderId linked;             ///< one cancels the other; 0: none
  bool is_triggered = false;  ///< trailing: its stop price was traded
  bool is_iceberg = false;    ///< it rests and shows less than it has
};

class LevelPool;

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
  ~OrderTable();

  /// A new live order, not resting. The table must not be full and issue its own ids.
  Slot add(const market::OrderTerms& terms, const market::OrderLabels& labels, std::uint32_t instrument) {
    const Slot slot = add(terms.side, terms.owner, terms.quantity, labels, instrument);
    records_[index(slot)].terms = terms;
    return slot;
  }

  /// The same for a caller that writes every field of terms(slot) at once.
  Slot add(Side side, std::uint16_t owner, Quantity quantity, const market::OrderLabels& labels,
           std::uint32_t instrument) {
    DOJIMA_ASSERT(options_.ids == Ids::issued, "this table does not make ids");
    const Slot slot = take();
    Order& order = orders_[index(slot)];
    order.generation = order.generation == k_last_generation ? 1 : order.generation + 1;
    fill(slot, side, owner, quantity, instrument);
    records_[index(slot)].labels = labels;
    return slot;
  }

  /// A new live order with somebody else's id, for a table of foreign ids. No slot: full, or the id lives already.
  Slot adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument);

  /// The order ended. It must be live and must not rest.
  [[gnu::always_inline]] void release(Slot slot) {
    Order& order = orders_[index(slot)];
    DOJIMA_ASSERT((order.state & (k_live | k_resting)) == k_live, "only a live order outside the book is released");
    if (options_.ids == Ids::foreign) [[unlikely]] {
      foreign_.erase(foreign_ids_[index(slot)]);
    }
    --counts_[order.owner];
    order.state = 0;
    --size_;
    if (cooling_count_ == k_cooling) [[likely]] {
      free_[free_count_++] = std::exchange(cooling_[oldest_], slot);
      oldest_ = (oldest_ + 1) % k_cooling;
      prefetch_record(cooling_[(oldest_ + k_slots_ahead) % k_cooling]);
    } else {
      cooling_[(oldest_ + cooling_count_++) % k_cooling] = slot;
    }
  }

  /// The live order of that id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return find_foreign(id);
    }
    const auto slot = static_cast<std::uint32_t>(id.value);
    if (slot >= options_.capacity) return k_no_slot;
    const Order& order = orders_[slot];
    return order.is_live() && issued_id(Slot{slot}, order) == id ? Slot{slot} : k_no_slot;
  }

  /// The id of the order that rests in the slot, or stood there until it was released.
  [[nodiscard]] OrderId id(Slot slot) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return foreign_ids_[index(slot)];
    }
    return issued_id(slot, orders_[index(slot)]);
  }

  /// Where the order of an id issued by this table stands, or stood until it was released.
  [[nodiscard]] Slot slot_of(OrderId id) const noexcept {
    const auto slot = static_cast<std::uint32_t>(id.value);
    DOJIMA_ASSERT(slot < options_.capacity && this->id(Slot{slot}) == id, "the slot still holds the order", id, slot);
    return Slot{slot};
  }

  /// A hint that this order will be looked at and changed a few commands from here. Any slot is fine. Inlined by force,
  /// as whatever only fetches ahead: g++ 12 takes it for a function that does nothing and drops the call.
  [[gnu::always_inline]] void prefetch(Slot slot) const noexcept {
    __builtin_prefetch(&orders_[std::min(static_cast<std::size_t>(slot), options_.capacity - 1)], 1);
  }
  [[gnu::always_inline]] void prefetch_terms(Slot slot) const noexcept {
    __builtin_prefetch(&records_[std::min(static_cast<std::size_t>(slot), options_.capacity - 1)], 1);
  }
  /// Where the order of an issued id stands, has stood, or would stand. Any id is fine.
  [[nodiscard]] const Order& place_of(OrderId id) const noexcept {
    return orders_[std::min<std::size_t>(static_cast<std::uint32_t>(id.value), options_.capacity - 1)];
  }

  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[index(slot)]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[index(slot)]; }
  [[nodiscard]] market::OrderTerms& terms(Slot slot) noexcept { return records_[index(slot)].terms; }
  [[nodiscard]] const market::OrderTerms& terms(Slot slot) const noexcept { return records_[index(slot)].terms; }
  [[nodiscard]] market::OrderLabels& labels(Slot slot) noexcept { return records_[index(slot)].labels; }
  [[nodiscard]] const market::OrderLabels& labels(Slot slot) const noexcept { return records_[index(slot)].labels; }
  [[nodiscard]] OrderExtra& extra(Slot slot) noexcept { return extras_[index(slot)]; }
  [[nodiscard]] const OrderExtra& extra(Slot slot) const noexcept { return extras_[index(slot)]; }
  /// What was traded of the order so far.
  [[nodiscard]] Quantity executed(Slot slot) const noexcept { return terms(slot).quantity - (*this)[slot].leaves; }

  /// The owner's live orders in the order of entry, valid until this or live() is called again. Releasing them
  /// meanwhile is fine. O(capacity) for finding them, in a pass over half a cache line a slot that ends with the last
  /// of them, and O(n log n) for sorting.
  [[nodiscard]] std::span<const Slot> of_owner(std::uint16_t owner) const;
  /// All live orders, by owner and order of entry; likewise.
  [[nodiscard]] std::span<const Slot> live() const;
  [[nodiscard]] std::uint32_t count_of_owner(std::uint16_t owner) const noexcept { return counts_[owner]; }

  /// Memory for levels that the ladders of all books share: a level each for every order, and windows.
  [[nodiscard]] LevelPool& level_pool() noexcept { return *levels_; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return options_.capacity; }
  [[nodiscard]] std::size_t owners() const noexcept { return options_.owners; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == options_.capacity; }

  /// Everything but where orders rest, which their books know. The table must make its own ids. O(capacity).
  void save(StateWriter& out) const;
  /// Into a table made with the same options in which no order has ever been: every order is live and rests nowhere
  /// until its book takes it. False: the reader failed, or what it read is no such table; the table is of no use then.
  [[nodiscard]] bool load(StateReader& in);

  /// Over everything that decides the ids to come and over every live order by owner and entry. O(capacity).
  [[nodiscard]] std::uint64_t digest() const;

 private:
  static constexpr unsigned k_partition_shift = 60;
  static constexpr unsigned k_generation_shift = 32;
  static constexpr std::size_t k_slots_ahead = 6;
  static constexpr std::size_t k_cooling = 1024;

  [[nodiscard]] std::size_t index(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    DOJIMA_CHECK_SLOW(at < options_.capacity, "slot inside the table", at, options_.capacity);
    return at;
  }
  [[nodiscard]] OrderId issued_id(Slot slot, const Order& order) const noexcept {
    return {partition_bits_ | std::uint64_t{order.generation} << k_generation_shift | static_cast<std::uint32_t>(slot)};
  }
  [[nodiscard]] Slot find_foreign(OrderId id) const noexcept;
  [[nodiscard]] bool load_free_slots(StateReader& in, std::vector<bool>& is_used);
  [[nodiscard]] bool load_order(StateReader& in, std::vector<bool>& is_used);

  Slot take() noexcept {
    DOJIMA_ASSERT(!is_full(), "a full table is seen before an order is added");
    ++size_;
    if (free_count_ == 0) [[unlikely]] {
      const Slot slot = cooling_[oldest_];
      oldest_ = (oldest_ + 1) % k_cooling;
      --cooling_count_;
      prefetch_record(cooling_[(oldest_ + k_slots_ahead) % k_cooling]);
      return slot;
    }
    const Slot slot = free_[--free_count_];
    // What a few orders on from here will be written to, unless others are freed until then.
    if (free_count_ > k_slots_ahead) [[likely]] {
      prefetch_record(free_[free_count_ - 1 - k_slots_ahead]);
    }
    return slot;
  }

  /// The record of a slot that will soon be written to was written long ago, however young its place in the queue.
  [[gnu::always_inline]] void prefetch_record(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    __builtin_prefetch(&orders_[at], 1);
    __builtin_prefetch(&records_[at], 1);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(&records_[at]) + 64, 1);
  }

  void fill(Slot slot, Side side, std::uint16_t owner, Quantity quantity, std::uint32_t instrument) {
    DOJIMA_ASSERT(owner < counts_.size(), "an order has a known owner");
    const std::size_t at = index(slot);
    Order& order = orders_[at];
    DOJIMA_ASSERT(!order.is_live(), "a free slot holds no live order");
    order.leaves = quantity;
    order.instrument = instrument;
    order.owner = owner;
    order.side = side;
    order.state = k_live;
    records_[at].entry = ++entries_;
    ++counts_[owner];
  }

  OrderTableOptions options_;
  std::uint64_t partition_bits_;  // of every id
  LargeArray<Order> orders_;
  LargeArray<OrderRecord> records_;
  LargeArray<OrderExtra> extras_;
  std::vector<std::uint32_t> counts_;  // live orders by owner
  LargeArray<Slot> free_;              // a stack of free slots, the next one on top
  std::size_t free_count_ = 0;
  std::size_t oldest_ = 0;
  std::size_t cooling_count_ = 0;
  std::size_t size_ = 0;
  std::uint64_t entries_ = 0;
  std::array<Slot, k_cooling> cooling_{};  // a ring of slots that were freed a moment ago, from the oldest on
  FixedMap<OrderId, Slot> foreign_;
  std::vector<OrderId> foreign_ids_;  // by slot
  std::unique_ptr<LevelPool> levels_;
  mutable std::vector<Slot> listed_;  // what of_owner() and live() give out
};

}  // namespace dojima::book
