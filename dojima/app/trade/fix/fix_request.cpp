#include "dojima/app/trade/fix/fix_request.hpp"

#include <array>
#include <fmt/core.h>

#include "dojima/app/trade/fix/fix_fields.hpp"
#include "dojima/app/trade/fix/fix_order.hpp"
#include "dojima/app/trade/fix/tags.hpp"

namespace dojima::app {
namespace {

using gateway::FixVersion;

constexpr fix::MsgType k_security_list_request = fix::msg_type("x"),
                       k_trading_session_status_request = fix::msg_type("g");

char side_of(const BlotterOrder& order) {
  return order.entry.terms.side == market::Side::buy ? '1' : '2';
}

FixFields cancel(const TradeRequest& request, const FixRequestForm& form) {
  FixFields fields(form.version, fix::type::k_order_cancel_request);
  const BlotterOrder& order = *request.order;
  fields.field(tag::k_orig_cl_ord_id, order.id)
      .field(tag::k_cl_ord_id, request.id)
      .field(tag::k_symbol, order.entry.symbol)
      .field(tag::k_side, side_of(order))
      .transact_time();
  fields.field(tag::k_order_qty, order.entry.terms.quantity);
  return fields;
}

FixFields mass_cancel(const TradeRequest& request, const FixRequestForm& form) {
  const MassCancelScope& scope = request.command.scope;
  FixFields fields(form.version, fix::type::k_order_mass_cancel_request);
  const char* const type = scope.group != 0 && !scope.symbol.empty() ? "57"
                           : scope.group != 0                        ? "56"
                           : !scope.symbol.empty()                   ? "1"
                           : !scope.segment.empty()                  ? "9"
                                                                     : "7";
  fields.field(tag::k_cl_ord_id, request.id).field(tag::k_mass_cancel_request_type, type).transact_time();
  if (!scope.symbol.empty()) fields.field(tag::k_symbol, scope.symbol);
  if (!scope.segment.empty()) fields.field(tag::k_market_segment_id, scope.segment);
  if (scope.group != 0) fields.field(tag::k_group_id, std::int64_t{scope.group});
  constexpr std::int64_t k_firm = 1;
  if (scope.is_firm)
    fields.field(tag::k_target_party_count, std::int64_t{1})
        .field(tag::k_target_party_id, form.user)
        .field(tag::k_target_party_id_source, 'D')
        .field(tag::k_target_party_role, k_firm);
  return fields;
}

FixFields quote(const TradeRequest& request, const FixRequestForm& form) {
  const QuoteTerms& terms = request.command.quote;
  FixFields fields(form.version, fix::type::k_quote);
  fields.field(tag::k_quote_id, request.id).field(tag::k_symbol, terms.symbol);
  if (terms.bid_size.lots != 0) fields.field(tag::k_bid_px, terms.bid);
  if (terms.ask_size.lots != 0) fields.field(tag::k_offer_px, terms.ask);
  return fields.field(tag::k_bid_size, terms.bid_size).field(tag::k_offer_size, terms.ask_size);
}

FixFields unquote(const TradeRequest& request, const FixRequestForm& form) {
  const std::string& symbol = request.command.text;
  FixFields fields(form.version, fix::type::k_quote_cancel);
  fields.field(tag::k_quote_id, request.id).field(tag::k_quote_cancel_type, symbol.empty() ? '4' : '1');
  // FIX 4.2 wants the group, where all quotes are meant too.
  if (!symbol.empty() || form.version == FixVersion::fix_4_2)
    fields.field(tag::k_no_quote_entries, std::int64_t{1}).field(tag::k_symbol, symbol.empty() ? "[N/A]" : symbol);
  return fields;
}

FixFields status(const TradeRequest& request, const FixRequestForm& form) {
  FixFields fields(form.version, fix::type::k_order_status_request);
  if (fields.has(tag::k_ord_status_req_id)) fields.field(tag::k_ord_status_req_id, request.id);
  fields.field(tag::k_cl_ord_id, request.order->id)
      .field(tag::k_symbol, request.order->entry.symbol)
      .field(tag::k_side, side_of(*request.order));
  return fields;
}

FixFields status_all(const TradeRequest& request, const FixRequestForm& form) {
  const std::string& symbol = request.command.text;
  FixFields fields(form.version, fix::type::k_order_mass_status_request);
  fields.field(tag::k_mass_status_req_id, request.id).field(tag::k_mass_status_req_type, symbol.empty() ? '7' : '1');
  if (!symbol.empty()) fields.field(tag::k_symbol, symbol);
  return fields;
}

FixFields securities(const TradeRequest& request, const FixRequestForm& form) {
  const std::string& symbol = request.command.text;
  FixFields fields(form.version, k_security_list_request);
  fields.field(tag::k_security_req_id, request.id).field(tag::k_security_list_request_type, symbol.empty() ? '4' : '0');
  if (!symbol.empty()) fields.field(tag::k_symbol, symbol);
  return fields;
}

FixFields session_status(const TradeRequest& request, const FixRequestForm& form) {
  FixFields fields(form.version, k_trading_session_status_request);
  // FIX 4.2 has it; the gateway serves the later ones.
  fields.field(tag::k_trad_ses_req_id, request.id).field(tag::k_subscription_request_type, '0');
  return fields;
}

FixFields user_status(const TradeRequest& request, const FixRequestForm& form) {
  constexpr char k_status = '4';
  const std::string& user = request.command.text;
  FixFields fields(form.version, fix::type::k_user_request);
  fields.field(tag::k_user_request_id, request.id)
      .field(tag::k_user_request_type, k_status)
      .field(tag::k_username, user.empty() ? form.user : std::string_view(user));
  return fields;
}

FixFields dont_know(const TradeRequest& request, const FixRequestForm& form) {
  const Trade& trade = *request.trade;
  FixFields fields(form.version, fix::type::k_dont_know_trade);
  fields.field(tag::k_order_id, trade.order_id.empty() ? "NONE" : trade.order_id)
      .field(tag::k_exec_id, trade.execution_id)
      .field(tag::k_dk_reason, request.command.reason)
      .field(tag::k_symbol, trade.symbol)
      .field(tag::k_side, trade.side == market::Side::buy ? '1' : '2')
      .field(tag::k_last_qty, trade.quantity)
      .field(tag::k_last_px, trade.price);
  return fields;
}

}  // namespace

Understood<FixRequest> fix_request_of(const TradeRequest& request, const FixRequestForm& form) {
  switch (request.command.verb) {
    case TradeVerb::enter:
      return fix_new_order(request, form.version).finish();
    case TradeVerb::amend:
      return fix_replace(request, form.version).finish();
    case TradeVerb::cancel:
      return cancel(request, form).finish();
    case TradeVerb::mass_cancel:
      return mass_cancel(request, form).finish();
    case TradeVerb::quote:
      return quote(request, form).finish();
    case TradeVerb::unquote:
      return unquote(request, form).finish();
    case TradeVerb::status:
      return status(request, form).finish();
    case TradeVerb::status_all:
      return status_all(request, form).finish();
    case TradeVerb::securities:
      return securities(request, form).finish();
    case TradeVerb::session_status:
      return session_status(request, form).finish();
    case TradeVerb::user_status:
      return user_status(request, form).finish();
    case TradeVerb::dont_know:
      return dont_know(request, form).finish();
    default:
      return std::unexpected("this is no request");
  }
}

}  // namespace dojima::app
