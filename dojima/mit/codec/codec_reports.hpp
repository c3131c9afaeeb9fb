#pragma once

// Reads and checks the reports of a server: executions, refused changes, mass cancels. For any dialect that has tables
// (codec_tables.hpp). Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

template <class D>
class ReportReader {
  using ExecutionReport = typename D::ExecutionReport;
  using OrderCancelReject = typename D::OrderCancelReject;
  using OrderMassCancelReport = typename D::OrderMassCancelReport;
  using BusinessReject = typename D::BusinessReject;
  using OwnerReport = market::OwnerReport;
  using OwnerReportKind = market::OwnerReportKind;
  using Time = time::Time;

 public:
  static Fault check_execution_report(Bytes message) {
    using M = ExecutionReport;
    Rules rules(message);
    const char exec_type = load(message, M::exec_type);
    rules.at_least(M::sequence_no, 0)
        .order_id(M::execution_id)
        .ascii(M::client_order_id)
        .order_id(M::order_id)
        .require(kind_of(exec_type) != OwnerReportKind::none, M::exec_type, exec_type, "ExecType 0 4 5 8 9 C D F or H",
                 code::k_value_invalid, ErrorCode::not_supported)
        .order_id(M::execution_report_ref_id)
        .one_of(M::order_status, {0, 1, 2, 4, 6, 8, 9})
        .at_least(M::executed_qty, 0)
        .at_least(M::leaves_qty, 0)
        .at_least(M::display_qty, 0)
        .at_least(M::instrument_id, 0)
        .one_of(M::side, {0, 1, 2})
        .ascii(M::counterparty);
    check_instant(rules, message, M::transact_time);
    if constexpr (requires { M::capacity; }) rules.one_of(M::capacity, {0, 1, 2, 3});
    rules.order_id(M::public_order_id);
    if constexpr (requires { M::minimum_quantity; }) rules.at_least(M::minimum_quantity, 0);
    return rules.fault();
  }

  static void read_execution_report(Bytes message, Outbound& reply) {
    using M = ExecutionReport;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::order_reject_code);
    OwnerReport& report = read.report;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in(message, M::transact_time);
    report.order.value = id_in(message, M::order_id);
    report.public_order.value = id_in(message, M::public_order_id);
    report.execution = id_in(message, M::execution_id);
    report.reference = id_in(message, M::execution_report_ref_id);
    report.trade = load(message, M::trade_match_id);
    report.price.units = load(message, M::executed_price);
    report.quantity.lots = lots_in(message, M::executed_qty);
    report.leaves.lots = lots_in(message, M::leaves_qty);
    report.displayed.lots = lots_in(message, M::display_qty);
    if constexpr (requires { M::minimum_quantity; }) report.minimum.lots = load(message, M::minimum_quantity);
    report.client_order_id = load(message, M::client_order_id);
    report.counterparty = load(message, M::counterparty);
    report.partition = load(message, M::app_id);
    report.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    report.kind = kind_of(load(message, M::exec_type));
    report.status = static_cast<market::OrderStatus>(load(message, M::order_status));
    report.side = static_cast<market::Side>(load(message, M::side));
    report.reason = reason_of(read.code);
    if constexpr (requires { M::capacity; })
      report.capacity = static_cast<market::Capacity>(load(message, M::capacity));
    report.liquidity = load(message, M::trade_liquidity_indicator);
    report.restatement = load(message, M::restatement_reason);
    if constexpr (requires { M::pegged_exec_inst; }) report.peg = load(message, M::pegged_exec_inst);
    if constexpr (requires { M::owner_type; }) report.owner_type = load(message, M::owner_type);
    report.waiver = load(message, M::waiver_flags);
    if constexpr (requires { M::last_market; }) report.last_market = load(message, M::last_market);
    report.type_of_trade = load(message, M::type_of_trade);
  }

  static Fault check_cancel_reject(Bytes message) {
    using M = OrderCancelReject;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
    check_instant(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_cancel_reject(Bytes message, Outbound& reply) {
    using M = OrderCancelReject;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::cancel_reject_reason);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::request_rejected;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in(message, M::transact_time);
    report.order.value = id_or_none_in(message, M::order_id);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    report.reason = reason_of(read.code);
  }

  static Fault check_business_reject(Bytes message) {
    using M = BusinessReject;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
    check_instant(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_business_reject(Bytes message, Outbound& reply) {
    using M = BusinessReject;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::reject_code);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::business_rejected;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in(message, M::transact_time);
    report.order.value = id_or_none_in(message, M::order_id);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    report.reason = reason_of(read.code);
  }

  static Fault check_mass_cancel_report(Bytes message) {
    using M = OrderMassCancelReport;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).one_of(M::mass_cancel_response, {0, 7});
    check_instant(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_mass_cancel_report(Bytes message, Outbound& reply) {
    using M = OrderMassCancelReport;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::mass_cancel_reject_reason);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::mass_cancelled;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in(message, M::transact_time);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    if (load(message, M::mass_cancel_response) == k_mass_cancel_accepted) return;
    report.reason = reason_of(read.code);
    if (report.reason == market::Reason::none) report.reason = market::Reason::not_supported;
    report.status = market::OrderStatus::rejected;
  }

 private:
  /// A refusal whose reason we do not know is still one.
  static constexpr std::uint8_t k_mass_cancel_accepted = 7;

  [[nodiscard]] static OwnerReportKind kind_of(char exec_type) noexcept {
    switch (exec_type) {
      case '0':
        return OwnerReportKind::accepted;
      case 'F':
        return OwnerReportKind::traded;
      case '4':
        return OwnerReportKind::cancelled;
      case '5':
        return OwnerReportKind::replaced;
      case 'C':
        return OwnerReportKind::expired;
      case '8':
        return OwnerReportKind::rejected;
      case '9':
        return has_value(ExecutionReport::exec_type, '9') ? OwnerReportKind::suspended : OwnerReportKind::none;
      case 'D':
        return OwnerReportKind::restated;
      case 'H':
        return OwnerReportKind::trade_cancelled;
      default:
        return OwnerReportKind::none;
    }
  }

  /// A part of a second, in the high word.
  static void check_instant(Rules& rules, Bytes message, UInt64Field field) {
    const std::uint64_t fraction = load(message, field) >> 32;
    rules.require(fraction < static_cast<std::uint64_t>(k_second / D::k_fraction_ns), field,
                  static_cast<std::int64_t>(fraction), "a fraction below one second");
  }

  [[nodiscard]] static Time instant_in(Bytes message, UInt64Field field) noexcept {
    const std::uint64_t both = load(message, field);
    const auto seconds = static_cast<std::int64_t>(both & 0xffff'ffff);
    return time::from_nanoseconds(seconds * k_second + static_cast<std::int64_t>(both >> 32) * D::k_fraction_ns);
  }

  [[nodiscard]] static market::Sequence sequence_in(Bytes message, Int32Field field) noexcept {
    return {static_cast<std::uint64_t>(load(message, field))};
  }

  /// The OrderID of `9` and `j`: "NONE", though base 62 by its letters, is no order.
  [[nodiscard]] static std::uint64_t id_or_none_in(Bytes message, TextField<k_order_id_width> field) noexcept {
    return load(message, field).view() == "NONE" ? 0 : id_in(message, field);
  }
};

}  // namespace dojima::mit
