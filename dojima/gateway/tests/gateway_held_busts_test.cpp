// Busts that a venue gives the reason of a correction (RestatementReason 8): they wait for the fill with the new price,
// and are ordinary ones as soon as it cannot come any more.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_lives.hpp"
#include "dojima/gateway/tests/gateway_test_busts.hpp"
#include "dojima/gateway/tests/gateway_test_days.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// An order, one execution of it that the client knows, and what the venue says when that gets another price.
template <class AnyWorld>
Correction half_corrected(AnyWorld& world, const market::NewOrder& order) {
  const OwnerReport fill = traded_in(world.venue, 501, order, 77, 30, 10 * k_unit, 70);
  if constexpr (requires { world.recovery; })
    world.say(fill);
  else
    world.venue.say(fill);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 14}), "8 150=F 14=30");
  return corrected(world.venue, order, fill, 8 * k_unit, 70);
}

const std::string k_bust = "8 11=A-1 150=H 39=0 38=70 14=0 151=70";
const std::string k_correction = "8 11=A-1 150=G 39=1 38=100 14=30 151=70";

Lines received(World& world) {
  Lines lines;
  for (const Message& message : world.client.take()) lines.push_back(message.show({11, 150, 39, 38, 14, 151}));
  return lines;
}
Lines received(RecoveringWorld& world) {
  return world.received({11, 150, 39, 38, 14, 151});
}

TEST(GatewayHeldBusts, are_ordinary_ones_as_soon_as_anything_else_comes_from_their_partition) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77), other = world.enter("A-2", 78);
  const Correction half = half_corrected(world, order);
  world.venue.say(half.before);
  world.run(10s);
  EXPECT_EQ(received(world), Lines{}) << "it waits for the price";
  world.venue.say(world.venue.traded(other, 78, 5, 9 * k_unit, 95));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 150, 39, 38, 14, 151}), k_bust);
  EXPECT_EQ(got[0].at(19), wire_id(half.before.reference));
  EXPECT_EQ(got[0].at(17), wire_id(half.before.execution));
  EXPECT_EQ(got[1].show({11, 150, 14}), "8 11=A-2 150=F 14=5");
  EXPECT_EQ(world.counters().busts, 1u);
  EXPECT_EQ(world.counters().corrections, 0u);
  // It has been taken back now: once, and what comes later is a fill like any other.
  OwnerReport again = world.venue.about(order, OwnerReportKind::trade_cancelled, 77);
  again.reference = half.before.reference;
  again.restatement = half.before.restatement;
  world.venue.say(again);
  world.venue.say(traded_in(world.venue, 501, order, 77, 20, 8 * k_unit, 50));
  world.run(1ms);
  EXPECT_EQ(received(world), (Lines{"8 11=A-1 150=F 39=1 38=70 14=20 151=50"}));
  EXPECT_EQ(world.counters().busts, 1u);
  EXPECT_EQ(world.counters().strays, 1u);
}

TEST(GatewayHeldBusts, are_ordinary_ones_when_the_next_bust_comes) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport first = traded_in(world.venue, 501, order, 77, 30, 10 * k_unit, 70);
  const OwnerReport second = traded_in(world.venue, 502, order, 77, 20, 10 * k_unit, 50);
  world.venue.say(first);
  world.venue.say(second);
  world.run(1ms);
  world.client.take();
  world.venue.say(corrected(world.venue, order, first, 8 * k_unit, 50).before);
  const Correction last = corrected(world.venue, order, second, 8 * k_unit, 50);
  world.venue.say(last.before);
  world.run(1ms);
  EXPECT_EQ(received(world), (Lines{"8 11=A-1 150=H 39=1 38=70 14=20 151=50"}));
  world.venue.say(last.now);
  world.run(1ms);
  EXPECT_EQ(received(world), (Lines{"8 11=A-1 150=G 39=1 38=70 14=20 151=50"}));
}

TEST(GatewayHeldBusts, wait_on_behind_what_says_nothing_of_their_partition) {
  World world;
  world.log_on();
  world.log_on_other();
  const market::NewOrder order = world.enter("A-1", 77), elsewhere = world.enter("A-2", 78);
  world.other.send("D", new_order("B-1"));
  world.run(1ms);
  const market::NewOrder of_other = world.venue.orders.back();
  const Correction half = half_corrected(world, order);
  world.venue.say(half.before);
  // Another user's, one of another partition, and a refusal that no partition has numbered.
  world.venue.say(world.venue.accepted(of_other, 79), "USER2");
  OwnerReport fill = world.venue.traded(elsewhere, 78, 5, 9 * k_unit, 95);
  fill.partition = 2;
  world.venue.say(fill);
  world.client.send("F", cancel("C-1", "A-1"));
  world.run(1ms);
  OwnerReport refusal =
      world.venue.answer(order, OwnerReportKind::request_rejected, 77, world.venue.cancels.back().client_order_id, 0);
  refusal.sequence = {};
  refusal.reason = market::Reason::book_closed;
  world.venue.say(refusal);
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 150}), "8 11=A-2 150=F");
  EXPECT_EQ(got[1].type, "9");
  world.venue.say(half.now);
  world.run(1ms);
  EXPECT_EQ(received(world), Lines{k_correction});
}

TEST(GatewayHeldBusts, are_ordinary_ones_where_the_session_ends_and_nothing_brings_what_it_missed) {
  World world;
  world.log_on();
  const Correction half = half_corrected(world, world.enter("A-1", 77));
  world.venue.say(half.before);
  world.run(1ms);
  EXPECT_EQ(received(world), Lines{});
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
  const Lines got = received(world);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0], k_bust);
}

TEST(GatewayHeldBusts, are_ordinary_ones_in_the_next_life_where_nothing_brings_what_it_missed) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  world->venue.say(half_corrected(*world, world->enter("A-1", 77)).before);
  world->run(1ms);
  EXPECT_EQ(received(*world), Lines{});
  lives.kill();
  world = &lives.begin();
  world->network.connect(k_fix_address, world->client.session);
  world->run(10ms);
  EXPECT_EQ(received(*world), Lines{k_bust});
  EXPECT_EQ(world->counters().busts, 1u);
  lives.kill();
  world = &lives.begin();
  world->network.connect(k_fix_address, world->client.session);
  world->run(10ms);
  EXPECT_EQ(received(*world), Lines{}) << "once";
}

TEST(GatewayHeldBusts, are_corrections_once) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const Correction half = half_corrected(world, order);
  world.venue.say(half.before);
  world.venue.say(half.now);
  OwnerReport again = busted(world.venue, order, half.before, 70);
  again.reference = half.before.reference;
  world.venue.say(again);
  world.run(1ms);
  EXPECT_EQ(received(world), Lines{k_correction});
  EXPECT_EQ(world.counters().busts, 0u);
  EXPECT_EQ(world.counters().strays, 1u);
}

/// A gateway that ends between the two reports that it makes of one gets that one again.
TEST(GatewayHeldBusts, are_written_before_it_is_that_the_next_report_has_come) {
  journal::SimulatedDisk disk;
  {
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk());
    const market::NewOrder order = world.enter("A-1", 77);
    const Correction half = half_corrected(world, order);
    world.say(half.before);
    world.say(world.venue.traded(order, 77, 10, 9 * k_unit, 60));
    world.run(1ms);
    EXPECT_EQ(received(world).size(), 2u);
    life.work();
  }
  SavedState saved;
  // How many wait, and the number that came last, behind each record.
  std::vector<std::pair<std::size_t, std::uint64_t>> steps;
  const auto note = [&](Bytes piece) {
    const Result<void> applied = saved.apply(piece);
    const SavedState::User* const user = saved.find_user("", "USER1");
    const PartitionProgress* const last = user == nullptr ? nullptr : user->progress.find(1);
    if (last != nullptr && (steps.empty() || steps.back() != std::pair(user->held_busts.size(), last->sequence)))
      steps.emplace_back(user->held_busts.size(), last->sequence);
    return applied;
  };
  ASSERT_TRUE(fix::JournalStores::open(disk, {.name = "test",
                                              .segment_bytes = std::size_t{1} << 14,
                                              .disk_bytes = std::uint64_t{1} << 22,
                                              .largest_message = 4196,
                                              .state_bytes = std::uint64_t{1} << 17,
                                              .on_state = note}));
  using Steps = decltype(steps);
  EXPECT_EQ(steps, (Steps{{0, 1}, {0, 2}, {1, 3}, {0, 3}, {0, 5}}));
}

/// What the venue says while the user's session is lost, or its gateway dead.
enum class Then { the_price, another_report, nothing };

/// What the client hears of it.
Lines expected_of(Then then) {
  const Lines of_bust{k_bust, "8 11=A-1 150=F 39=1 38=70 14=10 151=60"};
  return then == Then::the_price ? Lines{k_correction} : then == Then::another_report ? of_bust : Lines{k_bust};
}

void say_in_vain(RecoveringWorld& world, const market::NewOrder& order, const Correction& half, Then then) {
  if (then == Then::the_price) world.say_in_vain(half.now);
  if (then == Then::another_report) {
    OwnerReport fill = world.venue.traded(order, 77, 10, 9 * k_unit, 60);
    fill.sequence = half.now.sequence;
    world.say_in_vain(fill);
  }
}

TEST(GatewayHeldBusts, wait_over_a_lost_session_until_all_has_been_recovered) {
  for (const Then then : {Then::the_price, Then::another_report, Then::nothing}) {
    SCOPED_TRACE(static_cast<int>(then));
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    const Correction half = half_corrected(world, order);
    world.say(half.before);
    world.lose_venue();
    EXPECT_EQ(received(world), Lines{}) << "what follows will be recovered";
    say_in_vain(world, order, half, then);
    world.find_venue();
    EXPECT_EQ(received(world), expected_of(then));
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
  }
}

TEST(GatewayHeldBusts, wait_over_the_end_of_the_gateway_until_all_has_been_recovered) {
  for (const Then then : {Then::the_price, Then::another_report, Then::nothing}) {
    SCOPED_TRACE(static_cast<int>(then));
    journal::SimulatedDisk disk;
    Carried carried;
    {
      OnDisk life(disk);
      RecoveringWorld world(life.parts(), config_on_disk());
      const market::NewOrder order = world.enter("A-1", 77);
      const Correction half = half_corrected(world, order);
      world.say(half.before);
      world.run(1ms);
      life.work();
      say_in_vain(world, order, half, then);
      carried.take(world);
      EXPECT_EQ(received(world), Lines{});
      life.work();
    }
    for (const Lines& expected : {expected_of(then), Lines{}}) {  // and once
      OnDisk life(disk);
      RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& next) { carried.give(next); });
      EXPECT_EQ(received(world), expected);
      EXPECT_EQ(world.gateway.counters().strays, 0u);
      carried.take(world);
      life.work();
    }
  }
}

/// The recovery ends between the two, as the second one is said while it is under way.
TEST(GatewayHeldBusts, wait_for_what_the_session_brought_meanwhile) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  const Correction half = half_corrected(world, order);
  world.lose_venue();
  world.say_in_vain(half.before);
  world.recovery.is_slow = true;
  world.find_venue();
  world.venue.say(half.now);
  world.run(1ms);
  world.recovery.is_slow = false;
  world.run(10ms);
  EXPECT_EQ(received(world), Lines{k_correction});
}

/// The session brings both one behind the other, and has brought the first while a recovery was under way.
TEST(GatewayHeldBusts, wait_where_the_session_at_hand_has_brought_them) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  const Correction half = half_corrected(world, order);
  world.lose_venue();
  world.recovery.is_slow = true;
  world.find_venue();
  world.venue.say(half.before);
  world.run(1ms);
  world.recovery.is_slow = false;
  world.run(10ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(received(world), Lines{});
  world.venue.say(half.now);
  world.run(1ms);
  EXPECT_EQ(received(world), Lines{k_correction});
}

TEST(GatewayHeldBusts, are_ordinary_ones_when_their_day_ends) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  const market::NewOrder order = world.enter("A-1", 77);
  world.say(half_corrected(world, order).before);
  world.venue.users.at("USER1")->logout("end of day");
  world.venue.is_open = false;
  world.run(10ms);
  EXPECT_EQ(received(world), Lines{k_bust});
}

/// A venue that has lost its last commands says the bust again, with all that it has, or has lost it with them.
TEST(GatewayHeldBusts, are_what_a_venue_that_lost_some_of_it_says_of_them) {
  for (const bool has_kept : {true, false}) {
    SCOPED_TRACE(has_kept);
    RecoveringWorld world;
    world.recovery.partitions = 2;
    const market::NewOrder order = world.enter("A-1", 77), other = world.enter("A-2", 78);
    Correction half = half_corrected(world, order);
    half.before.partition = half.now.partition = 2;
    world.say(world.venue.traded(other, 78, 5, 9 * k_unit, 95));
    world.say(half.before);
    world.run(1ms);
    world.lose_venue();
    world.received({150});
    if (!has_kept) world.recovery.reports.pop_back();
    if (has_kept) world.say_in_vain(half.now);
    world.recovery.reports[3].leaves = {94};  // of the other partition it has something else there
    world.find_venue(1s);
    EXPECT_EQ(world.seen.others, 1);
    Lines expected{"8 11=A-1 150=4", "8 11=A-2 150=4"};
    if (has_kept) expected.push_back("8 11=A-1 150=G");
    EXPECT_EQ(world.received({11, 150}), expected);
    EXPECT_EQ(world.gateway.counters().busts, 0u);
  }
}

}  // namespace
}  // namespace dojima::gateway
