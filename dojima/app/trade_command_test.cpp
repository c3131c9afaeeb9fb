#include "dojima/app/trade_command.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::app {
namespace {

using market::OrderType;
using market::Side;
using market::TimeInForce;

TradeCommand parsed(std::string_view line) {
  const auto command = parse_trade_command(line);
  EXPECT_TRUE(command.has_value()) << line << ": " << (command ? "" : command.error());
  return command.value_or(TradeCommand{});
}

std::string refused(std::string_view line) {
  const auto command = parse_trade_command(line);
  EXPECT_FALSE(command.has_value()) << line;
  return command ? "" : command.error();
}

TEST(TradeCommand, reads_orders) {
  const TradeCommand limit = parsed("buy 100 KAGA @ 12.5");
  EXPECT_EQ(limit.verb, TradeVerb::enter);
  EXPECT_EQ(limit.side, Side::buy);
  EXPECT_EQ(limit.quantity.lots, 100);
  EXPECT_EQ(limit.symbol, "KAGA");
  EXPECT_EQ(limit.price.units, 1'250'000'000);
  EXPECT_EQ(limit.time_in_force, TimeInForce::day);
  EXPECT_EQ(parsed("SELL 5 x @3 ioc").time_in_force, TimeInForce::immediate_or_cancel);
  EXPECT_EQ(parsed("sell 5 x@3 fok").time_in_force, TimeInForce::fill_or_kill);
  EXPECT_EQ(parsed("sell 5 x @ market").type, OrderType::market);
  EXPECT_EQ(parsed("buy 5 KAGA market ioc").type, OrderType::market);
  const TradeCommand market = parsed("market sell 7 HIGO");
  EXPECT_EQ(market.type, OrderType::market);
  EXPECT_EQ(market.side, Side::sell);
  EXPECT_EQ(market.symbol, "HIGO");
}

TEST(TradeCommand, reads_changes_and_the_rest) {
  const TradeCommand amend = parsed("amend 3 80 @ 12.4");
  EXPECT_EQ(amend.verb, TradeVerb::amend);
  EXPECT_EQ(amend.order, 3u);
  EXPECT_EQ(amend.quantity.lots, 80);
  EXPECT_EQ(amend.price.units, 1'240'000'000);
  EXPECT_EQ(parsed("amend 3 80 12.4").price.units, 1'240'000'000);
  EXPECT_EQ(parsed("cancel 3").order, 3u);
  EXPECT_EQ(parsed("cancel all").verb, TradeVerb::cancel_all);
  EXPECT_EQ(parsed("wait 5").seconds, 5u);
  EXPECT_EQ(parsed(" list ").verb, TradeVerb::list);
  EXPECT_EQ(parsed("help").verb, TradeVerb::help);
  EXPECT_EQ(parsed("quit\r").verb, TradeVerb::quit);
  EXPECT_EQ(parsed("").verb, TradeVerb::nothing);
  EXPECT_EQ(parsed("# a remark").verb, TradeVerb::nothing);
}

TEST(TradeCommand, says_what_is_wrong_and_how_it_is_written) {
  EXPECT_NE(refused("buy").find("write: buy|sell"), std::string::npos);
  EXPECT_NE(refused("buy 0 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy -1 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy 1.5 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @ x").find("not a price"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA 12").find("@ PRICE or market"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @").find("write: buy|sell"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @ 12 gtc").find("not day, ioc or fok"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @ 12 ioc now").find("not day, ioc or fok"), std::string::npos);
  EXPECT_NE(refused("amend 3").find("write: amend"), std::string::npos);
  EXPECT_NE(refused("amend x 3 4").find("not an order's number"), std::string::npos);
  EXPECT_NE(refused("cancel").find("write: cancel"), std::string::npos);
  EXPECT_NE(refused("wait 99999").find("write: wait"), std::string::npos);
  EXPECT_NE(refused("list all").find("stands alone"), std::string::npos);
  EXPECT_NE(refused("cancle 3").find("did you mean cancel?"), std::string::npos);
  EXPECT_NE(refused("xyzzy").find("is no command; help"), std::string::npos);
  EXPECT_NE(refused("market").find("help"), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
