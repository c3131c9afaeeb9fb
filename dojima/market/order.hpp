#pragma once

// The vocabulary of orders: ids, sides, types, times in force, and the two records that travel inside commands:
// `OrderTerms` (all that a book reads of an order, one cache line) and `OrderLabels` (what is only repeated to its
// owner). Records have the size of their type, no padding and no pointers, so they go into journals, digests and
// rings as they are. Values are neutral: what a protocol's dialect cannot carry is an error at its edge.

#include <cstdint>
#include <type_traits>

#include "dojima/base/text.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::market {

/// An order for life: partition << 60 | generation << 32 | slot. 0 is no order. Shown in base 62 on the wire.
struct OrderId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const OrderId&, const OrderId&) = default;
};

/// The place of a command in its partition's journal, or of a report in its partition's stream. 1 is the first.
struct Sequence {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const Sequence&, const Sequence&) = default;
};

enum class Side : std::uint8_t { none = 0, buy = 1, sell = 2 };
[[nodiscard]] constexpr Side opposite(Side side) noexcept {
  return side == Side::buy ? Side::sell : Side::buy;
}

enum class OrderType : std::uint8_t {
  none = 0,
  market = 1,
  limit = 2,
  stop = 3,
  stop_limit = 4,
  market_to_limit = 5,  ///< a limit order at the best price of the other side when it enters
  trailing_stop = 16,   ///< a stop order whose stop price follows the trades at the distance `stop`
};

enum class OrderSubType : std::uint8_t { plain = 0, pegged = 5, random_peak = 51, offset = 55 };

enum class TimeInForce : std::uint8_t {
  day = 0,
  good_till_cancel = 1,
  immediate_or_cancel = 3,
  fill_or_kill = 4,
  at_the_opening = 5,
  good_till_date = 6,
  good_till_time = 8,
  good_for_auction = 9,
  at_the_close = 10,
  closing_price_cross = 12,
  at_closing_price = 13,
  good_for_next_auction = 50,
  good_for_intraday_auction = 51,
  good_for_scheduled_auction = 52,
  auction_volume_discovery = 54,
  volume_discovery_and_cross = 55,
};

enum class Capacity : std::uint8_t { none = 0, matched_principal = 1, dealing = 2, any_other = 3 };

/// Bits of OrderTerms::flags.
enum OrderFlag : std::uint8_t {
  k_auto_cancel = 1,  ///< follows the user's cancel-on-disconnect set-up
  k_named = 2,        ///< pre-trade identity is shown
  k_all_or_none = 4,  ///< trades all that is left at once, or waits
  k_quote = 8,        ///< one side of a quote
};

/// All that a book reads of an order. 64 bytes.
struct OrderTerms {
  Price limit;                 ///< limit orders; else 0
  Price stop;                  ///< stop orders: trigger; trailing: distance; pegged: offset from the mid, <= 0; in a
                               ///< book, offset orders: the limit that was given; else 0
  Quantity quantity;           ///< total, > 0
  Quantity displayed;          ///< 0: hidden; = quantity: visible; between: iceberg peak
  Quantity minimum;            ///< minimum execution size; 0: none
  time::Time expiry;           ///< good-till-date and -time only; else 0
  std::int32_t offset_bp = 0;  ///< offset orders, basis points
  std::uint16_t owner = 0;     ///< user index of the owner
  std::uint8_t group = 0;      ///< mass-cancel group; 0: ungrouped
  Side side = Side::none;
  OrderType type = OrderType::none;
  TimeInForce time_in_force = TimeInForce::day;
  std::uint8_t passive = 0;  ///< passive-only rule as MIT203 numbers it
  OrderSubType sub_type = OrderSubType::plain;
  Capacity capacity = Capacity::none;
  std::uint8_t peg = 0;    ///< pegged-order instruction as MIT203 numbers it
  std::uint8_t flags = 0;  ///< OrderFlag bits
  std::uint8_t owner_type = 0;
  friend bool operator==(const OrderTerms&, const OrderTerms&) = default;
};

/// What is only repeated to the order's owner. 56 bytes.
struct OrderLabels {
  Text<20> client_order_id;
  Text<10> account;
  Text<11> trader;
  std::uint8_t clearing = 0;  ///< clearing account: 1 client, 3 house
  std::uint8_t mifid = 0;     ///< bit 0 direct electronic access, bit 1 liquidity provision, bit 2 algorithm
  std::uint8_t roles = 0;     ///< three 2-bit party role qualifiers
  std::uint32_t client = 0;
  std::uint32_t decision_maker = 0;
  std::uint32_t executing_trader = 0;
  friend bool operator==(const OrderLabels&, const OrderLabels&) = default;
};

template <class Record>
concept PlainRecord = std::is_trivially_copyable_v<Record> && std::has_unique_object_representations_v<Record>;

static_assert(sizeof(OrderTerms) == 64 && PlainRecord<OrderTerms>);
static_assert(sizeof(OrderLabels) == 56 && PlainRecord<OrderLabels>);

}  // namespace dojima::market
