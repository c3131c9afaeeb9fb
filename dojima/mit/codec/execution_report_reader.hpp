#pragma once

// Reads and checks ExecutionReports, for any dialect that has tables (codec_tables.hpp). Stateless, no allocation.

#include <algorithm>
#include <cstdint>

#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/exec_types.hpp"
#include "dojima/mit/codec/report_fields.hpp"

namespace dojima::mit {

template <class D>
class ExecutionReportReader {
  using M = typename D::ExecutionReport;
  using OwnerReport = market::OwnerReport;
  using OwnerReportKind = market::OwnerReportKind;

 public:
  /// Whether a report keeps every rule: all in one test, because nearly all do. Which rule another one breaks, or
  /// whether its ids are right though no venue gives such, is found out rule by rule.
  [[nodiscard]] static bool is_plain(Bytes whole) noexcept {
    const Bytes message = exactly<M>(whole);
    constexpr std::uint32_t k_statuses = 0b11'0101'0111;  // 0, 1, 2, 4, 6, 8 and 9
    const unsigned status = load(message, M::order_status);
    const auto is_counted = [&](auto field) { return static_cast<std::int64_t>(load(message, field)) >= 0; };
    bool holds = is_ascii(message, M::client_order_id) && is_ascii(message, M::counterparty);
    holds &= names_order(message, M::execution_id) && names_order(message, M::order_id);
    holds &= names_order(message, M::execution_report_ref_id) && names_order(message, M::public_order_id);
    holds &= kind_of<D>(load(message, M::exec_type)) != OwnerReportKind::none;
    holds &= status < 32 && (k_statuses >> status & 1) != 0;
    holds &= static_cast<unsigned>(load(message, M::side)) <= 2;
    holds &= is_counted(M::sequence_no) && is_counted(M::executed_qty) && is_counted(M::leaves_qty);
    holds &= is_counted(M::display_qty) && is_counted(M::instrument_id);
    holds &= load(message, M::transact_time) >> 32 < static_cast<std::uint64_t>(k_second / D::k_fraction_ns);
    if constexpr (requires { M::capacity; }) holds &= static_cast<unsigned>(load(message, M::capacity)) <= 3;
    if constexpr (requires { M::minimum_quantity; }) holds &= is_counted(M::minimum_quantity);
    return holds;
  }

  /// A function of its own: inlined into the switch that calls it, it leaves its rules as calls.
  [[gnu::noinline]] static Fault check(Bytes message) { return is_plain(message) ? Fault{} : search(message); }

  /// The first rule that a report breaks, in wire order.
  [[gnu::cold]] static Fault search(Bytes message) {
    Rules rules(message);
    const char exec_type = load(message, M::exec_type);
    rules.at_least(M::sequence_no, 0)
        .order_id(M::execution_id)
        .ascii(M::client_order_id)
        .order_id(M::order_id)
        .require(kind_of<D>(exec_type) != OwnerReportKind::none, M::exec_type, exec_type,
                 "ExecType 0 4 5 8 9 C D F or H", code::k_value_invalid, ErrorCode::not_supported)
        .order_id(M::execution_report_ref_id)
        .one_of(M::order_status, {0, 1, 2, 4, 6, 8, 9})
        .at_least(M::executed_qty, 0)
        .at_least(M::leaves_qty, 0)
        .at_least(M::display_qty, 0)
        .at_least(M::instrument_id, 0)
        .one_of(M::side, {0, 1, 2})
        .ascii(M::counterparty);
    check_instant<D>(rules, message, M::transact_time);
    if constexpr (requires { M::capacity; }) rules.one_of(M::capacity, {0, 1, 2, 3});
    rules.order_id(M::public_order_id);
    if constexpr (requires { M::minimum_quantity; }) rules.at_least(M::minimum_quantity, 0);
    return rules.fault();
  }

  /// Each field of the report is written once, in its place: a report that is cleared first is cleared by a loop that
  /// takes its time to begin.
  static void read(Bytes whole, Outbound& reply) {
    const Bytes message = exactly<M>(whole);
    reply.kind = Outbound::Kind::report;
    Report& read = reply.report;
    read.code = load(message, M::order_reject_code);
    OwnerReport& report = read.report;
    report.sequence = sequence_in(message, M::sequence_no);
    report.command = {};
    report.time = instant_in<D>(message, M::transact_time);
    report.order.value = id_in(message, M::order_id);
    report.public_order.value = id_in(message, M::public_order_id);
    report.execution = id_in(message, M::execution_id);
    report.trade = load(message, M::trade_match_id);
    report.price.units = load(message, M::executed_price);
    report.quantity.lots = lots_in(message, M::executed_qty);
    report.leaves.lots = lots_in(message, M::leaves_qty);
    report.displayed.lots = lots_in(message, M::display_qty);
    report.minimum = {};
    if constexpr (requires { M::minimum_quantity; }) report.minimum.lots = load(message, M::minimum_quantity);
    load_into(report.client_order_id, message, M::client_order_id);
    load_into(report.counterparty, message, M::counterparty);
    report.partition = load(message, M::app_id);
    report.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    report.user = 0;
    report.kind = kind_of<D>(load(message, M::exec_type));
    report.status = static_cast<market::OrderStatus>(load(message, M::order_status));
    report.side = static_cast<market::Side>(load(message, M::side));
    report.reason = reason_of(read.code);
    report.capacity = market::Capacity::none;
    if constexpr (requires { M::capacity; })
      report.capacity = static_cast<market::Capacity>(load(message, M::capacity));
    report.liquidity = load(message, M::trade_liquidity_indicator);
    report.restatement = load(message, M::restatement_reason);
    report.peg = 0;
    if constexpr (requires { M::pegged_exec_inst; }) report.peg = load(message, M::pegged_exec_inst);
    report.owner_type = 0;
    if constexpr (requires { M::owner_type; }) report.owner_type = load(message, M::owner_type);
    report.waiver = load(message, M::waiver_flags);
    report.last_market = 0;
    if constexpr (requires { M::last_market; }) report.last_market = load(message, M::last_market);
    report.type_of_trade = load(message, M::type_of_trade);
    std::ranges::fill(report.reserved, std::uint8_t{0});
    report.reference = id_in(message, M::execution_report_ref_id);
  }
};

}  // namespace dojima::mit
