#pragma once

// A FIX 4.4 client's side of order entry: requests written into a session, answers read into one plain record. What the
// demo's clients speak. No allocation; texts of an answer die with the message.
//
//   send_new_order(session, {.cl_ord_id = "A-1", .symbol = "KAGA", .side = Side::buy, ...});
//   const Result<Answer> answer = read_answer(view);

#include <cstdint>
#include <string_view>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/market/order.hpp"

namespace dojima::simulate {

struct OrderRequest {
  std::string_view cl_ord_id;
  std::string_view orig_cl_ord_id;  ///< of the order meant; not for new orders
  std::string_view symbol;
  market::Side side = market::Side::none;
  market::OrderType type = market::OrderType::limit;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  market::Price price;  ///< not for market orders
  market::Quantity quantity;
  time::Time time{};  ///< TransactTime
};

/// NewOrderSingle(D).
Result<market::Sequence> send_new_order(fix::Session& session, const OrderRequest& request);
/// OrderCancelReplaceRequest(G); `quantity` is the new total.
Result<market::Sequence> send_replace(fix::Session& session, const OrderRequest& request);
/// OrderCancelRequest(F).
Result<market::Sequence> send_cancel(fix::Session& session, const OrderRequest& request);

enum class AnswerKind : std::uint8_t {
  accepted,
  rejected,  ///< a new order was refused
  traded,
  cancelled,
  replaced,
  expired,
  change_rejected,    ///< a cancel or replace was refused
  business_rejected,  ///< the message could not be served: `cl_ord_id` where the peer says it, `ref_sequence` else
  suspended,          ///< the order waits outside the book
  restated,           ///< the venue changed the order by itself
  trade_cancelled,    ///< an execution no longer counts
  other,              ///< an ExecutionReport of a kind that needs no action
};

struct Answer {
  AnswerKind kind = AnswerKind::other;
  char exec_type = '\0';  ///< ExecType(150)
  char status = '\0';     ///< OrdStatus(39)
  market::Side side = market::Side::none;
  std::string_view cl_ord_id;
  std::string_view orig_cl_ord_id;
  std::string_view order_id;
  std::string_view symbol;
  std::string_view trade_id;
  std::string_view exec_ref_id;  ///< trade_cancelled: ExecRefID(19)
  std::string_view text;
  market::Quantity total;
  market::Quantity leaves;
  market::Quantity cumulative;
  market::Quantity last_quantity;
  market::Price last_price;
  market::Price price;
  market::Price average_price;
  std::int64_t reason = 0;  ///< 103, 102 or 380
  market::Sequence ref_sequence;
};

/// ExecutionReport, OrderCancelReject or BusinessMessageReject. `not_supported`: another message; else what a field
/// that matters lacks.
[[nodiscard]] Result<Answer> read_answer(const fix::MessageView& message);

}  // namespace dojima::simulate
