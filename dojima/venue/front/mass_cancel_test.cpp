// Mass cancels: of a user, its account, an instrument, a segment, a group; what is answered, in which order, and how
// the front hands one command to every partition that it concerns.

#include <gtest/gtest.h>

#include "dojima/venue/front/front_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using Kinds = std::vector<OwnerReportKind>;

/// Rice and salt are of the segment FOOD, silk is of SILK; users 1 and 2 are of one account.
PartitionConfig food_and_silk() {
  PartitionConfig config = make_config();
  config.instruments.push_back(make_instrument(k_salt, "SALT"));
  config.instruments[0].segment = config.instruments[2].segment = "FOOD";
  config.instruments[1].segment = "SILK";
  config.rules.accounts = {0, 7, 7};
  return config;
}

market::MassCancel make_mass_cancel(std::uint16_t user, std::string_view segment = "") {
  market::MassCancel command;
  command.header.user = user;
  command.client_order_id = Text<20>::cut("mass");
  command.segment = Text<4>::cut(segment);
  return command;
}

std::vector<OrderId> orders_of(const std::vector<OwnerReport>& reports) {
  std::vector<OrderId> orders;
  for (const OwnerReport& report : reports)
    if (report.kind == cancelled) orders.push_back(report.order);
  return orders;
}

TEST(MassCancel, of_a_segment_takes_the_users_orders_in_its_instruments_in_their_order) {
  World world(food_and_silk());
  const OrderId salt = world.add({.user = 1, .lots = 1, .ticks = 90, .instrument = k_salt});
  const OrderId rice = world.add({.user = 1, .lots = 1, .ticks = 90, .instrument = k_rice});
  const OrderId silk = world.add({.user = 1, .lots = 1, .ticks = 90, .instrument = k_silk});
  const OrderId others = world.add({.user = 2, .lots = 1, .ticks = 90, .instrument = k_rice});
  const auto reports = world.submit(make_mass_cancel(1, "FOOD"));
  ASSERT_EQ(kinds_of(reports), (Kinds{mass_cancelled, cancelled, cancelled}));
  EXPECT_EQ(orders_of(reports), (std::vector{rice, salt})) << "instruments in the order of the configuration";
  EXPECT_EQ(reports[0].reason, Reason::none);
  EXPECT_EQ(reports[0].partition, 2);
  for (const OwnerReport& report : reports) EXPECT_EQ(report.client_order_id.view(), "mass");
  EXPECT_EQ(reports[1].sequence.value, reports[0].sequence.value + 1) << "the answer precedes what it causes";
  EXPECT_EQ(orders_of(world.submit(make_mass_cancel(1))), std::vector{silk});
  EXPECT_EQ(orders_of(world.submit(make_mass_cancel(2))), std::vector{others});
}

TEST(MassCancel, of_an_account_takes_the_orders_of_all_its_users_who_see_their_own_ids) {
  World world(food_and_silk());
  const OrderId second = world.add({.user = 2, .lots = 1, .ticks = 90, .id = "B1"});
  const OrderId first = world.add({.user = 1, .lots = 1, .ticks = 90, .id = "A1"});
  const OrderId stranger = world.add({.user = 0, .lots = 1, .ticks = 90, .id = "S1"});
  market::MassCancel command = make_mass_cancel(1, "FOOD");
  command.is_account = true;
  const auto reports = world.submit(command);
  ASSERT_EQ(kinds_of(reports), (Kinds{mass_cancelled, cancelled, cancelled}));
  EXPECT_EQ(orders_of(reports), (std::vector{first, second})) << "owner by owner";
  EXPECT_EQ(reports[1].client_order_id.view(), "mass");
  EXPECT_EQ(reports[2].client_order_id.view(), "B1") << "the other user asked for nothing";
  EXPECT_EQ(reports[2].user, 2);
  EXPECT_EQ(orders_of(world.submit(make_mass_cancel(0))), std::vector{stranger});
}

TEST(MassCancel, of_an_unknown_instrument_or_segment_is_refused) {
  World world(food_and_silk());
  static_cast<void>(world.add({.user = 1, .lots = 1, .ticks = 90}));
  const auto unknown_segment = world.submit(make_mass_cancel(1, "GOLD"));
  ASSERT_EQ(kinds_of(unknown_segment), Kinds{mass_cancelled});
  EXPECT_EQ(unknown_segment[0].reason, Reason::unknown_instrument);
  EXPECT_EQ(unknown_segment[0].status, OrderStatus::rejected);
  market::MassCancel elsewhere = make_mass_cancel(1);
  elsewhere.header.instrument = 99;
  EXPECT_EQ(world.submit(elsewhere).at(0).reason, Reason::unknown_instrument);
  EXPECT_EQ(world.partition.live_orders(), 1u);
}

TEST(MassCancel, by_the_operator_takes_everybodys_orders_and_answers_nobody) {
  World world(food_and_silk());
  const OrderId silk = world.add({.user = 1, .lots = 1, .ticks = 90, .instrument = k_silk});
  const OrderId one = world.add({.user = 1, .lots = 1, .ticks = 90});
  const OrderId zero = world.add({.user = 0, .lots = 1, .ticks = 90, .id = "S1"});
  market::MassCancel command = make_mass_cancel(0xffff, "FOOD");
  command.is_everyone = true;
  const auto reports = world.submit(command);
  ASSERT_EQ(kinds_of(reports), (Kinds{cancelled, cancelled}));
  EXPECT_EQ(orders_of(reports), (std::vector{zero, one}));
  EXPECT_EQ(reports[0].client_order_id.view(), "S1");
  EXPECT_EQ(orders_of(world.submit(make_mass_cancel(1))), std::vector{silk});
}

TEST(MassCancel, is_replayed_to_the_same_digest) {
  World world(food_and_silk(), {.keep = journal::Keep::all, .capacity = 1 << 16});
  for (const std::uint32_t instrument : {k_rice, k_silk, k_salt})
    for (std::uint16_t user = 0; user < 3; ++user)
      static_cast<void>(world.add({.user = user, .lots = 5, .ticks = 90, .instrument = instrument}));
  market::MassCancel command = make_mass_cancel(2, "FOOD");
  command.is_account = true;
  static_cast<void>(world.submit(command));
  journal::MemoryJournal other({});
  Partition again(food_and_silk(), other);
  journal::MemoryJournal::Cursor cursor;
  while (const auto record = world.journal.read(cursor)) ASSERT_TRUE(again.replay(record->bytes));
  EXPECT_EQ(again.digest(), world.partition.digest());
  EXPECT_EQ(again.live_orders(), 5u);
}

// ---- Through the front ----

/// A venue whose two partitions both have something of the segment FOOD; ANNA and BERT are of one account.
struct FoodVenue : Venue {
  FoodVenue()
      : Venue(make_front_config(), {}, {.orders = 64, .levels = 32, .reports = 4096}, nullptr, "FOOD", {0, 0, 2}) {}
};

TEST(MassCancel, of_a_segment_goes_to_every_partition_that_has_some_of_it_in_their_order) {
  FoodVenue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.side = Side::buy, .lots = 1, .ticks = 90, .id = "A1", .instrument = k_silk}));
  venue.send(*anna, valid_order({.side = Side::buy, .lots = 1, .ticks = 90, .id = "A2", .instrument = k_rice}));
  anna->reports.clear();
  venue.send(*anna, make_mass_cancel(0, "FOOD"));
  ASSERT_EQ(kinds_of(anna->reports), (Kinds{mass_cancelled, cancelled, mass_cancelled, cancelled}));
  EXPECT_EQ(anna->reports[0].partition, 1);
  EXPECT_EQ(anna->reports[1].instrument, k_rice);
  EXPECT_EQ(anna->reports[2].partition, 2);
  EXPECT_EQ(anna->reports[3].instrument, k_silk);
  EXPECT_EQ(venue.partition_one.live_orders() + venue.partition_two.live_orders(), 0u);
}

TEST(MassCancel, of_a_segment_in_one_partition_concerns_that_one_only) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, make_mass_cancel(0, "SILK"));
  ASSERT_EQ(kinds_of(anna->reports), Kinds{mass_cancelled});
  EXPECT_EQ(anna->reports[0].partition, 2);
  EXPECT_EQ(anna->reports[0].reason, Reason::none);
}

TEST(MassCancel, of_a_segment_that_nobody_has_is_refused_once) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, make_mass_cancel(0, "GOLD"));
  ASSERT_EQ(kinds_of(anna->reports), Kinds{mass_cancelled});
  EXPECT_EQ(anna->reports[0].partition, 1);
  EXPECT_EQ(anna->reports[0].reason, Reason::unknown_instrument);
  EXPECT_EQ(anna->codes[0], mit::code::k_unknown_instrument);
}

TEST(MassCancel, of_all_orders_is_answered_by_each_partition_and_of_an_instrument_by_its_own) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, make_mass_cancel(0));
  EXPECT_EQ(kinds_of(anna->reports), (Kinds{mass_cancelled, mass_cancelled}));
  market::MassCancel command = make_mass_cancel(0);
  command.header.instrument = k_silk;
  venue.send(*anna, command);
  ASSERT_EQ(anna->reports.size(), 3u);
  EXPECT_EQ(anna->reports[2].partition, 2);
}

TEST(MassCancel, of_a_firms_segment_is_reported_to_each_of_its_users) {
  FoodVenue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT"), carl = venue.log_on("CARL");
  venue.send(*bert, valid_order({.side = Side::buy, .lots = 1, .ticks = 90, .id = "B1", .instrument = k_silk}));
  venue.send(*carl, valid_order({.side = Side::buy, .lots = 1, .ticks = 90, .id = "C1", .instrument = k_silk}));
  market::MassCancel command = make_mass_cancel(0, "FOOD");
  command.is_account = true;
  venue.send(*anna, command);
  EXPECT_EQ(kinds_of(anna->reports), (Kinds{mass_cancelled, mass_cancelled}));
  ASSERT_EQ(kinds_of(bert->reports), (Kinds{accepted, cancelled}));
  EXPECT_EQ(bert->reports[1].client_order_id.view(), "B1");
  EXPECT_EQ(kinds_of(carl->reports), Kinds{accepted});
}

TEST(MassCancel, that_a_partition_cannot_take_is_refused_for_that_partition_only) {
  FoodVenue venue;
  const auto anna = venue.log_on("ANNA");
  venue.journal_one.is_full = true;
  venue.send(*anna, make_mass_cancel(0, "FOOD"));
  ASSERT_EQ(kinds_of(anna->reports), (Kinds{business_rejected, mass_cancelled}));
  EXPECT_EQ(anna->codes[0], mit::code::k_partition_suspended);
  EXPECT_EQ(anna->reports[0].client_order_id.view(), "mass");
  EXPECT_EQ(anna->reports[1].partition, 2);
  EXPECT_EQ(venue.front.counters().commands_refused, 1u);
}

}  // namespace
}  // namespace dojima::venue::testing
