#pragma once

// What a gateway remembers of one order of a client. Plain values; records.hpp keeps them.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/messages/average_price.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

/// The slot of a record that is not there.
inline constexpr std::uint32_t k_no_slot = 0xffff'ffff;

/// The place of a ClOrdID's text among those that the records know (client_order_ids.hpp), which say whose it is.
using ClOrdIdRef = std::uint32_t;
inline constexpr ClOrdIdRef k_no_id = 0xffff'ffff;

/// A notional value in a record: without the alignment of its type, which would cost each order eight bytes.
class StoredNotional {
 public:
  constexpr StoredNotional() noexcept = default;
  constexpr StoredNotional(Notional value) noexcept
      : low_(static_cast<std::uint64_t>(value)), high_(static_cast<std::int64_t>(value >> 64)) {}
  constexpr operator Notional() const noexcept { return static_cast<Notional>(high_) << 64 | Notional{low_}; }
  constexpr StoredNotional& operator+=(Notional value) noexcept { return *this = *this + value; }
  constexpr StoredNotional& operator-=(Notional value) noexcept { return *this = *this - value; }

 private:
  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
};

enum class OrderState : std::uint8_t {
  pending_new,  ///< the venue has not answered
  live,
  suspended,  ///< live, parked by the venue
  filled,
  cancelled,
  expired,
  rejected,
  lost,  ///< its venue session ended, and the venue says later that it knows no such order: how it ended is unknown
};

[[nodiscard]] constexpr bool is_open(OrderState state) noexcept {
  return state <= OrderState::suspended;
}

/// For whom an order is, as far as its client has said so: the venue's reports do not repeat it.
struct OrderParties {
  enum Given : std::uint8_t { client_id = 1, decision_maker_id = 2, executing_trader_id = 4, trader_id = 8 };
  std::uint8_t given = 0;     ///< Given bits of the parties that were named
  std::uint8_t clearing = 0;  ///< clearing account: 1 client, 3 house; 0: not said
  std::uint8_t roles = 0;     ///< as market::OrderLabels has them, of the parties that were named
  Text<11> trader;
  std::uint32_t client = 0;
  std::uint32_t decision_maker = 0;
  std::uint32_t executing_trader = 0;
  [[nodiscard]] bool is_empty() const noexcept { return given == 0 && clearing == 0; }
  friend bool operator==(const OrderParties&, const OrderParties&) = default;
};

/// One order of a client. What its fields say is always complete: the record is written before the venue sees the
/// order, and each report changes it at once.
struct Order {
  market::OrderTerms terms;           ///< as accepted last
  market::OrderId order_id;           ///< the venue's; 0 until it is reported
  market::Quantity cumulative;        ///< executed. leaves = terms.quantity - cumulative while open
  market::Quantity unpriced;          ///< of these, executed without a report that reached us
  StoredNotional notional;            ///< of all others
  std::uint64_t current_request = 0;  ///< number of the request whose id the order has at the venue
  ClOrdIdRef cl_ord_id = k_no_id;     ///< of the last request the venue accepted; of the new order until then
  std::uint32_t client = 0;
  std::uint32_t instrument = 0;
  std::uint32_t generation = 0;              ///< how often this slot was used before
  std::uint32_t pending_change = k_no_slot;  ///< slot of the cancel or replace that the venue has not answered
  std::uint32_t stale_changes = k_no_slot;   ///< slot of the first of those that were pending when their session ended
  Text<10> account;
  OrderState state = OrderState::pending_new;
  bool is_stale = false;     ///< was open when a venue session ended: executions may be missing
  bool has_parties = false;  ///< OrderRecords::parties_of()
  std::uint16_t user = 0;    ///< the venue user that it was entered through, by its place among all

  [[nodiscard]] market::Quantity leaves() const noexcept {
    return is_open(state) ? terms.quantity - cumulative : market::Quantity{};
  }
};
static_assert(sizeof(Order) == 152);

/// An order with what its record only refers to: as a journal has it.
struct SavedOrder : Order {
  ClOrdId cl_ord_id_text;
  OrderParties parties;  ///< where it has_parties
};

}  // namespace dojima::gateway
