#include "dojima/gateway/messages/report_writer.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::gateway {
namespace {

using fix::Writer;
using market::OrderTerms, market::Quantity, market::TimeInForce;

constexpr std::string_view k_none = "NONE";

void write_instrument(Writer& writer, const SymbolTable& symbols, std::uint32_t instrument) noexcept {
  writer.field(tag::k_symbol, symbols.symbol_of(instrument))
      .field(tag::k_security_id, instrument)
      .field(tag::k_security_id_source, '8');
}

void write_expiry(Writer& writer, const OrderTerms& terms) noexcept {
  if (terms.time_in_force == TimeInForce::good_till_time) {
    writer.field(tag::k_expire_time, terms.expiry);
  } else if (terms.time_in_force == TimeInForce::good_till_date) {
    std::array<char, time::k_timestamp_max> text;
    writer.field(tag::k_expire_date, time::format_timestamp(terms.expiry, 0, text).substr(0, 8));
  }
}

void write_terms(Writer& writer, const OrderTerms& terms) noexcept {
  writer.field(tag::k_side, fix_of(terms.side))
      .field(tag::k_order_qty, terms.quantity)
      .field(tag::k_ord_type, fix_of(TypeOfOrder{terms.type, terms.sub_type}));
  if (terms.limit.units != 0) writer.field(tag::k_price, terms.limit);
  if (terms.stop.units != 0) writer.field(tag::k_stop_px, terms.stop);
  if (const char time_in_force = fix_of(terms.time_in_force); time_in_force != '\0')
    writer.field(tag::k_time_in_force, time_in_force);
  write_expiry(writer, terms);
  if (terms.displayed != terms.quantity) writer.field(tag::k_max_floor, terms.displayed);
  if (terms.minimum.lots != 0) writer.field(tag::k_min_qty, terms.minimum);
  if (const char capacity = fix_of(terms.capacity); capacity != '\0') writer.field(tag::k_order_capacity, capacity);
}

/// At least one character, and none that could end a field.
[[nodiscard]] bool is_printable(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void write_trade(Writer& writer, const market::OwnerReport& report) noexcept {
  writer.field(tag::k_last_qty, report.quantity).field(tag::k_last_px, report.price);
  if (const std::string_view market = market_of(report.last_market); !market.empty())
    writer.field(tag::k_last_mkt, market);
  if (const unsigned liquidity = liquidity_of(report.liquidity); liquidity != 0)
    writer.field(tag::k_last_liquidity_ind, liquidity);
  else if (report.liquidity == 'C')
    writer.field(tag::k_trade_liquidity_indicator, report.liquidity);
  std::array<char, mit::k_trade_id_width> text;
  if (report.trade != 0 && mit::format_base36(report.trade, text))
    writer.field(tag::k_secondary_exec_id, std::string_view(text.data(), text.size()));
  if (const std::string_view counterparty = report.counterparty.view(); is_printable(counterparty)) {
    writer.field(tag::k_no_party_ids, 1)
        .field(tag::k_party_id, counterparty)
        .field(tag::k_party_id_source, 'D')
        .field(tag::k_party_role, 17);
  }
}

/// The client's own words, where they are there and leave room for the rest of the answer.
bool repeat(Writer& writer, const fix::MessageView& message, fix::Tag tag) noexcept {
  constexpr std::size_t k_longest = 64;
  const auto value = message.find(tag);
  if (!value || value->empty() || value->size() > k_longest) return false;
  writer.field(tag, *value);
  return true;
}

void write_ids(Writer& writer, std::string_view order_id, const Execution& execution, char status) noexcept {
  writer.field(tag::k_order_id, order_id).field(tag::k_cl_ord_id, execution.cl_ord_id);
  if (!execution.orig_cl_ord_id.empty()) writer.field(tag::k_orig_cl_ord_id, execution.orig_cl_ord_id);
  writer.field(tag::k_exec_id, execution.exec_id)
      .field(tag::k_exec_type, execution.type)
      .field(tag::k_ord_status, status);
  if (execution.reject_reason >= 0) writer.field(tag::k_ord_rej_reason, execution.reject_reason);
}

}  // namespace

char status_of(const Order& order) noexcept {
  switch (order.state) {
    case OrderState::pending_new:
      return 'A';
    case OrderState::live:
      return order.cumulative.lots == 0 ? '0' : '1';
    case OrderState::suspended:
      return '9';
    case OrderState::filled:
      return '2';
    case OrderState::cancelled:
    case OrderState::lost:
      return '4';
    case OrderState::expired:
      return 'C';
    case OrderState::rejected:
      return '8';
  }
  return '8';
}

Identifier identifier_of(std::uint64_t number) noexcept {
  Identifier identifier;
  const Result<void> fits = mit::format_base62(number, identifier.characters);
  DOJIMA_ASSERT(fits.has_value(), "twelve characters hold any 64 bits in base 62");
  return identifier;
}

void write_execution(Writer& writer, const SymbolTable& symbols, const Order& order,
                     const Execution& execution) noexcept {
  const Identifier id = identifier_of(order.order_id.value);
  write_ids(writer, order.order_id.value == 0 ? k_none : id.view(), execution, status_of(order));
  if (!order.account.is_empty()) writer.field(tag::k_account, order.account.view());
  write_instrument(writer, symbols, order.instrument);
  write_terms(writer, order.terms);
  const market::OwnerReport* report = execution.report;
  if (report != nullptr && report->kind == market::OwnerReportKind::traded) write_trade(writer, *report);
  writer.field(tag::k_leaves_qty, order.leaves())
      .field(tag::k_cum_qty, order.cumulative)
      .field(tag::k_avg_px, average_price(order.notional, order.cumulative - order.unpriced))
      .field(tag::k_transact_time, execution.time);
  if (report != nullptr && report->restatement != 0)
    writer.field(tag::k_exec_restatement_reason, unsigned{report->restatement});
  if (!execution.text.empty()) writer.field(tag::k_text, execution.text);
}

void write_order_reject(Writer& writer, const fix::MessageView& order, const Execution& execution) noexcept {
  write_ids(writer, k_none, execution, '8');
  repeat(writer, order, tag::k_account);
  // FIX's own word for a symbol that cannot be given.
  if (!repeat(writer, order, tag::k_symbol)) writer.field(tag::k_symbol, "[N/A]");
  for (const fix::Tag tag : {tag::k_security_id, tag::k_security_id_source, tag::k_side, tag::k_order_qty,
                             tag::k_ord_type, tag::k_price, tag::k_stop_px, tag::k_time_in_force})
    repeat(writer, order, tag);
  writer.field(tag::k_leaves_qty, Quantity{})
      .field(tag::k_cum_qty, Quantity{})
      .field(tag::k_avg_px, market::Price{})
      .field(tag::k_transact_time, execution.time);
  if (!execution.text.empty()) writer.field(tag::k_text, execution.text);
}

void write_cancel_reject(Writer& writer, const CancelReject& reject) noexcept {
  const Order* order = reject.order;
  const Identifier id = identifier_of(order == nullptr ? 0 : order->order_id.value);
  const bool has_id = order != nullptr && order->order_id.value != 0;
  writer.field(tag::k_order_id, has_id ? id.view() : k_none)
      .field(tag::k_cl_ord_id, reject.cl_ord_id)
      .field(tag::k_orig_cl_ord_id, reject.orig_cl_ord_id)
      .field(tag::k_ord_status, order == nullptr ? '8' : status_of(*order))
      .field(tag::k_cxl_rej_response_to, reject.response_to)
      .field(tag::k_cxl_rej_reason, reject.reason)
      .field(tag::k_transact_time, reject.time);
  if (!reject.text.empty()) writer.field(tag::k_text, reject.text);
}

}  // namespace dojima::gateway
