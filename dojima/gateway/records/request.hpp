#pragma once

// What a gateway remembers of one request that it sent to the venue. Plain values; records.hpp keeps them.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

enum class RequestKind : std::uint8_t { new_order, cancel, replace };

/// Both sides of a quote are requests of their own, with numbers that follow each other: the venue knows both by the
/// number of the bid.
enum class QuoteSide : std::uint8_t { none, bid, ask };

/// What a cancel or replace that is not answered has besides its request. A request that is answered, or that is a new
/// order's, has none.
struct RequestedChange {
  market::OrderTerms terms;              ///< replace: what the order becomes
  Text<10> account;                      ///< replace: likewise
  ClOrdIdRef orig_cl_ord_id = k_no_id;   ///< OrigClOrdID(41)
  std::uint32_t next_stale = k_no_slot;  ///< slot of the order's next stale change
};
static_assert(sizeof(RequestedChange) == 88);

/// One request that the venue may still answer, or whose id a live order has.
struct Request {
  std::uint64_t number = 0;
  std::uint64_t client_sequence = 0;  ///< MsgSeqNum(34) of the client's message
  ClOrdIdRef cl_ord_id = k_no_id;
  std::uint32_t order = k_no_slot;   ///< slot of its order
  std::uint32_t change = k_no_slot;  ///< place of its RequestedChange
  std::uint16_t client = 0;
  RequestKind kind : 2 = RequestKind::new_order;
  bool is_used : 1 = false;
  bool is_answered : 1 = false;           ///< the record lives on because the order has its id
  bool is_stale : 1 = false;              ///< unanswered when its venue session ended
  bool is_chained : 1 = false;            ///< it has not left: it waits for the answer to the order's change before it
  QuoteSide quote : 2 = QuoteSide::none;  ///< a replace's terms.quantity is then what shall be left
  bool is_id_shared : 1 = false;          ///< its ClOrdID is the other side's, and addresses that one's order
  bool wants_status : 1 = false;          ///< of a quote: the client wants to hear that it was accepted
  bool has_parties : 1 = false;           ///< of a quote that amends: Records::wanted_parties()
};
static_assert(sizeof(Request) == 32);

/// A request with what its record only refers to: as a journal has it.
struct SavedRequest : Request {
  ClOrdId cl_ord_id_text;
  ClOrdId orig_cl_ord_id;    ///< of a cancel or replace that is not answered
  market::OrderTerms terms;  ///< of such a replace
  Text<10> account;          ///< likewise
  OrderParties parties;      ///< where it has_parties
};

}  // namespace dojima::gateway
