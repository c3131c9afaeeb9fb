// A gateway whose venue has a recovery channel: what came of the time without a session is told before anything new
// leaves, in order and once; what the venue does not have is answered for it; another venue is noticed.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/mit/recovery_server.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

const link::Address k_recovery_address{"venue", 3};

/// Serves what the venue has said to USER1, as it is told to.
class ScriptedRecovery final : public link::Acceptor, public mit::RecoveryHandler {
 public:
  explicit ScriptedRecovery(sched::Scheduler& scheduler) {
    for (int count = 0; count < 2; ++count) {
      sessions_.push_back(
          std::make_unique<mit::RecoveryServer>(mit::RecoveryOptions{}, mit::lse_21_2::k_dialect, scheduler, *this));
      free_.push_back(sessions_.back().get());
    }
  }
  link::Connection* on_accept(const link::Address&) override {
    if (free_.empty()) return nullptr;
    mit::RecoveryServer* session = free_.back();
    free_.pop_back();
    return session;
  }
  mit::LogonReply on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time) override {
    session.set_user(logon.user.view() == "USER1" ? 1 : 2);
    return {};
  }
  mit::Recovery on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request,
                                    Time) override {
    if (session.user() == 1)
      asked.push_back(std::to_string(request.partition) + ":" + std::to_string(request.last.value));
    if (request.partition != 1) return mit::Recovery::unknown_partition;
    if (refuses) return mit::Recovery::unavailable;
    if (std::exchange(refuses_once, false)) return mit::Recovery::unavailable;
    // As a venue does on its later days: a member asks from a number that was its own, or from the first.
    const auto is_said = [&](const OwnerReport& report) { return report.sequence == request.last; };
    if (is_later_day && request.last.value > 1 && std::ranges::none_of(reports, is_said))
      return mit::Recovery::unavailable;
    from_ = request.last.value;
    return mit::Recovery::good;
  }
  std::optional<mit::Recovery> serve_recovery(mit::RecoveryServer& session, Time) override {
    if (is_slow) return std::nullopt;
    for (const OwnerReport& report : reports) {
      if (session.user() != 1 || report.sequence.value < from_) continue;
      if (report.sequence.value > up_to) return std::nullopt;
      EXPECT_TRUE(session.send(report, mit::code_of(report.reason)));
      from_ = report.sequence.value + 1;
    }
    return mit::Recovery::good;
  }
  void on_recovery_free(mit::RecoveryServer& session, Time) override { free_.push_back(&session); }
  void serve(Time now) {
    for (const auto& session : sessions_) static_cast<void>(session->serve(now));
  }

  std::vector<OwnerReport> reports;
  std::vector<std::string> asked;
  bool refuses = false, refuses_once = false;
  bool is_later_day = false;
  bool is_slow = false;
  std::uint64_t up_to = ~std::uint64_t{0};  // what follows it has to wait

 private:
  std::vector<std::unique_ptr<mit::RecoveryServer>> sessions_;
  std::vector<mit::RecoveryServer*> free_;
  std::uint64_t from_ = 0;
};

/// The world of the other tests, with a recovery channel.
struct RecoveringWorld {
  explicit RecoveringWorld(
      GatewayParts parts = {}, const GatewayConfig& wanted = config(),
      const std::function<void(RecoveringWorld&)>& before = [](RecoveringWorld&) {})
      : gateway(wanted, network, scheduler, with(parts, seen)) {
    before(*this);
    EXPECT_TRUE(network.listen(k_venue_address, venue).has_value());
    EXPECT_TRUE(network.listen(k_recovery_address, recovery).has_value());
    EXPECT_TRUE(gateway.start(k_fix_address, k_venue_address, k_recovery_address).has_value());
    run(10ms);
    EXPECT_TRUE(gateway.is_venue_ready(0));
    network.connect(k_fix_address, client.session);
    run(10ms);
    EXPECT_TRUE(client.session.is_logged_on());
  }
  ~RecoveringWorld() {
    gateway.stop("end");
    client.session.logout("end");
    recovery.is_slow = false;
    run(60s);
    EXPECT_TRUE(gateway.is_idle());
  }
  static GatewayParts with(GatewayParts parts, Observer& observer) {
    parts.observer = &observer;
    return parts;
  }
  static GatewayConfig config() {
    GatewayConfig config = small_config();
    config.reconnect = 100ms;
    config.limits.held_reports = 2;
    return config;
  }
  void run(time::Duration duration) {
    const Time end = scheduler.now() + duration;
    for (;;) {
      recovery.serve(scheduler.now());
      network.finish(scheduler.now());
      const Time next = std::min({scheduler.next_due(), end, scheduler.now() + 1ms});
      scheduler.check(next, 10'000);
      if (next == end) break;
    }
    recovery.serve(scheduler.now());
    network.finish(scheduler.now());
  }
  /// The venue says it, and will again.
  void say(const OwnerReport& report) {
    recovery.reports.push_back(report);
    venue.say(report);
  }
  /// The venue says it to nobody: the user is away.
  void say_in_vain(const OwnerReport& report) { recovery.reports.push_back(report); }
  void lose_venue() {
    venue.is_open = false;
    network.cut(*venue.users.at("USER1"));
    run(10ms);
  }
  void find_venue(time::Duration patience = 200ms) {
    venue.is_open = true;
    run(patience);
  }
  market::NewOrder enter(const std::string& id, std::uint64_t order_id) {
    client.send("D", new_order(id));
    run(1ms);
    EXPECT_FALSE(venue.orders.empty());
    say(venue.accepted(venue.orders.back(), order_id));
    run(1ms);
    EXPECT_EQ(client.only().show({11, 150}), "8 11=" + id + " 150=0");
    return venue.orders.back();
  }
  std::vector<std::string> told(std::initializer_list<int> tags) {
    std::vector<std::string> lines;
    for (const Message& message : client.take()) lines.push_back(message.show(tags));
    return lines;
  }

  struct Seen final : Observer {
    void on_venue_unrecoverable(std::size_t, Time) override { ++unrecoverable; }
    void on_other_venue(std::size_t, std::uint64_t orders, Time) override {
      ++others;
      lost += orders;
    }
    void on_venue_next_day(std::size_t, bool is_missed, Time) override { ++(is_missed ? missed_days : days); }
    int unrecoverable = 0, others = 0, days = 0, missed_days = 0;
    std::uint64_t lost = 0;
  };

  Seen seen;
  sched::Scheduler scheduler{512, k_noon};
  link::SimulatedNetwork network{scheduler, {}};
  ScriptedVenue venue{scheduler};
  ScriptedRecovery recovery{scheduler};
  Gateway gateway;
  FixClient client{scheduler, "CLIENT1"};
};

using Lines = std::vector<std::string>;

TEST(GatewayRecovery, what_was_missed_comes_before_anything_new_in_order_and_once) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.say_in_vain(world.venue.traded(order, 77, 30, 10 * market::k_price_scale, 70));
  world.recovery.is_slow = true;
  world.recovery.asked.clear();
  world.find_venue();
  EXPECT_EQ(world.recovery.asked, (Lines{"2:1", "3:1", "4:1", "1:1"}));
  EXPECT_TRUE(world.gateway.is_venue_up());
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  // While it is under way: a report of the session waits, a request is refused.
  world.venue.say(world.venue.traded(order, 77, 20, 10 * market::k_price_scale, 50));
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.told({11, 379, 380, 58}),
            (Lines{"j 11= 379=A-2 380=4 58=what was missed of the venue is being recovered"}));
  world.recovery.is_slow = false;
  world.run(10ms);
  EXPECT_EQ(world.told({11, 150, 32, 14, 58}),
            (Lines{"8 11=A-1 150=F 32=30 14=30 58=", "8 11=A-1 150=F 32=20 14=50 58="}));
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.gateway.counters().recovered, 1u);
}

TEST(GatewayRecovery, requests_that_the_venue_does_not_have_are_answered_for_it) {
  RecoveringWorld world;
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DDF");  // they arrived, but nothing came of them
  world.lose_venue();
  EXPECT_TRUE(world.client.take().empty());
  world.find_venue();
  EXPECT_EQ(world.told({11, 41, 150, 39, 103, 102, 58}),
            (Lines{"8 11=A-2 41= 150=8 39=8 103=99 102= 58=the session with the venue ended before it took this",
                   "9 11=A-3 41=A-1 150= 39=0 103= 102=99 58=the session with the venue ended before it took this"}));
  EXPECT_EQ(world.gateway.counters().settled, 2u);
  EXPECT_EQ(world.gateway.translator().records().requests(), 1u);
}

TEST(GatewayRecovery, another_venue_is_noticed_and_its_orders_are_its_own) {
  for (const bool has_other_reports : {false, true}) {
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    world.client.send("G", testing::replace("A-2", "A-1", "50", "11"));
    world.run(1ms);
    world.lose_venue();
    world.recovery.reports.clear();
    if (has_other_reports) {  // as many as before, and more
      OwnerReport other = world.venue.accepted(order, 77);
      other.sequence = {1};
      other.execution = (std::uint64_t{1} << 60) | 1;  // no venue gives more than numbers on its first day
      other.time += 1s;
      world.say_in_vain(other);
      other.sequence = {2};
      world.say_in_vain(other);
    }
    world.find_venue();
    EXPECT_EQ(world.told({11, 150, 39, 102}), (Lines{"9 11=A-2 150= 39=0 102=99", "8 11=A-1 150=4 39=4 102="}));
    EXPECT_EQ(world.seen.others, 1);
    EXPECT_EQ(world.seen.lost, 1u);
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    // A cancel of the lost order goes nowhere.
    world.client.send("F", cancel("A-3", "A-1"));
    world.run(1ms);
    EXPECT_EQ(world.told({11, 102}), (Lines{"9 11=A-3 102=1"}));
    EXPECT_TRUE(world.venue.cancels.empty());
  }
}

/// The venue's numbers begin at 1 again; executions go on.
void begin_day(RecoveringWorld& world) {
  world.recovery.reports.clear();
  world.recovery.is_later_day = true;
  world.venue.last_sequence = 0;
}

TEST(GatewayRecovery, behind_the_end_of_a_day_the_numbers_of_the_next_one_are_no_duplicates) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  for (std::int64_t left = 99; left > 90; --left)
    world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.run(1ms);
  EXPECT_EQ(world.told({14}).size(), 9u);
  world.venue.users.at("USER1")->logout("end of day");
  world.run(1ms);
  begin_day(world);
  world.say_in_vain(world.venue.traded(order, 77, 5, 10 * market::k_price_scale, 86));
  world.recovery.asked.clear();
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.recovery.asked, (Lines{"1:1", "2:1", "3:1", "4:1"}));
  world.say(world.venue.traded(order, 77, 6, 10 * market::k_price_scale, 80));
  world.run(1ms);
  EXPECT_EQ(world.told({32, 14, 151, 58}), (Lines{"8 32=5 14=14 151=86 58=", "8 32=6 14=20 151=80 58="}));
  EXPECT_EQ(world.seen.days, 1);
  EXPECT_EQ(world.seen.missed_days + world.seen.others + world.seen.unrecoverable, 0);
}

TEST(GatewayRecovery, a_day_that_ended_while_it_was_away_keeps_orders_and_says_that_executions_may_be_missing) {
  // What the venue has said today: nothing, less than was seen before, or more.
  for (const int said : {0, 1, 4}) {
    SCOPED_TRACE(said);
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    world.say(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 90));
    world.run(1ms);
    world.told({14});
    world.lose_venue();
    static_cast<void>(world.venue.traded(order, 77, 5, 10 * market::k_price_scale, 85));  // nobody will ever say it
    begin_day(world);
    for (std::int64_t left = 84; left > 84 - said; --left)
      world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
    world.find_venue();
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(world.seen.missed_days, 1);
    EXPECT_EQ(world.seen.unrecoverable, 1);
    EXPECT_EQ(world.seen.others, 0);
    EXPECT_EQ(world.told({14}).size(), static_cast<std::size_t>(said));
    // The order is still open, and can be cancelled.
    world.client.send("F", cancel("A-9", "A-1"));
    world.run(1ms);
    EXPECT_EQ(world.venue.cancels.size(), 1u);
  }
}

TEST(GatewayRecovery, a_venue_of_the_same_day_that_serves_again_repeats_nothing) {
  RecoveringWorld world;
  world.recovery.is_later_day = true;
  world.venue.last_execution = 1000;  // of earlier days
  const market::NewOrder order = world.enter("A-1", 77);
  world.say(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 90));
  world.run(1ms);
  world.told({14});
  world.lose_venue();
  world.say_in_vain(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 80));
  world.recovery.refuses_once = true;
  world.find_venue(500ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.told({14, 151}), (Lines{"8 14=20 151=80"}));
  EXPECT_EQ(world.seen.days + world.seen.missed_days + world.seen.others + world.seen.unrecoverable, 0);
}

TEST(GatewayRecovery, a_venue_that_cannot_recover_is_asked_three_times) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.refuses = true;
  world.find_venue(250ms);
  EXPECT_EQ(world.seen.unrecoverable, 0);
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  world.run(300ms);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  world.venue.say(world.venue.traded(order, 77, 20, 10 * market::k_price_scale, 50));
  world.run(1ms);
  EXPECT_EQ(world.told({11, 150, 32, 14, 58}),
            (Lines{"8 11=A-1 150=F 32=20 14=50 58=the venue session was lost: executions may be missing"}));
}

TEST(GatewayRecovery, more_reports_than_may_wait_end_the_session_and_lose_nothing) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.is_slow = true;
  world.find_venue();
  for (std::int64_t left = 99; left > 95; --left)
    world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.run(1ms);
  EXPECT_FALSE(world.gateway.is_venue_up(0));
  world.recovery.is_slow = false;
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.told({14, 151}), (Lines{"8 14=1 151=99", "8 14=2 151=98", "8 14=3 151=97", "8 14=4 151=96"}));
}

/// A recovery that stood still when its session ended goes on while there is none: what it brings is nobody's, and what
/// it brings to the next session is not all that was missed.
TEST(GatewayRecovery, one_that_an_earlier_session_began_leaves_no_gap) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  for (std::int64_t left = 99; left > 95; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.recovery.up_to = 2;
  world.find_venue();
  EXPECT_EQ(world.told({14, 151}), (Lines{"8 14=1 151=99"}));
  world.lose_venue();
  world.recovery.up_to = 4;
  world.run(10ms);
  EXPECT_EQ(world.told({14, 151}), Lines{});
  world.find_venue(150ms);
  EXPECT_TRUE(world.gateway.is_venue_up(0));
  world.recovery.up_to = ~std::uint64_t{0};
  world.run(100ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.told({14, 151}), (Lines{"8 14=2 151=98", "8 14=3 151=97", "8 14=4 151=96"}));
}

/// On a disk, with a journal that is given segments only when the test says so.
struct OnDisk {
  explicit OnDisk(journal::SimulatedDisk& on) : disk(on) {
    auto opened = fix::JournalStores::open(disk, {.name = "test",
                                                  .durability = journal::Durability::process,
                                                  .segment_bytes = std::size_t{1} << 14,
                                                  .disk_bytes = std::uint64_t{1} << 22,
                                                  .largest_message = 4196,
                                                  .state_bytes = std::uint64_t{1} << 17,
                                                  .on_state = [this](Bytes piece) { return saved.apply(piece); }});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    stores = std::move(*opened);
    work();
  }
  void work() const {
    while (stores->journal().work()) {
    }
    stores->deliver();
  }
  [[nodiscard]] GatewayParts parts() const { return {.stores = stores.get(), .saved = &saved}; }

  journal::SimulatedDisk& disk;
  SavedState saved;
  std::unique_ptr<fix::JournalStores> stores;
};

GatewayConfig config_on_disk() {
  GatewayConfig config = RecoveringWorld::config();
  config.limits.orders = 512;
  config.limits.requests = 2048;
  config.limits.remembered_ids = 512;
  return config;
}

TEST(GatewayRecovery, a_gateway_that_ends_behind_the_end_of_a_day_asks_for_the_next_one_from_its_beginning) {
  for (const bool has_seen_it : {false, true}) {
    journal::SimulatedDisk disk;
    std::vector<OwnerReport> reports;
    market::Sequence outgoing, incoming;
    {
      OnDisk life(disk);
      RecoveringWorld world(life.parts(), config_on_disk());
      const market::NewOrder order = world.enter("A-1", 77);
      life.work();
      world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, 99));
      world.run(1ms);
      if (has_seen_it) world.venue.users.at("USER1")->logout("end of day");
      world.venue.is_open = false;
      world.run(10ms);
      EXPECT_EQ(world.seen.days, has_seen_it ? 1 : 0);
      if (!has_seen_it) reports = world.recovery.reports;
      world.gateway.stop("end");
      world.run(60s);
      outgoing = world.client.session.next_outgoing();
      incoming = world.client.session.next_incoming();
      life.work();
    }
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
      made.recovery.reports = reports;
      made.client.session.store().set_next_outgoing(outgoing);
      made.client.session.store().set_next_incoming(incoming);
    });
    EXPECT_EQ(world.recovery.asked.size(), 4u);
    EXPECT_EQ(std::ranges::count(world.recovery.asked, "1:1"), has_seen_it ? 1 : 0);
    EXPECT_EQ(std::ranges::count(world.recovery.asked, "1:2"), has_seen_it ? 0 : 1);
  }
}

/// The venue's answer to the Logout is behind what waits, which there is no room for: the next life recovers it.
TEST(GatewayRecovery, a_gateway_that_is_stopped_while_its_journal_is_short_takes_nothing_that_it_cannot_keep) {
  journal::SimulatedDisk disk;
  std::vector<OwnerReport> reports;
  std::size_t told = 0;
  market::Sequence outgoing, incoming;
  {
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk());
    const market::NewOrder order = world.enter("A-1", 77);
    life.work();
    for (std::int64_t left = 99; left >= 0; --left)
      world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
    world.run(10ms);
    ASSERT_TRUE(world.gateway.waits_for_journal());
    told = world.client.take().size();
    ASSERT_LT(told, 100u);
    world.gateway.stop("end");
    world.run(60s);
    EXPECT_TRUE(world.gateway.is_idle()) << "without room";
    EXPECT_EQ(world.gateway.counters().undelivered, 0u);
    EXPECT_EQ(world.gateway.counters().unwritten, 0u);
    EXPECT_LT(life.stores->written_while_short(), life.stores->room_kept());
    reports = world.recovery.reports;
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
    told += world.client.take().size();
    life.work();
  }
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
    made.recovery.reports = reports;
    made.client.session.store().set_next_outgoing(outgoing);
    made.client.session.store().set_next_incoming(incoming);
  });
  for (int turn = 0; turn < 50; ++turn) {
    life.work();
    world.run(10ms);
  }
  EXPECT_EQ(told + world.client.take().size(), 100u);
  EXPECT_EQ(world.gateway.counters().undelivered, 0u);
}

/// Likewise a recovery that waits for room.
TEST(GatewayRecovery, a_gateway_that_is_stopped_while_a_recovery_waits_for_room_ends) {
  journal::SimulatedDisk disk;
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk());
  const market::NewOrder order = world.enter("A-1", 77);
  life.work();
  world.lose_venue();
  for (std::int64_t left = 99; left >= 0; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.find_venue();
  ASSERT_TRUE(world.gateway.waits_for_journal());
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  world.gateway.stop("end");
  world.run(60s);
  EXPECT_TRUE(world.gateway.is_idle()) << "without room";
  EXPECT_EQ(world.gateway.counters().undelivered, 0u);
  EXPECT_EQ(world.gateway.counters().unwritten, 0u);
  EXPECT_LT(life.stores->written_while_short(), life.stores->room_kept());
}

TEST(GatewayRecovery, a_gateway_that_knows_nothing_takes_no_number_that_the_venue_has_seen) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  Gateway fresh(RecoveringWorld::config(), world.network, world.scheduler);
  world.lose_venue();
  world.gateway.stop("over");
  world.run(10s);
  ASSERT_TRUE(fresh.start({"gateway", 9}, k_venue_address, k_recovery_address).has_value());
  world.venue.is_open = true;
  world.run(200ms);
  EXPECT_TRUE(fresh.is_venue_ready(0));
  EXPECT_EQ(fresh.counters().strays, 1u);
  EXPECT_GT(fresh.translator().records().next_number(), *mit::parse_base62(order.labels.client_order_id.view()));
  fresh.stop("end");
  world.run(20s);
}

}  // namespace
}  // namespace dojima::gateway
