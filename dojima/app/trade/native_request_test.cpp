#include "dojima/app/trade/native_request.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::app {
namespace {

using market::OrderSubType, market::OrderType;

const NativeTradeOptions k_options{.instruments = {{"KAGA", 1001}}};

struct Order {
  explicit Order(const std::string& line)
      : command(parse_trade_command(line).value()), order{.number = 1, .entry = command.order, .id = "a-1"} {}
  [[nodiscard]] Understood<market::NewOrder> native(std::string_view id = "a-1") const {
    return native_order({.command = command, .id = id, .order = &order}, k_options);
  }
  TradeCommand command;
  BlotterOrder order;
};

TEST(NativeRequest, makes_an_order_with_what_a_gateway_has_by_default) {
  const auto command = Order("buy 100 KAGA @ 12.5 display=10 account=RICE").native();
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->header.instrument, 1001u);
  EXPECT_EQ(command->terms.displayed.lots, 10);
  EXPECT_EQ(command->terms.capacity, market::Capacity::any_other);
  EXPECT_EQ(command->terms.flags, market::k_auto_cancel);
  EXPECT_EQ(command->labels.client_order_id.view(), "a-1");
  EXPECT_EQ(command->labels.account.view(), "RICE");
  EXPECT_EQ(command->labels.executing_trader, 3u);
  EXPECT_EQ(command->labels.clearing, 1);
}

TEST(NativeRequest, carries_whose_order_it_is) {
  const auto command =
      Order("buy 100 7 offset 25 close named owner=retail client=5:person executing=7:algo dea clearing=house")
          .native();
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->header.instrument, 7u);
  EXPECT_EQ(command->terms.sub_type, OrderSubType::offset);
  EXPECT_EQ(command->terms.offset_bp, 25);
  EXPECT_EQ(command->terms.flags, market::k_auto_cancel | market::k_named);
  EXPECT_EQ(command->terms.owner_type, 1);
  EXPECT_EQ(command->labels.client, 5u);
  EXPECT_EQ(command->labels.executing_trader, 7u);
  EXPECT_EQ(command->labels.roles, 3 | 2 << 4);
  EXPECT_EQ(command->labels.mifid, k_direct_access);
  EXPECT_EQ(command->labels.clearing, 3);
}

TEST(NativeRequest, replaces_with_every_final_value) {
  const Order stop("buy 100 KAGA stop 12 @ 13 display=10");
  TradeCommand change = parse_trade_command("amend 1 5").value();
  const auto replace = native_replace({.command = change, .id = "a-1.1", .order = &stop.order}, k_options);
  ASSERT_TRUE(replace.has_value());
  EXPECT_EQ(replace->quantity.lots, 5);
  EXPECT_EQ(replace->displayed.lots, 5) << "no more than there is";
  EXPECT_EQ(replace->limit.units, 13 * market::k_price_scale);
  EXPECT_EQ(replace->stop.units, 12 * market::k_price_scale);
  EXPECT_EQ(replace->original_client_order_id.view(), "a-1");
  const Order visible("buy 100 KAGA market");
  const auto all = native_replace({.command = change, .id = "a-1.1", .order = &visible.order}, k_options);
  EXPECT_EQ(all->displayed.lots, 5);
  EXPECT_EQ(all->limit.units, -1);
  EXPECT_EQ(all->stop.units, -1);
}

TEST(NativeRequest, refuses_in_words_what_mit203_cannot_say) {
  EXPECT_NE(Order("buy 1 NORI @ 1").native().error().find("no instrument"), std::string::npos);
  EXPECT_NE(Order("buy 1 7 @ 1").native("an-id-of-twenty-one-c").error().find("at most 20 characters"),
            std::string::npos);
}

TEST(NativeRequest, reads_reports) {
  market::OwnerReport report;
  report.kind = market::OwnerReportKind::traded;
  report.client_order_id = Text<20>::cut("a-1");
  report.order = {62};
  report.side = market::Side::sell;
  report.quantity = {30};
  report.leaves = {70};
  report.price = {12};
  report.execution = 77;
  report.liquidity = 'A';
  const TradeReport traded = native_report(report, 0);
  EXPECT_EQ(traded.kind, TradeReportKind::traded);
  EXPECT_EQ(traded.id, "a-1");
  EXPECT_EQ(traded.order_id, "000000000010");
  EXPECT_EQ(traded.execution_id, "77");
  EXPECT_EQ(traded.leaves->lots, 70);
  EXPECT_EQ(traded.last_quantity.lots, 30);
  report.kind = market::OwnerReportKind::rejected;
  report.reason = market::Reason::price_not_on_tick;
  EXPECT_EQ(native_report(report, 0).text, "price not on tick");
  EXPECT_FALSE(native_report(report, 0).leaves.has_value());
  report.kind = market::OwnerReportKind::accepted;
  report.status = market::OrderStatus::suspended;
  EXPECT_EQ(native_report(report, 0).kind, TradeReportKind::parked);
}

TEST(NativeRequest, has_words_for_every_reason) {
  for (int reason = 1; reason <= static_cast<int>(market::k_last_reason); ++reason) {
    market::OwnerReport report;
    report.kind = market::OwnerReportKind::rejected;
    report.reason = static_cast<market::Reason>(reason);
    EXPECT_EQ(native_report(report, 0).text.find("code"), std::string::npos) << reason;
  }
  EXPECT_EQ(code_text(31), "code 31");
}

}  // namespace
}  // namespace dojima::app
