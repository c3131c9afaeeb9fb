// Trades that the operator takes back or gives another price: what both owners hear, what becomes of open and of
// finished orders, that it happens once, and that it follows from the journal and survives a saved state.

#include <gtest/gtest.h>
#include <map>
#include <memory>

#include "dojima/mitch/book_builder.hpp"
#include "dojima/venue/feed/market_data.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/partition/trades.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using Kinds = std::vector<OwnerReportKind>;

PartitionConfig bust_config(std::size_t trades = 64) {
  PartitionConfig config = make_config();
  config.limits.trades = trades;
  return config;
}

market::TradeBust bust(std::uint64_t trade, std::uint32_t instrument = k_rice) {
  market::TradeBust command{.trade = trade};
  command.header.instrument = instrument;
  command.header.user = market::k_no_user;
  return command;
}

market::TradeCorrection correction(std::uint64_t trade, std::int64_t ticks, std::uint32_t instrument = k_rice) {
  market::TradeCorrection command{.trade = trade, .price = at(ticks)};
  command.header.instrument = instrument;
  command.header.user = market::k_no_user;
  return command;
}

/// User 0 sells ten, user 1 buys four of them: the reports of the two fills.
std::vector<OwnerReport> trade_four(World& world) {
  world.submit(make_order({.user = 0, .side = Side::sell, .lots = 10, .ticks = 100, .id = "ask"}));
  auto reports = world.submit(make_order({.user = 1, .side = Side::buy, .lots = 4, .ticks = 100, .id = "bid"}));
  reports.erase(reports.begin());
  return reports;
}

TEST(TradeBusts, are_reported_to_both_owners_under_the_execution_that_no_longer_counts) {
  World world(bust_config());
  const auto fills = trade_four(world);
  ASSERT_EQ(kinds_of(fills), (Kinds{traded, traded}));
  const auto busted = world.submit(bust(fills[0].trade));
  ASSERT_EQ(kinds_of(busted), (Kinds{trade_cancelled, restated, trade_cancelled}))
      << "the buyer's order is over: nothing is left to restate";
  EXPECT_EQ(busted[0].user, 0u);
  EXPECT_EQ(busted[0].reference, fills[0].execution);
  EXPECT_EQ(busted[0].trade, fills[0].trade);
  EXPECT_EQ(busted[0].price, at(100));
  EXPECT_EQ(busted[0].quantity.lots, 4);
  EXPECT_EQ(busted[0].leaves.lots, 6) << "what is left of the order stays";
  EXPECT_EQ(busted[0].status, OrderStatus::new_order);
  EXPECT_EQ(busted[0].liquidity, 'A');
  EXPECT_EQ(busted[1].restatement, static_cast<std::uint8_t>(market::Restatement::market));
  EXPECT_EQ(busted[1].leaves.lots, 6);
  EXPECT_EQ(busted[1].reference, 0u);
  EXPECT_EQ(busted[2].user, 1u);
  EXPECT_EQ(busted[2].reference, fills[1].execution);
  EXPECT_EQ(busted[2].status, OrderStatus::cancelled);
  EXPECT_EQ(busted[2].leaves.lots, 0);
  EXPECT_EQ(busted[2].client_order_id.view(), "bid");
}

TEST(TradeBusts, take_the_lots_out_of_what_users_traded_and_submitted) {
  World world(bust_config());
  const auto fills = trade_four(world);
  world.submit(bust(fills[0].trade));
  EXPECT_EQ(world.partition.totals(0).sold, 0u);
  EXPECT_EQ(world.partition.totals(0).submitted, 6u);
  EXPECT_EQ(world.partition.totals(0).trades, 0u);
  EXPECT_EQ(world.partition.totals(0).open(), 6);
  EXPECT_EQ(world.partition.totals(1).bought, 0u);
  EXPECT_EQ(world.partition.totals(1).open(), 0);
}

TEST(TradeBusts, let_an_order_be_changed_from_its_new_total) {
  World world(bust_config());
  const auto fills = trade_four(world);
  world.submit(bust(fills[0].trade));
  const auto changed =
      world.submit(make_replace({.user = 0, .side = Side::sell, .order = fills[0].order, .lots = 8, .ticks = 100}));
  ASSERT_EQ(kinds_of(changed), Kinds{replaced});
  EXPECT_EQ(changed[0].leaves.lots, 8) << "nothing of it is executed";
  EXPECT_EQ(changed[0].status, OrderStatus::new_order);
  EXPECT_EQ(world.partition.totals(0).open(), 8);
}

TEST(TradeBusts, leave_other_executions_of_the_order_alone) {
  World world(bust_config());
  const auto fills = trade_four(world);
  const auto more = world.submit(make_order({.user = 2, .side = Side::buy, .lots = 3, .ticks = 100}));
  const auto busted = world.submit(bust(fills[0].trade));
  EXPECT_EQ(busted.at(0).status, OrderStatus::partially_filled);
  EXPECT_EQ(busted.at(0).leaves.lots, 3);
  EXPECT_EQ(world.partition.totals(0).sold, 3u);
  const auto second = world.submit(bust(more.at(1).trade));
  EXPECT_EQ(second.at(0).status, OrderStatus::new_order);
  EXPECT_EQ(world.partition.totals(0).sold, 0u);
}

TEST(TradeBusts, happen_once_and_only_to_trades_of_the_instrument_that_are_kept) {
  World world(bust_config(2));
  const auto first = trade_four(world);
  EXPECT_EQ(kinds_of(world.submit(bust(first[0].trade, k_silk))), Kinds{});
  EXPECT_EQ(kinds_of(world.submit(bust(0))), Kinds{});
  EXPECT_EQ(kinds_of(world.submit(bust(first[0].trade + 1))), Kinds{});
  EXPECT_EQ(world.submit(bust(first[0].trade)).size(), 3u);
  const auto digest = world.partition.digest();
  EXPECT_EQ(kinds_of(world.submit(bust(first[0].trade))), Kinds{});
  EXPECT_NE(world.partition.digest(), digest) << "the command counts";
  const auto second = trade_four(world);
  trade_four(world), trade_four(world);
  EXPECT_EQ(world.partition.find_trade(second[0].trade), nullptr) << "two followed it";
  EXPECT_EQ(kinds_of(world.submit(bust(second[0].trade))), Kinds{});
}

TEST(TradeBusts, find_nothing_where_no_trades_are_kept) {
  World world;
  const auto fills = trade_four(world);
  EXPECT_EQ(kinds_of(world.submit(bust(fills[0].trade))), Kinds{});
  EXPECT_EQ(world.partition.totals(0).sold, 4u);
}

/// What follows from reports alone.
struct FollowedOrder {
  std::int64_t executed = 0;
  std::int64_t leaves = 0;
};

TEST(TradeBusts, conserve_lots_among_random_commands_and_replay_to_the_same_state) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    PartitionConfig config = bust_config(16);
    config.full_reports = seed % 2 == 0;
    World world(config);
    StateFlow flow(seed);
    world.partition.observe(&flow);
    book::testing::Random random(seed + 100);
    std::map<std::uint64_t, FollowedOrder> orders;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> trades;
    std::size_t busts = 0, corrections = 0;
    for (int step = 0; step < 800 && !HasFatalFailure(); ++step) {
      std::vector<OwnerReport> reports;
      if (!trades.empty() && random.chance(10)) {
        const auto [number, instrument] =
            trades[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(trades.size())))];
        const bool is_correction = random.chance(30);
        reports = is_correction ? world.submit(correction(number, 90 + random.below(20), instrument))
                                : world.submit(bust(number, instrument));
        if (!reports.empty()) ++(is_correction ? corrections : busts);
      } else {
        reports = std::visit([&](auto each) { return world.submit(each); }, flow.next());
      }
      for (const OwnerReport& report : reports) {
        if (report.order.value == 0 || report.kind == rejected || report.kind == request_rejected) continue;
        FollowedOrder& order = orders[report.order.value];
        if (report.kind == traded) {
          order.executed += report.quantity.lots;
          if (trades.empty() || trades.back().first != report.trade)
            trades.emplace_back(report.trade, report.instrument);
        }
        if (report.kind == trade_cancelled) {
          order.executed -= report.quantity.lots;
          ASSERT_EQ(report.leaves.lots, order.leaves) << "a bust changes nothing of what is left";
        }
        order.leaves = report.leaves.lots;
      }
      std::uint64_t bought = 0, sold = 0;
      for (std::uint16_t user = 0; user < 4; ++user) {
        bought += world.partition.totals(user).bought;
        sold += world.partition.totals(user).sold;
      }
      ASSERT_EQ(bought, sold);
    }
    EXPECT_GT(busts, 5u) << "seed " << seed;
    EXPECT_GT(corrections, 1u) << "seed " << seed;
    std::int64_t executed = 0;
    for (const auto& [id, order] : orders) {
      EXPECT_GE(order.executed, 0);
      executed += order.executed;
    }
    std::uint64_t traded_lots = 0;
    for (std::uint16_t user = 0; user < 4; ++user)
      traded_lots += world.partition.totals(user).bought + world.partition.totals(user).sold;
    EXPECT_EQ(static_cast<std::uint64_t>(executed), traded_lots);

    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition again(config, nothing);
    for (journal::MemoryJournal::Cursor cursor; const auto record = world.journal.read(cursor);)
      ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), world.partition.digest()) << "seed " << seed;
    EXPECT_EQ(save(again), save(world.partition)) << "seed " << seed;
  }
}

TEST(TradeBusts, survive_a_saved_state) {
  World world(bust_config());
  const auto first = trade_four(world);
  const auto second = trade_four(world);
  world.submit(bust(first[0].trade));
  const State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition loaded(bust_config(), nothing);
  const auto result = load(loaded, state);
  ASSERT_TRUE(result) << result.error().expected;
  EXPECT_EQ(save(loaded), state);
  Cursor cursor, other;
  const auto was = world.partition.reports().read(cursor, {1000}).reports;
  const auto is = loaded.reports().read(other, {1000}).reports;
  EXPECT_TRUE(std::ranges::equal(was, is)) << "with what the busts refer to";
  auto again = bust(first[0].trade), next = bust(second[0].trade);
  again.header.time = next.header.time = loaded.last_time();
  again.header.sequence = {loaded.last_command().value + 1};
  loaded.apply(again.header);
  EXPECT_EQ(loaded.totals(0).sold, 4u) << "it was busted before";
  next.header.sequence = {loaded.last_command().value + 1};
  loaded.apply(next.header);
  EXPECT_EQ(loaded.totals(0).sold, 0u);
}

// ---- Everybody -----------------------------------------------------------------------------------------------------

class Units final : public mitch::FeedSink {
 public:
  void on_unit(Bytes bytes) override {
    const Result<mitch::Unit> unit = mitch::read_unit(bytes);
    ASSERT_TRUE(unit.has_value());
    for (const Bytes message : *unit) {
      ASSERT_TRUE(books.apply(message).has_value());
      if (const auto trade = mitch::decode<mitch::Trade>(message)) trades.push_back(*trade);
    }
  }
  std::vector<mitch::Trade> trades;
  mitch::BookBuilder books{{.instruments = 3, .orders = 64, .levels = 64, .quote_levels = 1}};
};

TEST(TradeBusts, take_the_volume_out_of_what_readers_of_the_feed_know) {
  World world(bust_config());
  Units units;
  MarketData data(world.partition, units, {.orders = 64, .midnight = std::chrono::floor<std::chrono::days>(k_start)});
  data.start(k_start);
  const auto fills = trade_four(world);
  const auto volume = [&] { return units.books.find(k_rice)->state().traded_quantity; };
  const auto before = volume();
  world.submit(bust(fills[0].trade));
  EXPECT_EQ(before - volume(), 4u);
  EXPECT_EQ(data.unpublished(), 0u);
}

// ---- Another price -------------------------------------------------------------------------------------------------

TEST(TradeCorrections, are_reported_to_both_owners_as_the_old_execution_and_the_new_one) {
  World world(bust_config());
  const auto fills = trade_four(world);
  const auto before = world.partition.totals(0), other = world.partition.totals(1);
  const auto reports = world.submit(correction(fills[0].trade, 97));
  ASSERT_EQ(kinds_of(reports), (Kinds{trade_cancelled, traded, trade_cancelled, traded}));
  for (const std::size_t side : {0u, 1u}) {
    const OwnerReport &old = reports[2 * side], &now = reports[2 * side + 1];
    EXPECT_EQ(old.user, side);
    EXPECT_EQ(old.reference, fills[side].execution);
    EXPECT_EQ(old.restatement, static_cast<std::uint8_t>(market::Restatement::market));
    EXPECT_EQ(old.price, at(100));
    EXPECT_EQ(now.reference, 0u);
    EXPECT_EQ(now.restatement, 0u);
    EXPECT_EQ(now.price, at(97));
    EXPECT_EQ(now.quantity.lots, 4);
    EXPECT_EQ(now.trade, fills[0].trade);
    EXPECT_EQ(now.order, fills[side].order);
    EXPECT_EQ(now.liquidity, fills[side].liquidity);
    EXPECT_NE(now.execution, old.execution);
    EXPECT_EQ(now.leaves.lots, side == 0 ? 6 : 0) << "nothing else changes";
    EXPECT_EQ(now.status, side == 0 ? OrderStatus::partially_filled : OrderStatus::filled);
  }
  EXPECT_EQ(world.partition.totals(0), before);
  EXPECT_EQ(world.partition.totals(1), other);
  EXPECT_EQ(world.partition.find_trade(fills[0].trade)->price, at(97));
}

TEST(TradeCorrections, can_be_made_again_and_be_taken_back_under_the_execution_that_counts) {
  World world(bust_config());
  const auto fills = trade_four(world);
  const auto first = world.submit(correction(fills[0].trade, 97));
  const auto second = world.submit(correction(fills[0].trade, 98));
  ASSERT_EQ(kinds_of(second), (Kinds{trade_cancelled, traded, trade_cancelled, traded}));
  EXPECT_EQ(second[0].reference, first[1].execution);
  EXPECT_EQ(second[0].price, at(97));
  const auto busted = world.submit(bust(fills[0].trade));
  ASSERT_EQ(kinds_of(busted), (Kinds{trade_cancelled, restated, trade_cancelled}));
  EXPECT_EQ(busted[0].reference, second[1].execution);
  EXPECT_EQ(busted[0].restatement, 0u);
  EXPECT_EQ(busted[0].price, at(98));
}

TEST(TradeCorrections, change_nothing_of_a_trade_that_is_not_there_or_does_not_count_or_has_the_price) {
  World world(bust_config());
  const auto fills = trade_four(world);
  for (const auto& command :
       {correction(fills[0].trade, 97, k_silk), correction(0, 97), correction(fills[0].trade + 1, 97),
        correction(fills[0].trade, 100), correction(fills[0].trade, 0), correction(fills[0].trade, -3)})
    EXPECT_EQ(kinds_of(world.submit(command)), Kinds{}) << command.trade << ' ' << command.price.units;
  world.submit(bust(fills[0].trade));
  EXPECT_EQ(kinds_of(world.submit(correction(fills[0].trade, 97))), Kinds{});
}

TEST(TradeCorrections, follow_from_the_journal_and_survive_a_saved_state) {
  World world(bust_config());
  const auto fills = trade_four(world);
  world.submit(correction(fills[0].trade, 97));
  const State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition again(bust_config(), nothing), loaded(bust_config(), nothing);
  for (journal::MemoryJournal::Cursor cursor; const auto record = world.journal.read(cursor);)
    ASSERT_TRUE(again.replay(record->bytes));
  EXPECT_EQ(again.digest(), world.partition.digest());
  EXPECT_EQ(save(again), state);
  ASSERT_TRUE(load(loaded, state));
  EXPECT_EQ(save(loaded), state);
  EXPECT_EQ(loaded.find_trade(fills[0].trade)->price, at(97));
}

TEST(TradeCorrections, are_published_as_amended_and_leave_the_volume_as_it_was) {
  World world(bust_config());
  Units units;
  MarketData data(world.partition, units, {.orders = 64, .midnight = std::chrono::floor<std::chrono::days>(k_start)});
  data.start(k_start);
  const auto fills = trade_four(world);
  const auto volume = [&] { return units.books.find(k_rice)->state().traded_quantity; };
  const auto before = volume();
  const std::size_t count = units.trades.size();
  world.submit(correction(fills[0].trade, 97));
  EXPECT_EQ(volume(), before);
  ASSERT_EQ(units.trades.size(), count + 1);
  EXPECT_EQ(units.trades.back().pt_mod_flags, mitch::k_trade_amended);
  EXPECT_EQ(units.trades.back().price, at(97));
  EXPECT_EQ(units.trades.back().executed_quantity, 4u);
  EXPECT_EQ(units.trades.back().trade_match_id, fills[0].trade);
  EXPECT_EQ(data.unpublished(), 0u);
}

// ---- The operator --------------------------------------------------------------------------------------------------

/// A venue at which Bert has bought four of Anna.
struct TradedVenue : Venue {
  TradedVenue() : Venue(make_front_config(), {}, {.orders = 64, .levels = 32, .reports = 4096, .trades = 8}) {
    send(*anna, valid_order({.side = Side::sell, .lots = 10, .ticks = 100, .id = "A1", .instrument = k_silk}));
    send(*bert, valid_order({.side = Side::buy, .lots = 4, .ticks = 100, .id = "B1", .instrument = k_silk}));
    EXPECT_EQ(kinds_of(anna->reports), (Kinds{accepted, traded}));
    trade = anna->reports.back().trade;
  }
  std::unique_ptr<Member> anna = log_on("ANNA"), bert = log_on("BERT");
  std::uint64_t trade = 0;
};

TEST(TradeBusts, are_asked_for_at_the_front_which_says_why_not) {
  TradedVenue venue;
  const std::uint64_t trade = venue.trade;
  const Time now = venue.scheduler.now();
  EXPECT_EQ(venue.front.bust_trade(77, trade, now).error().code, ErrorCode::unknown);
  EXPECT_EQ(venue.front.bust_trade(k_rice, trade, now).error().code, ErrorCode::unknown);
  EXPECT_EQ(venue.front.bust_trade(k_silk, trade + 1, now).error().code, ErrorCode::unknown);
  ASSERT_TRUE(venue.front.bust_trade(k_silk, trade, now));
  EXPECT_EQ(venue.front.bust_trade(k_silk, trade, now).error().code, ErrorCode::wrong_state);
  venue.run(1ms);
  ASSERT_EQ(kinds_of(venue.anna->reports), (Kinds{accepted, traded, trade_cancelled, restated}));
  EXPECT_EQ(venue.anna->reports[2].reference, venue.anna->reports[1].execution);
  ASSERT_EQ(kinds_of(venue.bert->reports), (Kinds{accepted, traded, trade_cancelled}));
  EXPECT_EQ(venue.bert->reports[2].reference, venue.bert->reports[1].execution);
  EXPECT_EQ(venue.front.counters().trades_busted, 1u);
}

TEST(TradeCorrections, are_asked_for_at_the_front_which_says_why_not) {
  TradedVenue venue;
  const std::uint64_t trade = venue.trade;
  const Time now = venue.scheduler.now();
  const auto code_of = [&](std::uint32_t instrument, std::uint64_t number, std::int64_t ticks) {
    return venue.front.correct_trade(instrument, number, at(ticks), now).error().code;
  };
  EXPECT_EQ(code_of(77, trade, 97), ErrorCode::unknown);
  EXPECT_EQ(code_of(k_silk, trade + 1, 97), ErrorCode::unknown);
  EXPECT_EQ(code_of(k_silk, trade, 0), ErrorCode::out_of_range);
  EXPECT_EQ(code_of(k_silk, trade, 100), ErrorCode::wrong_state);
  ASSERT_TRUE(venue.front.correct_trade(k_silk, trade, at(97), now));
  venue.run(1ms);
  ASSERT_EQ(kinds_of(venue.anna->reports), (Kinds{accepted, traded, trade_cancelled, traded}));
  EXPECT_EQ(venue.anna->reports[2].restatement, static_cast<std::uint8_t>(market::Restatement::market));
  EXPECT_EQ(venue.anna->reports[3].price, at(97));
  EXPECT_EQ(venue.front.counters().trades_corrected, 1u);
  ASSERT_TRUE(venue.front.bust_trade(k_silk, trade, now));
  EXPECT_EQ(code_of(k_silk, trade, 98), ErrorCode::wrong_state);
}

TEST(TradeBusts, are_refused_at_the_front_while_their_partition_takes_no_command) {
  TradedVenue venue;
  venue.journal_two.is_full = true;
  const Time now = venue.scheduler.now();
  EXPECT_EQ(venue.front.bust_trade(k_silk, venue.trade, now).error().code, ErrorCode::no_room);
  venue.journal_two.is_full = false;
  EXPECT_TRUE(venue.front.bust_trade(k_silk, venue.trade, now));
}

}  // namespace
}  // namespace dojima::venue::testing
