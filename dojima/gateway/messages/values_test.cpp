#include "dojima/gateway/messages/values.hpp"

#include <gtest/gtest.h>
#include <string_view>
#include <tuple>
#include <utility>

namespace dojima::gateway {
namespace {

using market::Capacity, market::OrderStatus, market::OrderSubType, market::OrderType, market::OwnerReportKind,
    market::Side, market::TimeInForce;

TEST(GatewayValues, sides_pair_both_ways) {
  for (const auto& [fix, side] : {std::pair{'1', Side::buy}, std::pair{'2', Side::sell}}) {
    EXPECT_EQ(side_of(fix), side);
    EXPECT_EQ(fix_of(side), fix);
  }
  for (const char other : {'0', '3', '5', 'A'}) EXPECT_EQ(side_of(other), std::nullopt);
}

TEST(GatewayValues, order_types_pair_both_ways) {
  struct Row {
    char fix;
    bool has_price;
    OrderType type;
    OrderSubType sub_type;
  };
  for (const Row& row :
       {Row{'1', false, OrderType::market, OrderSubType::plain}, Row{'2', true, OrderType::limit, OrderSubType::plain},
        Row{'3', false, OrderType::stop, OrderSubType::plain},
        Row{'4', true, OrderType::stop_limit, OrderSubType::plain},
        Row{'K', false, OrderType::market_to_limit, OrderSubType::plain},
        Row{'P', true, OrderType::limit, OrderSubType::pegged},
        Row{'P', false, OrderType::market, OrderSubType::pegged},
        Row{'F', true, OrderType::limit, OrderSubType::offset},
        Row{'F', false, OrderType::limit, OrderSubType::offset}}) {
    EXPECT_EQ(type_of(row.fix, row.has_price), (TypeOfOrder{row.type, row.sub_type})) << row.fix;
    EXPECT_EQ(fix_of(TypeOfOrder{row.type, row.sub_type}), row.fix);
  }
  for (const char other : {'0', '5', '9', 'J'}) EXPECT_EQ(type_of(other, true), std::nullopt);
}

TEST(GatewayValues, times_in_force_pair_both_ways) {
  struct Row {
    char fix;
    ExpiryField expiry;
    TimeInForce native;
    int number;
  };
  for (const Row& row :
       {Row{'0', ExpiryField::none, TimeInForce::day, 0}, Row{'1', ExpiryField::none, TimeInForce::good_till_cancel, 1},
        Row{'2', ExpiryField::none, TimeInForce::at_the_opening, 5},
        Row{'3', ExpiryField::none, TimeInForce::immediate_or_cancel, 3},
        Row{'4', ExpiryField::none, TimeInForce::fill_or_kill, 4},
        Row{'6', ExpiryField::date, TimeInForce::good_till_date, 6},
        Row{'6', ExpiryField::time, TimeInForce::good_till_time, 8},
        Row{'7', ExpiryField::none, TimeInForce::at_the_close, 10},
        Row{'8', ExpiryField::none, TimeInForce::good_for_intraday_auction, 51},
        Row{'9', ExpiryField::none, TimeInForce::good_for_next_auction, 50},
        Row{'C', ExpiryField::none, TimeInForce::good_for_scheduled_auction, 52},
        Row{'D', ExpiryField::none, TimeInForce::auction_volume_discovery, 54},
        Row{'E', ExpiryField::none, TimeInForce::volume_discovery_and_cross, 55}}) {
    EXPECT_EQ(time_in_force_of(row.fix, row.expiry), row.native) << row.fix;
    EXPECT_EQ(fix_of(row.native), row.fix);
    EXPECT_EQ(static_cast<int>(row.native), row.number);
  }
  EXPECT_EQ(time_in_force_of('6', ExpiryField::none), std::nullopt);
  EXPECT_EQ(time_in_force_of('5', ExpiryField::none), std::nullopt);
  EXPECT_EQ(fix_of(TimeInForce::closing_price_cross), '\0');
}

TEST(GatewayValues, capacities_and_accounts_pair_with_native_numbers) {
  for (const auto& [fix, capacity, number] :
       {std::tuple{'R', Capacity::matched_principal, 1}, std::tuple{'P', Capacity::dealing, 2},
        std::tuple{'A', Capacity::any_other, 3}}) {
    EXPECT_EQ(capacity_of(fix), capacity);
    EXPECT_EQ(fix_of(capacity), fix);
    EXPECT_EQ(static_cast<int>(capacity), number);
  }
  EXPECT_EQ(capacity_of('I'), std::nullopt);
  EXPECT_EQ(clearing_of("1"), 1);
  EXPECT_EQ(clearing_of("3"), 3);
  EXPECT_EQ(clearing_of("2"), std::nullopt);
}

TEST(GatewayValues, statuses_execution_types_and_trade_fields_go_to_the_client) {
  for (const auto& [status, number, fix] :
       {std::tuple{OrderStatus::new_order, 0, '0'}, std::tuple{OrderStatus::partially_filled, 1, '1'},
        std::tuple{OrderStatus::filled, 2, '2'}, std::tuple{OrderStatus::cancelled, 4, '4'},
        std::tuple{OrderStatus::expired, 6, 'C'}, std::tuple{OrderStatus::rejected, 8, '8'},
        std::tuple{OrderStatus::suspended, 9, '9'}}) {
    EXPECT_EQ(static_cast<int>(status), number);
    EXPECT_EQ(fix_of(status), fix);
  }
  EXPECT_EQ(exec_type_of(OwnerReportKind::accepted), '0');
  EXPECT_EQ(exec_type_of(OwnerReportKind::traded), 'F');
  EXPECT_EQ(exec_type_of(OwnerReportKind::cancelled), '4');
  EXPECT_EQ(exec_type_of(OwnerReportKind::replaced), '5');
  EXPECT_EQ(exec_type_of(OwnerReportKind::expired), 'C');
  EXPECT_EQ(exec_type_of(OwnerReportKind::rejected), '8');
  EXPECT_EQ(exec_type_of(OwnerReportKind::request_rejected), '\0');
  EXPECT_EQ(liquidity_of('A'), 1u);
  EXPECT_EQ(liquidity_of('R'), 2u);
  EXPECT_EQ(liquidity_of('C'), 4u);
  EXPECT_EQ(liquidity_of('\0'), 0u);
  for (const auto& [number, market] : {std::pair{21, "XLON"}, std::pair{22, "XLOM"}, std::pair{23, "AIMX"},
                                       std::pair{24, "XPVT"}, std::pair{25, "XLOX"}, std::pair{0, ""}})
    EXPECT_EQ(market_of(static_cast<std::uint8_t>(number)), market);
}

}  // namespace
}  // namespace dojima::gateway
