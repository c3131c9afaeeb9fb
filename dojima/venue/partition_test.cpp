#include "dojima/venue/partition.hpp"

#include <stdexcept>

#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using Kinds = std::vector<OwnerReportKind>;

template <class Command>
Reason refused_for(World& world, const Command& command, OwnerReportKind kind) {
  const auto reports = world.submit(command);
  EXPECT_EQ(kinds_of(reports), Kinds{kind});
  EXPECT_EQ(reports.at(0).status, OrderStatus::rejected);
  EXPECT_EQ(reports.at(0).leaves.lots, 0);
  return reports.at(0).reason;
}

TEST(Partition, reports_to_the_owner_that_an_order_was_accepted) {
  World world;
  const auto reports = world.submit(make_order({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100, .id = "A1"}));
  ASSERT_EQ(kinds_of(reports), Kinds{accepted});
  const OwnerReport& report = reports[0];
  EXPECT_EQ(report.sequence.value, 1u);
  EXPECT_EQ(report.command.value, 1u);
  EXPECT_EQ(report.time, world.now);
  EXPECT_EQ(report.order.value, 0x2000'0001'0000'0000u);
  EXPECT_EQ(report.public_order, report.order);
  EXPECT_EQ(report.execution, 0x2000'0000'0000'0001u);
  EXPECT_EQ(report.partition, 2);
  EXPECT_EQ(report.instrument, k_rice);
  EXPECT_EQ(report.user, 1);
  EXPECT_EQ(report.status, OrderStatus::new_order);
  EXPECT_EQ(report.side, Side::sell);
  EXPECT_EQ(report.capacity, market::Capacity::dealing);
  EXPECT_EQ(report.leaves.lots, 10);
  EXPECT_EQ(report.displayed.lots, 10);
  EXPECT_EQ(report.quantity.lots, 0);
  EXPECT_EQ(report.client_order_id.view(), "A1");
}

TEST(Partition, marks_one_submitted_command_in_so_many_and_is_the_same_without) {
  struct Marks final : measure::Probe {
    void mark(std::uint8_t stage, std::uint64_t number) override { seen.emplace_back(stage, number); }
    void bind(std::uint64_t, std::uint64_t) override {}
    std::vector<std::pair<int, std::uint64_t>> seen;
  } marks;
  World world, other;
  world.partition.mark({.probe = &marks, .begun = 5, .journaled = 6, .applied = 7, .one_in = 4});
  for (int count = 0; count < 9; ++count)
    for (World* each : {&world, &other})
      static_cast<void>(each->submit(make_order({.user = 1, .lots = 1, .ticks = 100 + count, .id = "A"})));
  using Seen = std::vector<std::pair<int, std::uint64_t>>;
  EXPECT_EQ(marks.seen, (Seen{{5, 4}, {6, 4}, {7, 4}, {5, 8}, {6, 8}, {7, 8}}));
  EXPECT_EQ(world.partition.digest(), other.partition.digest());
  world.partition.mark({});
  static_cast<void>(world.submit(make_order({.user = 1, .lots = 1, .ticks = 90, .id = "A"})));
  EXPECT_EQ(marks.seen.size(), 6u);
}

TEST(Partition, reports_a_trade_to_both_sides_the_resting_one_first) {
  World world;
  const OrderId resting = world.add({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100, .id = "S"});
  const auto reports = world.submit(make_order({.user = 0, .side = Side::buy, .lots = 4, .ticks = 105, .id = "B"}));
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, traded}));
  const OwnerReport &maker = reports[1], &taker = reports[2];
  EXPECT_EQ(maker.order, resting);
  EXPECT_EQ(maker.user, 1);
  EXPECT_EQ(maker.client_order_id.view(), "S");
  EXPECT_EQ(maker.liquidity, 'A');
  EXPECT_EQ(maker.status, OrderStatus::partially_filled);
  EXPECT_EQ(maker.leaves.lots, 6);
  EXPECT_EQ(taker.order, reports[0].order);
  EXPECT_EQ(taker.user, 0);
  EXPECT_EQ(taker.client_order_id.view(), "B");
  EXPECT_EQ(taker.liquidity, 'R');
  EXPECT_EQ(taker.status, OrderStatus::filled);
  EXPECT_EQ(taker.leaves.lots, 0);
  for (const OwnerReport* side : {&maker, &taker}) {
    EXPECT_EQ(side->price, at(100));
    EXPECT_EQ(side->quantity.lots, 4);
    EXPECT_EQ(side->trade, (std::uint64_t{2} << 48) + 1);
    EXPECT_EQ(side->last_market, 21);
  }
  EXPECT_NE(maker.execution, taker.execution);
  EXPECT_EQ(taker.sequence.value, maker.sequence.value + 1);
}

TEST(Partition, counts_the_aggressors_leaves_down_fill_by_fill) {
  World world;
  for (int count = 0; count < 5; ++count) world.add({.user = 1, .side = Side::sell, .lots = 2, .ticks = 100});
  // The report buffer holds three: these reports come out in several drains.
  const auto reports = world.submit(make_order({.side = Side::buy, .lots = 12, .ticks = 100}));
  std::vector<std::int64_t> leaves;
  for (const OwnerReport& report : reports)
    if (report.liquidity == 'R') leaves.push_back(report.leaves.lots);
  EXPECT_EQ(leaves, (std::vector<std::int64_t>{10, 8, 6, 4, 2}));
  EXPECT_EQ(reports.back().status, OrderStatus::partially_filled);
}

TEST(Partition, ends_the_rest_of_an_immediate_order_as_expired) {
  World world;
  world.add({.user = 1, .side = Side::sell, .lots = 2, .ticks = 100});
  auto command = make_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "IOC"});
  command.terms.time_in_force = market::TimeInForce::immediate_or_cancel;
  const auto reports = world.submit(command);
  ASSERT_EQ(kinds_of(reports), (Kinds{accepted, traded, traded, expired}));
  EXPECT_EQ(reports[3].status, OrderStatus::expired);
  EXPECT_EQ(reports[3].leaves.lots, 0);
  EXPECT_EQ(reports[3].displayed.lots, 0);
  EXPECT_EQ(reports[3].reason, Reason::time_in_force);
  EXPECT_EQ(reports[3].client_order_id.view(), "IOC");
}

TEST(Partition, takes_off_both_sides_what_would_have_traded_with_itself) {
  PartitionConfig config = make_config();
  config.rules.self_trade = book::SelfTrade::decrement;
  World world(config);
  const OrderId resting = world.add({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100, .id = "S"});
  const auto smaller = world.submit(make_order({.user = 1, .side = Side::buy, .lots = 4, .ticks = 100, .id = "B"}));
  ASSERT_EQ(kinds_of(smaller), (Kinds{accepted, expired})) << "the resting order's owner asked for it";
  EXPECT_EQ(smaller[1].reason, market::Reason::self_trade);
  EXPECT_EQ(world.partition.totals(1).submitted, 10u) << "four of the resting order's ten are gone";
  EXPECT_EQ(world.partition.totals(1).expired, 4u);
  const auto larger = world.submit(make_order({.user = 1, .side = Side::buy, .lots = 9, .ticks = 100, .id = "C"}));
  ASSERT_EQ(kinds_of(larger), (Kinds{accepted, expired}));
  EXPECT_EQ(larger[1].order, resting);
  const auto traded_rest =
      world.submit(make_order({.user = 2, .side = Side::sell, .lots = 3, .ticks = 100, .id = "D"}));
  ASSERT_EQ(kinds_of(traded_rest), (Kinds{accepted, traded, traded})) << "three of nine were left of the larger one";
  EXPECT_EQ(traded_rest[1].leaves.lots, 0);
  const UserTotals& totals = world.partition.totals(1);
  EXPECT_EQ(totals.submitted, totals.bought + totals.sold + totals.cancelled + totals.expired) << "nothing rests";
}

TEST(Partition, reports_the_fills_of_a_stop_order_to_its_owner_once_a_trade_has_triggered_it) {
  World world;
  market::NewOrder stop = make_order({.user = 1, .side = Side::buy, .lots = 5, .ticks = 0, .id = "stop"});
  stop.terms.type = market::OrderType::stop;
  stop.terms.stop = at(100);
  const auto waiting = world.submit(stop);
  ASSERT_EQ(kinds_of(waiting), Kinds{accepted}) << "that it waits, the owner knows";
  world.add({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100, .id = "S"});
  world.add({.user = 2, .side = Side::sell, .lots = 3, .ticks = 101, .id = "T"});
  const auto woken = world.submit(make_order({.user = 0, .side = Side::buy, .lots = 1, .ticks = 100, .id = "B"}));
  ASSERT_EQ(kinds_of(woken), (Kinds{accepted, traded, traded, traded, traded, expired}));
  EXPECT_EQ(woken[4].order, waiting[0].order);
  EXPECT_EQ(woken[4].quantity.lots, 3);
  EXPECT_EQ(woken[4].leaves.lots, 2);
  EXPECT_EQ(woken[4].liquidity, 'R');
  EXPECT_EQ(woken[5].order, waiting[0].order);
  EXPECT_EQ(world.partition.totals(1).expired, 2u);
}

TEST(Partition, cancels_by_order_id_and_answers_with_the_requests_id) {
  World world;
  const OrderId order = world.add({.lots = 5, .ticks = 100, .id = "A"});
  const auto reports = world.submit(make_cancel({.order = order, .id = "C"}));
  ASSERT_EQ(kinds_of(reports), Kinds{cancelled});
  EXPECT_EQ(reports[0].status, OrderStatus::cancelled);
  EXPECT_EQ(reports[0].client_order_id.view(), "C");
  EXPECT_EQ(reports[0].order, order);
  EXPECT_EQ(reports[0].leaves.lots, 0);
  EXPECT_EQ(world.partition.live_orders(), 0u);
}

TEST(Partition, cancels_by_the_orders_client_id_and_takes_the_order_id_when_both_are_given) {
  World world;
  const OrderId one = world.add({.lots = 5, .ticks = 100, .id = "A"});
  const OrderId two = world.add({.lots = 5, .ticks = 100, .id = "B"});
  EXPECT_EQ(world.submit(make_cancel({.order = two, .original = "A"})).at(0).order, two);
  EXPECT_EQ(world.submit(make_cancel({.original = "A"})).at(0).order, one);
}

TEST(Partition, gives_a_replaced_order_the_requests_id) {
  World world;
  const OrderId order = world.add({.user = 1, .lots = 5, .ticks = 100, .id = "A"});
  const auto reports = world.submit(make_replace({.user = 1, .original = "A", .id = "B", .lots = 7, .ticks = 101}));
  ASSERT_EQ(kinds_of(reports), Kinds{replaced});
  EXPECT_EQ(reports[0].order, order);
  EXPECT_EQ(reports[0].status, OrderStatus::new_order);
  EXPECT_EQ(reports[0].client_order_id.view(), "B");
  EXPECT_EQ(reports[0].leaves.lots, 7);
  // A fill carries the new id, the old one means nothing any more.
  EXPECT_EQ(world.submit(make_order({.side = Side::sell, .lots = 1, .ticks = 101})).at(1).client_order_id.view(), "B");
  EXPECT_EQ(refused_for(world, make_cancel({.user = 1, .original = "A"}), request_rejected), Reason::unknown_order);
  EXPECT_EQ(kinds_of(world.submit(make_cancel({.user = 1, .original = "B"}))), Kinds{cancelled});
}

TEST(Partition, says_replaced_and_then_the_fills_of_an_order_that_is_moved_into_the_other_side) {
  World world;
  world.add({.user = 1, .side = Side::sell, .lots = 3, .ticks = 101});
  const OrderId order = world.add({.lots = 5, .ticks = 100, .id = "A"});
  const auto reports = world.submit(make_replace({.order = order, .id = "B", .lots = 5, .ticks = 101}));
  ASSERT_EQ(kinds_of(reports), (Kinds{replaced, traded, traded}));
  EXPECT_EQ(reports[0].leaves.lots, 5);
  EXPECT_EQ(reports[2].order, order);
  EXPECT_EQ(reports[2].client_order_id.view(), "B");
  EXPECT_EQ(reports[2].leaves.lots, 2);
}

TEST(Partition, says_partially_filled_when_an_order_with_fills_is_replaced) {
  World world;
  const OrderId order = world.add({.lots = 5, .ticks = 100});
  world.submit(make_order({.user = 1, .side = Side::sell, .lots = 2, .ticks = 100}));
  const auto reports = world.submit(make_replace({.order = order, .lots = 4, .ticks = 100}));
  EXPECT_EQ(reports.at(0).status, OrderStatus::partially_filled);
  EXPECT_EQ(reports.at(0).leaves.lots, 2);
}

TEST(Partition, means_the_latest_order_by_a_client_id_given_twice) {
  World world;
  const OrderId earlier = world.add({.lots = 1, .ticks = 100, .id = "SAME"});
  const OrderId later = world.add({.lots = 2, .ticks = 100, .id = "SAME"});
  EXPECT_EQ(world.submit(make_cancel({.original = "SAME"})).at(0).order, later);
  // The earlier one is reached by its order id only.
  EXPECT_EQ(refused_for(world, make_cancel({.original = "SAME"}), request_rejected), Reason::unknown_order);
  EXPECT_EQ(world.submit(make_cancel({.order = earlier})).at(0).order, earlier);
}

TEST(Partition, keeps_the_later_orders_name_when_the_earlier_one_of_the_same_id_ends) {
  World world;
  const OrderId earlier = world.add({.lots = 1, .ticks = 100, .id = "SAME"});
  const OrderId later = world.add({.lots = 2, .ticks = 100, .id = "SAME"});
  world.submit(make_cancel({.order = earlier}));
  EXPECT_EQ(world.submit(make_cancel({.original = "SAME"})).at(0).order, later);
}

TEST(Partition, keeps_the_client_ids_of_users_apart) {
  World world;
  const OrderId mine = world.add({.user = 0, .lots = 1, .ticks = 100, .id = "X"});
  const OrderId yours = world.add({.user = 1, .lots = 1, .ticks = 100, .id = "X"});
  EXPECT_EQ(world.submit(make_cancel({.user = 0, .original = "X"})).at(0).order, mine);
  EXPECT_EQ(world.submit(make_cancel({.user = 1, .original = "X"})).at(0).order, yours);
}

TEST(Partition, does_not_show_a_stranger_that_an_order_exists) {
  World world;
  const OrderId order = world.add({.user = 0, .lots = 1, .ticks = 100});
  for (const auto& reports : {world.submit(make_cancel({.user = 1, .order = order})),
                              world.submit(make_replace({.user = 1, .order = order, .lots = 1, .ticks = 100}))}) {
    ASSERT_EQ(kinds_of(reports), Kinds{request_rejected});
    EXPECT_EQ(reports[0].reason, Reason::unknown_order);
    EXPECT_EQ(reports[0].order.value, 0u);
    EXPECT_EQ(reports[0].user, 1);
    EXPECT_EQ(reports[0].client_order_id.view(), "request");
  }
  EXPECT_EQ(world.partition.live_orders(), 1u);
}

TEST(Partition, names_the_order_in_the_refusal_of_a_request_about_it) {
  World world;
  const OrderId order = world.add({.lots = 1, .ticks = 100});
  const auto reports = world.submit(make_cancel({.side = Side::sell, .order = order}));
  ASSERT_EQ(kinds_of(reports), Kinds{request_rejected});
  EXPECT_EQ(reports[0].reason, Reason::side_mismatch);
  EXPECT_EQ(reports[0].order, order);
  EXPECT_EQ(reports[0].sequence.value, 2u);
  EXPECT_EQ(reports[0].execution, 0u);
}

TEST(Partition, answers_an_unknown_instrument_without_number_or_partition) {
  World world;
  const auto of_order = world.submit(make_order({.lots = 1, .ticks = 100, .instrument = 99}));
  ASSERT_EQ(kinds_of(of_order), Kinds{business_rejected});
  const auto of_cancel = world.submit(make_cancel({.original = "order", .instrument = 99}));
  ASSERT_EQ(kinds_of(of_cancel), Kinds{request_rejected});
  const auto of_replace = world.submit(make_replace({.original = "order", .lots = 1, .ticks = 1, .instrument = 99}));
  ASSERT_EQ(kinds_of(of_replace), Kinds{request_rejected});
  for (const auto& reports : {of_order, of_cancel, of_replace}) {
    EXPECT_EQ(reports[0].reason, Reason::unknown_instrument);
    EXPECT_EQ(reports[0].partition, 0);
    EXPECT_EQ(reports[0].sequence.value, 0u);
    EXPECT_EQ(reports[0].instrument, 99u);
  }
  // Numbers go on as if nothing had been said.
  EXPECT_EQ(world.submit(make_order({.lots = 1, .ticks = 100})).at(0).sequence.value, 1u);
}

TEST(Partition, does_not_find_an_order_under_another_instrument) {
  World world;
  const OrderId order = world.add({.lots = 1, .ticks = 100, .instrument = k_rice});
  EXPECT_EQ(refused_for(world, make_cancel({.order = order, .instrument = k_silk}), request_rejected),
            Reason::unknown_order);
}

TEST(Partition, keeps_the_books_of_instruments_apart) {
  World world;
  world.add({.user = 1, .side = Side::sell, .lots = 1, .ticks = 100, .instrument = k_silk});
  EXPECT_EQ(kinds_of(world.submit(make_order({.lots = 1, .ticks = 100, .instrument = k_rice}))), Kinds{accepted});
  EXPECT_EQ(world.partition.book(k_rice)->total(Side::buy, at(100)).lots, 1);
  EXPECT_EQ(world.partition.book(k_silk)->total(Side::sell, at(100)).lots, 1);
  EXPECT_EQ(world.partition.book(9), nullptr);
}

TEST(Partition, refuses_users_that_it_does_not_know) {
  World world;
  EXPECT_EQ(refused_for(world, make_order({.user = 4, .lots = 1, .ticks = 100}), rejected), Reason::unknown_user);
  EXPECT_EQ(refused_for(world, make_cancel({.user = 4, .original = "X"}), request_rejected), Reason::unknown_user);
  EXPECT_EQ(refused_for(world, make_replace({.user = 4, .original = "X"}), request_rejected), Reason::unknown_user);
  EXPECT_TRUE(world.end(4, SessionEnd::disconnect).empty());
}

TEST(Partition, refuses_orders_beyond_a_users_own_limits_and_counts_the_refusal) {
  PartitionConfig config = make_config();
  config.users[1].limits = {.open_orders = 2, .order_quantity = {50}};
  World world(config);
  const OrderId order = world.add({.user = 1, .lots = 50, .ticks = 100});
  EXPECT_EQ(refused_for(world, make_order({.user = 1, .lots = 51, .ticks = 100}), rejected),
            Reason::quantity_out_of_range);
  EXPECT_EQ(refused_for(world, make_replace({.user = 1, .order = order, .lots = 51, .ticks = 100}), request_rejected),
            Reason::quantity_out_of_range);
  world.add({.user = 1, .lots = 1, .ticks = 100, .instrument = k_silk});
  const std::uint64_t before = world.partition.digest();
  EXPECT_EQ(refused_for(world, make_order({.user = 1, .lots = 1, .ticks = 100}), rejected), Reason::too_many_orders);
  EXPECT_NE(world.partition.digest(), before);  // a refusal consumes a sequence
  EXPECT_EQ(world.partition.open_orders(1), 2u);
  // Others have their own limits, and room that was given back can be used again.
  world.add({.user = 0, .lots = 60, .ticks = 100});
  world.submit(make_cancel({.user = 1, .order = order}));
  world.add({.user = 1, .lots = 1, .ticks = 100});
}

TEST(Partition, gives_the_books_refusals_to_the_owner) {
  World world;
  auto order = make_order({.lots = 1, .ticks = 100});
  order.terms.sub_type = market::OrderSubType::offset;
  EXPECT_EQ(refused_for(world, order, rejected), Reason::not_supported);
  order = make_order({.lots = 1, .ticks = 100});
  order.terms.displayed = {2};
  EXPECT_EQ(refused_for(world, order, rejected), Reason::display_not_allowed);
  order = make_order({.lots = 1, .ticks = 100});
  ++order.terms.limit.units;
  EXPECT_EQ(refused_for(world, order, rejected), Reason::price_not_on_tick);
  EXPECT_EQ(refused_for(world, make_order({.lots = 1, .ticks = 1001}), rejected), Reason::price_out_of_range);
  EXPECT_EQ(refused_for(world, make_order({.lots = 0, .ticks = 100}), rejected), Reason::quantity_out_of_range);

  const OrderId live = world.add({.lots = 5, .ticks = 100});
  world.submit(make_order({.user = 1, .side = Side::sell, .lots = 3, .ticks = 100}));
  EXPECT_EQ(refused_for(world, make_replace({.order = live, .lots = 3, .ticks = 100}), request_rejected),
            Reason::quantity_already_executed);
}

TEST(Partition, counts_every_refusal_by_its_reason) {
  World world;
  EXPECT_EQ(world.partition.refused(Reason::price_not_on_tick), 0u);
  auto off_tick = make_order({.lots = 1, .ticks = 100});
  ++off_tick.terms.limit.units;
  world.submit(off_tick);
  world.submit(off_tick);
  world.submit(make_order({.lots = 1, .ticks = 1001}));
  world.submit(make_cancel({.original = "nobody"}));
  world.submit(make_order({.lots = 1, .ticks = 100, .instrument = 99}));
  const OrderId order = world.add({.user = 1, .lots = 5, .ticks = 100});
  world.submit(make_cancel({.user = 0, .order = order}));
  EXPECT_EQ(world.partition.refused(Reason::price_not_on_tick), 2u) << "the book's own";
  EXPECT_EQ(world.partition.refused(Reason::price_out_of_range), 1u);
  EXPECT_EQ(world.partition.refused(Reason::unknown_order), 1u);
  EXPECT_EQ(world.partition.refused(Reason::unknown_instrument), 1u) << "before any book";
  EXPECT_EQ(world.partition.refused(Reason::not_owner), 1u) << "whatever the one who asked is told";
  market::MassCancel nowhere;
  nowhere.header.user = 0;
  nowhere.header.instrument = 99;
  world.submit(nowhere);
  EXPECT_EQ(world.partition.refused(Reason::unknown_instrument), 2u);
  std::uint64_t all = 0;
  for (std::size_t reason = 0; reason <= static_cast<std::size_t>(market::k_last_reason); ++reason)
    all += world.partition.refused(static_cast<Reason>(reason));
  EXPECT_EQ(all, 7u);
}

TEST(Partition, refuses_orders_when_its_table_is_full_and_takes_them_again_afterwards) {
  PartitionConfig config = make_config();
  config.limits.orders = 2;
  World world(config);
  const OrderId order = world.add({.lots = 1, .ticks = 100, .id = "A"});
  world.add({.lots = 1, .ticks = 100, .id = "B", .instrument = k_silk});
  EXPECT_EQ(refused_for(world, make_order({.lots = 1, .ticks = 100}), rejected), Reason::order_table_full);
  // A replace needs no more room, also not for its name.
  EXPECT_EQ(kinds_of(world.submit(make_replace({.order = order, .id = "C", .lots = 2, .ticks = 99}))), Kinds{replaced});
  world.submit(make_cancel({.original = "C"}));
  EXPECT_NE(world.add({.lots = 1, .ticks = 100, .id = "D"}), order);
}

TEST(Partition, refuses_an_order_that_needs_a_level_too_many) {
  PartitionConfig config = make_config();
  config.limits.levels = 1;
  World world(config);
  world.add({.lots = 1, .ticks = 100});
  EXPECT_EQ(refused_for(world, make_order({.lots = 1, .ticks = 99}), rejected), Reason::levels_full);
}

TEST(Partition, takes_nothing_when_its_journal_is_full) {
  World world(make_config(), {.capacity = 416});  // two new orders of 152 bytes, and 96 bytes more
  world.add({.lots = 1, .ticks = 100});
  world.add({.lots = 1, .ticks = 100});
  const std::uint64_t before = world.partition.digest();
  auto order = make_order({.lots = 1, .ticks = 100});
  const auto refused = world.partition.submit(order.header, world.now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::no_room);
  EXPECT_EQ(world.partition.digest(), before);
  EXPECT_TRUE(world.read().empty());
  // A cancel is smaller and still fits.
  EXPECT_EQ(kinds_of(world.submit(make_cancel({.original = "order"}))), Kinds{cancelled});
}

TEST(Partition, takes_no_command_without_a_type) {
  World world;
  market::CommandHeader header;
  const auto refused = world.partition.submit(header, world.now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::malformed);
  EXPECT_EQ(world.partition.last_command().value, 0u);
}

TEST(Partition, stamps_commands_with_a_time_that_never_steps_back) {
  World world;
  auto first = make_order({.lots = 1, .ticks = 100}), second = first;
  ASSERT_TRUE(world.partition.submit(first.header, k_start + std::chrono::seconds{5}));
  ASSERT_TRUE(world.partition.submit(second.header, k_start));
  EXPECT_EQ(second.header.time, first.header.time);
  EXPECT_EQ(second.header.sequence.value, 2u);
}

// ---- End of a session ----

TEST(Partition, expires_what_follows_the_users_set_up_when_its_session_ends_in_the_order_of_entry) {
  World world;
  const OrderId one =
      world.add({.user = 1, .lots = 1, .ticks = 90, .id = "1", .instrument = k_silk, .auto_cancel = true});
  const OrderId two = world.add({.user = 1, .lots = 2, .ticks = 95, .id = "2", .auto_cancel = true});
  const OrderId kept = world.add({.user = 1, .lots = 3, .ticks = 95, .id = "3"});
  const OrderId others = world.add({.user = 2, .lots = 3, .ticks = 95, .id = "3", .auto_cancel = true});
  world.submit(make_replace({.user = 1, .order = one, .id = "1b", .lots = 4, .ticks = 91, .instrument = k_silk}));
  const auto reports = world.end(1, SessionEnd::disconnect);
  ASSERT_EQ(kinds_of(reports), (Kinds{expired, expired}));
  EXPECT_EQ(reports[0].order, one);
  EXPECT_EQ(reports[0].instrument, k_silk);
  EXPECT_EQ(reports[0].client_order_id.view(), "1b");  // unasked: the order's id
  EXPECT_EQ(reports[0].status, OrderStatus::expired);
  EXPECT_EQ(reports[0].reason, Reason::session_ended);
  EXPECT_EQ(reports[0].leaves.lots, 0);
  EXPECT_EQ(reports[1].order, two);
  EXPECT_EQ(world.partition.totals(1).expired, 6u);
  EXPECT_EQ(kinds_of(world.submit(make_cancel({.user = 1, .order = kept}))), Kinds{cancelled});
  EXPECT_EQ(kinds_of(world.submit(make_cancel({.user = 2, .order = others}))), Kinds{cancelled});
}

TEST(Partition, follows_the_set_up_for_each_way_a_session_can_end) {
  const auto expires = [](bool on_disconnect, bool on_logout, SessionEnd how) {
    PartitionConfig config = make_config();
    config.users[0].cancel_on_disconnect = on_disconnect;
    config.users[0].cancel_on_logout = on_logout;
    World world(config);
    world.add({.lots = 1, .ticks = 100, .auto_cancel = true});
    return world.end(0, how).size() == 1;
  };
  EXPECT_TRUE(expires(true, false, SessionEnd::disconnect));
  EXPECT_FALSE(expires(true, false, SessionEnd::logout));
  EXPECT_FALSE(expires(true, false, SessionEnd::forced));
  EXPECT_FALSE(expires(false, true, SessionEnd::disconnect));
  EXPECT_TRUE(expires(false, true, SessionEnd::logout));
  EXPECT_TRUE(expires(false, true, SessionEnd::forced));
}

// ---- Construction ----

TEST(Partition, cannot_be_made_from_a_configuration_that_makes_no_sense) {
  journal::MemoryJournal journal({});
  const auto make = [&journal](auto change) {
    PartitionConfig config = make_config();
    change(config);
    Partition partition(config, journal);
  };
  EXPECT_NO_THROW(make([](PartitionConfig&) {}));
  EXPECT_THROW(make([](PartitionConfig& c) { c.app_id = 0; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.app_id = 5; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.instruments.clear(); }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.instruments[1].id = c.instruments[0].id; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.instruments[0].id = 0; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.users.clear(); }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.limits.orders = 0; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.limits.levels = 0; }), std::invalid_argument);
  EXPECT_THROW(make([](PartitionConfig& c) { c.limits.report_buffer = 0; }), std::invalid_argument);
}

TEST(Partition, takes_a_report_log_that_holds_whatever_one_command_can_cause_twice) {
  PartitionConfig config = make_config();
  config.limits.reports = 1;
  World world(config);
  EXPECT_EQ(world.partition.reports().capacity(), 4 * config.limits.orders + 64);
  EXPECT_EQ(world.partition.reports().most(), 4 * config.limits.orders + 64);
}

TEST(Partition, takes_memory_for_more_orders_but_not_for_more_reports_than_anybody_waits_for) {
  PartitionConfig config = make_config();
  config.limits.reports = 1;
  const auto parts_of = [&config](std::size_t orders) {
    config.limits.orders = orders;
    journal::MemoryJournal journal{{.keep = journal::Keep::none, .capacity = 1}};
    const Partition partition(config, journal);
    EXPECT_EQ(partition.reports().capacity(), 4 * k_orders_at_once + 64);
    EXPECT_EQ(partition.reports().most(), 4 * orders + 64);
    return partition.memory_parts();
  };
  static_assert(k_orders_at_once == 1 << 16);
  const std::vector<MemoryPart> few = parts_of(1 << 16), many = parts_of(1 << 17);
  ASSERT_EQ(few.size(), many.size());
  std::size_t further = 0;
  for (std::size_t at = 0; at < few.size(); ++at) further += many[at].bytes - few[at].bytes;
  // 64 an order, 64 its labels, 4 its place, 16 what its owner knows, 16 its name.
  EXPECT_EQ(further / (1 << 16), 164u);
  EXPECT_EQ(few.back().what, "report log");
  EXPECT_EQ(few.back().bytes, many.back().bytes);
}

}  // namespace
}  // namespace dojima::venue::testing
