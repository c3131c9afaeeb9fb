#include "dojima/book/book.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {
namespace {

using enum BookReportKind;
using Kinds = std::vector<BookReportKind>;
using OrderIds = std::vector<OrderId>;

Reason refused_for(const std::vector<BookReport>& reports) {
  EXPECT_EQ(kinds_of(reports), Kinds{rejected});
  return reports.at(0).reason;
}

TEST(Book, rests_a_limit_order_that_meets_nobody) {
  World world;
  const auto reports = world.enter({Side::buy, 10, 100});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, added}));
  EXPECT_EQ(reports[0].price, at(100));
  EXPECT_EQ(reports[0].quantity.lots, 10);
  EXPECT_EQ(reports[1].leaves.lots, 10);
  EXPECT_EQ(reports[1].displayed.lots, 10);
  EXPECT_EQ(reports[1].instrument, k_instrument);
  EXPECT_EQ(world.book.best(Side::buy), at(100));
  EXPECT_EQ(world.book.best(Side::sell), std::nullopt);
  EXPECT_EQ(world.book.total(Side::buy, at(100)).lots, 10);
}

TEST(Book, trades_at_the_resting_orders_price_whoever_is_the_aggressor) {
  World world;
  const OrderId bid = world.buy(5, 110);
  const auto reports = world.enter({Side::sell, 5, 100});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded}));
  EXPECT_EQ(reports[1].price, at(110));
  EXPECT_EQ(reports[1].order, bid);
  EXPECT_EQ(reports[1].other, reports[0].order);
  EXPECT_EQ(reports[1].side, Side::buy);
  EXPECT_EQ(reports[1].quantity.lots, 5);
  EXPECT_EQ(reports[1].leaves.lots, 0);
  EXPECT_EQ(world.orders.size(), 0u);
}

TEST(Book, serves_the_better_price_first_and_within_a_price_the_older_order) {
  World world;
  const OrderId late_and_dear = world.sell(1, 102), first = world.sell(1, 101), second = world.sell(1, 101);
  const auto reports = world.enter({Side::buy, 3, 102});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, traded, traded}));
  EXPECT_EQ(reports[1].order, first);
  EXPECT_EQ(reports[2].order, second);
  EXPECT_EQ(reports[3].order, late_and_dear);
}

TEST(Book, leaves_a_partly_filled_order_at_the_front_of_its_level) {
  World world;
  const OrderId front = world.sell(10, 101), back = world.sell(10, 101);
  world.enter({Side::buy, 4, 101});
  EXPECT_EQ(world.queue(Side::sell), (OrderIds{front, back}));
  const auto reports = world.enter({Side::buy, 1, 101});
  EXPECT_EQ(reports.at(1).order, front);
  EXPECT_EQ(reports.at(1).leaves.lots, 5);
}

TEST(Book, never_walks_a_limit_order_through_its_own_limit) {
  World world;
  world.sell(5, 101);
  const OrderId beyond = world.sell(5, 102);
  const auto reports = world.enter({Side::buy, 20, 101});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, added}));
  EXPECT_EQ(reports[2].leaves.lots, 15);
  EXPECT_EQ(reports[2].quantity.lots, 20);
  EXPECT_EQ(world.leaves(beyond), 5);
}

TEST(Book, expires_the_rest_of_an_immediate_or_cancel_order_and_never_rests_it) {
  World world;
  world.sell(5, 101);
  const auto reports = world.enter({Side::buy, 8, 101, OrderType::limit, TimeInForce::immediate_or_cancel});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, expired}));
  EXPECT_EQ(reports[2].quantity.lots, 3);
  EXPECT_EQ(reports[2].leaves.lots, 0);
  EXPECT_EQ(reports[2].reason, Reason::time_in_force);
  EXPECT_EQ(reports[2].flags & market::k_was_resting, 0);
  EXPECT_EQ(world.orders.size(), 0u);
}

TEST(Book, fills_a_fill_or_kill_order_that_the_levels_within_its_limit_can_fill) {
  World world;
  world.sell(5, 101);
  world.sell(5, 102);
  const auto reports = world.enter({Side::buy, 10, 102, OrderType::limit, TimeInForce::fill_or_kill});
  EXPECT_EQ(kinds_of(reports), (Kinds{accepted, traded, traded}));
}

TEST(Book, kills_a_fill_or_kill_order_for_one_lot_too_many_and_counts_nothing_beyond_its_limit) {
  World world;
  const OrderId near = world.sell(5, 101);
  world.sell(100, 103);
  const auto reports = world.enter({Side::buy, 6, 102, OrderType::limit, TimeInForce::fill_or_kill});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, expired}));
  EXPECT_EQ(reports[1].quantity.lots, 6);
  EXPECT_EQ(world.leaves(near), 5);
}

TEST(Book, counts_what_is_left_of_partly_filled_orders_for_a_fill_or_kill_order) {
  World world;
  world.sell(5, 101);
  world.enter({Side::buy, 2, 101});
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 4, 101, OrderType::limit, TimeInForce::fill_or_kill})),
            (Kinds{accepted, expired}));
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 3, 101, OrderType::limit, TimeInForce::fill_or_kill})),
            (Kinds{accepted, traded}));
}

TEST(Book, sweeps_the_book_with_a_market_order_and_expires_its_rest) {
  World world;
  world.buy(1, 100);
  world.buy(1, 1);
  const auto reports = world.enter({Side::sell, 3, 0, OrderType::market});
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, traded, expired}));
  EXPECT_EQ(reports[2].price, at(1));
  EXPECT_EQ(reports[3].quantity.lots, 1);
  EXPECT_EQ(world.book.best(Side::buy), std::nullopt);
}

TEST(Book, expires_a_market_order_that_meets_an_empty_side) {
  World world;
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 3, 0, OrderType::market})), (Kinds{accepted, expired}));
}

TEST(Book, kills_a_market_fill_or_kill_order_that_the_whole_side_cannot_fill) {
  World world;
  const OrderId ask = world.sell(2, 500);
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 3, 0, OrderType::market, TimeInForce::fill_or_kill})),
            (Kinds{accepted, expired}));
  EXPECT_EQ(world.leaves(ask), 2);
}

TEST(Book, cancels_a_resting_order_and_says_how_much_went) {
  World world;
  const OrderId order = world.buy(10, 100);
  world.enter({Side::sell, 4, 100});
  const auto reports = world.cancel(order, Side::buy);
  ASSERT_EQ(kinds_of(reports), Kinds{cancelled});
  EXPECT_EQ(reports[0].quantity.lots, 6);
  EXPECT_EQ(reports[0].leaves.lots, 0);
  EXPECT_EQ(reports[0].reason, Reason::by_owner);
  EXPECT_EQ(reports[0].flags, market::k_was_resting);
  EXPECT_EQ(world.book.level_count(Side::buy), 0u);
}

TEST(Book, refuses_to_cancel_what_is_not_there_and_leaves_the_others_alone) {
  World world;
  const OrderId gone = world.buy(10, 100);
  const OrderId stays = world.buy(10, 100);
  world.cancel(gone, Side::buy);
  EXPECT_EQ(refused_for(world.cancel(gone, Side::buy)), Reason::unknown_order);
  EXPECT_EQ(refused_for(world.cancel({}, Side::buy)), Reason::unknown_order);
  EXPECT_EQ(refused_for(world.cancel({stays.value + 1}, Side::buy)), Reason::unknown_order);
  EXPECT_EQ(world.queue(Side::buy), OrderIds{stays});
}

TEST(Book, does_not_take_the_id_of_an_ended_order_for_the_one_in_its_slot) {
  World world({.orders = 1});
  const OrderId filled = world.buy(1, 100);
  world.cancel(filled, Side::buy);
  const OrderId next = world.buy(1, 100);
  EXPECT_NE(filled, next);
  EXPECT_EQ(refused_for(world.cancel(filled, Side::buy)), Reason::unknown_order);
  EXPECT_EQ(refused_for(world.replace(filled, Side::buy, 2, 100)), Reason::unknown_order);
  EXPECT_EQ(world.leaves(next), 1);
}

TEST(Book, does_not_cancel_a_filled_order) {
  World world;
  const OrderId order = world.buy(1, 100);
  world.enter({Side::sell, 1, 100});
  EXPECT_EQ(refused_for(world.cancel(order, Side::buy)), Reason::unknown_order);
}

TEST(Book, lets_only_the_owner_cancel_or_replace_and_wants_the_right_side) {
  World world;
  const OrderId order = world.buy(10, 100);
  EXPECT_EQ(refused_for(world.cancel(order, Side::buy, 3)), Reason::not_owner);
  EXPECT_EQ(refused_for(world.cancel(order, Side::sell)), Reason::side_mismatch);
  EXPECT_EQ(refused_for(world.replace(order, Side::sell, 5, 100)), Reason::side_mismatch);
  auto command = world.make_replace(order, Side::buy, 5, 100);
  command.header.user = 3;
  EXPECT_EQ(refused_for(world.apply(command)), Reason::not_owner);
  EXPECT_EQ(world.leaves(order), 10);
}

// ---- Replace: the priority table of docs/book.md ----

TEST(Book, keeps_the_place_of_an_order_that_becomes_smaller) {
  World world;
  const OrderId front = world.buy(10, 100), back = world.buy(10, 100);
  const auto reports = world.replace(front, Side::buy, 4, 100);
  ASSERT_EQ(kinds_of(reports), Kinds{replaced});
  EXPECT_EQ(reports[0].flags, 0);
  EXPECT_EQ(reports[0].quantity.lots, 4);
  EXPECT_EQ(reports[0].leaves.lots, 4);
  EXPECT_EQ(world.queue(Side::buy), (OrderIds{front, back}));
  EXPECT_EQ(world.book.total(Side::buy, at(100)).lots, 14);
}

TEST(Book, keeps_the_place_of_an_order_that_stays_as_it_is) {
  World world;
  const OrderId front = world.buy(10, 100), back = world.buy(10, 100);
  const auto reports = world.replace(front, Side::buy, 10, 100);
  ASSERT_EQ(kinds_of(reports), Kinds{replaced});
  EXPECT_EQ(reports[0].flags, 0);
  EXPECT_EQ(world.queue(Side::buy), (OrderIds{front, back}));
}

TEST(Book, sends_an_order_that_becomes_larger_to_the_back) {
  World world;
  const OrderId front = world.buy(10, 100), back = world.buy(10, 100);
  const auto reports = world.replace(front, Side::buy, 11, 100);
  ASSERT_EQ(kinds_of(reports), (Kinds{replaced, added}));
  EXPECT_EQ(reports[0].flags, market::k_lost_priority);
  EXPECT_EQ(world.queue(Side::buy), (OrderIds{back, front}));
}

TEST(Book, sends_an_order_whose_price_changes_to_the_back_of_its_new_level) {
  World world;
  const OrderId order = world.buy(10, 101), other = world.buy(10, 100);
  const auto reports = world.replace(order, Side::buy, 5, 100);
  ASSERT_EQ(kinds_of(reports), (Kinds{replaced, added}));
  EXPECT_EQ(reports[1].price, at(100));
  EXPECT_EQ(reports[1].leaves.lots, 5);
  EXPECT_EQ(world.queue(Side::buy), (OrderIds{other, order}));
  EXPECT_EQ(world.book.best(Side::buy), at(100));
}

TEST(Book, matches_a_replaced_order_that_meets_the_other_side_and_never_rests_it_crossed) {
  World world;
  const OrderId order = world.buy(10, 99), ask = world.sell(4, 101);
  const auto reports = world.replace(order, Side::buy, 10, 102);
  ASSERT_EQ(kinds_of(reports), (Kinds{replaced, traded, added}));
  EXPECT_EQ(reports[1].order, ask);
  EXPECT_EQ(reports[1].other, order);
  EXPECT_EQ(reports[1].price, at(101));
  EXPECT_EQ(reports[2].leaves.lots, 6);
  EXPECT_EQ(reports[2].price, at(102));
  // The level it left has no ghost, and what it became can be traded with.
  EXPECT_EQ(world.book.total(Side::buy, at(99)).lots, 0);
  EXPECT_EQ(world.enter({Side::sell, 6, 102}).at(1).order, order);
}

TEST(Book, finishes_a_replaced_order_that_is_filled_on_its_way) {
  World world;
  const OrderId order = world.buy(3, 99);
  world.sell(4, 101);
  EXPECT_EQ(kinds_of(world.replace(order, Side::buy, 3, 101)), (Kinds{replaced, traded}));
  EXPECT_EQ(refused_for(world.cancel(order, Side::buy)), Reason::unknown_order);
}

TEST(Book, counts_fills_into_the_new_total) {
  World world;
  const OrderId order = world.buy(10, 100);
  world.enter({Side::sell, 4, 100});
  EXPECT_EQ(refused_for(world.replace(order, Side::buy, 4, 100)), Reason::quantity_already_executed);
  EXPECT_EQ(refused_for(world.replace(order, Side::buy, 3, 100)), Reason::quantity_already_executed);
  const auto reports = world.replace(order, Side::buy, 5, 100);
  EXPECT_EQ(reports.at(0).quantity.lots, 5);
  EXPECT_EQ(reports.at(0).leaves.lots, 1);
  EXPECT_EQ(world.leaves(order), 1);
}

TEST(Book, refuses_a_replace_to_what_cannot_be_and_leaves_the_order_as_it_was) {
  World world;
  const OrderId order = world.buy(10, 100);
  const auto refuse = [&](auto change) {
    auto command = world.make_replace(order, Side::buy, 10, 100);
    change(command);
    const auto reports = world.apply(command);
    EXPECT_EQ(reports.at(0).flags, market::k_replacement);
    EXPECT_EQ(reports.at(0).order, order);
    EXPECT_EQ(world.leaves(order), 10);
    return refused_for(reports);
  };
  using Command = market::Replace;
  EXPECT_EQ(refuse([](Command& c) { c.quantity = {0}; }), Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Command& c) { c.quantity = {k_largest + 1}; }), Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Command& c) { c.displayed = {0}; }), Reason::display_not_allowed);
  EXPECT_EQ(refuse([](Command& c) { c.displayed = {11}; }), Reason::display_not_allowed);
  EXPECT_EQ(refuse([](Command& c) { c.minimum = {1}; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Command& c) { c.offset_bp = 1; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Command& c) { c.limit = {at(100).units + 1}; }), Reason::price_not_on_tick);
  EXPECT_EQ(refuse([](Command& c) { c.limit = at(k_ticks + 1); }), Reason::price_out_of_range);
  EXPECT_EQ(refuse([](Command& c) { c.limit = at(0); }), Reason::price_out_of_range);
  EXPECT_EQ(refuse([](Command& c) { c.limit = at(101), c.passive = 98; }), Reason::not_supported);
}

TEST(Book, looks_at_the_passive_rule_of_a_replace_only_when_the_price_changes) {
  World world;
  const OrderId order = world.buy(10, 100);
  auto command = world.make_replace(order, Side::buy, 9, 100);
  command.passive = 99;
  EXPECT_EQ(kinds_of(world.apply(command)), Kinds{replaced});
}

TEST(Book, takes_a_display_that_shows_all_that_is_left_after_fills) {
  World world;
  const OrderId order = world.buy(10, 100);
  world.enter({Side::sell, 4, 100});
  auto command = world.make_replace(order, Side::buy, 9, 100);
  command.displayed = {5};
  EXPECT_EQ(kinds_of(world.apply(command)), Kinds{replaced});
  EXPECT_EQ(world.leaves(order), 5);
}

TEST(Book, changes_the_group_of_an_order_only_when_one_is_given) {
  World world;
  const OrderId order = world.buy(10, 100);
  auto command = world.make_replace(order, Side::buy, 10, 100);
  command.group = 9;
  world.apply(command);
  command.group = 0;
  world.apply(command);
  EXPECT_EQ(world.orders.terms(world.orders.find(order)).group, 9);
}

// ---- Refusals of new orders ----

TEST(Book, refuses_a_new_order_with_the_reason_and_changes_nothing) {
  World world;
  world.sell(5, 101);
  const std::uint64_t book_before = world.book.digest(), table_before = world.orders.digest();
  const auto refuse = [&](auto change) {
    auto command = make_order({Side::buy, 10, 101});
    change(command.terms);
    const auto reports = world.apply(command);
    EXPECT_EQ(reports.at(0).flags, 0);
    EXPECT_EQ(reports.at(0).order.value, 0u);
    EXPECT_EQ(world.book.digest(), book_before);
    EXPECT_EQ(world.orders.digest(), table_before);
    return refused_for(reports);
  };
  using Terms = market::OrderTerms;
  EXPECT_EQ(refuse([](Terms& t) { t.type = OrderType::none; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.time_in_force = TimeInForce::good_till_date; }), Reason::expiry_passed);
  EXPECT_EQ(refuse([](Terms& t) { t.time_in_force = TimeInForce::good_for_auction; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.side = Side::none; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.sub_type = market::OrderSubType::offset; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.passive = 98; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.offset_bp = 5; }), Reason::not_supported);
  EXPECT_EQ(refuse([](Terms& t) { t.minimum = {11}; }), Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.displayed = {-1}; }), Reason::display_not_allowed);
  EXPECT_EQ(refuse([](Terms& t) {
              t.type = OrderType::trailing_stop;
              t.stop = {10};
            }),
            Reason::no_price);
  EXPECT_EQ(refuse([](Terms& t) { t.type = OrderType::stop; }), Reason::price_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.displayed = {11}; }), Reason::display_not_allowed);
  EXPECT_EQ(refuse([](Terms& t) { t.quantity = {0}; }), Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.quantity = {-1}; }), Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.quantity = {std::numeric_limits<std::int64_t>::max()}; }),
            Reason::quantity_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.limit = {at(101).units - 1}; }), Reason::price_not_on_tick);
  EXPECT_EQ(refuse([](Terms& t) { t.limit = at(k_ticks + 1); }), Reason::price_out_of_range);
  EXPECT_EQ(refuse([](Terms& t) { t.limit = {std::numeric_limits<std::int64_t>::min()}; }), Reason::price_out_of_range);
}

TEST(Book, refuses_a_new_order_when_the_table_is_full_even_one_that_would_not_rest) {
  World world({.orders = 2});
  const OrderId order = world.buy(1, 100);
  world.buy(1, 99);
  EXPECT_EQ(refused_for(world.enter({Side::buy, 1, 98})), Reason::order_table_full);
  EXPECT_EQ(refused_for(world.enter({Side::sell, 1, 0, OrderType::market})), Reason::order_table_full);
  EXPECT_EQ(world.leaves(order), 1);
  world.cancel(order, Side::buy);
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 1, 98})), (Kinds{accepted, added}));
}

TEST(Book, refuses_an_order_whose_rest_would_need_a_level_more_than_there_are) {
  World world({.levels = 2});
  world.buy(1, 10);
  world.buy(1, 20);
  const OrderId ask = world.sell(5, 30);
  EXPECT_EQ(refused_for(world.enter({Side::buy, 1, 15})), Reason::levels_full);
  // It would trade 5 and rest 1 at a third level: refused before it trades.
  EXPECT_EQ(refused_for(world.enter({Side::buy, 6, 30})), Reason::levels_full);
  EXPECT_EQ(world.leaves(ask), 5);
  // What needs no new level is welcome: an old level, a full fill, an order that never rests.
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 1, 20})), (Kinds{accepted, added}));
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 3, 30})), (Kinds{accepted, traded}));
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 6, 30, OrderType::limit, TimeInForce::immediate_or_cancel})),
            (Kinds{accepted, traded, expired}));
}

TEST(Book, lets_a_replaced_order_take_its_own_level_along_when_levels_are_full) {
  World world({.levels = 2});
  const OrderId alone = world.buy(1, 10), shares = world.buy(1, 20);
  world.buy(1, 20);
  EXPECT_EQ(refused_for(world.replace(shares, Side::buy, 1, 15)), Reason::levels_full);
  EXPECT_EQ(kinds_of(world.replace(alone, Side::buy, 1, 15)), (Kinds{replaced, added}));
  EXPECT_EQ(kinds_of(world.replace(shares, Side::buy, 1, 15)), (Kinds{replaced, added}));
}

TEST(Book, takes_prices_at_both_ends_of_the_tick_table) {
  World world;
  world.buy(1, 1);
  world.sell(1, k_ticks);
  EXPECT_EQ(kinds_of(world.enter({Side::sell, 1, 1})), (Kinds{accepted, traded}));
  EXPECT_EQ(kinds_of(world.enter({Side::buy, 1, k_ticks})), (Kinds{accepted, traded}));
}

TEST(Book, shows_its_best_levels_with_what_is_displayed_there) {
  World world;
  world.buy(5, 100);
  world.buy(7, 100);
  world.buy(9, 98);
  world.buy(1, 97);
  const auto levels = [&](Side side, std::size_t most) {
    std::vector<std::pair<PriceLevel, std::uint32_t>> shown;
    world.book.each_level(side, most,
                          [&](const PriceLevel& level, std::uint32_t orders) { shown.emplace_back(level, orders); });
    return shown;
  };
  using Shown = std::vector<std::pair<PriceLevel, std::uint32_t>>;
  EXPECT_EQ(levels(Side::sell, 5), Shown{});
  EXPECT_EQ(levels(Side::buy, 0), Shown{});
  EXPECT_EQ(levels(Side::buy, 2), (Shown{{{at(100), {12}}, 2}, {{at(98), {9}}, 1}}));
  EXPECT_EQ(levels(Side::buy, 9).size(), 3U);
  market::NewOrder iceberg = make_order({Side::buy, 50, 98});
  iceberg.terms.displayed = {4};
  world.apply(iceberg);
  EXPECT_EQ(levels(Side::buy, 2).at(1), (Shown::value_type{{at(98), {13}}, 2})) << "its reserve is not displayed";
}

TEST(Book, takes_lots_off_a_shared_level_once_per_fill) {
  World world;
  world.sell(5, 101);
  world.sell(7, 101);
  world.enter({Side::buy, 6, 101});
  EXPECT_EQ(world.book.total(Side::sell, at(101)).lots, 6);
  world.enter({Side::buy, 6, 101});
  EXPECT_EQ(world.book.total(Side::sell, at(101)).lots, 0);
  EXPECT_EQ(world.book.best(Side::sell), std::nullopt);
}

TEST(Book, expires_an_order_that_the_system_ends) {
  World world;
  const OrderId order = world.buy(5, 100);
  world.collector.reports.clear();
  world.collector.begin({99}, {});
  world.book.expire(order, Reason::session_ended);
  world.collector.finish();
  ASSERT_EQ(kinds_of(world.collector.reports), Kinds{expired});
  EXPECT_EQ(world.collector.reports[0].reason, Reason::session_ended);
  EXPECT_EQ(world.collector.reports[0].flags, market::k_was_resting);
  EXPECT_EQ(world.collector.reports[0].quantity.lots, 5);
  EXPECT_EQ(world.collector.reports[0].sequence.value, 99u);
  EXPECT_EQ(world.orders.size(), 0u);
}

TEST(Book, cannot_be_made_where_totals_could_overflow) {
  market::Instrument instrument = make_instrument();
  instrument.maximum_quantity = {std::numeric_limits<std::int64_t>::max() / 8};
  Collector collector(4);
  OrderTable fits({.capacity = 8}), too_many({.capacity = 9});
  EXPECT_NO_THROW(Book(instrument, fits, collector, {}));
  EXPECT_THROW(Book(instrument, too_many, collector, {}), std::invalid_argument);
  instrument.maximum_quantity = {0};
  EXPECT_THROW(Book(instrument, fits, collector, {}), std::invalid_argument);
  EXPECT_THROW(Book(make_instrument(), fits, collector, {.levels = 0}), std::invalid_argument);
}

TEST(Book, keeps_exact_totals_with_the_largest_orders) {
  market::Instrument instrument = make_instrument();
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 4;
  instrument.maximum_quantity = {largest};
  Collector collector(64);
  OrderTable orders({.capacity = 4});
  Book book(instrument, orders, collector, {.levels = 4});
  for (int count = 0; count < 3; ++count) book.apply(make_order({Side::sell, largest, 101}));
  EXPECT_EQ(book.total(Side::sell, at(101)).lots, 3 * largest);
  book.apply(make_order({Side::buy, largest, 0, OrderType::market, TimeInForce::fill_or_kill}));
  EXPECT_EQ(book.total(Side::sell, at(101)).lots, 2 * largest);
  EXPECT_EQ(book.inconsistency(), nullptr);
}

// ---- Mirror ----

struct Mirror {
  Mirror()
      : orders({.capacity = 64, .ids = dojima::book::Ids::foreign}),
        book(instrument, orders, collector, {.levels = 4}) {}
  market::Instrument instrument = make_instrument();
  OrderTable orders;
  Collector collector{1};
  Book book;
};

BookReport added_report(std::uint64_t order, Side side, std::int64_t ticks, std::int64_t lots) {
  return {.order = {order},
          .price = at(ticks),
          .quantity = {lots},
          .leaves = {lots},
          .displayed = {lots},
          .instrument = k_instrument,
          .kind = added,
          .side = side};
}

TEST(BookMirror, rebuilds_a_crossed_book_as_published) {
  Mirror mirror;
  EXPECT_TRUE(mirror.book.mirror(added_report(11, Side::buy, 102, 5)));
  EXPECT_TRUE(mirror.book.mirror(added_report(12, Side::sell, 101, 5)));
  EXPECT_EQ(mirror.book.best(Side::buy), at(102));
  EXPECT_EQ(mirror.book.best(Side::sell), at(101));
  EXPECT_EQ(mirror.book.inconsistency(true), nullptr);
  EXPECT_STREQ(mirror.book.inconsistency(false), "the book is crossed");
}

TEST(BookMirror, gives_the_prices_at_which_it_is_crossed_and_counts_how_often_it_became_so) {
  Mirror mirror;
  const auto is_at = [&](std::int64_t bid, std::int64_t ask, std::uint64_t order) {
    return mirror.book.crossings().now == Crossing{at(bid), at(ask), {order}};
  };
  ASSERT_TRUE(mirror.book.mirror(added_report(11, Side::buy, 102, 5)));
  EXPECT_FALSE(mirror.book.crossings().now.has_value());
  ASSERT_TRUE(mirror.book.mirror(added_report(12, Side::sell, 102, 5)));
  EXPECT_TRUE(is_at(102, 102, 12)) << "a locked book is crossed as well";
  ASSERT_TRUE(mirror.book.mirror(added_report(13, Side::sell, 105, 5)));
  ASSERT_TRUE(mirror.book.mirror(added_report(14, Side::sell, 102, 5)));
  EXPECT_EQ(mirror.book.crossings().count, 1u) << "crossed at the same prices as before";
  ASSERT_TRUE(mirror.book.mirror(added_report(15, Side::sell, 100, 5)));
  EXPECT_TRUE(is_at(102, 100, 15));
  EXPECT_EQ(mirror.book.crossings().count, 2u);
  BookReport gone = added_report(11, Side::buy, 102, 5);
  gone.kind = BookReportKind::cancelled;
  gone.flags = market::k_was_resting;
  ASSERT_TRUE(mirror.book.mirror(gone));
  EXPECT_FALSE(mirror.book.crossings().now.has_value());
  EXPECT_EQ(mirror.book.crossings().last, (Crossing{at(102), at(100), {15}}));
  EXPECT_FALSE(mirror.book.mirror(added_report(16, Side::buy, k_ticks + 1, 5)));
  EXPECT_EQ(mirror.book.crossings().count, 2u) << "what does not fit crosses nothing";
}

TEST(BookMirror, counts_hidden_levels_among_those_that_cross_and_dark_orders_not) {
  Mirror mirror;
  BookReport hidden = added_report(11, Side::buy, 102, 5);
  hidden.displayed = {0};
  hidden.flags = market::k_hidden;
  BookReport dark = hidden;
  dark.order = {12};
  dark.price = at(110);
  dark.flags = market::k_hidden | market::k_dark;
  ASSERT_TRUE(mirror.book.mirror(dark));
  ASSERT_TRUE(mirror.book.mirror(added_report(13, Side::sell, 104, 5)));
  EXPECT_EQ(mirror.book.crossings().count, 0u);
  ASSERT_TRUE(mirror.book.mirror(hidden));
  EXPECT_EQ(mirror.book.crossings().count, 0u);
  ASSERT_TRUE(mirror.book.mirror(added_report(14, Side::sell, 101, 5)));
  EXPECT_EQ(mirror.book.crossings().now, (Crossing{at(102), at(101), {14}}));
}

TEST(BookMirror, refuses_reports_that_do_not_fit_and_stays_as_it_was) {
  Mirror mirror;
  ASSERT_TRUE(mirror.book.mirror(added_report(11, Side::buy, 100, 5)));
  const std::uint64_t before = mirror.book.digest();
  const auto refuses = [&](auto change) {
    BookReport report = added_report(11, Side::buy, 100, 5);
    change(report);
    return !mirror.book.mirror(report) && mirror.book.digest() == before;
  };
  EXPECT_TRUE(refuses([](BookReport&) {}));  // the id lives already
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.price = {at(100).units + 1}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.price = at(k_ticks + 1); }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.leaves = {0}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.leaves = {k_largest + 1}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.side = Side::none; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.instrument = 8; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.order = {12}, r.kind = traded; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = traded, r.quantity = {2}, r.leaves = {2}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = traded, r.quantity = {6}, r.leaves = {-1}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = traded, r.quantity = {0}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = traded, r.side = Side::sell, r.leaves = {0}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = replaced, r.leaves = {0}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = cancelled, r.flags = market::k_was_resting, r.quantity = {4}; }));
  EXPECT_TRUE(refuses([](BookReport& r) { r.kind = BookReportKind::none; }));
}

TEST(BookMirror, refuses_a_level_or_an_order_more_than_it_has_room_for) {
  Mirror mirror;
  for (std::uint64_t order = 1; order <= 4; ++order)
    EXPECT_TRUE(mirror.book.mirror(added_report(order, Side::buy, static_cast<std::int64_t>(order), 1)));
  EXPECT_FALSE(mirror.book.mirror(added_report(5, Side::buy, 5, 1)));
  for (std::uint64_t order = 5; order <= 64; ++order)
    EXPECT_TRUE(mirror.book.mirror(added_report(order, Side::buy, 1, 1)));
  EXPECT_FALSE(mirror.book.mirror(added_report(65, Side::buy, 1, 1)));
  EXPECT_EQ(mirror.book.inconsistency(), nullptr);
}

TEST(BookMirror, keeps_orders_by_slot_as_it_does_by_report) {
  Mirror mirror;
  Collector collector(1);
  market::Instrument instrument = make_instrument();
  OrderTable orders({.capacity = 64});
  Book book(instrument, orders, collector, {.levels = 4});
  const Slot first = book.place(Side::buy, at(100), {5}), second = book.place(Side::buy, at(100), {7});
  const Slot crossing = book.place(Side::sell, at(99), {3});
  ASSERT_NE(first, k_no_slot);
  ASSERT_NE(crossing, k_no_slot);
  EXPECT_EQ(book.best_level(Side::buy), (PriceLevel{at(100), {12}}));
  EXPECT_EQ(book.best_level(Side::sell), (PriceLevel{at(99), {3}}));
  const market::TickTable& ticks = book.instrument().ticks;
  EXPECT_EQ(book.level_of_best(Side::buy), ticks.level_or_none(at(100)));
  EXPECT_EQ(book.level_of_best(Side::sell), ticks.level_or_none(at(99)));
  book.change(first, {9});
  EXPECT_EQ(book.total(Side::buy, at(100)).lots, 16);
  EXPECT_EQ(orders.terms(first).quantity.lots, 9) << "what is read of it is what it is now";
  std::vector<Slot> queue;
  book.each_resting(Side::buy, [&](const RestingOrder& order) { queue.push_back(orders.slot_of(order.id)); });
  EXPECT_EQ(queue, (std::vector<Slot>{first, second})) << "a larger order keeps its place here";
  EXPECT_EQ(book.inconsistency(true), nullptr);
  book.remove(first);
  book.remove(crossing);
  EXPECT_EQ(book.best_level(Side::buy), (PriceLevel{at(100), {7}}));
  EXPECT_EQ(book.best_level(Side::sell), std::nullopt);
  EXPECT_EQ(book.level_of_best(Side::sell), market::TickTable::k_none);
  EXPECT_EQ(book.inconsistency(), nullptr);
  EXPECT_TRUE(collector.reports.empty());

  // The same orders from reports leave the same book behind, ids aside.
  ASSERT_TRUE(mirror.book.mirror(added_report(orders.id(second).value, Side::buy, 100, 7)));
  EXPECT_EQ(mirror.book.digest(), book.digest());
  // And what was placed is an order like any other: it can be executed, cancelled and found by its owner.
  book.apply(make_order({Side::sell, 7, 100}));
  EXPECT_EQ(orders.size(), 0u);
}

/// A book of its own with what makes it.
struct Lone {
  Collector collector{1};
  market::Instrument instrument = make_instrument();
  OrderTable orders{{.capacity = 256}};
  Book book{instrument, orders, collector, {.levels = 64}};

  /// Prices and what is left, first come first; bids, then asks.
  [[nodiscard]] std::vector<std::pair<Price, Quantity>> resting() const {
    std::vector<std::pair<Price, Quantity>> all;
    for (const Side side : {Side::buy, Side::sell})
      book.each_resting(side, [&](const RestingOrder& order) { all.emplace_back(order.price, order.leaves); });
    return all;
  }
};

TEST(Book, trades_with_the_first_order_of_a_side_as_an_order_does_that_takes_at_its_price) {
  std::mt19937_64 draws(7);
  const auto below = [&](std::uint64_t end) { return draws() % end; };
  Lone direct, plain;
  std::size_t traded = 0, not_first = 0;
  for (int step = 0; step < 20'000; ++step) {
    const Side side = below(2) == 0 ? Side::buy : Side::sell;
    const auto price = static_cast<std::int64_t>(side == Side::buy ? 95 + below(5) : 100 + below(5));
    const auto quantity = static_cast<std::int64_t>(1 + below(6));
    std::vector<RestingOrder> resting;
    direct.book.each_resting(side, [&](const RestingOrder& order) { resting.push_back(order); });
    if (resting.empty() || (resting.size() < 40 && below(2) == 0)) {
      for (Lone* one : {&direct, &plain}) one->book.apply(make_order({side, quantity, price}));
      continue;
    }
    const RestingOrder& meant = resting[below(3) != 0 ? 0 : below(resting.size())];
    const bool is_first = meant.id == resting.front().id;
    const bool is_done = direct.book.trade_with_first(direct.orders.slot_of(meant.id), {quantity});
    ASSERT_EQ(is_done, is_first && meant.leaves.lots >= quantity) << step;
    not_first += is_first ? 0u : 1u;
    if (!is_done) continue;
    ++traded;
    market::NewOrder taker = make_order({market::opposite(side), quantity, meant.price.units / at(1).units});
    taker.terms.time_in_force = TimeInForce::immediate_or_cancel;
    plain.book.apply(taker);
    ASSERT_EQ(direct.resting(), plain.resting()) << step;
    ASSERT_EQ(direct.book.last_trade(), plain.book.last_trade()) << step;
    ASSERT_EQ(direct.book.inconsistency(), nullptr) << step;
    ASSERT_EQ(direct.orders.size(), plain.orders.size()) << step;
  }
  EXPECT_GT(traded, 1'000u);
  EXPECT_GT(not_first, 1'000u);
}

TEST(Book, trades_with_no_first_order_while_something_might_act_on_it) {
  Lone one;
  one.book.apply(make_order({Side::buy, 5, 100}));
  const Slot first{0};
  EXPECT_FALSE(one.book.trade_with_first(first, {0}));
  EXPECT_FALSE(one.book.trade_with_first(first, {6})) << "it has less";
  market::NewOrder stop = make_order({Side::buy, 1, 110});
  stop.terms.type = OrderType::stop_limit;
  stop.terms.stop = at(105);
  one.book.apply(stop);
  ASSERT_EQ(one.orders.size(), 2u);
  EXPECT_FALSE(one.book.trade_with_first(first, {2})) << "a stop order waits";
  EXPECT_EQ(one.book.total(Side::buy, at(100)).lots, 5);
}

TEST(BookMirror, places_nothing_that_the_book_could_not_have) {
  Collector collector(1);
  market::Instrument instrument = make_instrument();
  OrderTable orders({.capacity = 3});
  Book book(instrument, orders, collector, {.levels = 2});
  EXPECT_EQ(book.place(Side::buy, {at(100).units + 1}, {5}), k_no_slot);
  EXPECT_EQ(book.place(Side::buy, at(k_ticks + 1), {5}), k_no_slot);
  EXPECT_EQ(book.place(Side::buy, at(100), {0}), k_no_slot);
  EXPECT_EQ(book.place(Side::buy, at(100), {-1}), k_no_slot);
  EXPECT_EQ(book.place(Side::buy, at(100), {k_largest + 1}), k_no_slot);
  EXPECT_EQ(book.place(Side::none, at(100), {5}), k_no_slot);
  EXPECT_NE(book.place(Side::buy, at(100), {k_largest}), k_no_slot);
  EXPECT_NE(book.place(Side::buy, at(101), {1}), k_no_slot);
  EXPECT_EQ(book.place(Side::buy, at(102), {1}), k_no_slot) << "a level more than there may be";
  EXPECT_NE(book.place(Side::buy, at(101), {1}), k_no_slot) << "a level that is there already";
  EXPECT_EQ(book.place(Side::buy, at(101), {1}), k_no_slot) << "no slot is left";
  EXPECT_EQ(book.inconsistency(), nullptr);
}

}  // namespace
}  // namespace dojima::book::testing
