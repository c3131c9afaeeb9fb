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

/// One request that the venue may still answer, or whose id a live order has.
struct Request {
  std::uint64_t number = 0;
  std::uint64_t client_sequence = 0;  ///< MsgSeqNum(34) of the client's message
  ClOrdId cl_ord_id;
  ClOrdId orig_cl_ord_id;    ///< as the client wrote it; empty for a new order
  market::OrderTerms terms;  ///< replace: what the order becomes
  Text<10> account;          ///< replace: likewise
  std::uint32_t client = 0;
  std::uint32_t order = k_no_slot;       ///< slot of its order
  std::uint32_t next_stale = k_no_slot;  ///< slot of the order's next stale change
  RequestKind kind = RequestKind::new_order;
  bool is_used = false;
  bool is_answered = false;           ///< the record lives on because the order has its id
  bool is_stale = false;              ///< unanswered when its venue session ended
  bool is_chained = false;            ///< it has not left: it waits for the answer to the order's change before it
  QuoteSide quote = QuoteSide::none;  ///< a replace's terms.quantity is then what shall be left
  bool is_id_shared = false;          ///< its ClOrdID is the other side's, and addresses that one's order
  bool wants_status = false;          ///< of a quote: the client wants to hear that it was accepted
};

}  // namespace dojima::gateway
