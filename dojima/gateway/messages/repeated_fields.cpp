#include "dojima/gateway/messages/repeated_fields.hpp"

#include <cstdint>

#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {

using fix::MessageView;
using market::OrderSubType;

namespace {

constexpr std::uint16_t k_unchangeable = cancel_reject::k_exchange_option;

}  // namespace

Refused refuse_instrument(const MessageView& view, const SymbolTable& symbols, const Order& order) noexcept {
  const auto symbol = view.find(tag::k_symbol);
  if (symbol && *symbol != "[N/A]")
    return refuse_value(cancel_reject::k_other, tag::k_symbol, "Symbol(55)=% is not the order's: the order has %",
                        *symbol, symbols.symbol_of(order.instrument));
  return refuse_number(cancel_reject::k_other, tag::k_security_id,
                       "SecurityID(48)=% is not the order's: the order has %", view, order.instrument);
}

Refused refuse_side(const MessageView& view, const Order& order) noexcept {
  return refuse_value(cancel_reject::k_other, tag::k_side, "Side(54)=% is not the order's: the order has %", view,
                      character(fix_of(order.terms.side)).view());
}

Refused refuse_type(const MessageView& view, const Order& order) noexcept {
  const char before = fix_of(TypeOfOrder{order.terms.type, order.terms.sub_type});
  if (view.character(tag::k_ord_type) != before)
    return refuse_value(k_unchangeable, tag::k_ord_type, "OrdType(40)=% cannot be changed: the order has %", view,
                        character(before).view());
  return refuse_value(k_unchangeable, tag::k_price, "Price(44)=% cannot be changed: the order is pegged %", view,
                      view.has(tag::k_price) ? "without a limit" : "with a limit");
}

Refused refuse_time_in_force(const MessageView& view, const Order& order) noexcept {
  const char before = fix_of(order.terms.time_in_force);
  if (!view.has(tag::k_time_in_force))
    return refuse_value(k_unchangeable, tag::k_trading_session_count,
                        "TradingSessionID(336)=% cannot be changed: the order has TimeInForce(59)=%", "a",
                        character(before).view());
  if (before == '\0')
    return refuse_value(k_unchangeable, tag::k_time_in_force,
                        "TimeInForce(59)=% cannot be changed: the order has TradingSessionID(336)=a", view);
  return refuse_value(k_unchangeable, tag::k_time_in_force, "TimeInForce(59)=% cannot be changed: the order has %",
                      view, character(before).view());
}

Read check_display_method(const MessageView& view, const Order& order) noexcept {
  const auto method = view.find(tag::k_display_method);
  const bool is_random = order.terms.sub_type == OrderSubType::random_peak;
  if (!method || *method == "4" || (*method == "3") == is_random) return {};
  return refuse_value(k_unchangeable, tag::k_display_method, "DisplayMethod(1084)=% cannot be changed: the order has %",
                      *method, is_random ? "3" : "no peaks of random size");
}

Read check_peg_unchanged(const MessageView& view, const market::OrderTerms& before) noexcept {
  std::uint8_t peg = before.peg;
  Read read = read_number(view, tag::k_pegged_exec_inst, 0, 2, k_change_reasons, k_pegged_exec_inst_text, peg);
  if (!read || peg == before.peg) return read;
  return refuse_number(k_unchangeable, tag::k_pegged_exec_inst,
                       "PeggedExecInst(27021)=% cannot be changed: the order has %", view, before.peg);
}

}  // namespace dojima::gateway
