#pragma once

// Reports to a client as FIX fields: pure functions from an order's record and a venue's report to an open message.
// Order and number of the fields: docs/gateway.md. No allocation.

#include <array>
#include <cstdint>
#include <string_view>

#include "dojima/fix/message.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/gateway/messages/report_templates.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// OrdStatus(39) of an order.
[[nodiscard]] char status_of(const Order& order) noexcept;

/// An identifier of a venue as FIX shows it: twelve characters of base 62. Numbers take eleven at most; the first is
/// the venue's place, so that those of two venues differ.
struct Identifier {
  std::array<char, 12> characters{};
  [[nodiscard]] std::string_view view() const noexcept { return {characters.data(), characters.size()}; }
};
[[nodiscard]] Identifier identifier_of(std::uint64_t number, std::uint8_t venue = 0) noexcept;
/// The same, made in less time where the number is that of an execution.
[[nodiscard]] Identifier execution_id_of(std::uint64_t number, std::uint8_t venue) noexcept;

/// How a client wants its reports.
struct ReportForm {
  FixVersion version = FixVersion::fix_4_4;
  /// Fields and values that no version publishes: 9730, 20000, 27020, 378=100, 828=67. A client that has the published
  /// dictionary alone would refuse them.
  bool has_venue_fields = false;
  /// The venue's rejects of its requests become FIX's own (reject_writer.hpp), no reports.
  bool has_rejects = false;
  const VenueUsers* users = nullptr;  ///< null: there is one venue
  [[nodiscard]] std::uint8_t venue_of(const Order& order) const noexcept {
    return users == nullptr ? std::uint8_t{0} : (*users)[order.user].venue;
  }
};

/// What an ExecutionReport says besides the order's state.
struct Execution {
  char type = '0';                              ///< ExecType(150)
  std::string_view exec_id;                     ///< ExecID(17)
  std::string_view cl_ord_id;                   ///< ClOrdID(11); empty: none
  std::string_view orig_cl_ord_id;              ///< OrigClOrdID(41); empty: none
  int reject_reason = -1;                       ///< OrdRejReason(103); below 0: none
  std::string_view text;                        ///< Text(58); empty: none
  std::uint8_t venue = 0;                       ///< place of the one that ExecRefID(19) is of
  std::string_view status_request;              ///< OrdStatusReqID(790); empty: none
  std::string_view mass_request;                ///< MassStatusReqID(584); empty: none, nor what follows
  unsigned total_reports = 0;                   ///< TotNumReports(911)
  bool is_last_report = false;                  ///< LastRptRequested(912)
  time::Time time{};                            ///< TransactTime(60)
  const market::OwnerReport* report = nullptr;  ///< the venue's, for trades and restatements; null: none
};

/// An order, and for whom its client has said that it is; null: nothing.
struct ReportedOrder {
  const Order& order;
  const OrderParties* parties = nullptr;
  /// AccountType(581); 0: not said.
  [[nodiscard]] std::uint8_t clearing() const noexcept {
    return parties == nullptr ? std::uint8_t{0} : parties->clearing;
  }
};

/// ExecutionReport(8) of an order that has a record. What it repeats of the order is taken from `templates`, and kept
/// there; null: every field is written.
void write_execution(fix::Writer& writer, const ReportForm& form, const SymbolTable& symbols,
                     const ReportedOrder& reported, const Execution& execution,
                     ReportTemplates* templates = nullptr) noexcept;

/// ExecutionReport(8) that refuses a new order without a record: what it repeats comes from the message.
void write_order_reject(fix::Writer& writer, const ReportForm& form, const fix::MessageView& order,
                        const Execution& execution) noexcept;

/// OrderMassCancelReport(r).
struct MassCancelReport {
  std::string_view report_id;  ///< OrderID(37), and MassActionReportID(1369) where the version has it
  std::string_view cl_ord_id;
  std::string_view type;       ///< MassCancelRequestType(530)
  int reject_reason = -1;      ///< MassCancelRejectReason(532); below 0: the request was accepted
  std::uint8_t partition = 0;  ///< ApplID(1180), for who wants the venue's fields; 0: none
  std::string_view text;
  time::Time time{};
};
void write_mass_cancel_report(fix::Writer& writer, const ReportForm& form, const MassCancelReport& report) noexcept;

/// OrderCancelReject(9). `order` null: it is unknown.
struct CancelReject {
  const Order* order = nullptr;
  std::string_view cl_ord_id;
  std::string_view orig_cl_ord_id;  ///< empty: the request named its order by OrderID(37) alone, or none
  char response_to = '1';           ///< CxlRejResponseTo(434): 1 cancel, 2 replace
  unsigned reason = 0;              ///< CxlRejReason(102)
  std::string_view text;
  time::Time time{};
};
void write_cancel_reject(fix::Writer& writer, const ReportForm& form, const CancelReject& reject) noexcept;

}  // namespace dojima::gateway
