#pragma once

// All live orders of one partition, shared by its books. An order lives in a slot; its id names partition, generation
// and slot, so a late reference to a slot that has been used again is recognised. A freed slot is used again when 1,024
// more have been freed, or when there is no other: the cache still has it then, and an id comes back only after 2^38
// orders at least.
//
// What a book touches for every command stands in `Order`, one cache line, which is all there is of a plain order but
// its labels: such an order is compact, and its record of terms is written when somebody reads it. Memory is taken
// once, and what only special orders need of it costs nothing until there are some. Everything is O(1) but the digest
// and what lists orders by owner; a full table is seen with is_full() before anything is changed. The record of a
// released order stays readable until the next add: who turns a command's reports into text after the command still
// finds the labels. One thread.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Bits of Order::state; between them stands the order's Place.
enum OrderState : std::uint8_t {
  k_live = 1,
  k_resting = 2,     ///< it rests in a queue
  k_special = 4,     ///< its OrderExtra matters, or it rests outside the lit levels
  k_compact = 64,    ///< its terms are those of a plain order and stand in its Order
  k_expanded = 128,  ///< compact, and its record has the same terms
};
inline constexpr unsigned k_place_shift = 3;
inline constexpr unsigned k_place_mask = 7U << k_place_shift;

/// What a command names of an order, in one word: compared at once, and stored at once.
struct OrderKey {
  std::uint32_t generation = 0;
  std::uint16_t owner = 0;
  Side side = Side::none;
  std::uint8_t state = 0;

  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      return std::uint64_t{generation} | std::uint64_t{owner} << 32 |
             std::uint64_t{static_cast<std::uint8_t>(side)} << 48 | std::uint64_t{state} << 56;
    } else {
      return std::bit_cast<std::uint64_t>(*this);
    }
  }
  /// The word that has these bits of the state and nothing else.
  [[nodiscard]] static constexpr std::uint64_t state_bits(unsigned bits) noexcept {
    return OrderKey{.state = static_cast<std::uint8_t>(bits)}.word();
  }
};

/// The small fields of a plain order's terms as they stand in its Order.
struct PlainTerms {
  market::OrderType type = market::OrderType::none;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  std::uint8_t group = 0;
  std::uint8_t reserved = 0;
  market::Capacity capacity = market::Capacity::none;
  std::uint8_t peg = 0;
  std::uint8_t flags = 0;
  std::uint8_t owner_type = 0;
};

/// The hot part of an order: one cache line.
struct alignas(64) Order {
  Quantity leaves;                       ///< all that is left of it, which its queue counts
  std::array<std::uint32_t, 3> links{};  ///< where it rests: the storage's own
  std::uint32_t instrument = 0;          ///< instrument id
  std::uint64_t entry = 0;               ///< rises with every order of the table
  Price limit;                           ///< compact: = terms.limit
  Quantity quantity;                     ///< compact: = terms.quantity
  PlainTerms plain;                      ///< compact: the other terms
  std::uint32_t generation = 0;          ///< from here on an OrderKey. Foreign ids: where their map keeps the order's
  std::uint16_t owner = 0;               ///< = terms.owner
  Side side = Side::none;                ///< = terms.side
  std::uint8_t state = 0;                ///< OrderState bits

  [[nodiscard]] bool is_live() const noexcept { return (state & k_live) != 0; }
  [[nodiscard]] bool is_resting() const noexcept { return (state & k_resting) != 0; }
  [[nodiscard]] bool is_special() const noexcept { return (state & k_special) != 0; }
  [[nodiscard]] bool is_compact() const noexcept { return (state & k_compact) != 0; }
  [[nodiscard]] Place place() const noexcept { return static_cast<Place>((state & k_place_mask) >> k_place_shift); }
  void set_place(Place where) noexcept {
    state = static_cast<std::uint8_t>((state & ~k_place_mask) | static_cast<unsigned>(where) << k_place_shift);
  }

  [[nodiscard]] std::uint64_t key() const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(this) + k_key, sizeof word);
    return word;
  }
  void set_key(std::uint64_t word) noexcept {
    std::memcpy(reinterpret_cast<std::byte*>(this) + k_key, &word, sizeof word);
  }

 private:
  static constexpr std::size_t k_key = 56;
};
static_assert(sizeof(Order) == 64 && offsetof(Order, generation) == 56 && offsetof(Order, state) == 63 &&
              sizeof(PlainTerms) == 8 && sizeof(OrderKey) == 8);

/// What is only repeated to an order's owner: a cache line.
struct alignas(64) KeptLabels {
  market::OrderLabels labels;
};
static_assert(sizeof(KeptLabels) == 64);

/// What reports to its owner repeat of an order's terms.
struct RepeatedTerms {
  Quantity minimum;
  market::Capacity capacity = market::Capacity::none;
  std::uint8_t peg = 0;
  std::uint8_t owner_type = 0;
};

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
  std::size_t capacity = 1 << 16;  ///< live orders, 1 to 2^31; with foreign ids 2^30
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
    DOJIMA_ASSERT(options_.ids == Ids::issued, "this table does not make ids");
    const Slot slot = take();
    orders_[index(slot)].generation = next_generation(slot);
    fill(slot, terms, instrument);
    labels_[index(slot)].labels = labels;
    return slot;
  }

  /// A new live order with somebody else's id, for a table of foreign ids. No slot: full, or the id lives already.
  Slot adopt(OrderId id, const market::OrderTerms& terms, std::uint32_t instrument);
  /// Its first step, for a caller that writes the order itself: take() for a foreign id, with its generation written.
  [[nodiscard]] Slot take_for(OrderId id);

  // The steps of add(), for a caller that writes the order itself and at once: take(), which has counted nobody yet;
  // next_generation(), id_of(); labels(); set_key() with the state; count_in() or, if nothing of it stays,
  // give_back().

  /// A free slot, whose Order is what the order before it has left there. The table must not be full.
  [[gnu::always_inline]] Slot take() noexcept {
    if (free_count_ == 0) [[unlikely]] {
      DOJIMA_ASSERT(cooling_count_ != 0, "a full table is seen before an order is added");
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
  [[nodiscard]] std::uint32_t next_generation(Slot slot) const noexcept {
    const std::uint32_t before = orders_[index(slot)].generation;
    return before == k_last_generation ? 1 : before + 1;
  }
  [[nodiscard]] OrderId id_of(Slot slot, std::uint32_t generation) const noexcept {
    return {partition_bits_ | std::uint64_t{generation} << k_generation_shift | static_cast<std::uint32_t>(slot)};
  }
  [[nodiscard]] std::uint64_t next_entry() noexcept { return ++entries_; }
  /// Order::entry of the last order that came.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  void count_in(std::uint16_t owner) noexcept {
    DOJIMA_ASSERT(owner < options_.owners, "an order has a known owner", owner, options_.owners);
    ++counts_[owner];
  }
  /// Good till a date or a time: a compact order's record has its expiry; 0 otherwise.
  void set_expiry(Slot slot, time::Time expiry) noexcept { terms_[index(slot)].expiry = expiry; }
  /// As release(), of an order that was resting a moment ago or has been written just now, in a table of issued ids.
  [[gnu::always_inline]] void release_fast(Slot slot) noexcept {
    Order& order = orders_[index(slot)];
    --counts_[order.owner];
    order.state &= k_compact | k_expanded;  // its terms stay readable
    give_back(slot);
  }
  [[gnu::always_inline]] void give_back(Slot slot) noexcept {
    if (cooling_count_ == k_cooling) [[likely]] {
      free_[free_count_++] = std::exchange(cooling_[oldest_], slot);
      oldest_ = (oldest_ + 1) % k_cooling;
      prefetch_record(cooling_[(oldest_ + k_slots_ahead) % k_cooling]);
    } else {
      cooling_[(oldest_ + cooling_count_++) % k_cooling] = slot;
    }
  }

  /// The order ended. It must be live and must not rest.
  [[gnu::always_inline]] void release(Slot slot) {
    Order& order = orders_[index(slot)];
    DOJIMA_ASSERT((order.state & (k_live | k_resting)) == k_live, "only a live order outside the book is released");
    if (options_.ids == Ids::foreign) [[unlikely]] {
      foreign_.erase_at(order.generation);
    }
    --counts_[order.owner];
    order.state &= k_compact | k_expanded;  // its terms stay readable
    give_back(slot);
  }

  /// The live order of that id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return find_foreign(id);
    }
    const auto slot = static_cast<std::uint32_t>(id.value);
    if (slot >= options_.capacity) return k_no_slot;
    const Order& order = orders_[slot];
    return order.is_live() && id_of(Slot{slot}, order.generation) == id ? Slot{slot} : k_no_slot;
  }

  /// The id of the order that rests in the slot, or stood there until it was released.
  [[nodiscard]] OrderId id(Slot slot) const noexcept {
    if (options_.ids == Ids::foreign) [[unlikely]] {
      return foreign_ids_[index(slot)];
    }
    return id_of(slot, orders_[index(slot)].generation);
  }

  /// Where the order of an id issued by this table stands, or stood until it was released.
  [[nodiscard]] Slot slot_of(OrderId id) const noexcept {
    const auto slot = static_cast<std::uint32_t>(id.value);
    DOJIMA_ASSERT(slot < options_.capacity && orders_[slot].generation == generation_of(id),
                  "the slot still holds the order", id, slot);
    return Slot{slot};
  }

  /// A hint that this order will be looked at and changed a few commands from here. Any slot is fine. Inlined by force,
  /// as whatever only fetches ahead: g++ 12 takes it for a function that does nothing and drops the call.
  [[gnu::always_inline]] void prefetch(Slot slot) const noexcept {
    __builtin_prefetch(&orders_[std::min(static_cast<std::size_t>(slot), options_.capacity - 1)], 1);
  }
  /// What its owner is told of it.
  [[gnu::always_inline]] void prefetch_terms(Slot slot) const noexcept {
    __builtin_prefetch(&labels_[std::min(static_cast<std::size_t>(slot), options_.capacity - 1)], 1);
  }
  /// For ids issued by such a table.
  [[nodiscard]] bool has_slot(OrderId id) const noexcept {
    return static_cast<std::uint32_t>(id.value) < options_.capacity;
  }
  /// Of an id of this partition; of no order, if it is another's.
  [[nodiscard]] std::uint32_t generation_of(OrderId id) const noexcept {
    return static_cast<std::uint32_t>((id.value ^ partition_bits_) >> k_generation_shift);
  }
  [[nodiscard]] Ids ids() const noexcept { return options_.ids; }

  /// Where the order of an issued id stands, has stood, or would stand. Any id is fine.
  [[nodiscard]] const Order& place_of(OrderId id) const noexcept {
    return orders_[std::min<std::size_t>(static_cast<std::uint32_t>(id.value), options_.capacity - 1)];
  }

  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[index(slot)]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[index(slot)]; }
  [[nodiscard]] const market::OrderTerms& terms(Slot slot) const noexcept {
    const std::size_t at = index(slot);
    if ((orders_[at].state & (k_compact | k_expanded)) == k_compact) [[unlikely]] {
      expand(at);
    }
    return terms_[at];
  }
  /// Of its terms, without writing the record of a compact order, which has no minimum.
  [[nodiscard, gnu::always_inline]] RepeatedTerms repeated_terms(Slot slot) const noexcept {
    const Order& order = orders_[index(slot)];
    if (order.is_compact()) [[likely]]
      return {{}, order.plain.capacity, order.plain.peg, order.plain.owner_type};
    const market::OrderTerms& terms = terms_[index(slot)];
    return {terms.minimum, terms.capacity, terms.peg, terms.owner_type};
  }
  /// To be changed: the order is not compact any more.
  [[nodiscard]] market::OrderTerms& change_terms(Slot slot) noexcept {
    static_cast<void>(terms(slot));
    orders_[index(slot)].state &= static_cast<std::uint8_t>(~(k_compact | k_expanded));
    return terms_[index(slot)];
  }
  /// Makes an order compact if its terms are those of a plain one. It must not be special.
  void compact(Slot slot) noexcept;
  /// Of its terms, without looking at the record of a compact order.
  [[nodiscard]] Price limit(Slot slot) const noexcept {
    const Order& order = orders_[index(slot)];
    return order.is_compact() ? order.limit : terms_[index(slot)].limit;
  }
  [[nodiscard]] Quantity quantity(Slot slot) const noexcept {
    const Order& order = orders_[index(slot)];
    return order.is_compact() ? order.quantity : terms_[index(slot)].quantity;
  }
  [[nodiscard]] market::OrderLabels& labels(Slot slot) noexcept { return labels_[index(slot)].labels; }
  [[nodiscard]] const market::OrderLabels& labels(Slot slot) const noexcept { return labels_[index(slot)].labels; }
  [[nodiscard]] OrderExtra& extra(Slot slot) noexcept { return extras_[index(slot)]; }
  [[nodiscard]] const OrderExtra& extra(Slot slot) const noexcept { return extras_[index(slot)]; }
  [[nodiscard]] std::uint8_t group(Slot slot) const noexcept {
    const Order& order = orders_[index(slot)];
    return order.is_compact() ? order.plain.group : terms_[index(slot)].group;
  }
  /// OrderFlag bits.
  [[nodiscard]] std::uint8_t flags(Slot slot) const noexcept {
    const Order& order = orders_[index(slot)];
    return order.is_compact() ? order.plain.flags : terms_[index(slot)].flags;
  }
  /// What was traded of the order so far.
  [[nodiscard]] Quantity executed(Slot slot) const noexcept { return quantity(slot) - (*this)[slot].leaves; }

  /// The owner's live orders in the order of entry, valid until this or live() is called again. Releasing them
  /// meanwhile is fine. O(capacity) for finding them, in a pass over a cache line a slot that ends with the last of
  /// them, and O(n log n) for sorting.
  [[nodiscard]] std::span<const Slot> of_owner(std::uint16_t owner) const;
  /// All live orders, by owner and order of entry; likewise.
  [[nodiscard]] std::span<const Slot> live() const;
  [[nodiscard]] std::uint32_t count_of_owner(std::uint16_t owner) const noexcept { return counts_[owner]; }

  /// Memory for levels that the ladders of all books share: a level each for every order, and windows.
  [[nodiscard]] LevelPool& level_pool() noexcept { return *levels_; }

  [[nodiscard]] std::size_t size() const noexcept { return options_.capacity - free_count_ - cooling_count_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return options_.capacity; }
  [[nodiscard]] std::size_t owners() const noexcept { return options_.owners; }
  [[nodiscard]] bool is_full() const noexcept { return free_count_ == 0 && cooling_count_ == 0; }

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
  [[nodiscard]] Slot find_foreign(OrderId id) const noexcept;
  [[nodiscard]] bool load_free_slots(StateReader& in, std::vector<bool>& is_used);
  [[nodiscard]] bool load_order(StateReader& in, std::vector<bool>& is_used);

  /// The record of a slot that will soon be written to was written long ago, however young its place in the queue.
  [[gnu::always_inline]] void prefetch_record(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    __builtin_prefetch(&orders_[at], 1);
    __builtin_prefetch(&labels_[at].labels, 1);
  }

  void fill(Slot slot, const market::OrderTerms& terms, std::uint32_t instrument) {
    const std::size_t at = index(slot);
    Order& order = orders_[at];
    DOJIMA_ASSERT(!order.is_live(), "a free slot holds no live order");
    order.leaves = terms.quantity;
    order.instrument = instrument;
    order.entry = next_entry();
    order.owner = terms.owner;
    order.side = terms.side;
    order.state = k_live;
    terms_[at] = terms;
    count_in(order.owner);
  }
  void expand(std::size_t at) const noexcept;

  // What a plain order needs comes first. Reading the terms of a compact order writes its record.
  mutable LargeArray<Order> orders_;
  LargeArray<KeptLabels> labels_;
  LargeArray<Slot> free_;         // a stack of free slots, the next one on top
  std::uint64_t partition_bits_;  // of every id
  std::size_t free_count_ = 0;
  std::size_t oldest_ = 0;
  std::size_t cooling_count_ = 0;
  std::uint64_t entries_ = 0;
  std::vector<std::uint32_t> counts_;  // live orders by owner
  OrderTableOptions options_;
  std::array<Slot, k_cooling> cooling_{};  // a ring of slots that were freed a moment ago, from the oldest on
  // Of orders that are not plain, and of plain ones somebody asks for: memory that costs nothing until it is used.
  mutable LargeArray<market::OrderTerms> terms_;
  LargeArray<OrderExtra> extras_;
  FixedMap<OrderId, Slot> foreign_;
  std::vector<OrderId> foreign_ids_;  // by slot
  std::unique_ptr<LevelPool> levels_;
  mutable LargeArray<Slot> listed_;  // what of_owner() and live() give out
};

}  // namespace dojima::book
