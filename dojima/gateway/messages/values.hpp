#pragma once

// Single values in FIX and in the venue's vocabulary, both ways, as annex B of the MIT203 reference pairs them. Pure
// functions over constant tables: no allocation, any thread. A value without a partner gives nothing.
//
//   if (const auto side = side_of('1')) ...       // Side::buy

#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

namespace tag {
using namespace fix::tag;
inline constexpr fix::Tag k_last_mkt = 30;
inline constexpr fix::Tag k_rule_80a = 47;  ///< FIX 4.2: the capacity
inline constexpr fix::Tag k_cash_order_qty = 152;
inline constexpr fix::Tag k_effective_time = 168;
inline constexpr fix::Tag k_peg_offset_value = 211;
inline constexpr fix::Tag k_order_id_alias = 278;  ///< MDEntryID: the order's id in the market data
inline constexpr fix::Tag k_trading_session_id = 336;
inline constexpr fix::Tag k_contra_broker = 375;
inline constexpr fix::Tag k_contra_broker_count = 382;
inline constexpr fix::Tag k_trading_session_count = 386;
inline constexpr fix::Tag k_discretion_inst = 388;
inline constexpr fix::Tag k_price_type = 423;
inline constexpr fix::Tag k_order_percent = 516;
inline constexpr fix::Tag k_owner_type = 522;
inline constexpr fix::Tag k_mass_cancel_response = 531;
inline constexpr fix::Tag k_trading_session_sub_id = 625;
inline constexpr fix::Tag k_mass_cancel_reject_reason = 532;
inline constexpr fix::Tag k_mass_status_req_id = 584;
inline constexpr fix::Tag k_mass_status_req_type = 585;
inline constexpr fix::Tag k_ord_status_req_id = 790;
inline constexpr fix::Tag k_trd_type = 828;
inline constexpr fix::Tag k_total_reports = 911;
inline constexpr fix::Tag k_is_last_report = 912;
inline constexpr fix::Tag k_target_strategy = 847;
inline constexpr fix::Tag k_display_method = 1084;
inline constexpr fix::Tag k_pre_trade_anonymity = 1091;
inline constexpr fix::Tag k_peg_price_type = 1094;
inline constexpr fix::Tag k_display_qty = 1138;
inline constexpr fix::Tag k_appl_id = 1180;
inline constexpr fix::Tag k_market_segment_id = 1300;
inline constexpr fix::Tag k_mass_action_report_id = 1369;
inline constexpr fix::Tag k_target_party_count = 1461;
inline constexpr fix::Tag k_target_party_id = 1462;
inline constexpr fix::Tag k_target_party_id_source = 1463;
inline constexpr fix::Tag k_target_party_role = 1464;
inline constexpr fix::Tag k_order_origination = 1724;
inline constexpr fix::Tag k_party_role_qualifier = 2376;
inline constexpr fix::Tag k_order_attribute_count = 2593;
inline constexpr fix::Tag k_order_attribute_type = 2594;
inline constexpr fix::Tag k_order_attribute_value = 2595;
inline constexpr fix::Tag k_waiver_count = 2668;
inline constexpr fix::Tag k_waiver_publication_type = 2669;
inline constexpr fix::Tag k_waiver_publication_reason = 2670;
// The venue's own, in every version.
inline constexpr fix::Tag k_type_of_trade = 20000;
inline constexpr fix::Tag k_passive_only_order = 27010;
inline constexpr fix::Tag k_trade_match_number = 27020;
/// TradeLiquidityIndicator, for what FIX 4.2 and 4.4 have no number for.
inline constexpr fix::Tag k_trade_liquidity_indicator = 9730;
inline constexpr fix::Tag k_group_id = 27017;
inline constexpr fix::Tag k_offset = 27018;
inline constexpr fix::Tag k_pegged_exec_inst = 27021;
/// CancelOnDisconnect, of a Logon.
inline constexpr fix::Tag k_cancel_on_disconnect = 27030;
}  // namespace tag

/// Side(54): 1 and 2.
[[nodiscard]] std::optional<market::Side> side_of(char fix) noexcept;
[[nodiscard]] char fix_of(market::Side side) noexcept;

/// OrdType(40) is a type and a sub-type.
struct TypeOfOrder {
  market::OrderType type = market::OrderType::none;
  market::OrderSubType sub_type = market::OrderSubType::plain;
  friend bool operator==(const TypeOfOrder&, const TypeOfOrder&) = default;
};
/// 1 to 4 as they are; K market to limit; P pegged, with a limit where Price(44) is there; F offset.
[[nodiscard]] std::optional<TypeOfOrder> type_of(char fix, bool has_price) noexcept;
[[nodiscard]] char fix_of(TypeOfOrder type) noexcept;

/// Where a good-till-date order says when.
enum class ExpiryField : std::uint8_t { none, date, time };
/// TimeInForce(59). 6 is good till date with ExpireDate(432) and good till time with ExpireTime(126).
[[nodiscard]] std::optional<market::TimeInForce> time_in_force_of(char fix, ExpiryField expiry) noexcept;
/// '\0' for a value that FIX expresses in another way.
[[nodiscard]] char fix_of(market::TimeInForce time_in_force) noexcept;

/// OrderCapacity(528): A, P, R.
[[nodiscard]] std::optional<market::Capacity> capacity_of(char fix) noexcept;
[[nodiscard]] char fix_of(market::Capacity capacity) noexcept;

/// AccountType(581) as ClearingAccount: 1 and 3.
[[nodiscard]] std::optional<std::uint8_t> clearing_of(std::string_view fix) noexcept;

/// OrdStatus(39) of a status that the venue reports.
[[nodiscard]] char fix_of(market::OrderStatus status) noexcept;
/// ExecType(150); '\0' for kinds that are no ExecutionReport.
[[nodiscard]] char exec_type_of(market::OwnerReportKind kind) noexcept;
/// LastLiquidityInd(851): A, R, C as 1, 2, 4; 0 for none. FIX 4.4 has no 4, FIX 4.2 no such field: 9730 says it there.
[[nodiscard]] unsigned liquidity_of(char indicator) noexcept;

/// Rule80A(47) of FIX 4.2: A agency, P principal. '\0': it has no value for the capacity.
[[nodiscard]] std::optional<market::Capacity> capacity_of_rule_80a(char fix) noexcept;
[[nodiscard]] char rule_80a_of(market::Capacity capacity) noexcept;

/// PartyRoleQualifier(2376) as one of the two-bit numbers of PartyRoleQualifiers: 23 firm 1, 22 algorithm 2, 24
/// person 3.
[[nodiscard]] std::optional<std::uint8_t> role_qualifier_of(std::string_view fix) noexcept;
/// LastMkt(30) as a market identifier code; empty for none.
[[nodiscard]] std::string_view market_of(std::uint8_t last_market) noexcept;

}  // namespace dojima::gateway
