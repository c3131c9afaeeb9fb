// Each part of a book by itself: a part is made without those above it and does what it is there for.

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dojima/book/book.hpp"
#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {
namespace {

/// A part, and what it takes to make one: `Shown` derives from the part and shows what is protected.
template <class Shown>
struct PartWorld {
  explicit PartWorld(const BookRules& rules = {})
      : orders({.capacity = 16, .owners = 4}),
        part(instrument, orders, collector, {.levels = 4, .hidden_levels = 4, .stop_levels = 4}, rules) {}

  /// A live order that rests nowhere.
  Slot order(Side side, std::int64_t lots, std::int64_t ticks, std::uint16_t owner = 0) {
    market::OrderTerms terms = make_order({side, lots, ticks}).terms;
    terms.owner = owner;
    return orders.add(terms, {}, k_instrument);
  }
  Slot order(const market::OrderTerms& terms) { return orders.add(terms, {}, k_instrument); }
  std::vector<BookReportKind> kinds() {
    collector.finish();
    return kinds_of(std::exchange(collector.reports, {}));
  }

  market::Instrument instrument = make_instrument();
  OrderTable orders;
  Collector collector{64};
  Shown part;
};

using Kinds = std::vector<BookReportKind>;

// ---- Checks --------------------------------------------------------------------------------------------------------

struct ShownChecks : BookChecks<LadderQueue> {
  using BookChecks::BookChecks;
  using BookChecks::lit;
  using BookChecks::reachable;
  using BookChecks::reference_;
  using BookChecks::tick_beside;
};
using ChecksWorld = PartWorld<ShownChecks>;

TEST(BookChecksPart, gives_the_first_reason_in_the_order_of_its_table) {
  ChecksWorld world;
  const auto refused = [&](auto... change) {
    market::NewOrder order = make_order({Side::buy, 5, 100});
    (change(order), ...);
    return world.part.refusal(order);
  };
  const auto no_type = [](market::NewOrder& order) { order.terms.type = OrderType::none; };
  const auto no_lots = [](market::NewOrder& order) { order.terms.quantity = {0}; };
  const auto too_many_shown = [](market::NewOrder& order) { order.terms.displayed = {6}; };
  const auto off_tick = [](market::NewOrder& order) { order.terms.limit.units += 1; };
  const auto no_link = [](market::NewOrder& order) { order.linked = {77}; };
  EXPECT_EQ(refused(), Reason::none);
  EXPECT_EQ(refused(no_link), Reason::linked_order);
  EXPECT_EQ(refused(no_link, off_tick), Reason::price_not_on_tick);
  EXPECT_EQ(refused(no_link, off_tick, too_many_shown), Reason::display_not_allowed);
  EXPECT_EQ(refused(no_link, off_tick, no_lots), Reason::quantity_out_of_range);
  EXPECT_EQ(refused(no_link, off_tick, no_lots, no_type), Reason::not_supported);
  EXPECT_TRUE(world.kinds().empty()) << "a check says nothing";
  EXPECT_EQ(world.orders.size(), 0u) << "and changes nothing";
}

TEST(BookChecksPart, counts_what_can_be_reached_within_a_limit_and_no_further_than_asked) {
  ChecksWorld world;
  for (const std::int64_t ticks : {101, 102, 104}) {
    const Slot slot = world.order(Side::sell, 10, ticks);
    world.part.lit(Side::sell).append(world.instrument.ticks.level_or_none(at(ticks)), slot);
  }
  const auto reached = [&](std::int64_t ticks, std::int64_t enough) {
    return world.part.reachable(Side::buy, world.instrument.ticks.level_or_none(at(ticks)), {enough}).lots;
  };
  EXPECT_EQ(reached(100, 99), 0);
  EXPECT_EQ(reached(101, 99), 10);
  EXPECT_EQ(reached(103, 99), 20);
  EXPECT_EQ(reached(104, 99), 30);
  EXPECT_EQ(reached(104, 10), 10) << "level by level, until there is enough";
}

TEST(BookChecksPart, finds_the_tick_at_or_beside_a_price) {
  const ChecksWorld world;
  const auto beside = [&](std::int64_t units, Side towards) { return world.part.tick_beside({units}, towards); };
  EXPECT_EQ(beside(at(100).units, Side::buy), world.instrument.ticks.level_of(at(100)));
  EXPECT_EQ(beside(at(100).units + 1, Side::sell), world.instrument.ticks.level_of(at(100)));
  EXPECT_EQ(beside(at(100).units + 1, Side::buy), world.instrument.ticks.level_of(at(101)));
  EXPECT_EQ(beside(at(1).units - 1, Side::sell), std::nullopt);
  EXPECT_EQ(beside(at(k_ticks).units + 1, Side::buy), std::nullopt);
}

// ---- Places --------------------------------------------------------------------------------------------------------

struct ShownPlaces : BookPlaces<LadderQueue> {
  using BookPlaces::bars_;
  using BookPlaces::BookPlaces;
  using BookPlaces::cancel_linked;
  using BookPlaces::dark;
  using BookPlaces::finish;
  using BookPlaces::hidden;
  using BookPlaces::lit;
  using BookPlaces::make_special;
  using BookPlaces::resize;
  using BookPlaces::rest;
  using BookPlaces::specials_;
  using BookPlaces::take_out;
  using BookPlaces::take_out_and_finish;
  using BookPlaces::unlink;
};
using PlacesWorld = PartWorld<ShownPlaces>;

TEST(BookPlacesPart, rest_an_order_where_its_terms_say_and_count_the_special_ones) {
  PlacesWorld world;
  market::OrderTerms hidden = make_order({Side::buy, 5, 100}).terms, dark = hidden, iceberg = hidden;
  hidden.displayed = {0};
  dark.minimum = {3};
  iceberg.displayed = {2};
  const Slot plain = world.order(Side::buy, 5, 100);
  world.part.rest(plain);
  EXPECT_EQ(world.part.specials_, 0u);
  EXPECT_TRUE(world.orders[plain].is_compact());
  for (const market::OrderTerms& terms : {hidden, dark, iceberg}) world.part.rest(world.order(terms));
  EXPECT_EQ(world.part.specials_, 3u);
  EXPECT_EQ(world.kinds(), Kinds(4, BookReportKind::added));
  EXPECT_EQ(world.part.lit(Side::buy).total().lots, 10);
  EXPECT_EQ(world.part.hidden(Side::buy).total().lots, 5);
  EXPECT_FALSE(world.part.dark(Side::buy).is_empty());
}

TEST(BookPlacesPart, take_an_order_out_of_every_place_and_leave_nothing_of_it) {
  PlacesWorld world;
  market::OrderTerms hidden = make_order({Side::sell, 5, 100}).terms, dark = hidden, iceberg = hidden;
  hidden.displayed = {0};
  dark.minimum = {3};
  iceberg.displayed = {2};
  for (const market::OrderTerms& terms : {make_order({Side::sell, 5, 100}).terms, hidden, dark, iceberg}) {
    const Slot slot = world.order(terms);
    world.part.rest(slot);
    world.part.resize(slot, Quantity{-1});
    EXPECT_EQ(world.orders[slot].leaves.lots, 4);
    world.part.take_out_and_finish(slot, BookReportKind::cancelled, Reason::by_owner);
    EXPECT_EQ(world.kinds(), (Kinds{BookReportKind::added, BookReportKind::cancelled}));
  }
  EXPECT_EQ(world.orders.size(), 0u);
  EXPECT_EQ(world.part.specials_, 0u);
  EXPECT_EQ(world.part.lit(Side::sell).level_count() + world.part.hidden(Side::sell).level_count(), 0u);
  EXPECT_EQ(world.part.bars_, 0u);
}

TEST(BookPlacesPart, expire_a_rest_for_which_there_is_no_level) {
  PlacesWorld world;
  for (std::int64_t ticks = 100; ticks < 104; ++ticks) world.part.rest(world.order(Side::buy, 1, ticks));
  world.part.rest(world.order(Side::buy, 1, 104));
  EXPECT_EQ(world.kinds().back(), BookReportKind::expired);
  EXPECT_EQ(world.orders.size(), 4u);
}

TEST(BookPlacesPart, end_the_other_of_two_linked_orders_and_make_the_one_that_stays_plain) {
  PlacesWorld world;
  const Slot one = world.order(Side::buy, 5, 100), other = world.order(Side::buy, 5, 99);
  world.part.make_special(one).linked = world.orders.id(other);
  world.part.make_special(other).linked = world.orders.id(one);
  world.part.rest(one);
  world.part.rest(other);
  EXPECT_EQ(world.part.specials_, 2u);
  const OrderId linked = world.part.unlink(one);
  EXPECT_EQ(linked, world.orders.id(other));
  EXPECT_EQ(world.part.specials_, 0u);
  world.part.cancel_linked(linked);
  EXPECT_EQ(world.orders.find(linked), k_no_slot);
  EXPECT_TRUE(world.orders[one].is_resting());
}

// ---- Auctions ------------------------------------------------------------------------------------------------------

struct ShownAuctions : BookAuctions<LadderQueue> {
  using BookAuctions::begin_phase;
  using BookAuctions::BookAuctions;
  using BookAuctions::collect;
  using BookAuctions::leave_phase;
  using BookAuctions::lit;
  using BookAuctions::settle_phase;
};

TEST(BookAuctionsPart, collect_orders_that_meet_and_trade_them_at_one_price_at_the_end) {
  PartWorld<ShownAuctions> world;
  const auto go_to = [&](market::Phase phase) {
    market::PhaseChange change;
    change.phase = phase;
    world.part.leave_phase(change);
    world.part.begin_phase(change);
    world.part.settle_phase();
  };
  go_to(market::Phase::opening_call);
  for (const auto& [side, lots, ticks] : {std::tuple{Side::buy, 10, 102}, {Side::sell, 6, 100}, {Side::sell, 9, 103}}) {
    world.part.collect(world.order(side, lots, ticks));
    world.part.settle_phase();
  }
  EXPECT_EQ(world.part.indicative().volume.lots, 6);
  EXPECT_EQ(world.part.indicative().surplus.lots, 4);
  EXPECT_EQ(world.part.lit(Side::buy).best(), *world.instrument.ticks.level_of(at(102))) << "they rest crossed";
  world.kinds();
  go_to(market::Phase::continuous);
  EXPECT_EQ(world.kinds(), (Kinds{BookReportKind::traded, BookReportKind::uncrossed, BookReportKind::phase_changed}));
  EXPECT_EQ(world.part.lit(Side::buy).total().lots, 4);
  EXPECT_EQ(world.part.indicative().volume.lots, 0);
  EXPECT_EQ(world.orders.size(), 2u);
}

// ---- Matching ------------------------------------------------------------------------------------------------------

struct ShownMatching : BookMatching<LadderQueue> {
  using BookMatching::BookMatching;
  using BookMatching::enter;
  using BookMatching::is_own;
  using BookMatching::lit;
  using BookMatching::tradable;
};
using MatchingWorld = PartWorld<ShownMatching>;

TEST(BookMatchingPart, trades_the_better_price_first_and_rests_what_is_left) {
  MatchingWorld world;
  world.part.enter(world.order(Side::sell, 5, 102), 0);
  world.part.enter(world.order(Side::sell, 5, 101), 0);
  const Slot taker = world.order(Side::buy, 12, 102);
  EXPECT_EQ(world.part.tradable(taker).lots, 10);
  world.kinds();
  world.part.enter(taker, 0);
  world.collector.finish();
  ASSERT_EQ(kinds_of(world.collector.reports),
            (Kinds{BookReportKind::traded, BookReportKind::traded, BookReportKind::added}));
  EXPECT_EQ(world.collector.reports[0].price, at(101));
  EXPECT_EQ(world.collector.reports[1].price, at(102));
  EXPECT_EQ(world.part.lit(Side::buy).total().lots, 2);
  EXPECT_EQ(world.part.last_trade(), at(102));
}

TEST(BookMatchingPart, keeps_own_orders_apart_as_the_rules_say) {
  MatchingWorld world({.self_trade = SelfTrade::cancel_oldest});
  const Slot maker = world.order(Side::sell, 5, 101, 1);
  world.part.enter(maker, 0);
  const Slot taker = world.order(Side::buy, 5, 101, 1);
  EXPECT_TRUE(world.part.is_own(maker, taker));
  EXPECT_EQ(world.part.tradable(taker).lots, 0);
  world.kinds();
  world.part.enter(taker, 0);
  EXPECT_EQ(world.kinds(), (Kinds{BookReportKind::expired, BookReportKind::added}));
}

// ---- Waiting orders ------------------------------------------------------------------------------------------------

struct ShownWaiting : BookWaiting<LadderQueue> {
  using BookWaiting::BookWaiting;
  using BookWaiting::enter;
  using BookWaiting::is_triggered;
  using BookWaiting::park;
  using BookWaiting::specials_;
};

TEST(BookWaitingPart, wakes_a_stop_order_when_its_price_was_traded_and_not_before_it_settles) {
  PartWorld<ShownWaiting> world;
  market::OrderTerms stop = make_order({Side::buy, 3, 0, OrderType::stop}).terms;
  stop.stop = at(101);
  world.part.enter(world.order(Side::sell, 5, 101), 0);
  world.part.park(world.order(stop));
  world.part.settle();
  EXPECT_EQ(world.kinds(), (Kinds{BookReportKind::added, BookReportKind::parked})) << "nothing was traded";
  world.part.enter(world.order(Side::buy, 1, 101), 0);
  EXPECT_EQ(world.kinds(), Kinds{BookReportKind::traded});
  EXPECT_TRUE(world.part.is_triggered(stop));
  world.part.settle();
  EXPECT_EQ(world.kinds(), (Kinds{BookReportKind::triggered, BookReportKind::traded}));
  EXPECT_EQ(world.part.specials_, 0u);
}

}  // namespace
}  // namespace dojima::book::testing
