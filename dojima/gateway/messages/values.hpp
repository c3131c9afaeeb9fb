#pragma once

// Single values in FIX and in the venue's vocabulary, both ways, as annex B of the MIT203 reference pairs them. Pure
// functions over constant tables: no allocation, any thread. A value without a partner gives nothing.
//
//   if (const auto side = side_of('1')) ...       // Side::buy

#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/gateway/order_tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// Side(54): 1 and 2.
[[nodiscard]] std::optional<market::Side> side_of(char fix) noexcept;
[[nodiscard]] char fix_of(market::Side side) noexcept;

/// OrdType(40) is a type and a sub-type.
struct TypeOfOrder {
  market::OrderType type = market::OrderType::none;
  market::OrderSubType sub_type = market::OrderSubType::plain;
  friend bool operator==(const TypeOfOrder&, const TypeOfOrder&) = default;
};
/// Of the type, with the sub-type above its eight bits; 0: there is no such type. In one register: an optional value of
/// several bytes is put together in memory when a call gives it back, and is waited for.
[[nodiscard]] std::uint32_t type_code_of(char fix, bool has_price) noexcept;
/// 1 to 4 as they are; K market to limit; P pegged, with a limit where Price(44) is there; F offset.
[[nodiscard]] inline std::optional<TypeOfOrder> type_of(char fix, bool has_price) noexcept {
  const std::uint32_t code = type_code_of(fix, has_price);
  if (code == 0) return std::nullopt;
  return TypeOfOrder{static_cast<market::OrderType>(code & 0xff), static_cast<market::OrderSubType>(code >> 8U)};
}
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
