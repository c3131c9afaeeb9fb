#include "dojima/gateway/messages/values.hpp"

#include <array>
#include <utility>

namespace dojima::gateway {
namespace {

using market::Capacity, market::OrderStatus, market::OrderSubType, market::OrderType, market::OwnerReportKind,
    market::Side, market::TimeInForce;

template <class First, class Second>
using Pair = std::pair<First, Second>;

template <class First, class Second, std::size_t Size>
constexpr std::optional<Second> second_of(const std::array<Pair<First, Second>, Size>& table, First key) noexcept {
  for (const auto& [first, second] : table) {
    if (first == key) return second;
  }
  return std::nullopt;
}

template <class First, class Second, std::size_t Size>
constexpr First first_of(const std::array<Pair<First, Second>, Size>& table, Second key, First otherwise) noexcept {
  for (const auto& [first, second] : table) {
    if (second == key) return first;
  }
  return otherwise;
}

constexpr std::array k_sides{Pair{'1', Side::buy}, Pair{'2', Side::sell}};

constexpr std::array k_plain_types{Pair{'1', OrderType::market}, Pair{'2', OrderType::limit},
                                   Pair{'3', OrderType::stop}, Pair{'4', OrderType::stop_limit},
                                   Pair{'K', OrderType::market_to_limit}};

constexpr std::array k_times_in_force{Pair{'0', TimeInForce::day},
                                      Pair{'1', TimeInForce::good_till_cancel},
                                      Pair{'2', TimeInForce::at_the_opening},
                                      Pair{'3', TimeInForce::immediate_or_cancel},
                                      Pair{'4', TimeInForce::fill_or_kill},
                                      Pair{'7', TimeInForce::at_the_close},
                                      Pair{'8', TimeInForce::good_for_intraday_auction},
                                      Pair{'9', TimeInForce::good_for_next_auction},
                                      Pair{'C', TimeInForce::good_for_scheduled_auction},
                                      Pair{'D', TimeInForce::auction_volume_discovery},
                                      Pair{'E', TimeInForce::volume_discovery_and_cross}};

constexpr std::array k_capacities{Pair{'R', Capacity::matched_principal}, Pair{'P', Capacity::dealing},
                                  Pair{'A', Capacity::any_other}};

constexpr std::array k_role_qualifiers{Pair{std::string_view{"23"}, std::uint8_t{1}},
                                       Pair{std::string_view{"22"}, std::uint8_t{2}},
                                       Pair{std::string_view{"24"}, std::uint8_t{3}}};

constexpr std::array k_markets{
    Pair{std::uint8_t{21}, std::string_view{"XLON"}}, Pair{std::uint8_t{22}, std::string_view{"XLOM"}},
    Pair{std::uint8_t{23}, std::string_view{"AIMX"}}, Pair{std::uint8_t{24}, std::string_view{"XPVT"}},
    Pair{std::uint8_t{25}, std::string_view{"XLOX"}}};

}  // namespace

std::optional<Side> side_of(char fix) noexcept {
  return second_of(k_sides, fix);
}

char fix_of(Side side) noexcept {
  return first_of(k_sides, side, '\0');
}

std::uint32_t type_code_of(char fix, bool has_price) noexcept {
  static_assert(OrderType::none == OrderType{});
  const auto code = [](OrderType type, OrderSubType sub_type) {
    return static_cast<std::uint32_t>(type) | static_cast<std::uint32_t>(sub_type) << 8U;
  };
  if (fix == 'P') return code(has_price ? OrderType::limit : OrderType::market, OrderSubType::pegged);
  if (fix == 'F') return code(OrderType::limit, OrderSubType::offset);
  const std::optional<OrderType> type = second_of(k_plain_types, fix);
  return type ? code(*type, OrderSubType::plain) : 0;
}

char fix_of(TypeOfOrder type) noexcept {
  if (type.sub_type == OrderSubType::pegged) return 'P';
  if (type.sub_type == OrderSubType::offset) return 'F';
  return first_of(k_plain_types, type.type, '\0');
}

std::optional<TimeInForce> time_in_force_of(char fix, ExpiryField expiry) noexcept {
  if (fix != '6') return second_of(k_times_in_force, fix);
  if (expiry == ExpiryField::date) return TimeInForce::good_till_date;
  if (expiry == ExpiryField::time) return TimeInForce::good_till_time;
  return std::nullopt;
}

char fix_of(TimeInForce time_in_force) noexcept {
  if (time_in_force == TimeInForce::good_till_date || time_in_force == TimeInForce::good_till_time) return '6';
  return first_of(k_times_in_force, time_in_force, '\0');
}

std::optional<Capacity> capacity_of(char fix) noexcept {
  return second_of(k_capacities, fix);
}

char fix_of(Capacity capacity) noexcept {
  return first_of(k_capacities, capacity, '\0');
}

std::optional<std::uint8_t> clearing_of(std::string_view fix) noexcept {
  if (fix == "1") return std::uint8_t{1};
  if (fix == "3") return std::uint8_t{3};
  return std::nullopt;
}

char fix_of(OrderStatus status) noexcept {
  switch (status) {
    case OrderStatus::new_order:
      return '0';
    case OrderStatus::partially_filled:
      return '1';
    case OrderStatus::filled:
      return '2';
    case OrderStatus::cancelled:
      return '4';
    case OrderStatus::expired:
      return 'C';
    case OrderStatus::rejected:
      return '8';
    case OrderStatus::suspended:
      return '9';
  }
  return '\0';
}

char exec_type_of(OwnerReportKind kind) noexcept {
  switch (kind) {
    case OwnerReportKind::accepted:
      return '0';
    case OwnerReportKind::traded:
      return 'F';
    case OwnerReportKind::cancelled:
      return '4';
    case OwnerReportKind::replaced:
      return '5';
    case OwnerReportKind::expired:
      return 'C';
    case OwnerReportKind::rejected:
      return '8';
    case OwnerReportKind::suspended:
      return '9';
    case OwnerReportKind::restated:
      return 'D';
    case OwnerReportKind::trade_cancelled:
      return 'H';
    case OwnerReportKind::trade_corrected:
      return 'G';
    case OwnerReportKind::none:
    case OwnerReportKind::request_rejected:
    case OwnerReportKind::business_rejected:
    case OwnerReportKind::mass_cancelled:
      break;
  }
  return '\0';
}

unsigned liquidity_of(char indicator) noexcept {
  switch (indicator) {
    case 'A':
      return 1;
    case 'R':
      return 2;
    case 'C':
      return 4;
    default:
      return 0;
  }
}

std::optional<Capacity> capacity_of_rule_80a(char fix) noexcept {
  return fix == 'R' ? std::nullopt : capacity_of(fix);
}

char rule_80a_of(Capacity capacity) noexcept {
  return capacity == Capacity::matched_principal ? '\0' : fix_of(capacity);
}

std::optional<std::uint8_t> role_qualifier_of(std::string_view fix) noexcept {
  return second_of(k_role_qualifiers, fix);
}

std::string_view market_of(std::uint8_t last_market) noexcept {
  return second_of(k_markets, last_market).value_or(std::string_view{});
}

}  // namespace dojima::gateway
