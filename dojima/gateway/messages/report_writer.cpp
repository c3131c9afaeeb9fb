#include "dojima/gateway/messages/report_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/whole_words.hpp"
#include "dojima/mit/identifier_words.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::gateway {
namespace {

using fix::field;
using fix::Writer;
using market::OrderTerms, market::Quantity, market::TimeInForce;

constexpr std::string_view k_none = "NONE";
constexpr char k_undisclosed_side = '7';

void write_instrument(Writer& writer, const SymbolTable& symbols, std::uint32_t instrument) noexcept {
  if (const fix::RenderedFields* const fields = symbols.fields_of(instrument); fields != nullptr)
    writer.again(*fields);
  else
    writer.field(tag::k_symbol, std::string_view{});  // there is no message about what is not traded
}

void write_expiry(Writer& writer, const OrderTerms& terms) noexcept {
  if (terms.time_in_force == TimeInForce::good_till_time) {
    writer.field(tag::k_expire_time, terms.expiry);
  } else if (terms.time_in_force == TimeInForce::good_till_date) {
    std::array<char, time::k_timestamp_max> text;
    writer.field(tag::k_expire_date, time::format_timestamp(terms.expiry, 0, text).substr(0, 8));
  }
}

[[nodiscard]] bool is_old(const ReportForm& form) noexcept {
  return form.version == FixVersion::fix_4_2;
}
[[nodiscard]] bool is_new(const ReportForm& form) noexcept {
  return form.version == FixVersion::fix_5_0_sp2;
}

/// DisplayMethod, or MaxFloor where the version has none.
void write_display_terms(Writer& writer, const ReportForm& form, const OrderTerms& terms) noexcept {
  const bool is_random = terms.sub_type == market::OrderSubType::random_peak;
  if (is_new(form)) {
    if (is_random || terms.displayed.lots == 0) writer.field(tag::k_display_method, is_random ? '3' : '4');
  } else if (terms.displayed != terms.quantity) {
    writer.field(tag::k_max_floor, terms.displayed);
  }
}

void write_capacity(Writer& writer, const ReportForm& form, market::Capacity capacity) noexcept {
  const char value = is_old(form) ? rule_80a_of(capacity) : fix_of(capacity);
  if (value != '\0') writer.field(is_old(form) ? tag::k_rule_80a : tag::k_order_capacity, value);
}

void write_terms(Writer& writer, const ReportForm& form, const OrderTerms& terms) noexcept {
  writer.fields(field<tag::k_side>(fix_of(terms.side)), field<tag::k_order_qty>(terms.quantity),
                field<tag::k_ord_type>(fix_of(TypeOfOrder{terms.type, terms.sub_type})));
  if (terms.limit.units != 0) writer.field(tag::k_price, terms.limit);
  if (terms.stop.units != 0) writer.field(tag::k_stop_px, terms.stop);
  if (const char time_in_force = fix_of(terms.time_in_force); time_in_force != '\0')
    writer.field(tag::k_time_in_force, time_in_force);
  else if (terms.time_in_force == TimeInForce::closing_price_cross)
    writer.field(tag::k_trading_session_id, 'a');
  write_expiry(writer, terms);
  write_display_terms(writer, form, terms);
  if (terms.minimum.lots != 0) writer.field(tag::k_min_qty, terms.minimum);
  write_capacity(writer, form, terms.capacity);
  if (is_new(form) && terms.owner_type != 0) writer.field(tag::k_owner_type, unsigned{terms.owner_type});
}

/// At least one character, and none that could end a field.
[[nodiscard]] bool is_printable(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// 851, and 9730 for what the version has no number for.
void write_liquidity(Writer& writer, const ReportForm& form, char liquidity) noexcept {
  const unsigned number = liquidity_of(liquidity);
  constexpr unsigned k_auction = 4;
  if (number != 0 && (is_new(form) || (!is_old(form) && number != k_auction)))
    writer.field(tag::k_last_liquidity_ind, static_cast<char>('0' + number));
  if (number != 0 && form.has_venue_fields) writer.field(tag::k_trade_liquidity_indicator, liquidity);
}

/// TrdMatchID(880), in FIX 4.4 SecondaryExecID(527); FIX 4.2 has a place in the venue's own field only.
void write_trade_id(Writer& writer, const ReportForm& form, std::uint64_t trade) noexcept {
  if (trade == 0) return;
  if (const auto words = mit::trade_id_words(trade); !is_old(form) && words.is_right()) {
    std::array<char, 16> text;
    store_pair(text.data(), words.first, words.last);
    const fix::SureText<mit::k_trade_id_width> id{text.data()};
    if (is_new(form))
      writer.fields(field<tag::k_trd_match_id>(id));
    else
      writer.fields(field<tag::k_secondary_exec_id>(id));
  }
  if (form.has_venue_fields) writer.field(tag::k_trade_match_number, trade);
}

/// A party that has a number. Its qualifier as two bits; 0: none.
void write_numbered_party(Writer& writer, const ReportForm& form, std::uint32_t id, unsigned role,
                          unsigned qualifier) noexcept {
  constexpr std::array k_qualifiers{0, 23, 22, 24};
  writer.field(tag::k_party_id, id)
      .field(tag::k_party_id_source, is_new(form) ? 'P' : 'D')
      .field(tag::k_party_role, role);
  if (is_new(form) && qualifier != 0) writer.field(tag::k_party_role_qualifier, k_qualifiers[qualifier & 3U]);
}

/// Those that the order's client has named, in the order of their roles at the venue.
void write_own_parties(Writer& writer, const ReportForm& form, const OrderParties& parties) noexcept {
  const unsigned roles = parties.roles;
  if ((parties.given & OrderParties::client_id) != 0) write_numbered_party(writer, form, parties.client, 3, roles & 3U);
  if ((parties.given & OrderParties::decision_maker_id) != 0)
    write_numbered_party(writer, form, parties.decision_maker, 122, roles >> 2 & 3U);
  if ((parties.given & OrderParties::executing_trader_id) != 0)
    write_numbered_party(writer, form, parties.executing_trader, 12, roles >> 4 & 3U);
  if ((parties.given & OrderParties::trader_id) != 0)
    writer.field(tag::k_party_id, parties.trader.view())
        .field(tag::k_party_id_source, 'D')
        .field(tag::k_party_role, 100);
}

/// Parties(453): the order's own, null for none, and the counterparty of a trade; in FIX 4.2 the latter alone.
void write_parties(Writer& writer, const ReportForm& form, const OrderParties* own,
                   std::string_view counterparty) noexcept {
  const bool has_counterparty = is_printable(counterparty);
  if (is_old(form)) {
    if (has_counterparty) writer.field(tag::k_contra_broker_count, 1).field(tag::k_contra_broker, counterparty);
    return;
  }
  const int owned = own == nullptr ? 0 : std::popcount(own->given);
  if (owned != 0) {
    writer.field(tag::k_no_party_ids, owned + (has_counterparty ? 1 : 0));
    write_own_parties(writer, form, *own);
    if (has_counterparty)
      writer.fields(field<tag::k_party_id>(counterparty), field<tag::k_party_id_source>('D'),
                    field<tag::k_party_role>(17));
  } else if (has_counterparty) {
    writer.fields(field<tag::k_no_party_ids>(1), field<tag::k_party_id>(counterparty),
                  field<tag::k_party_id_source>('D'), field<tag::k_party_role>(17));
  }
}

/// WaiverFlags: bit 3 illiquid, bit 5 reference price as TrdRegPublications; bit 1 closing as a TrdType that no version
/// publishes.
void write_waivers(Writer& writer, const ReportForm& form, std::uint8_t waiver) noexcept {
  const bool is_illiquid = (waiver & 8U) != 0, is_referenced = (waiver & 32U) != 0;
  if (is_illiquid || is_referenced) writer.field(tag::k_waiver_count, is_illiquid && is_referenced ? 2 : 1);
  if (is_illiquid) writer.field(tag::k_waiver_publication_type, 0).field(tag::k_waiver_publication_reason, 4);
  if (is_referenced) writer.field(tag::k_waiver_publication_type, 0).field(tag::k_waiver_publication_reason, 3);
  if ((waiver & 2U) != 0 && form.has_venue_fields) writer.field(tag::k_trd_type, 67);
}

/// What says which trade it was that no longer counts.
void write_bust(Writer& writer, const ReportForm& form, const OrderParties* own,
                const market::OwnerReport& report) noexcept {
  write_liquidity(writer, form, report.liquidity);
  write_trade_id(writer, form, report.trade);
  write_parties(writer, form, own, report.counterparty.view());
  if (is_new(form)) write_waivers(writer, form, report.waiver);
}

void write_trade(Writer& writer, const ReportForm& form, const OrderParties* own,
                 const market::OwnerReport& report) noexcept {
  writer.fields(field<tag::k_last_qty>(report.quantity), field<tag::k_last_px>(report.price));
  if (const std::string_view market = market_of(report.last_market); !market.empty())
    writer.field(tag::k_last_mkt, market);
  write_liquidity(writer, form, report.liquidity);
  write_trade_id(writer, form, report.trade);
  if (form.has_venue_fields) writer.field(tag::k_type_of_trade, unsigned{report.type_of_trade});
  write_parties(writer, form, own, report.counterparty.view());
  if (is_new(form)) write_waivers(writer, form, report.waiver);
}

/// The venue's reason where the version publishes it, else "other", or nothing where it has no such value either.
void write_restatement(Writer& writer, const ReportForm& form, std::uint8_t reason) noexcept {
  constexpr unsigned k_last_published_4_2 = 5, k_market = 8, k_other = 99;
  if (reason == 0) return;
  const bool is_published = reason <= (is_old(form) ? k_last_published_4_2 : k_market);
  if (is_published || form.has_venue_fields)
    writer.field(tag::k_exec_restatement_reason, unsigned{reason});
  else if (!is_old(form))
    writer.field(tag::k_exec_restatement_reason, k_other);
}

/// The client's own words, where they are there and leave room for the rest of the answer.
bool repeat(Writer& writer, const fix::MessageView& message, fix::Tag tag) noexcept {
  constexpr std::size_t k_longest = 64;
  const auto value = message.find(tag);
  if (!value || value->empty() || value->size() > k_longest) return false;
  writer.field(tag, *value);
  return true;
}

/// FIX 4.2 says with ExecTransType(20) what later versions say with ExecType(150).
void write_exec_type(Writer& writer, const ReportForm& form, char type, char status) noexcept {
  if (!is_old(form)) {
    writer.field(tag::k_exec_type, type);
    return;
  }
  const char transaction = type == 'I' ? '3' : type == 'G' ? '2' : type == 'H' ? '1' : '0';
  writer.field(tag::k_exec_trans_type, transaction)
      .field(tag::k_exec_type, transaction != '0' || type == 'F' ? status : type);
}

/// FIX 4.2 knows reasons 0 to 8.
[[nodiscard]] int order_reject_in(const ReportForm& form, int reason) noexcept {
  constexpr int k_last_of_4_2 = 8;
  return is_old(form) && reason > k_last_of_4_2 ? int{order_reject::k_exchange_option} : reason;
}

/// FIX 4.2 knows reasons 0 to 3.
[[nodiscard]] unsigned cancel_reject_in(const ReportForm& form, unsigned reason) noexcept {
  return is_old(form) && reason > cancel_reject::k_pending ? unsigned{cancel_reject::k_exchange_option} : reason;
}

/// Of reports that have something besides what nearly all have, and those of FIX 4.2.
void write_other_ids(Writer& writer, const ReportForm& form, std::string_view order_id, const Execution& execution,
                     char status) noexcept {
  writer.field(tag::k_order_id, order_id);
  if (!execution.cl_ord_id.empty()) writer.field(tag::k_cl_ord_id, execution.cl_ord_id);
  if (!execution.orig_cl_ord_id.empty()) writer.field(tag::k_orig_cl_ord_id, execution.orig_cl_ord_id);
  writer.field(tag::k_exec_id, execution.exec_id);
  if (execution.report != nullptr && execution.report->reference != 0)
    writer.field(tag::k_exec_ref_id, execution_id_of(execution.report->reference, execution.venue).view());
  write_exec_type(writer, form, execution.type, status);
  writer.field(tag::k_ord_status, status);
}

/// From OrderID(37) to OrdStatus(39) and what goes with it. Identifiers of a venue are of our own making.
void write_ids(Writer& writer, const ReportForm& form, std::string_view order_id, const Execution& execution,
               char status) noexcept {
  using VenueText = fix::SureText<std::tuple_size_v<decltype(Identifier::characters)>>;
  constexpr std::size_t k_size = std::tuple_size_v<decltype(Identifier::characters)>;
  const bool has_reference = execution.report != nullptr && execution.report->reference != 0;
  const bool is_usual = order_id.size() == k_size && execution.exec_id.size() == k_size && !is_old(form) &&
                        !has_reference && !execution.cl_ord_id.empty();
  const VenueText order{order_id.data()}, exec{execution.exec_id.data()};
  if (!is_usual)
    write_other_ids(writer, form, order_id, execution, status);
  else if (execution.orig_cl_ord_id.empty())
    writer.fields(field<tag::k_order_id>(order), field<tag::k_cl_ord_id>(execution.cl_ord_id),
                  field<tag::k_exec_id>(exec), field<tag::k_exec_type>(execution.type),
                  field<tag::k_ord_status>(status));
  else
    writer.fields(field<tag::k_order_id>(order), field<tag::k_cl_ord_id>(execution.cl_ord_id),
                  field<tag::k_orig_cl_ord_id>(execution.orig_cl_ord_id), field<tag::k_exec_id>(exec),
                  field<tag::k_exec_type>(execution.type), field<tag::k_ord_status>(status));
  if (execution.reject_reason >= 0) writer.field(tag::k_ord_rej_reason, order_reject_in(form, execution.reject_reason));
  if (!execution.status_request.empty() && !is_old(form))
    writer.field(tag::k_ord_status_req_id, execution.status_request);
  if (execution.mass_request.empty()) return;
  writer.field(tag::k_mass_status_req_id, execution.mass_request)
      .field(tag::k_total_reports, execution.total_reports)
      .field(tag::k_is_last_report, execution.is_last_report);
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

namespace {

/// Its first character says the venue.
[[gnu::always_inline]] inline Identifier identifier_with(mit::OrderIdWords words, std::uint8_t venue) noexcept {
  words.first = (words.first & ~std::uint64_t{0xff}) | static_cast<unsigned char>('0' + venue);
  Identifier identifier;
  static_assert(sizeof identifier == sizeof words.first + sizeof words.last);
  std::memcpy(identifier.characters.data(), &words.first, sizeof words.first);
  std::memcpy(identifier.characters.data() + sizeof words.first, &words.last, sizeof words.last);
  return identifier;
}

}  // namespace

Identifier identifier_of(std::uint64_t number, std::uint8_t venue) noexcept {
  return identifier_with(mit::order_id_words(number), venue);
}

Identifier execution_id_of(std::uint64_t number, std::uint8_t venue) noexcept {
  return identifier_with(mit::execution_id_words(number), venue);
}

namespace {

/// What every report about an order says alike, and its OrderID(37) in front.
void write_order(Writer& writer, const ReportForm& form, const SymbolTable& symbols,
                 const ReportedOrder& reported) noexcept {
  const Order& order = reported.order;
  if (!order.account.is_empty()) writer.field(tag::k_account, order.account.view());
  if (reported.clearing() != 0) writer.field(tag::k_account_type, unsigned{reported.clearing()});
  write_instrument(writer, symbols, order.instrument);
  write_terms(writer, form, order.terms);
}

/// DisplayQty(1138) of an iceberg or a hidden order: what is visible now, as far as it is known. The venue's report
/// says it; without one it is what the order has asked for until the first execution.
void write_displayed(Writer& writer, const ReportForm& form, const Order& order,
                     const market::OwnerReport* report) noexcept {
  if (!is_new(form) || order.terms.displayed == order.terms.quantity) return;
  if (report != nullptr)
    writer.field(tag::k_display_qty, report->displayed);
  else if (is_open(order.state) && order.cumulative.lots == 0)
    writer.field(tag::k_display_qty, order.terms.displayed);
}

/// What is left and what was executed at which price, with the time of the report.
void write_progress(Writer& writer, const Order& order, time::Time time) noexcept {
  // Most reports are of an order before it is executed.
  if (order.cumulative.lots == 0)
    writer.fields(field<tag::k_leaves_qty>(order.leaves()), field<tag::k_cum_qty>('0'), field<tag::k_avg_px>('0'),
                  field<tag::k_transact_time>(time));
  else
    writer.fields(field<tag::k_leaves_qty>(order.leaves()), field<tag::k_cum_qty>(order.cumulative),
                  field<tag::k_avg_px>(average_price(order.notional, order.cumulative - order.unpriced)),
                  field<tag::k_transact_time>(time));
}

/// Null: none is worth while. An order that ends with its first report, or has no id, is seldom reported again.
[[nodiscard]] ReportTemplate* known_template(ReportTemplates* templates, const ReportedOrder& reported) noexcept {
  const Order& order = reported.order;
  if (templates == nullptr || order.order_id.value == 0) return nullptr;
  ReportTemplate& known = templates->of(order);
  return is_open(order.state) || known.is_of(order, reported.clearing()) ? &known : nullptr;
}

}  // namespace

void write_execution(Writer& writer, const ReportForm& form, const SymbolTable& symbols, const ReportedOrder& reported,
                     const Execution& execution, ReportTemplates* templates) noexcept {
  const Order& order = reported.order;
  const char status = status_of(order);
  ReportTemplate* const known = known_template(templates, reported);
  if (known == nullptr) {
    const Identifier id = identifier_of(order.order_id.value, form.venue_of(order));
    write_ids(writer, form, order.order_id.value == 0 ? k_none : id.view(), execution, status);
    write_order(writer, form, symbols, reported);
  } else {
    const bool is_known = known->is_of(order, reported.clearing());
    if (!is_known) {
      known->begin(order, reported.clearing());
      known->identifier = identifier_of(order.order_id.value, form.venue_of(order)).characters;
    }
    write_ids(writer, form, {known->identifier.data(), known->identifier.size()}, execution, status);
    if (is_known && !known->fields.is_empty()) {
      writer.again(known->fields);
    } else {
      const std::size_t from = writer.mark();
      write_order(writer, form, symbols, reported);
      writer.keep(from, known->fields);
    }
  }
  const market::OwnerReport* report = execution.report;
  write_displayed(writer, form, order, report);
  if (report != nullptr &&
      (report->kind == market::OwnerReportKind::traded || report->kind == market::OwnerReportKind::trade_corrected))
    write_trade(writer, form, reported.parties, *report);
  else if (report != nullptr && report->kind == market::OwnerReportKind::trade_cancelled)
    write_bust(writer, form, reported.parties, *report);
  else
    write_parties(writer, form, reported.parties, {});
  write_progress(writer, order, execution.time);
  if (report != nullptr) write_restatement(writer, form, report->restatement);
  if (report != nullptr && is_new(form) && report->public_order.value != 0)
    writer.field(tag::k_order_id_alias, identifier_of(report->public_order.value).view());
  if (!execution.text.empty()) writer.field(tag::k_text, execution.text);
}

void write_order_reject(Writer& writer, const ReportForm& form, const fix::MessageView& order,
                        const Execution& execution) noexcept {
  write_ids(writer, form, k_none, execution, '8');
  repeat(writer, order, tag::k_account);
  // FIX's own word for a symbol that cannot be given.
  if (!repeat(writer, order, tag::k_symbol)) writer.field(tag::k_symbol, "[N/A]");
  if (!repeat(writer, order, tag::k_side)) writer.field(tag::k_side, k_undisclosed_side);
  for (const fix::Tag tag : {tag::k_security_id, tag::k_security_id_source, tag::k_order_qty, tag::k_ord_type,
                             tag::k_price, tag::k_stop_px, tag::k_time_in_force})
    repeat(writer, order, tag);
  writer.field(tag::k_leaves_qty, Quantity{})
      .field(tag::k_cum_qty, Quantity{})
      .field(tag::k_avg_px, market::Price{})
      .field(tag::k_transact_time, execution.time);
  if (!execution.text.empty()) writer.field(tag::k_text, execution.text);
}

void write_mass_cancel_report(Writer& writer, const ReportForm& form, const MassCancelReport& report) noexcept {
  const bool is_accepted = report.reject_reason < 0;
  writer.field(tag::k_cl_ord_id, report.cl_ord_id).field(tag::k_order_id, report.report_id);
  if (is_new(form)) writer.field(tag::k_mass_action_report_id, report.report_id);
  writer.field(tag::k_mass_cancel_request_type, report.type)
      .field(tag::k_mass_cancel_response, is_accepted ? report.type : std::string_view{"0"});
  if (!is_accepted) writer.field(tag::k_mass_cancel_reject_reason, report.reject_reason);
  if (form.has_venue_fields && report.partition != 0) writer.field(tag::k_appl_id, unsigned{report.partition});
  writer.field(tag::k_transact_time, report.time);
  if (!report.text.empty()) writer.field(tag::k_text, report.text);
}

namespace {

/// A request may have none (empty). Before 5.0 SP2 an OrderCancelReject must: NONE, as in OrderID(37).
void write_orig_cl_ord_id(Writer& writer, const ReportForm& form, std::string_view id) noexcept {
  if (!id.empty())
    writer.field(tag::k_orig_cl_ord_id, id);
  else if (!is_new(form))
    writer.field(tag::k_orig_cl_ord_id, k_none);
}

}  // namespace

void write_cancel_reject(Writer& writer, const ReportForm& form, const CancelReject& reject) noexcept {
  const Order* order = reject.order;
  const Identifier id = order == nullptr ? Identifier{} : identifier_of(order->order_id.value, form.venue_of(*order));
  const bool has_id = order != nullptr && order->order_id.value != 0;
  writer.field(tag::k_order_id, has_id ? id.view() : k_none).field(tag::k_cl_ord_id, reject.cl_ord_id);
  write_orig_cl_ord_id(writer, form, reject.orig_cl_ord_id);
  writer.field(tag::k_ord_status, order == nullptr ? '8' : status_of(*order))
      .field(tag::k_cxl_rej_response_to, reject.response_to)
      .field(tag::k_cxl_rej_reason, cancel_reject_in(form, reject.reason))
      .field(tag::k_transact_time, reject.time);
  if (!reject.text.empty()) writer.field(tag::k_text, reject.text);
}

}  // namespace dojima::gateway
