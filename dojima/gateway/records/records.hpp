#pragma once

// All that a gateway remembers: the orders, the requests under way, and the clients' ClOrdIDs. A native report carries
// only the number that the gateway gave the request (in base 62), so a number leads straight to its record: its place
// is the number modulo the capacity, and places in use are skipped when numbers are given out. Closed orders stay
// findable until their place is needed again, oldest first; ClOrdIDs of the past likewise.
//
// Every operation is O(1), amortised where a number is given out (places of long-lived orders are skipped once per
// round); ending a venue session is O(requests). Memory is taken at construction; running out is an answer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/base/text.hpp"
#include "dojima/gateway/messages/average_price.hpp"
#include "dojima/gateway/request_log.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

inline constexpr std::uint32_t k_nowhere = 0xffff'ffff;

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

/// One order of a client. What its fields say is always complete: the record is written before the venue sees the
/// order, and each report changes it at once.
struct Order {
  ClOrdId cl_ord_id;         ///< of the last request the venue accepted; of the new order until then
  market::OrderTerms terms;  ///< as accepted last
  Text<10> account;
  market::OrderId order_id;     ///< the venue's; 0 until it told
  market::Quantity cumulative;  ///< executed. leaves = terms.quantity - cumulative while open
  market::Quantity unpriced;    ///< of these, executed without a report that reached us
  Notional notional = 0;        ///< of all others
  std::uint64_t naming = 0;     ///< number of the request whose id the order bears at the venue
  std::uint32_t client = 0;
  std::uint32_t instrument = 0;
  std::uint32_t generation = 0;       ///< how often this place was used before
  std::uint32_t pending = k_nowhere;  ///< place of the cancel or replace under way
  std::uint32_t stale = k_nowhere;    ///< first of those that were under way when their venue session ended
  OrderState state = OrderState::pending_new;
  bool is_stale = false;  ///< was open when a venue session ended: executions may be missing

  [[nodiscard]] market::Quantity leaves() const noexcept {
    return is_open(state) ? terms.quantity - cumulative : market::Quantity{};
  }
};

enum class RequestKind : std::uint8_t { new_order, cancel, replace };

/// One request that the venue may still answer, or that gave a live order its name.
struct Request {
  std::uint64_t number = 0;
  std::uint64_t client_sequence = 0;  ///< MsgSeqNum(34) of the client's message
  ClOrdId cl_ord_id;
  ClOrdId orig_cl_ord_id;    ///< as the client wrote it; empty for a new order
  market::OrderTerms terms;  ///< replace: what the order becomes
  Text<10> account;          ///< replace: likewise
  std::uint32_t client = 0;
  std::uint32_t order = k_nowhere;  ///< place of its order
  std::uint32_t next_stale = k_nowhere;
  RequestKind kind = RequestKind::new_order;
  bool is_used = false;
  bool is_answered = false;  ///< it lives on because the order bears its name
  bool is_stale = false;     ///< unanswered when its venue session ended
};

struct RecordLimits {
  std::size_t orders = 0;
  std::size_t requests = 0;  ///< rounded up to a power of two
  std::size_t remembered_ids = 0;
};

class Records {
 public:
  /// Throws std::bad_alloc, std::invalid_argument for a limit of 0 or fewer requests than twice the orders.
  Records(RecordLimits limits, std::uint64_t first_number);

  // Numbers and requests -------------------------------------------------------------------------------------------

  /// A number of its own for the request in hand, whether or not it will be sent; none: every place is taken.
  [[nodiscard]] std::optional<std::uint64_t> take_number() noexcept;
  /// The record of a number just taken.
  Request& open_request(std::uint64_t number) noexcept;
  /// The record of `number` if it is in use; else null.
  [[nodiscard]] Request* find_request(std::uint64_t number) noexcept;
  [[nodiscard]] Request& request_at(std::uint32_t place) noexcept { return requests_[place]; }
  [[nodiscard]] std::uint32_t place_of(const Request& request) const noexcept {
    return static_cast<std::uint32_t>(request.number & mask_);
  }
  /// Forgets a request. Its ClOrdID is remembered among those of the past.
  void close_request(Request& request) noexcept;
  /// Forgets a request that was never sent, and its ClOrdID.
  void undo_request(Request& request) noexcept;

  // Orders ---------------------------------------------------------------------------------------------------------

  /// A place for a new order; none when all are taken by open ones. May forget the order that closed first.
  [[nodiscard]] std::optional<std::uint32_t> open_order() noexcept;
  [[nodiscard]] Order& order_at(std::uint32_t place) noexcept { return orders_[place]; }
  [[nodiscard]] const Order& order_at(std::uint32_t place) const noexcept { return orders_[place]; }
  [[nodiscard]] bool has_order(std::uint32_t place) const noexcept { return orders_.is_used(place); }
  /// Gives back a place whose order was never sent.
  void undo_order(std::uint32_t place) noexcept;
  /// A closed order that nothing is under way for: it may be forgotten when its place is needed.
  void retire_order(std::uint32_t place) noexcept;

  // ClOrdIDs -------------------------------------------------------------------------------------------------------

  /// Whether the client has used this id, as far as it is remembered.
  [[nodiscard]] bool knows(std::uint32_t client, const ClOrdId& id) const noexcept;
  /// The order that the id addresses: one it bears or bore, or that of a request under way for it; none where there is
  /// none any more, or the id's request was refused.
  [[nodiscard]] std::optional<std::uint32_t> find_order(std::uint32_t client, const ClOrdId& id) const noexcept;
  /// From now on the id, which must be unknown, addresses the order.
  void name_order(std::uint32_t client, const ClOrdId& id, std::uint32_t place) noexcept;
  /// The id of a refused request addresses nothing, but stays known.
  void disown(std::uint32_t client, const ClOrdId& id) noexcept;

  [[nodiscard]] std::size_t orders() const noexcept { return orders_.size(); }
  [[nodiscard]] std::size_t order_capacity() const noexcept { return orders_.capacity(); }
  [[nodiscard]] std::size_t closed_orders() const noexcept { return closed_count_; }
  [[nodiscard]] std::size_t requests() const noexcept { return used_requests_; }
  [[nodiscard]] std::size_t request_capacity() const noexcept { return requests_.size(); }
  [[nodiscard]] std::size_t known_ids() const noexcept { return names_.size(); }

 private:
  struct NameKey {
    ClOrdId id;
    std::uint32_t client = 0;
  };
  struct Name {
    std::uint32_t order = k_nowhere;
    std::uint32_t generation = 0;
  };

  void remember(const NameKey& key) noexcept;
  void release(Request& request) noexcept;

  Pool<Order> orders_;
  std::vector<std::uint32_t> closed_;  // a ring of places, oldest first
  std::size_t first_closed_ = 0;
  std::size_t closed_count_ = 0;

  std::vector<Request> requests_;
  std::uint64_t mask_;
  std::uint64_t next_number_;
  std::size_t used_requests_ = 0;

  FixedMap<NameKey, Name> names_;
  std::vector<NameKey> past_;  // a ring of the ids of closed requests, oldest first
  std::size_t first_past_ = 0;
  std::size_t past_count_ = 0;
};

}  // namespace dojima::gateway
