// Which commands take the fast path, and that the general path says the same to each of them. Random flows on a book
// whose fast path is forbidden are in reference/, those where a few special orders live in fast_path_flow_test.cpp.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/matching/fast_path_test_support.hpp"

namespace dojima::book::testing {
namespace {

Reason reason_of(const std::vector<BookReport>& reports) {
  return reports.empty() ? Reason::none : reports.front().reason;
}

TEST(FastPath, is_taken_by_plain_orders) {
  World world;
  EXPECT_TRUE(took_fast_path(world, world.buy(5, 10)));
  EXPECT_TRUE(took_fast_path(world, world.sell(5, 20)));
  EXPECT_TRUE(took_fast_path(world, world.add({Side::buy, 7, 20, OrderType::limit, TimeInForce::good_till_cancel})));
}

TEST(FastPath, is_taken_by_a_replace_of_a_plain_order) {
  World world;
  const OrderId order = world.buy(5, 10);
  world.replace(order, Side::buy, 3, 10);
  EXPECT_TRUE(took_fast_path(world, order));
  world.replace(order, Side::buy, 8, 11);
  EXPECT_TRUE(took_fast_path(world, order));
  EXPECT_EQ(world.orders.terms(world.orders.find(order)).limit, at(11));
  EXPECT_EQ(world.orders.terms(world.orders.find(order)).quantity.lots, 8);
}

TEST(FastPath, says_the_same_where_the_buffer_has_no_room_for_its_reports) {
  for (const std::size_t buffer : {1u, 2u, 3u}) {
    BothPaths paths({.buffer = buffer});
    EXPECT_EQ(paths.enter({Side::buy, 5, 10}).size(), 2u);
    const auto resting = paths.enter({Side::buy, 4, 10});
    EXPECT_EQ(resting.size(), 2u);
    EXPECT_EQ(paths.enter({Side::sell, 7, 10}).size(), 3u);
    market::Cancel cancel{.order = resting.at(0).order, .side = Side::buy};
    cancel.header.instrument = 1;
    const auto cancelled = paths.apply(cancel);
    ASSERT_EQ(cancelled.size(), 1u);
    EXPECT_EQ(cancelled.at(0).kind, BookReportKind::cancelled);
    EXPECT_EQ(cancelled.at(0).quantity.lots, 2);
    paths.check_tables();
  }
}

TEST(FastPath, closes_the_level_that_a_cancel_leaves_empty) {
  BothPaths paths;
  const auto best = paths.enter({Side::buy, 5, 10}), behind = paths.enter({Side::buy, 5, 8});
  market::Cancel cancel{.order = best.at(0).order, .side = Side::buy};
  cancel.header.instrument = 1;
  paths.apply(cancel);
  EXPECT_EQ(paths.fast.book.best(Side::buy), at(8));
  EXPECT_EQ(paths.fast.book.level_count(Side::buy), 1u);
  EXPECT_EQ(paths.enter({Side::sell, 5, 8}).at(1).order, behind.at(0).order);
  EXPECT_EQ(paths.fast.book.level_count(Side::buy), 0u);
  paths.check_tables();
}

/// What blocks the fast path, as docs/book.md lists it.
struct Blocker {
  const char* name;
  std::function<void(World&)> live;
};

market::NewOrder far_order(OrderType type) {
  return make_order({Side::buy, 4, 2, type});
}

const std::vector<Blocker>& blockers() {
  static const std::vector<Blocker> all{
      {"a pegged order waits",
       [](World& world) {
         market::NewOrder pegged = far_order(OrderType::market);
         pegged.terms.sub_type = market::OrderSubType::pegged;
         pegged.terms.limit = {};
         world.apply(pegged);
       }},
      {"dark orders wait on both sides",
       [](World& world) {
         for (const Side side : {Side::buy, Side::sell}) {
           market::NewOrder dark = make_order({side, 4, side == Side::buy ? 2 : 900});
           dark.terms.flags = market::k_all_or_none;
           world.apply(dark);
         }
       }},
      {"an auction is called",
       [](World& world) {
         market::PhaseChange change;
         change.header.instrument = k_instrument;
         change.phase = market::Phase::opening_call;
         world.apply(change);
       }},
  };
  return all;
}

TEST(FastPath, is_blocked_by_whatever_is_special_in_the_book) {
  for (const Blocker& blocker : blockers()) {
    World world;
    blocker.live(world);
    EXPECT_FALSE(took_fast_path(world, world.buy(5, 10))) << blocker.name;
  }
}

/// What lives in the book and concerns only some plain orders: `apart` does not meet it, `meeting` does.
struct Bystander {
  const char* name;
  BookRules rules;
  std::function<void(World&)> live;
  OrderArguments apart, meeting;
};

std::vector<Bystander> bystanders() {
  const auto with = [](auto change) {
    return [change](World& world) {
      world.sell(5, 20);
      market::NewOrder order = make_order({Side::sell, 8, 20});
      change(order, world);
      world.apply(order);
    };
  };
  const auto nothing = [](World& world) { world.sell(5, 20); };
  const OrderArguments apart{Side::buy, 3, 19}, meeting{Side::buy, 20, 21};
  return {
      {"a hidden order rests", {}, with([](auto& order, World&) { order.terms.displayed = {}; }), apart, meeting},
      {"an all-or-none order waits",
       {},
       with([](auto& order, World&) { order.terms.flags = market::k_all_or_none; }),
       apart,
       meeting},
      {"orders are linked",
       {},
       with([](auto& order, World& world) { order.linked = world.sell(1, 30); }),
       apart,
       meeting},
      {"orders share levels by size, and an iceberg rests",
       {.policy = Policy::size_time},
       with([](auto& order, World&) { order.terms.displayed = {2}; }),
       apart,
       meeting},
      {"own orders do not trade",
       {.self_trade = SelfTrade::cancel_oldest},
       nothing,
       {Side::buy, 9, 21, OrderType::limit, TimeInForce::day, 1},
       meeting},
  };
}

TEST(FastPath, is_taken_beside_special_orders_that_a_plain_one_does_not_meet) {
  for (const Bystander& bystander : bystanders()) {
    World world({.rules = bystander.rules});
    bystander.live(world);
    EXPECT_TRUE(took_fast_path(world, world.add(bystander.apart))) << bystander.name;
  }
  for (const Bystander& bystander : bystanders()) {
    World world({.rules = bystander.rules});
    bystander.live(world);
    EXPECT_FALSE(took_fast_path(world, world.add(bystander.meeting))) << bystander.name;
  }
}

market::NewOrder make_iceberg(const OrderArguments& arguments, std::int64_t shown) {
  market::NewOrder order = make_order(arguments);
  order.terms.displayed = {shown};
  return order;
}

TEST(FastPath, goes_on_behind_the_icebergs_that_an_order_meets) {
  for (const std::size_t buffer : {1U, 3U, 64U}) {
    BothPaths both({.buffer = buffer});
    both.enter({Side::sell, 5, 20});
    both.apply(make_iceberg({Side::sell, 8, 20}, 3));
    both.apply(make_iceberg({Side::sell, 4, 20}, 3));
    both.enter({Side::sell, 2, 21});
    for (const std::int64_t quantity :
         {4, 1, 1, 2})  // into the order in front, all of it, into a peak, all of the peak
      both.enter({Side::buy, quantity, 20});
    // A peak each, then the last of each, then the order behind, and some of its own is left.
    const auto reports = both.enter({Side::buy, 20, 21});
    EXPECT_TRUE(took_fast_path(both.fast, reports.front().order));
    EXPECT_EQ(kinds_of(reports).back(), BookReportKind::added);
    EXPECT_EQ(reports.back().leaves.lots, 9);
    EXPECT_TRUE(both.fast.queue(Side::sell).empty());
    both.check_tables();
  }
}

TEST(FastPath, stops_before_icebergs_that_are_the_takers_own_or_linked) {
  BothPaths both({.rules = {.self_trade = SelfTrade::cancel_oldest}});
  both.apply(make_iceberg({Side::sell, 8, 20, OrderType::limit, TimeInForce::day, 1}, 3));
  both.apply(make_iceberg({Side::sell, 8, 20, OrderType::limit, TimeInForce::day, 2}, 3));
  market::NewOrder linked = make_iceberg({Side::sell, 6, 21, OrderType::limit, TimeInForce::day, 2}, 2);
  linked.linked = both.enter({Side::sell, 1, 30, OrderType::limit, TimeInForce::day, 2}).front().order;
  both.apply(linked);
  const auto reports = both.enter({Side::buy, 12, 21, OrderType::limit, TimeInForce::day, 1});
  EXPECT_EQ(reports[1].reason, Reason::self_trade);
  both.check_tables();
}

TEST(FastPath, says_of_icebergs_that_come_what_the_general_path_says) {
  BothPaths both({.orders = 7, .levels = 2, .rules = {.most_peaks = 4}});
  const auto enter = [&](std::int64_t lots, std::int64_t shown, std::int64_t ticks, auto... change) {
    market::NewOrder order = make_iceberg({Side::buy, lots, ticks}, shown);
    (change(order), ...);
    return reason_of(both.apply(order));
  };
  EXPECT_EQ(enter(8, 2, 10), Reason::none);
  EXPECT_EQ(enter(9, 2, 10), Reason::display_not_allowed) << "more peaks than there may be";
  EXPECT_EQ(enter(8, -1, 10), Reason::display_not_allowed);
  EXPECT_EQ(enter(8, 9, 10), Reason::display_not_allowed);
  EXPECT_EQ(enter(k_largest, k_largest - 1, 10), Reason::none);
  EXPECT_EQ(enter(k_largest + 1, k_largest, 10), Reason::quantity_out_of_range);
  EXPECT_EQ(enter(8, 2, k_ticks + 1), Reason::price_out_of_range);
  EXPECT_EQ(enter(8, 2, 10, [](auto& order) { ++order.terms.limit.units; }), Reason::price_not_on_tick);
  EXPECT_EQ(enter(8, 2, 11), Reason::none);
  EXPECT_EQ(enter(8, 2, 12), Reason::levels_full);
  EXPECT_EQ(enter(8, 2, 11), Reason::none) << "a level that is there already";
  EXPECT_EQ(enter(8, 2, 11, [](auto& order) { order.terms.sub_type = market::OrderSubType::random_peak; }),
            Reason::none);
  EXPECT_EQ(both.apply(make_iceberg({Side::sell, 9, 11}, 3)).at(1).kind, BookReportKind::traded);
  EXPECT_EQ(enter(8, 2, 11), Reason::none);
  EXPECT_EQ(enter(8, 2, 11), Reason::none);
  EXPECT_EQ(enter(8, 2, 11), Reason::order_table_full);
  both.check_tables();
}

TEST(FastPath, sweeps_levels_by_every_policy_as_the_general_path_does) {
  for (const Policy policy : {Policy::pro_rata, Policy::top_pro_rata, Policy::size_time})
    for (const std::size_t buffer : {1U, 64U}) {
      BothPaths both({.orders = 256, .buffer = buffer, .rules = {.policy = policy}});
      for (std::int64_t order = 0; order < 120; ++order) both.enter({Side::sell, 1 + order * 7 % 11, 10 + order % 3});
      for (const std::int64_t quantity : {1, 2, 40, 90, 3, 200})
        both.enter({Side::buy, quantity, 11, OrderType::limit, TimeInForce::immediate_or_cancel});
      const OrderId taker = both.enter({Side::buy, 700, 12}).front().order;
      EXPECT_TRUE(took_fast_path(both.fast, taker));
      both.check_tables();
    }
}

TEST(FastPath, trades_an_order_of_no_group_with_its_owners_where_groups_are_kept_apart) {
  BothPaths both({.rules = {.self_trade = SelfTrade::cancel_oldest, .scope = SelfTradeScope::group}});
  for (const std::uint8_t group : std::initializer_list<std::uint8_t>{0, 1, 0, 2}) {
    market::NewOrder order = make_order({Side::sell, 3, 10});
    order.terms.group = group;
    both.apply(order);
  }
  for (const std::uint8_t group : std::initializer_list<std::uint8_t>{0, 1, 2}) {
    market::NewOrder order = make_order({Side::buy, 5, 10});
    order.terms.group = group;
    both.apply(order);
  }
  both.check_tables();
}

TEST(FastPath, stops_before_an_iceberg_where_groups_would_be_kept_apart_but_may_trade) {
  BothPaths both({.rules = {.self_trade = SelfTrade::allowed, .scope = SelfTradeScope::group}});
  market::NewOrder iceberg = make_order({Side::sell, 9, 10});
  iceberg.terms.displayed = {2};
  both.apply(iceberg);
  both.enter({Side::sell, 4, 10});
  EXPECT_EQ(both.enter({Side::buy, 5, 10}).back().leaves.lots, 1);
  both.check_tables();
}

TEST(FastPath, wakes_a_stop_order_that_its_trades_reach) {
  BothPaths both;
  market::NewOrder stop = make_order({Side::buy, 2, 0, OrderType::stop});
  stop.terms.stop = at(12);
  both.apply(stop);
  for (const std::int64_t level : {11, 12, 13}) both.enter({Side::sell, 3, level});
  EXPECT_EQ(both.enter({Side::buy, 3, 11}).size(), 2u);  // accepted, traded
  const auto reports = both.enter({Side::buy, 1, 12});
  EXPECT_EQ(kinds_of(reports), (std::vector{BookReportKind::accepted, BookReportKind::traded, BookReportKind::triggered,
                                            BookReportKind::traded}));
  both.check_tables();
}

/// A seller's stop is reached by the lowest price of a sweep that rises, a buyer's by the highest: those of the trades
/// before an order of the taker's own, too.
TEST(FastPath, wakes_stop_orders_by_the_first_and_by_the_last_price_of_a_sweep) {
  for (const SelfTrade rule : {SelfTrade::allowed, SelfTrade::cancel_newest}) {
    BothPaths both({.rules = {.self_trade = rule}});
    both.enter({Side::sell, 1, 13});
    both.enter({Side::buy, 1, 13, OrderType::limit, TimeInForce::day, 1});
    for (const Side side : {Side::buy, Side::sell}) {
      market::NewOrder stop = make_order({side, 2, 0, OrderType::stop, TimeInForce::day, 2});
      stop.terms.stop = at(side == Side::buy ? 14 : 12);
      EXPECT_EQ(kinds_of(both.apply(stop)), (std::vector{BookReportKind::accepted, BookReportKind::parked}));
    }
    for (const std::int64_t level : {11, 14}) both.enter({Side::sell, 3, level});
    both.enter({Side::sell, 3, 17, OrderType::limit, TimeInForce::day, 1});
    const auto reports =
        both.enter({Side::buy, rule == SelfTrade::allowed ? 6 : 8, 17, OrderType::limit, TimeInForce::day, 1});
    EXPECT_EQ(std::ranges::count(kinds_of(reports), BookReportKind::triggered), 2);
    both.check_tables();
  }
}

TEST(FastPath, leaves_every_refusal_to_the_general_path) {
  BothPaths both({.orders = 3, .levels = 2});
  both.enter({Side::buy, 5, 10});
  EXPECT_EQ(reason_of(both.enter({Side::buy, 0, 10})), Reason::quantity_out_of_range);
  EXPECT_EQ(reason_of(both.enter({Side::buy, k_largest + 1, 10})), Reason::quantity_out_of_range);
  EXPECT_EQ(reason_of(both.enter({Side::buy, 1, k_ticks + 1})), Reason::price_out_of_range);
  market::NewOrder between = make_order({Side::buy, 1, 10});
  between.terms.limit.units += 1;
  EXPECT_EQ(reason_of(both.apply(between)), Reason::price_not_on_tick);
  market::NewOrder late = make_order({Side::buy, 1, 10, OrderType::limit, TimeInForce::good_till_date});
  EXPECT_EQ(reason_of(both.apply(late)), Reason::expiry_passed);
  market::NewOrder sideless = make_order({Side::none, 1, 10});
  EXPECT_EQ(reason_of(both.apply(sideless)), Reason::not_supported);
  both.enter({Side::buy, 5, 9});
  EXPECT_EQ(reason_of(both.enter({Side::buy, 5, 8})), Reason::levels_full);
  both.enter({Side::buy, 5, 9});
  EXPECT_EQ(reason_of(both.enter({Side::sell, 5, 9})), Reason::order_table_full);
  both.check_tables();
}

TEST(FastPath, leaves_orders_of_others_and_ended_ones_to_the_general_path) {
  BothPaths both;
  const OrderId order = both.enter({Side::buy, 5, 10, OrderType::limit, TimeInForce::day, 1}).front().order;
  const auto cancel = [&both](OrderId id, Side side, std::uint16_t owner) {
    market::Cancel command;
    command.header.instrument = k_instrument;
    command.header.user = owner;
    command.order = id;
    command.side = side;
    return reason_of(both.apply(command));
  };
  EXPECT_EQ(cancel(order, Side::buy, 2), Reason::not_owner);
  EXPECT_EQ(cancel(order, Side::sell, 1), Reason::side_mismatch);
  EXPECT_EQ(cancel({order.value ^ std::uint64_t{3} << 60}, Side::buy, 1), Reason::unknown_order);  // of a partition
  EXPECT_EQ(cancel({order.value + 1}, Side::buy, 1), Reason::unknown_order);                       // of a slot
  EXPECT_EQ(cancel({order.value | 0xffff'ffff}, Side::buy, 1), Reason::unknown_order);
  EXPECT_EQ(cancel({}, Side::buy, 1), Reason::unknown_order);
  EXPECT_EQ(cancel(order, Side::buy, 1), Reason::by_owner);
  EXPECT_EQ(cancel(order, Side::buy, 1), Reason::unknown_order);
}

TEST(FastPath, does_not_take_an_ended_order_for_the_next_one_across_the_wrap_of_generations) {
  const market::Instrument instrument = make_instrument();
  OrderTable orders({.capacity = 1, .first_generation = OrderTable::k_last_generation});
  Collector collector(8);
  Book book(instrument, orders, collector, {.levels = 4});
  const auto enter = [&] {
    book.apply(make_order({Side::buy, 5, 10}));
    collector.finish();
    return collector.reports.back().order;
  };
  const auto cancel = [&](OrderId id) {
    market::Cancel command;
    command.order = id;
    command.side = Side::buy;
    book.apply(command);
    collector.finish();
    return collector.reports.back().reason;
  };
  const OrderId last = enter();
  EXPECT_EQ(cancel(last), Reason::by_owner);
  const OrderId first = enter();
  EXPECT_EQ(last.value >> 32 & OrderTable::k_last_generation, OrderTable::k_last_generation);
  EXPECT_EQ(first.value >> 32 & OrderTable::k_last_generation, 1u);
  EXPECT_EQ(cancel(last), Reason::unknown_order);
  market::Replace replace;
  replace.order = last;
  replace.side = Side::buy;
  replace.limit = at(11);
  replace.quantity = replace.displayed = {3};
  book.apply(replace);
  collector.finish();
  EXPECT_EQ(collector.reports.back().reason, Reason::unknown_order);
  EXPECT_EQ(cancel(first), Reason::by_owner);
}

TEST(FastPath, sweeps_levels_with_a_buffer_that_is_full_all_the_time) {
  for (const std::size_t buffer : {1U, 2U, 3U, 64U}) {
    BothPaths both({.orders = 64, .buffer = buffer});
    for (std::int64_t level = 10; level < 14; ++level)
      for (std::int64_t order = 0; order < 5; ++order) both.enter({Side::sell, 2 + order, level});
    const auto swept = both.enter({Side::buy, 46, 12});
    EXPECT_EQ(swept.front().kind, BookReportKind::accepted);
    EXPECT_EQ(swept.back().kind, BookReportKind::traded);
    EXPECT_EQ(swept.back().leaves.lots, 3);
    both.enter({Side::buy, 45, 13});
    EXPECT_EQ(both.fast.book.best(Side::buy), at(13));
    both.check_tables();
  }
}

TEST(FastPath, trades_with_orders_that_came_by_the_general_path_and_the_other_way_round) {
  BothPaths both;
  market::NewOrder iceberg = make_order({Side::sell, 9, 10});
  iceberg.terms.displayed = {3};
  both.apply(iceberg);
  both.enter({Side::sell, 4, 10});  // while the iceberg is there
  both.enter({Side::buy, 5, 10});
  both.enter({Side::buy, 6, 10});
  both.enter({Side::buy, 9, 10});
  both.enter({Side::sell, 2, 10});
  both.check_tables();
}

TEST(FastPath, leaves_orders_of_other_books_of_the_table_alone) {
  OrderTable orders({.capacity = 8});
  Collector collector(8);
  const market::Instrument here = make_instrument();
  market::Instrument there = make_instrument();
  there.id = k_instrument + 1;
  Book book(here, orders, collector, {.levels = 4}), other(there, orders, collector, {.levels = 4});
  const auto last = [&] {
    collector.finish();
    return collector.reports.back();
  };
  book.apply(make_order({Side::buy, 5, 10}));
  market::NewOrder elsewhere = make_order({Side::buy, 5, 10});
  elsewhere.header.instrument = there.id;
  other.apply(elsewhere);
  const OrderId order = last().order;
  market::Cancel cancel{.order = order, .side = Side::buy};
  cancel.header.instrument = here.id;
  book.apply(cancel);
  EXPECT_EQ(last().reason, Reason::unknown_order);
  market::Replace replace;
  replace.header.instrument = here.id;
  replace.order = order;
  replace.side = Side::buy;
  replace.limit = at(10);
  replace.quantity = replace.displayed = {3};
  book.apply(replace);
  EXPECT_EQ(last().reason, Reason::unknown_order);
  ASSERT_NE(orders.find(order), k_no_slot);
  EXPECT_EQ(orders[orders.find(order)].leaves.lots, 5);
  EXPECT_EQ(book.inconsistency(), nullptr);
  EXPECT_EQ(other.inconsistency(), nullptr);
}

/// Reads in the table what an order has left, whenever reports are handed over.
class LeavesWatcher final : public ReportBuffer {
 public:
  LeavesWatcher(std::size_t capacity, const OrderTable& orders) : ReportBuffer(capacity), orders_(orders) {}
  std::size_t seen = 0;  ///< in the middle of its trades

 private:
  void drain(std::span<const BookReport> reports, time::Time) override {
    for (const BookReport& report : reports) {
      if (report.kind == BookReportKind::accepted) taker_ = report.order, left_ = report.quantity;
      if (report.kind == BookReportKind::traded && report.other == taker_) left_ -= report.quantity;
    }
    const Slot slot = orders_.find(taker_);
    if (slot == k_no_slot || reports.back().kind != BookReportKind::traded) return;
    ++seen;
    EXPECT_EQ(orders_[slot].leaves, left_);
  }

  const OrderTable& orders_;
  OrderId taker_;
  Quantity left_;
};

TEST(FastPath, has_written_what_the_taker_has_left_when_reports_are_handed_over) {
  const market::Instrument instrument = make_instrument();
  for (const bool has_iceberg : {false, true})
    for (const std::size_t buffer : {1U, 2U, 3U}) {
      OrderTable orders({.capacity = 64});
      LeavesWatcher watcher(buffer, orders);
      Book book(instrument, orders, watcher, {.levels = 16});
      for (std::int64_t order = 0; order < 6; ++order) {
        market::NewOrder maker = make_order({Side::sell, 4 + order, 10 + order / 2});
        if (has_iceberg && order % 2 == 0) maker.terms.displayed = {3};
        book.apply(maker);
      }
      watcher.finish();
      book.apply(make_order({Side::buy, 36, 20}));
      watcher.finish();
      EXPECT_GT(watcher.seen, 1u) << buffer;
      EXPECT_EQ(book.inconsistency(), nullptr);
    }
}

/// The level is remembered from trades with it, and all that is known of it is gone when the order comes to rest there.
TEST(FastPath, remembers_an_order_that_rests_after_it_has_traded_where_levels_go_by_size) {
  for (const Policy policy : {Policy::size_time, Policy::pro_rata, Policy::top_pro_rata}) {
    BothPaths both({.orders = 128, .rules = {.policy = policy}});
    for (std::int64_t order = 0; order < 50; ++order) both.enter({Side::buy, 1 + order % 7, 10});
    both.enter({Side::sell, 3, 10});
    both.enter({Side::sell, 210, 10});
    both.enter({Side::buy, 30, 10});  // what it has left is the largest there
    both.enter({Side::buy, 2, 10});
    both.enter({Side::sell, 4, 10});
    both.enter({Side::sell, 30, 10});
    both.check_tables();
  }
}

TEST(FastPath, ends_the_order_that_an_iceberg_is_linked_with_when_it_is_met) {
  BothPaths both;
  const OrderId plain = both.enter({Side::sell, 1, 30}).front().order;
  market::NewOrder linked = make_iceberg({Side::sell, 6, 21}, 2);
  linked.linked = plain;
  both.apply(linked);
  const auto reports = both.enter({Side::buy, 1, 21});
  EXPECT_EQ(kinds_of(reports),
            (std::vector{BookReportKind::accepted, BookReportKind::traded, BookReportKind::cancelled}));
  EXPECT_EQ(reports.back().order, plain);
  both.check_tables();
}

}  // namespace
}  // namespace dojima::book::testing
