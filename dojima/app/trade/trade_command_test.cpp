#include "dojima/app/trade/trade_command.hpp"

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
  EXPECT_EQ(limit.order.terms.side, Side::buy);
  EXPECT_EQ(limit.order.terms.quantity.lots, 100);
  EXPECT_EQ(limit.order.symbol, "KAGA");
  EXPECT_EQ(limit.order.terms.limit.units, 1'250'000'000);
  EXPECT_EQ(limit.order.terms.time_in_force, TimeInForce::day);
  EXPECT_EQ(parsed("SELL 5 x @3 ioc").order.terms.time_in_force, TimeInForce::immediate_or_cancel);
  EXPECT_EQ(parsed("sell 5 x@3 fok").order.terms.time_in_force, TimeInForce::fill_or_kill);
  EXPECT_EQ(parsed("sell 5 x @ market").order.terms.type, OrderType::market);
  EXPECT_EQ(parsed("buy 5 KAGA market ioc").order.terms.type, OrderType::market);
  const TradeCommand market = parsed("market sell 7 HIGO ioc");
  EXPECT_EQ(market.order.terms.type, OrderType::market);
  EXPECT_EQ(market.order.terms.side, Side::sell);
  EXPECT_EQ(market.order.terms.time_in_force, TimeInForce::immediate_or_cancel);
  EXPECT_EQ(market.order.symbol, "HIGO");
}

TEST(TradeCommand, reads_changes) {
  const TradeCommand amend = parsed("amend 3 80 @ 12.4");
  EXPECT_EQ(amend.verb, TradeVerb::amend);
  EXPECT_EQ(amend.number, 3u);
  EXPECT_EQ(amend.amendment.quantity->lots, 80);
  EXPECT_EQ(amend.amendment.limit->units, 1'240'000'000);
  EXPECT_EQ(parsed("amend 3 80 12.4").amendment, amend.amendment);
  EXPECT_EQ(parsed("amend 3 quantity=80 price=12.4").amendment, amend.amendment);
  EXPECT_EQ(parsed("amend 3 @ 12.4").amendment.quantity, std::nullopt);
  EXPECT_EQ(parsed("amend 3 stop 12").amendment.stop->units, 1'200'000'000);
  EXPECT_EQ(parsed("amend 3 display=10").amendment.displayed->lots, 10);
  EXPECT_EQ(parsed("amend 3 80 hidden").amendment.displayed->lots, 0);
  EXPECT_EQ(parsed("cancel 3").number, 3u);
  EXPECT_EQ(parsed("cancel all").verb, TradeVerb::cancel_all);
}

TEST(TradeCommand, reads_quotes) {
  const QuoteTerms both{.symbol = "KAGA",
                        .bid = {99 * market::k_price_scale},
                        .ask = {101 * market::k_price_scale},
                        .bid_size = {10},
                        .ask_size = {12}};
  EXPECT_EQ(parsed("quote KAGA 10 @ 99 / 12 @ 101").verb, TradeVerb::quote);
  EXPECT_EQ(parsed("quote KAGA 10 @ 99 / 12 @ 101").quote, both);
  EXPECT_EQ(parsed("quote KAGA 0 / 12 @ 101").quote.bid_size.lots, 0);
  EXPECT_EQ(parsed("quote KAGA 0 / 0").quote, (QuoteTerms{.symbol = "KAGA"}));
  EXPECT_NE(refused("quote").find("write: quote SYMBOL"), std::string::npos);
  EXPECT_NE(refused("quote KAGA 10 99 / 0").find("@ and its price"), std::string::npos);
  EXPECT_NE(refused("quote KAGA 10 @ 99").find("/ between them"), std::string::npos);
  EXPECT_NE(refused("quote KAGA 10 @ 99 / 12 @ 99").find("below its ask"), std::string::npos);
  EXPECT_EQ(parsed("unquote").verb, TradeVerb::unquote);
  EXPECT_EQ(parsed("unquote KAGA").text, "KAGA");
}

TEST(TradeCommand, reads_mass_cancels) {
  EXPECT_EQ(parsed("masscancel all").scope, MassCancelScope{});
  EXPECT_EQ(parsed("masscancel symbol KAGA").scope, (MassCancelScope{.symbol = "KAGA"}));
  EXPECT_EQ(parsed("masscancel segment RICE firm").scope, (MassCancelScope{.segment = "RICE", .is_firm = true}));
  EXPECT_EQ(parsed("masscancel group 7 symbol KAGA").scope, (MassCancelScope{.symbol = "KAGA", .group = 7}));
  EXPECT_NE(refused("masscancel").find("write: masscancel"), std::string::npos);
  EXPECT_NE(refused("masscancel group 0").find("from 1 to 255"), std::string::npos);
  EXPECT_NE(refused("masscancel segment RICE group 1").find("stands alone"), std::string::npos);
  EXPECT_NE(refused("masscancel rice").find("nothing that can be cancelled"), std::string::npos);
}

TEST(TradeCommand, reads_questions) {
  EXPECT_EQ(parsed("status 3").number, 3u);
  EXPECT_EQ(parsed("status all").verb, TradeVerb::status_all);
  EXPECT_EQ(parsed("status all KAGA").text, "KAGA");
  EXPECT_EQ(parsed("securities").verb, TradeVerb::securities);
  EXPECT_EQ(parsed("session").verb, TradeVerb::session_status);
  EXPECT_EQ(parsed("user YODOYA").text, "YODOYA");
  EXPECT_EQ(parsed("dk 2 price").reason, 'E');
  EXPECT_EQ(parsed("dk 2").reason, 'Z');
  EXPECT_NE(refused("dk x").find("write: dk"), std::string::npos);
  EXPECT_NE(refused("dk 1 never").find("write: dk"), std::string::npos);
  EXPECT_NE(refused("status").find("write: status"), std::string::npos);
}

TEST(TradeCommand, reads_what_a_script_is_made_of) {
  EXPECT_EQ(parsed("wait 5").number, 5u);
  EXPECT_EQ(parsed(" list ").verb, TradeVerb::list);
  EXPECT_EQ(parsed("position KAGA").text, "KAGA");
  EXPECT_EQ(parsed("save a.csv trades").table, BlotterTable::trades);
  EXPECT_EQ(parsed("repeat 3").number, 3u);
  EXPECT_EQ(parsed("source orders for today.txt").text, "orders for today.txt");
  EXPECT_EQ(parsed("help order").text, "order");
  EXPECT_EQ(parsed("quit\r").verb, TradeVerb::quit);
  EXPECT_EQ(parsed("").verb, TradeVerb::nothing);
  EXPECT_EQ(parsed("# a remark").verb, TradeVerb::nothing);
  EXPECT_NE(refused("repeat 0").find("write: repeat"), std::string::npos);
  EXPECT_NE(refused("save").find("write: save"), std::string::npos);
  EXPECT_NE(refused("wait 99999").find("write: wait"), std::string::npos);
  EXPECT_NE(refused("list all").find("stands alone"), std::string::npos);
}

TEST(TradeCommand, says_what_is_wrong_and_how_it_is_written) {
  EXPECT_NE(refused("buy").find("write: buy|sell"), std::string::npos);
  EXPECT_NE(refused("buy 0 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy -1 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy 1.5 KAGA @ 1").find("not a quantity"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @ x").find("not a price"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA 12").find("@ PRICE or market"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @").find("write: buy|sell"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA @ 12 ioc now").find("\"now\" is no word of an order"), std::string::npos);
  EXPECT_NE(refused("buy 1 KAGA ioc").find("@ PRICE or market is missing"), std::string::npos);
  EXPECT_NE(refused("amend 3").find("write: amend"), std::string::npos);
  EXPECT_NE(refused("amend x 3 4").find("not an order's number"), std::string::npos);
  EXPECT_NE(refused("amend 3 80 12 7").find("nothing that can be amended"), std::string::npos);
  EXPECT_NE(refused("cancel").find("write: cancel"), std::string::npos);
  EXPECT_NE(refused("cancle 3").find("did you mean cancel?"), std::string::npos);
  EXPECT_NE(refused("xyzzy").find("is no command; help"), std::string::npos);
  EXPECT_NE(refused("market").find("help"), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
