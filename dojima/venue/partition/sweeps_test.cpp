// Orders that end in slices: no command ends more than so many, those that come meanwhile stay, and in the end the same
// orders are gone as if all had ended at once; also after a replay, and after a state that was saved in the middle.

#include "dojima/venue/partition/sweeps.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/segment_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;
using enum OwnerReportKind;
using market::RiskCommand;

constexpr std::uint32_t k_slice_of_three = 3;

PartitionConfig sliced(std::uint32_t slice = k_slice_of_three) {
  PartitionConfig config = make_config();
  config.slice = slice;
  return config;
}

/// A partition that ends three orders with a command.
class SlicedWorld : public World {
 public:
  explicit SlicedWorld(const PartitionConfig& with = sliced())
      : World(with, {.keep = journal::Keep::all, .capacity = 1 << 22}), config_(with) {}

  void fill(int orders, std::uint16_t user = 0, std::uint32_t instrument = k_rice, std::string_view account = "") {
    for (int number = 0; number < orders; ++number) {
      market::NewOrder order =
          make_order({.user = user, .lots = 1, .ticks = 50 + number, .instrument = instrument, .auto_cancel = true});
      order.labels.account = Text<10>::cut(account);
      EXPECT_EQ(submit(order).at(0).kind, accepted);
    }
  }
  std::vector<OwnerReport> sweep() {
    now += 1us;
    EXPECT_TRUE(partition.sweep(now).has_value());
    EXPECT_EQ(mirror.mismatch(partition), nullptr);
    return read();
  }
  /// All slices; how many orders each ended.
  std::vector<std::size_t> sweep_all() {
    std::vector<std::size_t> sizes;
    while (partition.is_sweeping()) sizes.push_back(sweep().size());
    return sizes;
  }
  void expect_replayed_alike() const {
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition again(config_, nothing);
    for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);)
      ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), partition.digest());
    EXPECT_EQ(again.reports().end(), partition.reports().end());
    EXPECT_EQ(again.is_sweeping(), partition.is_sweeping());
  }

 private:
  PartitionConfig config_;
};

/// The next slice as a journal's record: the partition's own journal does not begin where it was loaded.
void apply_sweep(Partition& partition, Time now) {
  market::Slice slice{.orders = partition.slice(), .places = Sweeps::k_places};
  slice.header.user = market::k_no_user;
  slice.header.sequence = {partition.last_command().value + 1};
  slice.header.time = now;
  partition.apply(slice.header);
}

RiskCommand cancel_of(market::LimitOf of, std::uint16_t user = market::k_no_user) {
  RiskCommand command{.kind = market::LimitKind::cancel_orders, .of = of};
  command.header.user = user;
  return command;
}

market::MassCancel mass_cancel_of(std::uint16_t user) {
  market::MassCancel command;
  command.header.user = user;
  command.client_order_id = Text<20>::cut("mass");
  return command;
}

TEST(Sweeps, end_no_more_orders_by_a_command_than_a_slice_has) {
  SlicedWorld world;
  world.fill(7);
  EXPECT_TRUE(world.submit(cancel_of(market::LimitOf::everybody)).empty()) << "nobody is answered, all are to end";
  EXPECT_TRUE(world.partition.is_sweeping());
  EXPECT_EQ(world.partition.live_orders(), 7u);
  const auto first = world.sweep();
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].kind, cancelled);
  EXPECT_EQ(first[0].reason, Reason::by_operator);
  EXPECT_EQ(first[0].client_order_id.view(), "order") << "its own id: nobody asked for it";
  EXPECT_EQ(first[0].restatement, 8) << "by market operations";
  world.expect_replayed_alike();
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(world.partition.live_orders(), 0u);
  world.expect_replayed_alike();
}

TEST(Sweeps, end_as_many_as_a_slice_has_at_once) {
  SlicedWorld world;
  world.fill(3);
  EXPECT_EQ(world.submit(cancel_of(market::LimitOf::user, 0)).size(), 3u);
  EXPECT_FALSE(world.partition.is_sweeping());
  world.fill(4, 1);
  world.fill(3, 2);
  EXPECT_EQ(world.submit(cancel_of(market::LimitOf::user, 2)).size(), 3u) << "others' orders do not count";
  EXPECT_FALSE(world.partition.is_sweeping());
  EXPECT_TRUE(world.submit(cancel_of(market::LimitOf::user, 1)).empty());
  EXPECT_TRUE(world.partition.is_sweeping());
}

TEST(Sweeps, leave_what_comes_while_they_go_on) {
  SlicedWorld world;
  world.fill(5);
  world.submit(cancel_of(market::LimitOf::user, 0));
  const OrderId late = world.add({.user = 0, .lots = 1, .ticks = 20, .id = "late"});
  world.sweep();
  const OrderId later = world.add({.user = 0, .lots = 1, .ticks = 21, .id = "later"});
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{2}));
  EXPECT_EQ(world.partition.open_orders(0), 2u);
  for (const OrderId order : {late, later})
    EXPECT_EQ(world.submit(make_cancel({.user = 0, .order = order})).at(0).kind, cancelled);
  world.expect_replayed_alike();
}

TEST(Sweeps, answer_a_mass_cancel_before_all_slices_and_name_it_in_each) {
  SlicedWorld world;
  world.fill(4, 0);
  world.fill(2, 1);
  const auto answer = world.submit(mass_cancel_of(0));
  ASSERT_EQ(kinds_of(answer), (std::vector{mass_cancelled}));
  const auto first = world.sweep();
  ASSERT_EQ(kinds_of(first), (std::vector{cancelled, cancelled, cancelled}));
  for (const OwnerReport& report : first) {
    EXPECT_EQ(report.client_order_id.view(), "mass");
    EXPECT_EQ(report.reason, Reason::by_owner);
    EXPECT_EQ(report.restatement, 0);
  }
  // An answer to something else in between names that.
  EXPECT_EQ(world.submit(make_order({.user = 0, .lots = 1, .ticks = 9, .id = "else"})).at(0).client_order_id.view(),
            "else");
  EXPECT_EQ(world.sweep().at(0).client_order_id.view(), "mass");
  EXPECT_EQ(world.partition.open_orders(0), 1u);
  EXPECT_EQ(world.partition.open_orders(1), 2u) << "nobody else's";
}

TEST(Sweeps, end_a_users_orders_for_the_operator_under_their_own_ids) {
  SlicedWorld world;
  world.fill(2);
  market::MassCancel command{.of = market::MassCancelOf::orders_and_quotes};
  command.header.user = 0;
  command.header.flags = k_by_operator;
  const auto ends = world.submit(command);
  ASSERT_EQ(kinds_of(ends), (std::vector{cancelled, cancelled})) << "nobody is answered";
  for (const OwnerReport& end : ends) {
    EXPECT_EQ(end.client_order_id.view(), "order");
    EXPECT_EQ(end.reason, Reason::by_operator);
    EXPECT_EQ(end.restatement, 8);
  }
}

TEST(Sweeps, concern_an_account_an_instrument_or_a_segment_only) {
  PartitionConfig config = sliced();
  config.instruments[1].segment = "CLTH";
  SlicedWorld world(config);
  world.fill(4, 0, k_rice, "HOUSE");
  world.fill(4, 1, k_silk, "HOUSE");
  world.fill(4, 1, k_silk, "OTHER");
  RiskCommand of_account = cancel_of(market::LimitOf::account);
  of_account.account = Text<10>::cut("HOUSE");
  of_account.segment = Text<4>::cut("CLTH");
  world.submit(of_account);
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(world.partition.open_orders(0), 4u);
  EXPECT_EQ(world.partition.open_orders(1), 4u);
  RiskCommand of_one = cancel_of(market::LimitOf::everybody);
  of_one.header.instrument = k_rice;
  world.submit(of_one);
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(world.partition.open_orders(1), 4u);
  world.expect_replayed_alike();
}

TEST(Sweeps, follow_each_other_in_the_order_of_their_commands) {
  SlicedWorld world;
  world.fill(4, 0);
  world.fill(4, 1);
  world.submit(cancel_of(market::LimitOf::user, 0));
  world.submit(cancel_of(market::LimitOf::user, 1));
  EXPECT_EQ(world.sweep().size(), 3u);
  EXPECT_EQ(world.partition.open_orders(0), 1u);
  EXPECT_EQ(world.sweep().size(), 1u);
  EXPECT_EQ(world.partition.open_orders(1), 4u);
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
}

TEST(Sweeps, end_at_once_what_comes_beyond_the_most_that_go_on_at_a_time) {
  SlicedWorld world;
  world.fill(4, 0);
  for (std::size_t number = 0; number < Sweeps::k_most; ++number)
    EXPECT_TRUE(world.submit(cancel_of(market::LimitOf::user, 0)).empty()) << number;
  EXPECT_EQ(world.submit(cancel_of(market::LimitOf::user, 0)).size(), 4u);
  world.expect_replayed_alike();
  for (const std::size_t ended : world.sweep_all()) EXPECT_EQ(ended, 0u);
}

TEST(Sweeps, go_on_in_a_partition_that_was_loaded_in_the_middle) {
  SlicedWorld world;
  world.fill(10);
  world.submit(mass_cancel_of(0));
  world.sweep();
  const State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition loaded(sliced(), nothing);
  const auto result = load(loaded, state);
  ASSERT_TRUE(result.has_value()) << result.error().expected;
  EXPECT_EQ(save(loaded), state);
  while (world.partition.is_sweeping()) {
    ASSERT_TRUE(loaded.is_sweeping());
    world.sweep();
    apply_sweep(loaded, world.now);
    EXPECT_EQ(loaded.digest(), world.partition.digest());
  }
  EXPECT_FALSE(loaded.is_sweeping());
  EXPECT_EQ(loaded.live_orders(), 0u);
}

TEST(Sweeps, end_a_session_and_a_day_likewise) {
  SlicedWorld world;
  world.submit(market::UserCommand{.header = {.user = 0, .type = market::CommandType::logon}});
  world.fill(4, 0);
  world.fill(4, 1);
  world.end(0, SessionEnd::disconnect);
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(world.partition.open_orders(1), 4u);
  // Day orders end with the day, those that are good till they are cancelled do not.
  market::NewOrder stays = make_order({.user = 1, .lots = 1, .ticks = 30});
  stays.terms.time_in_force = market::TimeInForce::good_till_cancel;
  world.submit(stays);
  market::Expire end{.is_end_of_day = true};
  end.header.flags = k_untimed;
  end.header.user = market::k_no_user;
  EXPECT_TRUE(world.submit(end).empty());
  EXPECT_EQ(world.sweep_all(), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(world.partition.open_orders(1), 1u);
  world.expect_replayed_alike();
}

TEST(Sweeps, are_led_by_the_clock_with_pauses_between_the_slices) {
  journal::MemoryJournal journal({.keep = journal::Keep::all, .capacity = 1 << 22});
  Partition partition(sliced(), journal);
  sched::Scheduler scheduler{16, k_start};
  DayClock clock(partition, scheduler, 1);
  const auto submit = [&](auto command) {
    ASSERT_TRUE(partition.submit(command.header, scheduler.now()).has_value());
    clock.finish(scheduler.now());
  };
  for (int number = 0; number < 7; ++number) submit(make_order({.lots = 1, .ticks = 50 + number}));
  submit(cancel_of(market::LimitOf::everybody));
  EXPECT_EQ(partition.live_orders(), 7u);
  scheduler.check(k_start + 99us, 100);
  clock.finish(k_start + 99us);
  EXPECT_EQ(partition.live_orders(), 7u);
  scheduler.check(k_start + 100us, 100);
  clock.finish(k_start + 100us);
  EXPECT_EQ(partition.live_orders(), 4u);
  submit(make_order({.user = 1, .lots = 1, .ticks = 10}));  // others are served in between
  scheduler.check(k_start + 1s, 100);
  clock.finish(k_start + 1s);
  EXPECT_EQ(partition.live_orders(), 1u);
  EXPECT_EQ(partition.open_orders(1), 1u);
  EXPECT_FALSE(partition.is_sweeping());
}

/// Who counts how many commands came at one instant, and slices among them.
struct CommandCounts {
  std::map<Time, int> at;
  int slices = 0;
};

CommandCounts counts_in(const journal::MemoryJournal& journal) {
  CommandCounts counts;
  for (journal::MemoryJournal::Cursor cursor; const auto record = journal.read(cursor);) {
    const auto& header = *reinterpret_cast<const market::CommandHeader*>(record->bytes.data());
    if (header.type == market::CommandType::day && header.instrument != 0) ++counts.at[header.time];
    if (header.type == market::CommandType::slice) ++counts.slices;
  }
  return counts;
}

TEST(Sweeps, follow_the_phases_of_many_instruments_which_change_a_few_at_a_time) {
  constexpr std::uint32_t k_many = 300;
  PartitionConfig config{.app_id = 1, .users = std::vector<UserSetUp>(4)};
  for (std::uint32_t id = 1; id <= k_many; ++id) {
    config.instruments.push_back(make_instrument(id, "I" + std::to_string(id)));
    config.instruments.back().segment = "FOOD";
  }
  config.segments = {{.name = "FOOD", .timetable = timetable_without_intraday()}};
  config.limits = {.orders = 1024, .levels = 8, .reports = 8192, .report_buffer = 16};
  config.slice = 64;
  journal::MemoryJournal journal({.keep = journal::Keep::all, .capacity = 1 << 22});
  Partition partition(config, journal);
  sched::Scheduler scheduler(16, k_midnight);
  DayClock clock(partition, scheduler, 1);
  clock.start(k_midnight);
  const auto run_to = [&](Time end) {
    for (clock.finish(scheduler.now()); scheduler.next_due() <= end; clock.finish(scheduler.now()))
      scheduler.check(scheduler.next_due(), 1);
    scheduler.check(end, 1);
  };
  run_to(k_midnight + 10h);
  for (std::uint32_t id = 1; id <= k_many; ++id) {
    EXPECT_EQ(partition.day(id)->phase(), market::DayPhase::regular) << id;
    for (const Side side : {Side::buy, Side::sell}) {
      auto order = make_order({.side = side, .lots = 1, .ticks = side == Side::buy ? 99 : 101, .instrument = id});
      ASSERT_TRUE(partition.submit(order.header, scheduler.now()).has_value());
    }
  }
  EXPECT_EQ(partition.live_orders(), 2 * k_many);
  run_to(k_midnight + 17h);
  EXPECT_EQ(partition.day(k_many)->phase(), market::DayPhase::post_close) << "its turn comes later";
  EXPECT_EQ(partition.live_orders(), 2 * k_many);
  run_to(k_midnight + 17h + 100ms);
  for (std::uint32_t id = 1; id <= k_many; ++id) EXPECT_EQ(partition.day(id)->phase(), market::DayPhase::end_of_day);
  EXPECT_EQ(partition.live_orders(), 0u);
  EXPECT_TRUE(partition.is_between_days());
  const CommandCounts counts = counts_in(journal);
  for (const auto& [when, commands] : counts.at) EXPECT_LE(commands, 32) << time::nanoseconds_of(when);
  EXPECT_GE(counts.slices, 2 * k_many / 64);
  EXPECT_LE(counts.slices, 2 * k_many / 64 + 2)
      << "no order is looked at twice, though instruments join a sweep under way";
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition again(config, nothing);
  for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);)
    ASSERT_TRUE(again.replay(record->bytes));
  EXPECT_EQ(again.digest(), partition.digest());
}

/// What is left of users' orders, book by book.
std::vector<std::int64_t> left_in(const Partition& partition) {
  std::vector<std::int64_t> left;
  for (std::uint16_t user = 0; user < 4; ++user) left.push_back(partition.open_orders(user));
  for (const std::uint32_t id : {k_rice, k_silk})
    for (const Side side : {Side::buy, Side::sell}) {
      left.push_back(static_cast<std::int64_t>(partition.book(id)->level_count(side)));
      left.push_back(partition.book(id)->best(side).value_or(market::Price{}).units);
    }
  return left;
}

/// What ends orders: of whom, and which.
std::vector<StateFlow::Any> endings() {
  market::UserCommand session{.header = {.user = 2, .type = market::CommandType::end_session},
                              .end = SessionEnd::disconnect};
  market::Expire day{.is_end_of_day = true};
  day.header.flags = k_untimed;
  day.header.user = market::k_no_user;
  market::MassCancel buys = mass_cancel_of(3);
  buys.side = Side::buy;
  return {mass_cancel_of(0), buys, session, day};
}

TEST(Sweeps, end_the_same_orders_as_a_partition_without_slices) {
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1 << 20});
  std::size_t swept = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World world;
    StateFlow flow(seed);
    world.partition.observe(&flow);
    for (int number = 1; number <= 240; ++number) {
      std::visit([&](auto command) { world.submit(command); }, flow.next());
      if (number % 40 != 0) continue;
      const State state = save(world.partition);
      for (StateFlow::Any& ending : endings()) {
        Partition slices(sliced(2), nothing), whole(make_config(), nothing);
        ASSERT_TRUE(load(slices, state).has_value());
        ASSERT_TRUE(load(whole, state).has_value());
        std::visit(
            [&](auto& command) {
              command.header.sequence = {world.partition.last_command().value + 1};
              command.header.time = world.now;
              whole.apply(command.header);
              slices.apply(command.header);
            },
            ending);
        for (; slices.is_sweeping(); ++swept) apply_sweep(slices, world.now);
        EXPECT_EQ(left_in(slices), left_in(whole)) << "seed " << seed << " behind command " << number;
      }
    }
    world.partition.dismiss(&flow);
  }
  EXPECT_GT(swept, 50u);
}

}  // namespace
}  // namespace dojima::venue::testing
