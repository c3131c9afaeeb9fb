#include "dojima/simulate/order_messages.hpp"

#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima::simulate {
namespace {

using market::OrderType;
using market::Side;
using market::TimeInForce;
namespace tag = fix::tag;
namespace type = fix::type;

char fix_of(Side side) {
  return side == Side::buy ? '1' : '2';
}

char fix_of(OrderType order_type) {
  return order_type == OrderType::market ? '1' : '2';
}

char fix_of(TimeInForce time_in_force) {
  switch (time_in_force) {
    case TimeInForce::immediate_or_cancel:
      return '3';
    case TimeInForce::fill_or_kill:
      return '4';
    default:
      return '0';
  }
}

void write_terms(fix::Writer& writer, const OrderRequest& request) {
  writer.field(tag::k_order_qty, request.quantity).field(tag::k_ord_type, fix_of(request.type));
  if (request.type != OrderType::market) writer.field(tag::k_price, request.price);
  writer.field(tag::k_time_in_force, fix_of(request.time_in_force));
}

void write_order(fix::Writer& writer, const OrderRequest& request) {
  writer.field(tag::k_symbol, request.symbol)
      .field(tag::k_side, fix_of(request.side))
      .field(tag::k_transact_time, request.time);
}

template <class Value>
Value value_or_none(const Result<Value>& read) {
  return read ? *read : Value{};
}

AnswerKind kind_of(char exec_type) {
  switch (exec_type) {
    case '0':
      return AnswerKind::accepted;
    case '4':
      return AnswerKind::cancelled;
    case '5':
      return AnswerKind::replaced;
    case '8':
      return AnswerKind::rejected;
    case 'C':
      return AnswerKind::expired;
    case 'F':
      return AnswerKind::traded;
    case '9':
      return AnswerKind::suspended;
    case 'D':
      return AnswerKind::restated;
    case 'H':
      return AnswerKind::trade_cancelled;
    default:
      return AnswerKind::other;
  }
}

std::string_view text_or_none(const fix::MessageView& message, fix::Tag tag) {
  return message.find(tag).value_or(std::string_view{});
}

Result<Answer> read_execution(const fix::MessageView& message) {
  Answer answer;
  const auto exec_type = message.character(tag::k_exec_type);
  const auto leaves = message.quantity(tag::k_leaves_qty);
  const auto cumulative = message.quantity(tag::k_cum_qty);
  for (const auto* quantity : {&leaves, &cumulative}) {
    if (!*quantity) return std::unexpected(quantity->error());
  }
  if (!exec_type) return std::unexpected(exec_type.error());
  answer.kind = kind_of(*exec_type);
  answer.exec_type = *exec_type;
  answer.leaves = *leaves;
  answer.cumulative = *cumulative;
  answer.status = value_or_none(message.character(tag::k_ord_status));
  answer.side = message.find(tag::k_side) == "1" ? Side::buy : Side::sell;
  answer.total = value_or_none(message.quantity(tag::k_order_qty));
  answer.price = value_or_none(message.price(tag::k_price));
  answer.average_price = value_or_none(message.price(tag::k_avg_px));
  answer.reason = value_or_none(message.integer(tag::k_ord_rej_reason));
  answer.trade_id = text_or_none(message, tag::k_secondary_exec_id);
  answer.exec_ref_id = text_or_none(message, tag::k_exec_ref_id);
  if (answer.kind != AnswerKind::traded) return answer;
  const auto quantity = message.quantity(tag::k_last_qty);
  const auto price = message.price(tag::k_last_px);
  if (!quantity) return std::unexpected(quantity.error());
  if (!price) return std::unexpected(price.error());
  answer.last_quantity = *quantity;
  answer.last_price = *price;
  return answer;
}

}  // namespace

Result<market::Sequence> send_new_order(fix::Session& session, const OrderRequest& request) {
  fix::Writer writer = session.begin(type::k_new_order_single);
  writer.field(tag::k_cl_ord_id, request.cl_ord_id);
  write_order(writer, request);
  write_terms(writer, request);
  return session.send(writer);
}

Result<market::Sequence> send_replace(fix::Session& session, const OrderRequest& request) {
  fix::Writer writer = session.begin(type::k_order_cancel_replace_request);
  writer.field(tag::k_orig_cl_ord_id, request.orig_cl_ord_id).field(tag::k_cl_ord_id, request.cl_ord_id);
  write_order(writer, request);
  write_terms(writer, request);
  return session.send(writer);
}

Result<market::Sequence> send_cancel(fix::Session& session, const OrderRequest& request) {
  fix::Writer writer = session.begin(type::k_order_cancel_request);
  writer.field(tag::k_orig_cl_ord_id, request.orig_cl_ord_id).field(tag::k_cl_ord_id, request.cl_ord_id);
  write_order(writer, request);
  if (request.quantity.lots != 0) writer.field(tag::k_order_qty, request.quantity);
  return session.send(writer);
}

Result<Answer> read_answer(const fix::MessageView& message) {
  Result<Answer> answer = Answer{};
  const fix::MsgType what = message.msg_type();
  if (what == type::k_execution_report) {
    answer = read_execution(message);
  } else if (what == type::k_order_cancel_reject) {
    answer->kind = AnswerKind::change_rejected;
    answer->reason = value_or_none(message.integer(tag::k_cxl_rej_reason));
    answer->status = value_or_none(message.character(tag::k_ord_status));
  } else if (what == type::k_business_message_reject) {
    answer->kind = AnswerKind::business_rejected;
    answer->reason = value_or_none(message.integer(tag::k_business_reject_reason));
    answer->ref_sequence = value_or_none(message.sequence(tag::k_ref_seq_num));
    answer->cl_ord_id = text_or_none(message, tag::k_business_reject_ref_id);
    answer->text = text_or_none(message, tag::k_text);
    return answer;
  } else {
    return fail(ErrorCode::not_supported, tag::k_msg_type, 0, static_cast<std::int64_t>(what), "an answer to an order");
  }
  if (!answer) return answer;
  answer->cl_ord_id = text_or_none(message, tag::k_cl_ord_id);
  answer->orig_cl_ord_id = text_or_none(message, tag::k_orig_cl_ord_id);
  answer->order_id = text_or_none(message, tag::k_order_id);
  answer->symbol = text_or_none(message, tag::k_symbol);
  answer->text = text_or_none(message, tag::k_text);
  return answer;
}

}  // namespace dojima::simulate
