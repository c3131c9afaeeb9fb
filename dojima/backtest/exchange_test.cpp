#include "dojima/backtest/exchange.hpp"

#include <gtest/gtest.h>

#include "dojima/backtest/backtest_test_support.hpp"

namespace dojima::backtest {
namespace {

const ExchangeSettings k_levels{.queue = {.model = QueueModel::risk_averse}};
const ExchangeSettings k_whole{.queue = {.model = QueueModel::risk_averse}, .fills = FillRule::whole};
const ExchangeSettings k_orders{.kind = ExchangeKind::orders};
const ExchangeSettings k_match{.kind = ExchangeKind::match, .orders = 1000};

/// 100 x 10 against 102 x 10.
HandmadeDay two_levels() {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(0ms, Side::sell, 102, 10).level(0ms, Side::sell, 103, 20);
  return day;
}

// ---- levels --------------------------------------------------------------------------------------------------------

TEST(LevelsExchange, an_order_waits_for_what_stands_before_it) {
  HandmadeDay day = two_levels();
  day.trade(20ms, Side::sell, 100, 10).trade(30ms, Side::sell, 100, 3).trade(40ms, Side::sell, 100, 9);
  day.level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  const Ran ran = run_script(day, script, k_levels);
  EXPECT_EQ(lines_of(ran.reports), "accepted 1 5 @ 100\ntraded 1 3 @ 100 maker\ntraded 1 2 @ 100 maker\n");
  ASSERT_EQ(ran.fills.size(), 2u);
  EXPECT_EQ(ran.fills[0].at, k_day_begin + 30ms);
  EXPECT_EQ(ran.fills[0].received, k_day_begin + 31ms);
  EXPECT_EQ(ran.fills[0].rested, 19ms);
  EXPECT_EQ(ran.accounts[0].position(), 5);
}

TEST(LevelsExchange, two_orders_never_share_what_one_trade_brought) {
  HandmadeDay day = two_levels();
  day.trade(20ms, Side::sell, 100, 14).trade(30ms, Side::sell, 99, 3).level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit(bid(100, 3));
    desk.submit(bid(100, 3));
    desk.submit(bid(101, 2));
  });
  const Ran ran = run_script(day, script, k_levels);
  // 14 come: 2 to the order at 101, 2 more than the ten at 100; then 3, at a worse price.
  EXPECT_EQ(lines_of(ran.reports),
            "accepted 1 3 @ 100\naccepted 2 3 @ 100\naccepted 3 2 @ 101\n"
            "traded 3 2 @ 101 maker\ntraded 1 2 @ 100 maker\ntraded 1 1 @ 100 maker\ntraded 2 2 @ 100 maker\n");
}

TEST(LevelsExchange, whole_fills_give_all_once_the_turn_has_come) {
  HandmadeDay day = two_levels();
  day.trade(20ms, Side::sell, 100, 10).trade(30ms, Side::sell, 100, 1).level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 50)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_whole).reports), "accepted 1 50 @ 100\ntraded 1 50 @ 100 maker\n");
}

TEST(LevelsExchange, what_was_taken_stays_taken_until_the_feed_updates_the_level) {
  HandmadeDay day = two_levels();
  day.level(40ms, Side::sell, 102, 12).level(90ms, Side::buy, 99, 1);
  Scripted script;
  const auto take = [](Desk& desk) {
    desk.submit(
        {.side = Side::buy, .time_in_force = market::TimeInForce::immediate_or_cancel, .price = 102, .quantity = 8});
  };
  script.at(10ms, take).at(20ms, take).at(30ms, take).at(50ms, take);
  EXPECT_EQ(lines_of(run_script(day, script, k_levels).reports),
            "traded 1 8 @ 102 taker\n"
            "traded 2 2 @ 102 taker\nexpired 2 6 @ 102\n"
            "expired 3 8 @ 102\n"
            "traded 4 8 @ 102 taker\n");
}

TEST(LevelsExchange, an_order_takes_level_by_level_and_its_rest_waits_for_the_other_side) {
  HandmadeDay day = two_levels();
  day.level(40ms, Side::sell, 103, 4).level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(103, 35)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_levels).reports),
            "traded 1 10 @ 102 taker\ntraded 1 20 @ 103 taker\naccepted 1 5 @ 103\ntraded 1 4 @ 103 maker\n");
}

TEST(LevelsExchange, a_side_that_comes_to_meet_an_order_fills_it_at_its_price) {
  HandmadeDay day = two_levels();
  day.level(30ms, Side::sell, 102, 0).level(30ms, Side::sell, 103, 0).level(40ms, Side::buy, 104, 2);
  day.level(90ms, Side::buy, 99, 1);
  for (const auto& [settings, quantity] : {std::pair{k_levels, "2"}, std::pair{k_whole, "7"}}) {
    Scripted script;
    script.at(10ms, [](Desk& desk) { desk.submit(ask(104, 7)); });
    EXPECT_EQ(lines_of(run_script(day, script, settings).reports),
              "accepted 1 7 @ 104\ntraded 1 " + std::string(quantity) + " @ 104 maker\n");
  }
}

TEST(LevelsExchange, kinds_of_orders_end_as_they_should) {
  HandmadeDay day = two_levels();
  day.level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit({.side = Side::buy, .is_post_only = true, .price = 102, .quantity = 1});
    desk.submit({.side = Side::buy, .time_in_force = market::TimeInForce::fill_or_kill, .price = 103, .quantity = 31});
    desk.submit({.side = Side::sell, .type = market::OrderType::market, .quantity = 12});
    desk.submit(
        {.side = Side::buy, .time_in_force = market::TimeInForce::immediate_or_cancel, .price = 101, .quantity = 1});
    desk.submit({.side = Side::buy, .price = 100, .quantity = 5, .displayed = 1});
    EXPECT_EQ(desk.submit({.side = Side::buy, .price = 100, .quantity = 0}), 0u);
    EXPECT_EQ(desk.submit({.side = Side::none, .price = 100, .quantity = 1}), 0u);
    EXPECT_EQ(desk.submit({.instrument = 1, .side = Side::buy, .price = 100, .quantity = 1}), 0u);
  });
  const Ran ran = run_script(day, script, k_levels);
  EXPECT_EQ(lines_of(ran.reports),
            "expired 1 1 @ 102\nexpired 2 31 @ 103\ntraded 3 10 @ 100 taker\nexpired 3 2 @ 0\nexpired 4 1 @ 101\n"
            "rejected 5 5 @ 100\n");
  EXPECT_EQ(ran.reports[0].reason, market::Reason::passive_only);
  EXPECT_EQ(ran.reports[1].reason, market::Reason::time_in_force);
  EXPECT_EQ(ran.reports[5].reason, market::Reason::not_supported);
}

TEST(LevelsExchange, cancels_and_replacements_come_too_late_or_not) {
  HandmadeDay day = two_levels();
  day.trade(40ms, Side::sell, 99, 50).level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit(bid(100, 5));
    desk.submit(bid(99, 5));
  });
  script.at(20ms, [](Desk& desk) {
    EXPECT_TRUE(desk.cancel(2));
    EXPECT_FALSE(desk.cancel(2));
    EXPECT_FALSE(desk.cancel(9));
    EXPECT_TRUE(desk.replace(1, 100, 3));
  });
  script.at(30ms, [](Desk& desk) {
    EXPECT_EQ(desk.orders().size(), 1u);
    EXPECT_EQ(desk.order(1)->leaves, 3);
    EXPECT_TRUE(desk.replace(1, 101, 9));
  });
  script.at(39500us, [](Desk& desk) { EXPECT_TRUE(desk.cancel(1)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_levels).reports),
            "accepted 1 5 @ 100\naccepted 2 5 @ 99\ncancelled 2 5 @ 99\nreplaced 1 3 @ 100\nreplaced 1 9 @ 101\n"
            "traded 1 9 @ 101 maker\nrequest_rejected 1 0 @ 100\n");
}

TEST(LevelsExchange, what_came_to_meet_an_order_in_a_closed_market_meets_it_at_the_next_level_of_an_open_one) {
  HandmadeDay day = two_levels();
  const auto status = [](recorded::MarketState state) {
    return recorded::RecordedEvent{.kind = recorded::EventKind::status, .code = static_cast<std::uint8_t>(state)};
  };
  day.event(20ms, status(recorded::MarketState::halted));
  day.level(30ms, Side::sell, 101, 4);
  day.event(40ms, status(recorded::MarketState::trading));
  day.level(50ms, Side::sell, 105, 4).level(90ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(101, 5)); });
  const Ran ran = run_script(day, script, k_levels);
  EXPECT_EQ(lines_of(ran.reports), "accepted 1 5 @ 101\ntraded 1 4 @ 101 maker\n");
  ASSERT_EQ(ran.fills.size(), 1u);
  EXPECT_EQ(ran.fills[0].at, k_day_begin + 50ms);
}

TEST(LevelsExchange, a_closed_market_takes_no_orders_and_a_silent_one_lets_none_take) {
  HandmadeDay day = two_levels();
  day.event(20ms,
            {.kind = recorded::EventKind::status, .code = static_cast<std::uint8_t>(recorded::MarketState::halted)});
  day.event(40ms,
            {.kind = recorded::EventKind::status, .code = static_cast<std::uint8_t>(recorded::MarketState::trading)});
  day.level(900ms, Side::buy, 99, 1);
  Scripted script;
  const auto take = [](Desk& desk) { desk.submit(bid(102, 1)); };
  script.at(10ms, take).at(30ms, take).at(50ms, take).at(800ms, take);
  ExchangeSettings settings = k_levels;
  settings.silence = 500ms;
  const Ran ran = run_script(day, script, settings);
  EXPECT_EQ(lines_of(ran.reports),
            "traded 1 1 @ 102 taker\nrejected 2 1 @ 102\ntraded 3 1 @ 102 taker\nrejected 4 1 @ 102\n");
  EXPECT_EQ(ran.reports[1].reason, market::Reason::book_closed);
  EXPECT_EQ(ran.reports[3].reason, market::Reason::no_price);
}

TEST(LevelsExchange, order_events_move_the_queue_as_levels_do) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::sell, 102, 10);
  day.execute(20ms, 1, 10).add(30ms, 3, Side::buy, 100, 4).execute(40ms, 3, 4).add(90ms, 9, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_levels).reports), "accepted 1 5 @ 100\ntraded 1 4 @ 100 maker\n");
}

// ---- orders --------------------------------------------------------------------------------------------------------

TEST(OrdersExchange, an_order_has_the_executions_of_those_behind_it) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::buy, 100, 10).add(0ms, 9, Side::sell, 102, 10);
  day.add(20ms, 3, Side::buy, 100, 4).add(20ms, 4, Side::buy, 99, 4);
  day.execute(30ms, 1, 10).remove(35ms, 2).execute(40ms, 3, 1).execute(50ms, 4, 2).execute(60ms, 3, 3);
  day.add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  // 1 of order 3, which is behind; 2 of order 4, at a worse price; 2 of the last 3.
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports),
            "accepted 1 5 @ 100\ntraded 1 1 @ 100 maker\ntraded 1 2 @ 100 maker\ntraded 1 2 @ 100 maker\n");
}

TEST(OrdersExchange, an_order_alone_before_the_best_has_the_next_execution_first) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 104, 10);
  day.execute(30ms, 1, 3).add(40ms, 5, Side::sell, 101, 9).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit(bid(101, 2));
    desk.submit(bid(102, 2));
    desk.submit(bid(101, 20));
  });
  // 3 were executed; then an order of 9 comes to 101.
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports),
            "accepted 1 2 @ 101\naccepted 2 2 @ 102\naccepted 3 20 @ 101\ntraded 2 2 @ 102 maker\n"
            "traded 1 1 @ 101 maker\ntraded 1 1 @ 101 maker\ntraded 3 8 @ 101 maker\n");
}

TEST(OrdersExchange, an_amended_order_goes_behind_and_a_reduced_one_stays) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::buy, 100, 10).add(0ms, 9, Side::sell, 102, 10);
  const auto amend = [](std::uint64_t order, std::int64_t quantity) {
    return RecordedEvent{.order = order, .quantity = quantity, .kind = recorded::EventKind::amend};
  };
  day.event(20ms, amend(1, 12)).event(20ms, amend(2, 8));
  day.execute(30ms, 2, 3).execute(40ms, 1, 3);
  day.event(50ms, {.order = 2, .other = 7, .price = 100, .quantity = 8, .kind = recorded::EventKind::replace});
  day.execute(60ms, 7, 1).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports),
            "accepted 1 5 @ 100\ntraded 1 3 @ 100 maker\ntraded 1 1 @ 100 maker\n");
}

TEST(OrdersExchange, hidden_executions_come_behind_displayed_orders_of_their_price) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 103, 10);
  const auto hidden = [](std::int64_t price) {
    return RecordedEvent{.price = price, .quantity = 4, .kind = recorded::EventKind::hidden_trade, .side = Side::sell};
  };
  day.event(20ms, hidden(102)).event(30ms, hidden(101)).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(101, 5)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports), "accepted 1 5 @ 101\ntraded 1 4 @ 101 maker\n");
}

TEST(OrdersExchange, what_entered_against_an_order_is_not_there_to_be_taken) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 104, 10);
  day.add(20ms, 5, Side::sell, 101, 6).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(102, 5)); });
  script.at(30ms, [](Desk& desk) {
    desk.submit(
        {.side = Side::buy, .time_in_force = market::TimeInForce::immediate_or_cancel, .price = 101, .quantity = 6});
  });
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports),
            "accepted 1 5 @ 102\ntraded 1 5 @ 102 maker\ntraded 2 1 @ 101 taker\nexpired 2 5 @ 101\n");
}

TEST(OrdersExchange, a_snapshot_in_between_puts_its_orders_before_own_orders) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 104, 10);
  day.event(20ms, {.kind = recorded::EventKind::clear});
  day.event(20ms, {.order = 1,
                   .price = 100,
                   .quantity = 10,
                   .kind = recorded::EventKind::add,
                   .side = Side::buy,
                   .flags = recorded::k_snapshot});
  day.add(30ms, 2, Side::buy, 100, 10).execute(40ms, 1, 10).execute(50ms, 2, 10).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  const Ran ran = run_script(day, script, k_orders);
  EXPECT_EQ(lines_of(ran.reports), "accepted 1 5 @ 100\ntraded 1 5 @ 100 maker\n");
  EXPECT_EQ(ran.fills.at(0).at, k_day_begin + 50ms);
}

TEST(OrdersExchange, clearing_one_side_leaves_the_places_of_the_other_as_they_are) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 104, 10).add(20ms, 2, Side::buy, 100, 10);
  day.event(30ms, {.kind = recorded::EventKind::clear, .side = Side::sell});
  day.execute(40ms, 2, 3).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  // Order 2 came behind the own one, which had its execution first.
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports), "accepted 1 5 @ 100\ntraded 1 3 @ 100 maker\n");
}

TEST(OrdersExchange, an_order_that_is_amended_to_another_price_is_behind_own_orders_there) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 9, Side::sell, 104, 10).add(20ms, 2, Side::buy, 100, 10);
  // Behind the own order at 100 first, then at 99, then where it was, in front of nobody.
  day.event(30ms, {.order = 2, .price = 99, .quantity = 10, .kind = recorded::EventKind::amend});
  day.event(40ms, {.order = 2, .price = 100, .quantity = 8, .kind = recorded::EventKind::amend});
  day.execute(50ms, 2, 3).execute(60ms, 1, 10).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 5)); });
  EXPECT_EQ(lines_of(run_script(day, script, k_orders).reports), "accepted 1 5 @ 100\ntraded 1 3 @ 100 maker\n");
}

// ---- match ---------------------------------------------------------------------------------------------------------

TEST(MatchExchange, own_orders_take_from_the_recorded_ones_and_the_record_is_left) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::sell, 102, 10).add(0ms, 3, Side::sell, 102, 5);
  day.execute(30ms, 2, 10).execute(40ms, 3, 5).remove(50ms, 1).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(102, 12)); });
  const Ran ran = run_script(day, script, k_match);
  EXPECT_EQ(lines_of(ran.reports), "traded 1 10 @ 102 taker\ntraded 1 2 @ 102 taker\n");
  // Order 2 is gone, so its execution meets what is left of 3; then 3 is gone as well.
  EXPECT_EQ(ran.counts.missing, 2u);
  EXPECT_EQ(ran.counts.matched, 0u);
}

TEST(MatchExchange, own_orders_queue_and_recorded_executions_meet_them) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::sell, 102, 10);
  day.add(20ms, 3, Side::buy, 100, 4).execute(30ms, 1, 10).execute(40ms, 3, 4).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) { desk.submit(bid(100, 3)); });
  const Ran ran = run_script(day, script, k_match);
  EXPECT_EQ(lines_of(ran.reports), "accepted 1 3 @ 100\ntraded 1 3 @ 100 maker\n");
  EXPECT_EQ(ran.counts.matched, 1u);
  EXPECT_EQ(ran.counts.matched_others, 1u);
  EXPECT_EQ(ran.fills.at(0).rested, 29ms);
}

TEST(MatchExchange, takes_every_order_type_of_the_book) {
  HandmadeDay day;
  day.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::sell, 102, 10);
  day.add(20ms, 3, Side::sell, 101, 4).execute(30ms, 3, 2).add(90ms, 8, Side::buy, 90, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit({.side = Side::buy, .price = 101, .quantity = 9, .displayed = 3});                  // an iceberg
    desk.submit({.side = Side::buy, .type = market::OrderType::stop, .quantity = 2, .stop = 101});  // a stop order
    desk.submit({.side = Side::buy, .is_post_only = true, .price = 102, .quantity = 1});
    desk.submit(bid(101, 0));
  });
  script.at(40ms, [](Desk& desk) { desk.replace(1, 100, 8); });
  script.at(50ms, [](Desk& desk) { desk.cancel(1); });
  EXPECT_EQ(
      lines_of(run_script(day, script, k_match).reports),
      "accepted 1 9 @ 101\naccepted 2 2 @ 101\nexpired 3 1 @ 102\ntraded 1 3 @ 101 maker\ntraded 1 1 @ 101 maker\n"
      "traded 2 2 @ 102 taker\nreplaced 1 4 @ 100\ncancelled 1 4 @ 100\n");
}

TEST(MatchExchange, without_own_orders_every_execution_meets_the_recorded_order) {
  const GeneratedEvents day = generated_events(11, 4000);
  MemoryEvents events(day.events, day.instruments);
  const auto exchange = make_exchange({.kind = ExchangeKind::match});
  Scripted nobody;
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, nobody, latencies, {});
  engine.run({});
  EXPECT_GT(exchange->counts().matched, 500u);
  EXPECT_EQ(exchange->counts().matched_others, 0u);
  EXPECT_EQ(exchange->counts().missing, 0u);
  EXPECT_EQ(exchange->counts().unknown, 0u);
}

}  // namespace
}  // namespace dojima::backtest
