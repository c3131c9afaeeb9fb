#pragma once

// Reads and checks what answers a request and is no ExecutionReport: OrderCancelReject, BusinessReject,
// OrderMassCancelReport. For any dialect that has tables (codec_tables.hpp). Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/report_fields.hpp"

namespace dojima::mit {

template <class D>
class AnswerReader {
  using OrderCancelReject = typename D::OrderCancelReject;
  using OrderMassCancelReport = typename D::OrderMassCancelReport;
  using BusinessReject = typename D::BusinessReject;
  using OwnerReport = market::OwnerReport;
  using OwnerReportKind = market::OwnerReportKind;

 public:
  static Fault check_cancel_reject(Bytes message) {
    using M = OrderCancelReject;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
    check_instant<D>(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_cancel_reject(Bytes message, Outbound& reply) {
    using M = OrderCancelReject;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::cancel_reject_reason);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::request_rejected;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in<D>(message, M::transact_time);
    report.order.value = id_or_none_in(message, M::order_id);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    report.reason = reason_of(read.code);
  }

  static Fault check_business_reject(Bytes message) {
    using M = BusinessReject;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
    check_instant<D>(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_business_reject(Bytes message, Outbound& reply) {
    using M = BusinessReject;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::reject_code);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::business_rejected;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in<D>(message, M::transact_time);
    report.order.value = id_or_none_in(message, M::order_id);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    report.reason = reason_of(read.code);
  }

  static Fault check_mass_cancel_report(Bytes message) {
    using M = OrderMassCancelReport;
    Rules rules(message);
    rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).one_of(M::mass_cancel_response, {0, 7});
    check_instant<D>(rules, message, M::transact_time);
    return rules.fault();
  }

  static void read_mass_cancel_report(Bytes message, Outbound& reply) {
    using M = OrderMassCancelReport;
    Report& read = begin(reply, Outbound::Kind::report, reply.report);
    read.code = load(message, M::mass_cancel_reject_reason);
    OwnerReport& report = read.report;
    report.kind = OwnerReportKind::mass_cancelled;
    report.sequence = sequence_in(message, M::sequence_no);
    report.time = instant_in<D>(message, M::transact_time);
    report.client_order_id = load(message, M::client_order_id);
    report.partition = load(message, M::app_id);
    if (load(message, M::mass_cancel_response) == k_mass_cancel_accepted) return;
    report.reason = reason_of(read.code);
    if (report.reason == market::Reason::none) report.reason = market::Reason::not_supported;
    report.status = market::OrderStatus::rejected;
  }

 private:
  static constexpr std::uint8_t k_mass_cancel_accepted = 7;

  /// The OrderID of `9` and `j`: "NONE", though base 62 by its letters, is no order.
  [[nodiscard]] static std::uint64_t id_or_none_in(Bytes message, TextField<k_order_id_width> field) noexcept {
    return load(message, field).view() == "NONE" ? 0 : id_in(message, field);
  }
};

}  // namespace dojima::mit
