// What owners hear, with full reports, of orders that change without their doing: parked and entering, replenished,
// repriced, reduced; that none of it is reported without them; and that it all follows from the journal.

#include <gtest/gtest.h>
#include <map>

#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using Kinds = std::vector<OwnerReportKind>;
using market::OrderType;
using market::Phase;
using market::Restatement;
using market::TimeInForce;

PartitionConfig full_config() {
  PartitionConfig config = make_config();
  config.full_reports = true;
  return config;
}

market::NewOrder stop_limit(std::int64_t stop, std::int64_t limit) {
  market::NewOrder order = make_order({.user = 1, .side = Side::buy, .lots = 10, .ticks = limit, .id = "stop"});
  order.terms.type = OrderType::stop_limit;
  order.terms.stop = at(stop);
  return order;
}

market::PhaseChange phase(Phase next) {
  market::PhaseChange change;
  change.header.instrument = k_rice;
  change.header.user = market::k_no_user;
  change.phase = next;
  return change;
}

std::uint8_t number_of(Restatement reason) {
  return static_cast<std::uint8_t>(reason);
}

/// A trade at 100 ticks between users 2 and 3.
void trade_at_100(World& world) {
  world.submit(make_order({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100}));
  world.submit(make_order({.user = 3, .side = Side::buy, .lots = 1, .ticks = 100}));
}

TEST(FullReports, report_that_a_stop_order_is_parked_and_that_it_enters_the_book) {
  World world(full_config());
  const auto parked = world.submit(stop_limit(100, 90));
  ASSERT_EQ(kinds_of(parked), (Kinds{accepted, suspended}));
  EXPECT_EQ(parked[0].status, OrderStatus::new_order);
  EXPECT_EQ(parked[1].status, OrderStatus::suspended);
  EXPECT_EQ(parked[1].leaves.lots, 10);
  EXPECT_EQ(parked[1].execution, parked[0].execution + 1);
  world.submit(make_order({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100}));
  const auto triggered = world.submit(make_order({.user = 3, .side = Side::buy, .lots = 1, .ticks = 100}));
  ASSERT_EQ(kinds_of(triggered), (Kinds{accepted, traded, traded, accepted}));
  EXPECT_EQ(triggered[3].user, 1u);
  EXPECT_EQ(triggered[3].status, OrderStatus::new_order);
  EXPECT_EQ(triggered[3].client_order_id.view(), "stop");
}

TEST(FullReports, report_the_trade_alone_when_what_was_parked_trades_at_once) {
  World world(full_config());
  world.submit(stop_limit(100, 100));
  world.submit(make_order({.user = 2, .side = Side::sell, .lots = 5, .ticks = 100}));
  const auto triggered = world.submit(make_order({.user = 3, .side = Side::buy, .lots = 1, .ticks = 100}));
  ASSERT_EQ(kinds_of(triggered), (Kinds{accepted, traded, traded, traded, traded}));
  EXPECT_EQ(triggered[4].user, 1u);
  EXPECT_EQ(triggered[4].status, OrderStatus::partially_filled);
}

TEST(FullReports, keep_the_status_of_a_parked_order_in_the_answers_to_its_changes) {
  World world(full_config());
  const OrderId order = world.submit(stop_limit(100, 90)).at(0).order;
  market::Replace smaller =
      make_replace({.user = 1, .side = Side::buy, .order = order, .id = "r", .lots = 8, .ticks = 90});
  smaller.stop = {-1};
  const auto replaced_ = world.submit(smaller);
  ASSERT_EQ(kinds_of(replaced_), Kinds{replaced});
  EXPECT_EQ(replaced_[0].status, OrderStatus::suspended);
  market::Replace moved = make_replace({.user = 1, .side = Side::buy, .order = order, .lots = 8, .ticks = 90});
  moved.stop = at(110);
  EXPECT_EQ(kinds_of(world.submit(moved)), Kinds{replaced}) << "it is parked already";
  const auto gone = world.submit(make_cancel({.user = 1, .side = Side::buy, .order = order}));
  ASSERT_EQ(kinds_of(gone), Kinds{cancelled});
  EXPECT_EQ(gone[0].status, OrderStatus::cancelled);
}

TEST(FullReports, report_that_an_order_for_an_auction_waits_and_that_its_call_began) {
  World world(full_config());
  market::NewOrder order = make_order({.user = 1, .lots = 10, .ticks = 90});
  order.terms.time_in_force = TimeInForce::at_the_close;
  EXPECT_EQ(kinds_of(world.submit(order)), (Kinds{accepted, suspended}));
  const auto called = world.submit(phase(Phase::closing_call));
  ASSERT_EQ(kinds_of(called), Kinds{accepted});
  EXPECT_EQ(called[0].status, OrderStatus::new_order);
}

TEST(FullReports, report_the_price_at_which_an_offset_order_enters) {
  World world(full_config());
  trade_at_100(world);
  market::NewOrder order = make_order({.user = 1, .lots = 10, .ticks = 0});
  order.terms.time_in_force = TimeInForce::at_the_close;
  order.terms.sub_type = market::OrderSubType::offset;
  order.terms.offset_bp = -1000;
  order.terms.limit = {};
  EXPECT_EQ(kinds_of(world.submit(order)), (Kinds{accepted, suspended}));
  const auto called = world.submit(phase(Phase::closing_call));
  ASSERT_EQ(kinds_of(called), Kinds{accepted});
  EXPECT_EQ(called[0].price, at(90));
}

TEST(FullReports, report_that_an_iceberg_shows_its_next_peak) {
  World world(full_config());
  market::NewOrder iceberg = make_order({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100});
  iceberg.terms.displayed = {4};
  world.submit(iceberg);
  const auto taken = world.submit(make_order({.user = 2, .side = Side::buy, .lots = 4, .ticks = 100}));
  ASSERT_EQ(kinds_of(taken), (Kinds{accepted, traded, traded, restated}));
  EXPECT_EQ(taken[3].user, 1u);
  EXPECT_EQ(taken[3].restatement, number_of(Restatement::replenished));
  EXPECT_EQ(taken[3].status, OrderStatus::partially_filled);
  EXPECT_EQ(taken[3].leaves.lots, 6);
  EXPECT_EQ(taken[3].displayed.lots, 4);
  EXPECT_EQ(taken[3].price, market::Price{});
}

TEST(FullReports, report_the_limit_that_the_end_of_a_call_gives_an_order) {
  World world(full_config());
  world.submit(phase(Phase::opening_call));
  market::NewOrder order = make_order({.user = 1, .lots = 10, .ticks = 0});
  order.terms.type = OrderType::market_to_limit;
  order.terms.limit = {};
  world.submit(order);
  world.submit(make_order({.user = 2, .side = Side::sell, .lots = 4, .ticks = 100}));
  const auto ended = world.submit(phase(Phase::continuous));
  ASSERT_EQ(kinds_of(ended), (Kinds{traded, traded, restated}));
  EXPECT_EQ(ended[2].restatement, number_of(Restatement::repriced));
  EXPECT_EQ(ended[2].price, at(100));
  EXPECT_EQ(ended[2].leaves.lots, 6);
  EXPECT_EQ(ended[2].client_order_id.view(), "order");
}

TEST(FullReports, report_what_an_order_lost_to_its_own_side) {
  PartitionConfig config = full_config();
  config.rules.self_trade = book::SelfTrade::decrement;
  World world(config);
  world.add({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100, .id = "rest"});
  const auto met = world.submit(make_order({.user = 1, .side = Side::buy, .lots = 4, .ticks = 100, .id = "take"}));
  ASSERT_EQ(kinds_of(met), (Kinds{accepted, restated, expired}));
  EXPECT_EQ(met[1].client_order_id.view(), "rest");
  EXPECT_EQ(met[1].restatement, number_of(Restatement::market));
  EXPECT_EQ(met[1].leaves.lots, 6);
  EXPECT_EQ(met[1].status, OrderStatus::new_order);
}

TEST(FullReports, are_not_made_where_nobody_asked_for_them) {
  World world;
  EXPECT_EQ(kinds_of(world.submit(stop_limit(100, 90))), Kinds{accepted});
  market::NewOrder iceberg = make_order({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100});
  iceberg.terms.displayed = {4};
  world.submit(iceberg);
  EXPECT_EQ(kinds_of(world.submit(make_order({.user = 2, .side = Side::buy, .lots = 4, .ticks = 100}))),
            (Kinds{accepted, traded, traded}));
}

/// What the reports say of each order, followed one by one.
class FollowedOrders {
 public:
  void follow(const OwnerReport& report) {
    if (report.order.value == 0) return;
    State& order = orders_[report.order.value];
    switch (report.kind) {
      case accepted:
        ASSERT_TRUE(order.leaves == 0 || order.is_suspended) << "a second acceptance only of what was parked";
        order.is_suspended = false;
        break;
      case suspended:
        ASSERT_FALSE(order.is_suspended);
        order.is_suspended = true;
        break;
      case traded:
        ASSERT_EQ(report.quantity.lots, order.leaves - report.leaves.lots);
        order.is_suspended = false;
        break;
      case restated:
        ASSERT_LE(report.leaves.lots, order.leaves);
        ASSERT_TRUE(report.leaves.lots == order.leaves || report.restatement == number_of(Restatement::market));
        break;
      case request_rejected:
      case rejected:
        return;
      default:
        break;
    }
    ASSERT_EQ(report.status == OrderStatus::suspended,
              order.is_suspended && report.kind != cancelled && report.kind != expired)
        << "kind " << int(report.kind);
    order.leaves = report.leaves.lots;
  }

 private:
  struct State {
    std::int64_t leaves = 0;
    bool is_suspended = false;
  };
  std::map<std::uint64_t, State> orders_;
};

TEST(FullReports, are_the_only_difference_that_the_setting_makes) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    PartitionConfig plain = make_config(), full = full_config();
    plain.limits.trades = 0;
    plain.rules.self_trade = full.rules.self_trade = book::SelfTrade::decrement;
    World one(plain), other(full);
    StateFlow flow(seed);
    one.partition.observe(&flow);
    FollowedOrders followed;
    std::size_t more = 0;
    for (int step = 0; step < 400 && !HasFatalFailure(); ++step) {
      const StateFlow::Any command = flow.next();
      const auto few = std::visit([&](auto each) { return one.submit(each); }, command);
      const auto all = std::visit([&](auto each) { return other.submit(each); }, command);
      // Without what is new, both say the same, in the same order.
      for (const OwnerReport& report : all) followed.follow(report);
      std::size_t at = 0;
      for (const OwnerReport& report : all) {
        const bool is_same = at < few.size() && report.kind == few[at].kind && report.order == few[at].order &&
                             report.leaves == few[at].leaves && report.quantity == few[at].quantity;
        ++(is_same ? at : more);
      }
      ASSERT_EQ(at, few.size()) << "seed " << seed << " step " << step;
    }
    EXPECT_GT(more, 10u) << "seed " << seed;
    for (const std::uint32_t instrument : {k_rice, k_silk})
      EXPECT_EQ(one.partition.book(instrument)->state_digest(), other.partition.book(instrument)->state_digest());
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition again(full, nothing);
    for (journal::MemoryJournal::Cursor cursor; const auto record = other.journal.read(cursor);)
      ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), other.partition.digest());
  }
}

TEST(FullReports, begin_and_end_with_the_setting_in_a_state_that_was_saved_without_or_with_it) {
  for (const bool is_full : {false, true}) {
    World world(is_full ? full_config() : make_config());
    world.submit(stop_limit(100, 90));
    const State state = save(world.partition);
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition changed(is_full ? make_config() : full_config(), nothing);
    const auto loaded = load(changed, state);
    ASSERT_TRUE(loaded) << loaded.error().expected;
    EXPECT_EQ(changed.live_orders(), 1u);
    EXPECT_EQ(save(changed).size() > state.size(), !is_full) << "what belongs to it is written where it is on";
  }
}

}  // namespace
}  // namespace dojima::venue::testing
