#include "dojima/app/trade/native_request.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::app {
namespace {

using market::OrderType, market::OwnerReportKind;

template <std::size_t Capacity>
Understood<void> put(Text<Capacity>& field, std::string_view text, const char* name) {
  const auto fits = Text<Capacity>::from(text);
  if (!fits) return wrong(fmt::format("{} has at most {} characters in MIT203", name, Capacity));
  field = *fits;
  return {};
}

/// By its number at the venue where that is known, else by our id.
template <class Command>
Understood<void> address(Command& command, const BlotterOrder& order) {
  const auto id = mit::parse_base62(order.order_id);
  if (!order.order_id.empty() && id) command.order = {*id};
  if (auto put_id = put(command.original_client_order_id, order.id, "the order's id"); !put_id) return put_id;
  command.side = order.entry.terms.side;
  return {};
}

void put_party(const std::optional<NumberedParty>& party, unsigned shift, std::uint32_t& id,
               market::OrderLabels& labels) {
  if (!party) return;
  id = party->id;
  labels.roles = static_cast<std::uint8_t>(labels.roles | unsigned{party->qualifier} << shift);
}

Understood<void> put_labels(const OrderEntry& order, std::string_view id, market::OrderLabels& labels) {
  constexpr std::uint8_t k_clients_account = 1;
  constexpr std::uint32_t k_client = 3;
  if (auto put_id = put(labels.client_order_id, id, "an id"); !put_id) return put_id;
  if (auto put_text = put(labels.account, order.account, "account"); !put_text) return put_text;
  if (auto put_text = put(labels.trader, order.trader, "trader"); !put_text) return put_text;
  labels.clearing = order.clearing.value_or(k_clients_account);
  labels.mifid = order.mifid.value_or(0);
  labels.executing_trader = k_client;
  put_party(order.client, 0, labels.client, labels);
  put_party(order.decision_maker, 2, labels.decision_maker, labels);
  put_party(order.executing_trader, 4, labels.executing_trader, labels);
  return {};
}

TradeReportKind kind_of(const market::OwnerReport& report) {
  const bool is_parked = report.status == market::OrderStatus::suspended;
  switch (report.kind) {
    case OwnerReportKind::accepted:
      return is_parked ? TradeReportKind::parked : TradeReportKind::accepted;
    case OwnerReportKind::traded:
      return TradeReportKind::traded;
    case OwnerReportKind::cancelled:
      return TradeReportKind::cancelled;
    case OwnerReportKind::replaced:
      return TradeReportKind::replaced;
    case OwnerReportKind::expired:
      return TradeReportKind::expired;
    case OwnerReportKind::rejected:
      return TradeReportKind::rejected;
    case OwnerReportKind::request_rejected:
      return TradeReportKind::change_rejected;
    case OwnerReportKind::business_rejected:
      return TradeReportKind::request_rejected;
    case OwnerReportKind::mass_cancelled:
      return report.reason == market::Reason::none ? TradeReportKind::mass_cancelled
                                                   : TradeReportKind::request_rejected;
    case OwnerReportKind::suspended:
      return TradeReportKind::parked;
    case OwnerReportKind::restated:
      return TradeReportKind::restated;
    case OwnerReportKind::trade_cancelled:
      return TradeReportKind::busted;
    case OwnerReportKind::trade_corrected:
    case OwnerReportKind::none:
      break;
  }
  return TradeReportKind::other;
}

}  // namespace

std::string code_text(std::int32_t code) {
  const std::string_view words = mit::words_of(code);
  return words.empty() ? fmt::format("code {}", code) : std::string(words);
}

std::string logon_code_text(std::int32_t code) {
  const std::string_view words = mit::words_of_logon(code);
  return words.empty() ? fmt::format("code {}", code) : std::string(words);
}

Understood<std::uint32_t> instrument_of(const std::string& symbol, const NativeTradeOptions& options) {
  const auto named = options.instruments.find(symbol);
  if (named != options.instruments.end()) return named->second;
  if (const auto number = number_in<std::uint32_t>(symbol)) return *number;
  return wrong(
      fmt::format("\"{}\" is no instrument: MIT203 has numbers; --instrument {}=NUMBER names one", symbol, symbol));
}

Understood<market::NewOrder> native_order(const TradeRequest& request, const NativeTradeOptions& options) {
  const OrderEntry& order = request.order->entry;
  market::NewOrder command;
  const auto instrument = instrument_of(order.symbol, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  command.terms = order.terms;
  if (order.terms.capacity == market::Capacity::none) command.terms.capacity = market::Capacity::any_other;
  command.terms.owner_type = order.owner_type.value_or(0);
  command.terms.flags =
      static_cast<std::uint8_t>(market::k_auto_cancel | (order.is_named.value_or(false) ? market::k_named : 0));
  if (auto put_all = put_labels(order, request.id, command.labels); !put_all) return wrong(put_all.error());
  return command;
}

Understood<market::Replace> native_replace(const TradeRequest& request, const NativeTradeOptions& options) {
  const market::OrderTerms& terms = request.order->entry.terms;
  const Amendment& amendment = request.command.amendment;
  market::Replace command;
  const auto instrument = instrument_of(request.order->entry.symbol, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  if (auto put_id = put(command.client_order_id, request.id, "an id"); !put_id) return wrong(put_id.error());
  if (auto named = address(command, *request.order); !named) return wrong(named.error());
  // A negative price says "none" or "unchanged"; that of an order is above zero.
  constexpr market::Price k_none{-1};
  const bool has_limit = terms.type == OrderType::limit || terms.type == OrderType::stop_limit;
  command.limit = has_limit ? amendment.limit.value_or(terms.limit) : k_none;
  command.stop = terms.stop.units != 0 ? amendment.stop.value_or(terms.stop) : k_none;
  command.quantity = amendment.quantity.value_or(terms.quantity);
  const bool is_visible = terms.displayed == terms.quantity;
  command.displayed =
      amendment.displayed.value_or(is_visible ? command.quantity : std::min(terms.displayed, command.quantity));
  command.minimum = terms.minimum;
  command.expiry = terms.expiry;
  command.offset_bp = terms.offset_bp;
  command.passive = terms.passive;
  return command;
}

Understood<market::Cancel> native_cancel(const TradeRequest& request, const NativeTradeOptions& options) {
  market::Cancel command;
  const auto instrument = instrument_of(request.order->entry.symbol, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  if (auto put_id = put(command.client_order_id, request.id, "an id"); !put_id) return wrong(put_id.error());
  if (auto named = address(command, *request.order); !named) return wrong(named.error());
  return command;
}

Understood<market::MassCancel> native_mass_cancel(const TradeRequest& request, const NativeTradeOptions& options) {
  const MassCancelScope& scope = request.command.scope;
  market::MassCancel command;
  if (auto put_id = put(command.client_order_id, request.id, "an id"); !put_id) return wrong(put_id.error());
  if (auto segment = put(command.segment, scope.segment, "a segment"); !segment) return wrong(segment.error());
  command.group = scope.group;
  command.is_account = scope.is_firm;
  if (scope.symbol.empty()) return command;
  const auto instrument = instrument_of(scope.symbol, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  return command;
}

Understood<market::Quote> native_quote(const TradeRequest& request, const NativeTradeOptions& options) {
  const QuoteTerms& terms = request.command.quote;
  market::Quote command;
  const auto instrument = instrument_of(terms.symbol, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  command.bid = terms.bid;
  command.ask = terms.ask;
  command.bid_size = terms.bid_size;
  command.ask_size = terms.ask_size;
  command.capacity = market::Capacity::any_other;
  command.flags = market::k_auto_cancel;
  const OrderEntry nothing_said{.symbol = terms.symbol, .terms = {}};
  if (auto put_all = put_labels(nothing_said, request.id, command.labels); !put_all) return wrong(put_all.error());
  return command;
}

Understood<market::MassCancel> native_unquote(const TradeRequest& request, const NativeTradeOptions& options) {
  market::MassCancel command;
  command.of = market::MassCancelOf::quotes;
  if (auto put_id = put(command.client_order_id, request.id, "an id"); !put_id) return wrong(put_id.error());
  if (request.command.text.empty()) return command;
  const auto instrument = instrument_of(request.command.text, options);
  if (!instrument) return wrong(instrument.error());
  command.header.instrument = *instrument;
  return command;
}

TradeReport native_report(const market::OwnerReport& report, std::int32_t code) {
  TradeReport record{.kind = kind_of(report), .id = std::string(report.client_order_id.view())};
  char id[mit::k_order_id_width];
  if (report.order.value != 0 && mit::format_base62(report.order.value, id))
    record.order_id = std::string(id, sizeof id);
  record.side = report.side;
  record.reason = code != 0 ? code : mit::code_of(report.reason);
  const bool is_refused = record.kind == TradeReportKind::rejected || record.kind == TradeReportKind::change_rejected ||
                          record.kind == TradeReportKind::request_rejected;
  const bool has_ended = record.kind == TradeReportKind::cancelled || record.kind == TradeReportKind::expired;
  if (is_refused || (has_ended && report.reason != market::Reason::none && report.reason != market::Reason::by_owner))
    record.text = code_text(static_cast<std::int32_t>(record.reason));
  if (!is_refused && record.kind != TradeReportKind::mass_cancelled) record.leaves = report.leaves;
  if (record.kind == TradeReportKind::restated && report.price.units > 0) record.limit = report.price;
  if (record.kind == TradeReportKind::busted) record.reference_id = std::to_string(report.reference);
  if (record.kind == TradeReportKind::busted) record.execution_id = std::to_string(report.execution);
  if (record.kind != TradeReportKind::traded) return record;
  record.execution_id = std::to_string(report.execution);
  record.trade_id = std::to_string(report.trade);
  record.counterparty = std::string(report.counterparty.view());
  record.last_quantity = report.quantity;
  record.last_price = report.price;
  record.liquidity = report.liquidity;
  return record;
}

}  // namespace dojima::app
