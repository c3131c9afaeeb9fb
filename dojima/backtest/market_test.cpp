#include "dojima/backtest/market.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/market_run_test_support.hpp"
#include "dojima/backtest/market_test_support.hpp"
#include "dojima/backtest/strategies.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::backtest {
namespace {

TEST(Markets, are_the_same_again_and_others_with_another_seed) {
  Scripted nobody;
  const MarketRun one = run_in_market(small_market(), nobody), again = run_in_market(small_market(), nobody);
  EXPECT_EQ(one.digest, again.digest);
  EXPECT_EQ(one.counts.traded, again.counts.traded);
  EXPECT_EQ(one.counts, again.counts);
  EXPECT_GT(one.counts.actions, 900u);
  EXPECT_GT(one.counts.trades, 100u);
  EXPECT_NE(one.digest, run_in_market(small_market(2), nobody).digest);
}

TEST(Markets, are_the_same_on_every_machine_and_in_every_version) {
  Scripted nobody;
  MarketConfig all = mixed_market(9);
  all.populations.push_back({.kind = PopulationKind::noise, .count = 3, .rate = 60, .takes = 0, .resting = 70});
  all.populations.push_back({.kind = PopulationKind::momentum, .count = 3, .rate = 20, .threshold = 0});
  all.populations.push_back({.kind = PopulationKind::flow,
                             .count = 2,
                             .rate = 200,
                             .depth = 9,
                             .resting = 1,
                             .arrivals = flow::ArrivalModel::bursts});
  all.length = 4s;
  EXPECT_EQ(run_in_market(small_market(), nobody).digest, 13156824044501833610U);
  EXPECT_EQ(run_in_market(market_with_auctions(), nobody).digest, 14990096676247234682U);
  EXPECT_EQ(run_in_market(all, nobody).digest, 1676016393459630569U);
}

TEST(Markets, show_the_strategy_the_book_that_there_is) {
  Scripted nobody;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const MarketRun run = run_in_market(small_market(seed), nobody);
    ASSERT_TRUE(run.bid && run.ask);
    EXPECT_EQ(run.seen_bid, run.bid);
    EXPECT_EQ(run.seen_ask, run.ask);
    EXPECT_LT(run.bid->price, run.ask->price);
    EXPECT_EQ(held_by_all(run), 0);
  }
}

TEST(Markets, trade_with_a_strategy_and_nothing_is_lost_or_made) {
  const auto touch = *make_strategy("touch", {{"quantity", "5"}, {"period", "10ms"}});
  const MarketRun run = run_in_market(small_market(), *touch);
  EXPECT_GT(run.fills.size(), 10u);
  EXPECT_EQ(held_by_all(run), 0);
  std::int64_t bought = 0;
  Money cash = 0;
  for (const Fill& fill : run.fills) {
    const std::int64_t sign = fill.side == Side::buy ? 1 : -1;
    bought += sign * fill.quantity;
    cash -= sign * run.accounts[0].value(fill.price, fill.quantity);
    EXPECT_GE(fill.received, fill.at + 1ms);
    EXPECT_GT(fill.quantity, 0);
  }
  EXPECT_EQ(run.accounts[0].position(), bought);
  EXPECT_TRUE(run.accounts[0].cash() == cash);
}

TEST(Markets, trade_as_a_naive_book_does_with_the_same_commands) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    journal::MemoryJournal journal({.capacity = std::size_t{1} << 22});
    Scripted somebody;
    somebody.wakes_wanted = {.on_events = true, .period = 7ms};
    Trades seen;
    somebody.on_every_event = [&](Desk&, const RecordedEvent& event) {
      const bool is_trade = event.kind == recorded::EventKind::trade ||
                            (event.kind == recorded::EventKind::execute && !event.has(recorded::k_not_printable));
      if (is_trade) seen.push_back({event.instrument, event.price, event.quantity});
    };
    std::int64_t turn = 0;
    somebody.on_waking = [&turn](Desk& desk) {
      const auto bid = desk.best(0, Side::buy);
      if (!bid) return;
      if (!desk.orders().empty() && ++turn % 3 == 0) desk.cancel(desk.orders()[0].number);
      desk.submit({.side = turn % 2 == 0 ? Side::buy : Side::sell, .price = bid->price + turn % 4, .quantity = 3});
    };
    MarketConfig config = mixed_market(seed);
    config.length = 600ms;
    const MarketRun run = run_in_market(config, somebody, 1ms, &journal);
    NaiveMarket naive;
    std::uint64_t commands = 0;
    for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at); ++commands)
      naive.apply(*reinterpret_cast<const market::CommandHeader*>(record->bytes.data()));
    EXPECT_EQ(commands, run.counts.commands);
    // The venue does the same again with them.
    journal::MemoryJournal nowhere({.keep = journal::Keep::none, .capacity = 1});
    venue::Partition again(partition_of(config), nowhere);
    for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);)
      ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), run.digest);
    EXPECT_GT(run.fills.size(), 5u);
    // Every trade is published, but for those that had not reached the strategy at the end.
    ASSERT_EQ(naive.trades.size(), run.counts.trades);
    EXPECT_EQ(seen, naive.trades);
    EXPECT_EQ(naive.best(0, Side::buy), run.bid);
    EXPECT_EQ(naive.best(0, Side::sell), run.ask);
  }
}

TEST(Markets, have_participants_that_keep_to_their_habits) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    // One maker, so that its kind's position is its own; values move a lot.
    MarketConfig config{
        .seed = seed,
        .length = 4s,
        .populations =
            {{.kind = PopulationKind::noise, .count = 20, .rate = 20, .resting = 4},
             {.kind = PopulationKind::value, .count = 8, .rate = 20, .error = 2},
             {.kind = PopulationKind::market_maker, .rate = 40, .quantity_most = 15, .depth = 2, .most_position = 60}},
        .news_rate = 20,
        .news_ticks = 5};
    Scripted watcher;
    watcher.wakes_wanted = {.on_events = true, .period = 10ms};
    std::map<std::uint64_t, std::int64_t> orders;
    std::size_t most_orders = 0;
    watcher.on_every_event = [&](Desk&, const RecordedEvent& event) {
      std::int64_t& leaves = orders[event.order];
      const bool is_more = event.kind == recorded::EventKind::add;
      leaves += is_more ? event.quantity : -event.quantity;
      EXPECT_GE(leaves, 0) << "an order is executed or reduced by more than there is of it";
      if (leaves == 0) orders.erase(event.order);
      most_orders = std::max(most_orders, orders.size());
    };
    const MarketRun run = run_in_market(config, watcher);
    const auto position = run.counts.positions[static_cast<std::size_t>(PopulationKind::market_maker)];
    EXPECT_LT(std::abs(position), 60 + 15);
    EXPECT_LE(most_orders, 20u * 4 + 2);
    EXPECT_GT(most_orders, 40u);
    EXPECT_EQ(run.counts.refused, 0u);
    // There is a price nearly always, a narrow one, and it is near the value.
    EXPECT_GT(run.counts.two_sided, 50 * run.counts.one_sided);
    const double spread = static_cast<double>(run.counts.spread) / static_cast<double>(run.counts.two_sided);
    EXPECT_GE(spread, 1);
    EXPECT_LT(spread, 5);
    ASSERT_TRUE(run.bid && run.ask);
    EXPECT_NEAR(static_cast<double>(run.bid->price + run.ask->price) / 2, static_cast<double>(run.value), 12) << seed;
  }
}

TEST(Markets, act_as_often_as_their_rates_say) {
  Scripted nobody;
  MarketConfig config = mixed_market(5);
  config.length = 10s;
  const MarketRun run = run_in_market(config, nobody);
  double rate = config.news_rate * static_cast<double>(config.instruments.size());
  for (const Population& of : config.populations) rate += of.rate * of.count;
  EXPECT_NEAR(static_cast<double>(run.counts.actions), 10 * rate, 0.06 * 10 * rate);
}

TEST(Markets, are_moved_by_who_buys_a_lot) {
  Scripted nobody, buyer;
  // Values do not move, so that only the buyer does it.
  MarketConfig config = small_market();
  config.news_rate = 0;
  config.populations = {{.kind = PopulationKind::noise, .count = 20, .rate = 20}};
  config.start = k_day_begin;
  buyer.wakes_wanted = {.period = 20ms};
  buyer.on_waking = [](Desk& desk) {
    desk.submit({.side = Side::buy,
                 .type = market::OrderType::market,
                 .time_in_force = market::TimeInForce::immediate_or_cancel,
                 .quantity = 40});
  };
  const MarketRun calm = run_in_market(config, nobody), moved = run_in_market(config, buyer);
  ASSERT_TRUE(calm.bid && moved.bid);
  EXPECT_GT(moved.bid->price, calm.bid->price);
  EXPECT_GT(moved.accounts[0].position(), 100);
  EXPECT_EQ(held_by_all(moved), 0);
  // The reports to it add up.
  std::int64_t bought = 0;
  for (const Report& report : buyer.reports) bought += report.kind == ReportKind::traded ? report.quantity : 0;
  EXPECT_EQ(bought, moved.accounts[0].position());
}

TEST(Markets, answer_every_request) {
  Scripted script;
  MarketConfig config = small_market();
  config.start = k_day_begin;
  OrderNumber resting = 0, stop = 0;
  script.at(100ms, [&](Desk& desk) {
    resting = desk.submit(bid(9'000, 10));
    stop = desk.submit({.side = Side::buy, .type = market::OrderType::stop, .quantity = 3, .stop = 20'000});
    desk.submit(bid(50'000, 10));  // outside the table of prices
    desk.submit({.side = Side::sell, .is_post_only = true, .price = 9'000, .quantity = 1});
  });
  script.at(200ms, [&](Desk& desk) {
    EXPECT_TRUE(desk.replace(resting, 9'001, 20));
    EXPECT_TRUE(desk.cancel(stop));
  });
  script.at(300ms, [&](Desk& desk) { EXPECT_TRUE(desk.cancel(resting)); });
  const MarketRun run = run_in_market(config, script);
  EXPECT_EQ(lines_of(script.reports),
            "accepted 1 10 @ 9000\n"
            "accepted 2 3 @ 0\n"
            "rejected 3 10 @ 50000\n"
            "accepted 4 1 @ 9000\n"
            "expired 4 1 @ 9000\n"
            "replaced 1 20 @ 9001\n"
            "cancelled 2 3 @ 0\n"
            "cancelled 1 20 @ 9001\n");
  EXPECT_TRUE(run.fills.empty());
}

TEST(Markets, hold_auctions_where_the_segment_has_a_timetable) {
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  std::vector<int> states;
  std::size_t indications = 0;
  script.on_every_event = [&](Desk&, const RecordedEvent& event) {
    if (event.kind == recorded::EventKind::status) states.push_back(event.code);
    indications += event.kind == recorded::EventKind::auction ? 1U : 0U;
  };
  const MarketRun run = run_in_market(market_with_auctions(), script);
  EXPECT_GE(run.counts.auctions, 1u);
  EXPECT_GT(indications, 0u);
  EXPECT_EQ(held_by_all(run), 0);
  using recorded::MarketState;
  const auto has = [&](MarketState state) { return std::ranges::count(states, static_cast<int>(state)) > 0; };
  EXPECT_TRUE(has(MarketState::opening));
  EXPECT_TRUE(has(MarketState::trading));
  EXPECT_TRUE(has(MarketState::closing));
  EXPECT_TRUE(has(MarketState::closed));
}

TEST(Markets, halt_and_reopen_when_a_price_breaks_a_band) {
  const auto states_with = [](std::uint32_t static_bp, std::uint32_t dynamic_bp) {
    Scripted buyer;
    buyer.wakes_wanted = {.on_events = true, .period = 20ms};
    std::vector<recorded::MarketState> states;
    buyer.on_every_event = [&](Desk&, const RecordedEvent& event) {
      if (event.kind == recorded::EventKind::status) states.push_back(static_cast<recorded::MarketState>(event.code));
    };
    buyer.on_waking = [](Desk& desk) { desk.submit({.side = Side::buy, .price = 10'500, .quantity = 60}); };
    MarketConfig config = small_market();
    config.start = Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}} + 8h;
    config.instruments[0].segment = "MAIN";
    config.segments = {always_trading(static_bp, dynamic_bp)};
    const MarketRun run = run_in_market(config, buyer);
    EXPECT_EQ(held_by_all(run), 0);
    EXPECT_GT(run.counts.interruptions, 0u);
    return states;
  };
  using recorded::MarketState;
  const auto halted = states_with(30, 0), called = states_with(0, 20);
  const auto has = [](const std::vector<MarketState>& states, MarketState state) {
    return std::ranges::find(states, state) != states.end();
  };
  EXPECT_TRUE(has(halted, MarketState::halted));
  EXPECT_TRUE(has(halted, MarketState::paused));
  EXPECT_TRUE(has(called, MarketState::paused));
  EXPECT_FALSE(has(called, MarketState::halted));
}

TEST(Markets, begin_another_day_at_midnight) {
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  std::size_t openings = 0;
  script.on_every_event = [&](Desk&, const RecordedEvent& event) {
    openings += event.kind == recorded::EventKind::status &&
                event.code == static_cast<std::uint8_t>(recorded::MarketState::opening);
  };
  MarketConfig config{.start = Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}},
                      .length = std::chrono::days{3},
                      .populations = {{.kind = PopulationKind::noise, .count = 2, .rate = 0.005}}};
  config.instruments[0].segment = "MAIN";
  config.segments = {always_trading(0, 0)};
  run_in_market(config, script);
  EXPECT_EQ(openings, 3u);
}

TEST(Markets, have_room_for_the_orders_of_their_participants) {
  MarketConfig config = small_market();  // 33 participants, of which 20 keep 5 orders
  EXPECT_EQ(room_for_orders(config), 4096u + 2 * (20 * 5 + 5 * 5 + 5 * 5 + 3 * 2));
  config.orders = 50;
  EXPECT_EQ(room_for_orders(config), 50u);
  Scripted nobody;
  EXPECT_GT(run_in_market(config, nobody).counts.refused, 0u);
  config.orders = 0;
  EXPECT_EQ(run_in_market(config, nobody).counts.refused, 0u);
  config.populations = {{.count = 10'000, .resting = 10'000}};
  EXPECT_EQ(room_for_orders(config), std::size_t{1} << 24);
}

TEST(Markets, end_where_their_journal_is_full) {
  journal::MemoryJournal journal({.capacity = 4096});
  Scripted nobody;
  Market market(small_market(), &journal);
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(market.stream(), market.exchange(), nobody, latencies, {});
  EXPECT_THROW(engine.run({}), std::runtime_error);
  EXPECT_GT(market.counts().commands, 10u);
}

TEST(Markets, say_what_makes_no_sense) {
  const auto of = [](auto change) {
    MarketConfig config = small_market();
    change(config);
    return complaint(config);
  };
  EXPECT_EQ(of([](MarketConfig&) {}), "");
  const std::string lengths = "the length of a market is above 0, and at most ten days";
  EXPECT_EQ(of([](MarketConfig& config) { config.length = {}; }), lengths);
  EXPECT_EQ(of([](MarketConfig& config) { config.length = std::chrono::hours{240}; }), "");
  EXPECT_EQ(of([](MarketConfig& config) { config.length = std::chrono::hours{240} + Duration{1}; }), lengths);
  EXPECT_EQ(of([](MarketConfig& config) { config.start = Time{}; }), "");
  EXPECT_EQ(of([](MarketConfig& config) { config.start = Time{Duration{-1}}; }),
            "a market starts between 1970 and 2255");
  EXPECT_NE(of([](MarketConfig& config) { config.start = Time{std::chrono::seconds{9'000'000'001}}; }), "");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations.clear(); }), "a market has a population");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations[0].rate = 0; }),
            "noise: rate is a number from 0.001 to 1000000");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations[0].rate = 0.001; }), "");
  EXPECT_EQ(
      of([](MarketConfig& config) { config.populations = {{.kind = PopulationKind::flow, .count = 1, .rate = 0.5}}; }),
      "flow: rate times count is a number from 1 to 10000000");
  EXPECT_EQ(of([](MarketConfig& config) { config.instruments.push_back({}); }),
            "RICE: there are two instruments of this symbol");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations[1].count = 0; }), "value: count is from 1 to 10000");
  EXPECT_EQ(of([](MarketConfig& config) { config.instruments[0].segment = "X"; }), "RICE: there is no segment \"X\"");
  EXPECT_NE(of([](MarketConfig& config) { config.instruments[0].reference = 100; }), "");
  EXPECT_NE(of([](MarketConfig& config) { config.news_ticks = 0; }), "");
  MarketConfig config = small_market();
  config.orders = 1;
  EXPECT_THROW(Market{config}, std::invalid_argument);
}

}  // namespace
}  // namespace dojima::backtest
