#include "dojima/app/trade/blotter.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

#include "dojima/app/trade/blotter_text.hpp"
#include "dojima/app/trade/expectation.hpp"

namespace dojima::app {
namespace {

using market::Price, market::Quantity, market::Side;

constexpr std::int64_t k_one = market::k_price_scale;

OrderEntry entry(Side side, std::int64_t quantity, const std::string& symbol = "KAGA") {
  OrderEntry order{.symbol = symbol, .terms = {.limit = {12 * k_one}, .quantity = {quantity}}};
  order.terms.side = side;
  order.terms.type = market::OrderType::limit;
  order.terms.displayed = order.terms.quantity;
  return order;
}

TradeReport trade(const std::string& id, std::int64_t quantity, std::int64_t price) {
  return {.kind = TradeReportKind::traded, .execution_id = id, .last_quantity = {quantity}, .last_price = {price}};
}

/// Holds, or why not.
std::string held(const Blotter& blotter, const std::string& text) {
  WordReader words(split_words(text));
  const auto expectation = read_expectation(words);
  EXPECT_TRUE(expectation.has_value()) << (expectation ? "" : expectation.error());
  const auto holds = check(expectation.value_or(Expectation{}), blotter);
  return holds ? "" : holds.error();
}

TEST(Blotter, keeps_state_quantities_and_the_mean_price) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A-1");
  BlotterOrder& order = *blotter.find(1);
  EXPECT_EQ(order.state, OrderState::sent);
  EXPECT_TRUE(blotter.apply(order, {.kind = TradeReportKind::accepted, .order_id = "V1"}));
  EXPECT_TRUE(order.is_open());
  EXPECT_TRUE(blotter.apply(order, trade("X1", 30, 12 * k_one)));
  EXPECT_TRUE(blotter.apply(order, trade("X2", 70, 11 * k_one)));
  EXPECT_EQ(order.state, OrderState::filled);
  EXPECT_EQ(order.average(), Price{1'130'000'000});
  EXPECT_EQ(blotter.position("KAGA").net(), 100);
  EXPECT_EQ(blotter.position("HIGO").net(), 0);
  EXPECT_EQ(order.order_id, "V1");
}

TEST(Blotter, books_an_execution_once) {
  Blotter blotter;
  blotter.enter(entry(Side::sell, 100), "A-1");
  EXPECT_TRUE(blotter.apply(*blotter.find(1), trade("X1", 30, k_one)));
  EXPECT_FALSE(blotter.apply(*blotter.find(1), trade("X1", 30, k_one)));
  EXPECT_EQ(blotter.position("KAGA").net(), -30);
  EXPECT_EQ(blotter.find(1)->leaves.lots, 70);
}

TEST(Blotter, takes_busts_and_corrections_out_of_everything) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A-1");
  blotter.apply(*blotter.find(1), trade("X1", 30, 12 * k_one));
  blotter.apply(*blotter.find(1), trade("X2", 20, 12 * k_one));
  TradeReport correction = trade("X3", 25, 10 * k_one);
  correction.kind = TradeReportKind::corrected;
  correction.reference_id = "X1";
  EXPECT_TRUE(blotter.apply(*blotter.find(1), correction));
  EXPECT_FALSE(blotter.apply(*blotter.find(1), correction)) << "it came twice";
  EXPECT_EQ(blotter.position("KAGA").net(), 45);
  // The correction's own id names the execution from now on.
  const TradeReport bust{.kind = TradeReportKind::busted, .execution_id = "X4", .reference_id = "X3"};
  EXPECT_TRUE(blotter.apply(*blotter.find(1), bust));
  EXPECT_EQ(blotter.position("KAGA").net(), 20);
  EXPECT_EQ(blotter.find(1)->executed.lots, 20);
  EXPECT_EQ(blotter.find(1)->average(), Price{12 * k_one});
  EXPECT_EQ(blotter.trade_count(), 1u);
  EXPECT_NE(trade_lines(blotter)[0].find("busted"), std::string::npos);
  const TradeReport unknown{.kind = TradeReportKind::busted, .execution_id = "X5", .reference_id = "Y"};
  EXPECT_FALSE(blotter.apply(*blotter.find(1), unknown));
}

TEST(Blotter, takes_new_terms_from_a_replace) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A-1");
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::accepted});
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::replaced,
                                   .id = "A-1.1",
                                   .total = Quantity{80},
                                   .leaves = Quantity{80},
                                   .limit = Price{11 * k_one}});
  const BlotterOrder& order = *blotter.find(1);
  EXPECT_EQ(order.id, "A-1.1");
  EXPECT_EQ(order.entry.terms.quantity.lots, 80);
  EXPECT_EQ(order.entry.terms.displayed.lots, 80) << "what was visible stays visible";
  EXPECT_EQ(order.entry.terms.limit, Price{11 * k_one});
  EXPECT_TRUE(order.is_open());
  // What the venue does by itself leaves the id alone.
  blotter.apply(*blotter.find(1),
                {.kind = TradeReportKind::restated, .id = "X", .total = Quantity{60}, .leaves = Quantity{60}});
  EXPECT_EQ(order.entry.terms.quantity.lots, 60);
  EXPECT_EQ(order.id, "A-1.1");
}

TEST(Blotter, learns_from_a_status_but_not_from_one_of_nothing) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A-1");
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::accepted});
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::status, .leaves = Quantity{60}, .executed = Quantity{40}});
  EXPECT_EQ(blotter.find(1)->leaves.lots, 60);
  blotter.apply(*blotter.find(1),
                {.kind = TradeReportKind::status, .reason = 5, .leaves = Quantity{}, .executed = Quantity{}});
  EXPECT_EQ(blotter.find(1)->leaves.lots, 60);
  EXPECT_TRUE(blotter.find(1)->is_open());
}

TEST(Blotter, is_what_its_trades_come_to_whatever_happens) {
  std::mt19937_64 random(20261122);
  const auto draw = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  Blotter blotter;
  for (int step = 0; step < 2000; ++step) {
    if (blotter.orders().empty() || draw(5) == 0)
      blotter.enter(entry(draw(2) == 0 ? Side::buy : Side::sell, 1'000'000, draw(2) == 0 ? "KAGA" : "HIGO"), "");
    BlotterOrder& order = *blotter.find(static_cast<std::uint32_t>(1 + draw(std::ssize(blotter.orders()))));
    TradeReport report = trade("X" + std::to_string(step), 1 + draw(50), (1 + draw(900)) * k_one / 100);
    const bool changes = !blotter.trades().empty() && draw(3) == 0;
    if (changes) {
      const Trade& meant = *blotter.find_trade(static_cast<std::uint32_t>(1 + draw(std::ssize(blotter.trades()))));
      report.kind = draw(2) == 0 ? TradeReportKind::busted : TradeReportKind::corrected;
      report.reference_id = meant.execution_id;
      blotter.apply(*blotter.find(meant.order), report);
    } else {
      blotter.apply(order, report);
    }
  }
  std::map<std::string, std::int64_t> net;
  std::map<std::uint32_t, std::int64_t> executed;
  for (const Trade& each : blotter.trades()) {
    if (each.state == TradeState::busted) continue;
    net[each.symbol] += each.side == Side::buy ? each.quantity.lots : -each.quantity.lots;
    executed[each.order] += each.quantity.lots;
  }
  for (const auto& [symbol, position] : blotter.positions()) EXPECT_EQ(position.net(), net[symbol]) << symbol;
  for (const BlotterOrder& order : blotter.orders()) EXPECT_EQ(order.executed.lots, executed[order.number]);
}

TEST(Blotter, is_written_as_csv) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A,1");
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::accepted, .order_id = "V1"});
  blotter.apply(*blotter.find(1), trade("X1", 30, 12 * k_one));
  EXPECT_EQ(csv_of(blotter, BlotterTable::orders),
            "order,id,venue id,side,quantity,symbol,terms,time in force,state,executed,left,average\n"
            "1,\"A,1\",V1,buy,100,KAGA,@ 12,day,open,30,70,12\n");
  EXPECT_EQ(csv_of(blotter, BlotterTable::trades),
            "trade,order,side,quantity,symbol,price,execution id,trade id,counterparty,liquidity,state\n"
            "1,1,buy,30,KAGA,12,X1,,,,done\n");
  EXPECT_EQ(csv_of(blotter, BlotterTable::positions),
            "symbol,net,bought,average bought,sold,average sold\n"
            "KAGA,30,30,12,0,0\n");
}

TEST(Expectation, is_held_against_the_blotter) {
  Blotter blotter;
  blotter.enter(entry(Side::buy, 100), "A-1");
  blotter.apply(*blotter.find(1), {.kind = TradeReportKind::accepted});
  blotter.apply(*blotter.find(1), trade("X1", 30, 12 * k_one));
  for (const char* const text : {"1 open", "1 executed 30", "1 left 70 within 3", "1 average 12", "position KAGA 30",
                                 "position HIGO 0", "trades 1", "orders 1"})
    EXPECT_EQ(held(blotter, text), "") << text;
  EXPECT_EQ(held(blotter, "1 filled"), "order 1 is open, not filled");
  EXPECT_EQ(held(blotter, "1 average 12.5"), "the average price is 12, not 12.5");
  EXPECT_EQ(held(blotter, "position KAGA 31"), "the position is 30, not 31");
  EXPECT_EQ(held(blotter, "2 open"), "there is no order 2");
}

TEST(Expectation, says_how_it_is_written) {
  for (const char* const text : {"", "1", "1 gone", "position KAGA", "trades", "1 filled within", "1 filled at once"}) {
    WordReader words(split_words(text));
    EXPECT_FALSE(read_expectation(words).has_value()) << text;
  }
}

}  // namespace
}  // namespace dojima::app
