#pragma once

// One order as an order table keeps it: what a book touches for every command in one cache line, and apart from that
// the labels for its owner's reports and what only few orders have.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// Whether an order in such a place is outside the book.
[[nodiscard]] constexpr bool waits_outside(Place place) noexcept {
  return place == Place::stop || place == Place::trailing || place == Place::auction;
}

/// Bits of Order::state; between them lies the order's Place.
enum OrderState : std::uint8_t {
  k_live = 1,
  k_resting = 2,     ///< it rests in a queue
  k_special = 4,     ///< its OrderExtra matters, or it rests outside the lit levels
  k_compact = 64,    ///< its terms are those of a plain order and lie in its Order
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

/// The small fields of a plain order's terms as kept in its Order.
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

}  // namespace dojima::book
