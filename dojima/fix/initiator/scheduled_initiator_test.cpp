// An initiator that follows a schedule, and both sides of it over a month, with restarts and lost connections.

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/initiator.hpp"
#include "dojima/fix/initiator/initiator_test_world.hpp"
#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using testing::utc;
using Texts = std::vector<std::string>;

const link::Address k_host{"venue", 1};

/// A client and a venue by the same schedule.
struct Client {
  Client(const std::string& start, ScheduleConfig config, InitiatorOptions options = {})
      : world(start),
        schedule(std::move(config)),
        venue(world.scheduler, schedule, testing::venue_config(), venue_handler, {}, world.now),
        port(world.scheduler, {.links = 8, .unknown_links = 8}),
        scheduled(world.scheduler, schedule, testing::client_config(), handler, {}, world.now),
        initiator(world.scheduler, world.network, scheduled, plain(std::move(options)), &observer) {
    EXPECT_TRUE(port.add(venue.session()));
  }
  ~Client() {
    initiator.stop();
    world.run_for(1min);
  }
  static InitiatorOptions plain(InitiatorOptions options) {
    options.hosts = {k_host};
    options.jitter_percent = 0;
    return options;
  }
  void open() { EXPECT_TRUE(world.network.listen(k_host, port)); }

  testing::World world;
  testing::NotingHandler handler, venue_handler;
  testing::NotingInitiatorObserver observer;
  SessionSchedule schedule;
  ScheduledSession venue;
  SessionAcceptor port;
  ScheduledSession scheduled;
  Initiator initiator;
};

ScheduleConfig daily(std::chrono::seconds from, std::chrono::seconds to) {
  return {.session = Hours::daily(from, to), .logon = {}, .zone = {}};
}

TEST(FixScheduledInitiator, started_at_night_it_connects_when_the_session_begins) {
  Client client("20260720-05:00:00", daily(8h, 16h));
  client.open();
  client.initiator.start(client.world.now);
  EXPECT_EQ(client.initiator.next_attempt(), utc("20260720-08:00:00"));
  client.world.run_until("20260720-08:00:01");
  EXPECT_EQ(client.observer.take(), (Texts{"05:00:00.000 waiting until 20260720-08:00:00.000",
                                           "08:00:00.000 attempt 1 venue", "08:00:00.003 success 1 venue"}));
}

TEST(FixScheduledInitiator, started_a_moment_before_the_session_it_connects_when_that_begins) {
  Client client("20260720-07:59:59.500", daily(8h, 16h));
  client.initiator.start(client.world.now);
  EXPECT_EQ(client.initiator.next_attempt(), utc("20260720-08:00:00"));
}

TEST(FixScheduledInitiator, logs_out_at_the_end_and_is_back_in_the_morning_with_number_one) {
  Client client("20260720-09:00:00", daily(8h, 16h));
  client.open();
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-20:00:00");
  EXPECT_FALSE(client.scheduled.session().is_connected());
  EXPECT_EQ(client.scheduled.session().next_outgoing().value, 1u);
  EXPECT_EQ(client.initiator.next_attempt(), utc("20260721-08:00:00"));
  EXPECT_EQ(client.venue_handler.events, (Texts{"logon", "logout: End of the session", "closed: closed by us"}));
  client.world.run_until("20260721-08:00:01");
  EXPECT_TRUE(client.scheduled.session().is_logged_on());
  EXPECT_EQ(client.scheduled.session().next_outgoing().value, 2u);
}

TEST(FixScheduledInitiator, when_days_follow_on_each_other_it_is_back_at_once_with_number_one) {
  Client client("20260720-09:00:00", daily(17h, 17h));
  client.open();
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-17:00:02");
  EXPECT_TRUE(client.scheduled.session().is_logged_on());
  EXPECT_EQ(client.scheduled.session().next_outgoing().value, 2u);
  EXPECT_EQ(client.scheduled.session_day().begin, utc("20260720-17:00:00"));
  EXPECT_EQ(client.handler.take(), (Texts{"logon", "logout: End of the session", "closed: closed by us", "logon"}));
}

TEST(FixScheduledInitiator, attempts_are_counted_anew_each_day) {
  Client client("20260720-15:59:57", daily(8h, 16h), {.hosts = {}, .delay = 1s, .attempts_in_a_row = 4});
  client.initiator.start(client.world.now);
  client.world.run_until("20260721-08:00:02");
  EXPECT_EQ(client.observer.take(),
            (Texts{"15:59:57.000 attempt 1 venue", "15:59:57.001 failure 1 venue: not connected (connection refused)",
                   "15:59:57.001 waiting until 20260720-15:59:58.001", "15:59:58.001 attempt 2 venue",
                   "15:59:58.002 failure 2 venue: not connected (connection refused)",
                   "15:59:58.002 waiting until 20260721-08:00:00.000", "08:00:00.000 attempt 1 venue",
                   "08:00:00.001 failure 1 venue: not connected (connection refused)",
                   "08:00:00.001 waiting until 20260721-08:00:01.001", "08:00:01.001 attempt 2 venue",
                   "08:00:01.002 failure 2 venue: not connected (connection refused)",
                   "08:00:01.002 waiting until 20260721-08:00:03.002"}));
}

TEST(FixScheduledInitiator, a_connection_that_is_made_after_the_end_is_closed_again) {
  Client client("20260720-15:59:59.999500", daily(8h, 16h));
  client.open();
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-16:00:10");
  EXPECT_EQ(client.observer.take(),
            (Texts{"15:59:59.999 attempt 1 venue", "16:00:00.000 waiting until 20260721-08:00:00.000"}));
  EXPECT_TRUE(client.handler.take().empty());
}

TEST(FixScheduledInitiator, an_attempt_that_the_end_of_the_day_ends_has_not_failed) {
  testing::OddVenue silent("", false);
  Client client("20260720-15:59:55", daily(8h, 16h), {.hosts = {}, .attempts_in_a_row = 1});
  EXPECT_TRUE(client.world.network.listen(k_host, silent));
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-16:00:10");
  EXPECT_EQ(client.observer.take(),
            (Texts{"15:59:55.000 attempt 1 venue", "16:00:00.000 waiting until 20260721-08:00:00.000"}));
}

TEST(FixScheduledInitiator, a_new_day_that_follows_at_once_counts_attempts_anew) {
  testing::OddVenue silent("", false);
  Client client("20260720-16:59:30", daily(17h, 17h));
  EXPECT_TRUE(client.world.network.listen(k_host, silent));
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-17:00:02");
  const Texts events = client.observer.take();
  ASSERT_EQ(events.size(), 9u);
  EXPECT_EQ(events[6], "16:59:53.002 attempt 3 venue");
  EXPECT_EQ(events[7], "17:00:00.000 waiting until 20260720-17:00:01.000");
  EXPECT_EQ(events[8], "17:00:01.000 attempt 1 venue");
}

TEST(FixScheduledInitiator, a_handler_that_starts_it_again_out_of_hours_waits_for_the_next) {
  struct Restarting final : testing::NotingHandler {
    void on_closed(Session&, link::CloseReason, Time now) override {
      initiator->stop();
      initiator->start(now);
    }
    Initiator* initiator = nullptr;
  } handler;
  testing::World world("20260720-08:59:59.999500");
  testing::NotingInitiatorObserver observer;
  ScheduledSession session(
      world.scheduler, SessionSchedule({.session = Hours::daily(8h, 16h), .logon = Hours::daily(8h, 9h), .zone = {}}),
      testing::client_config(), handler, {}, world.now);
  Initiator initiator(world.scheduler, world.network, session, {.hosts = {k_host}}, &observer);
  handler.initiator = &initiator;
  initiator.start(world.now);
  world.run_for(1s);
  EXPECT_EQ(observer.take(),
            (Texts{"08:59:59.999 attempt 1 venue", "09:00:00.000 waiting until 20260721-08:00:00.000"}));
}

TEST(FixScheduledInitiator, outside_of_the_logon_hours_a_lost_connection_is_not_made_again) {
  Client client("20260720-08:00:00", {.session = Hours::daily(8h, 16h), .logon = Hours::daily(8h, 9h), .zone = {}});
  client.open();
  client.initiator.start(client.world.now);
  client.world.run_until("20260720-08:30:00");
  client.world.network.cut(client.initiator);
  client.world.run_until("20260720-12:00:00");
  EXPECT_TRUE(client.scheduled.session().is_logged_on());
  client.world.network.cut(client.initiator);
  client.world.run_until("20260720-12:00:01");
  EXPECT_EQ(client.initiator.next_attempt(), utc("20260721-08:00:00"));
}

/// One side of the month: its application and what survives a restart.
struct Side : Handler, ScheduleObserver {
  void on_logon(Session&, Time) override { ++logons; }
  void on_logout(Session&, std::string_view, Time) override { ++logouts; }
  void on_message(Session&, const MessageView& message, Time) override {
    received.push_back(message.integer(tag::k_cl_ord_id).value());
  }
  void on_trouble(Session&, const Error& error) override {
    char text[160];
    troubles.emplace_back(describe(error, text));
  }
  void on_numbers_reset(Session&, Time now) override {
    resets.push_back(std::chrono::floor<std::chrono::seconds>(now));
  }
  void send(Session& session, Time now) {
    Writer order = session.begin(type::k_new_order_single);
    order.field(tag::k_cl_ord_id, ++sent).field(tag::k_symbol, "RICE").field(tag::k_side, '1');
    order.field(tag::k_transact_time, now).field(tag::k_ord_type, '1');
    EXPECT_TRUE(session.send(order));
  }

  int logons = 0, logouts = 0, sent = 0;
  std::vector<std::int64_t> received;
  Texts troubles;
  std::vector<Time> resets;
  MemoryStore store{{.messages = 256, .bytes = 1 << 16}};
};

/// Weekdays from 8:00 to 16:30 in London, over the night in which summer time begins.
struct Month {
  Month()
      : schedule({.session = Hours::on_days({std::chrono::Monday, std::chrono::Tuesday, std::chrono::Wednesday,
                                             std::chrono::Thursday, std::chrono::Friday},
                                            8h, 16h + 30min),
                  .logon = {},
                  .zone = time::testing::london()}),
        venue(world.scheduler, schedule, testing::venue_config(), venue_side, venue_side.store, options_of(venue_side),
              world.now),
        port(world.scheduler, {.links = 8, .unknown_links = 8}) {
    EXPECT_TRUE(port.add(venue.session()));
    EXPECT_TRUE(world.network.listen(k_host, port));
    start_client();
  }
  ~Month() { kill_client(); }

  static ScheduledSessionOptions options_of(Side& side) { return {.observer = &side}; }
  void start_client() {
    const std::optional<Time> begun = client_side.store.numbers_begun();
    client = std::make_unique<ScheduledSession>(world.scheduler, schedule, testing::client_config(), client_side,
                                                client_side.store, options_of(client_side), world.now);
    // Over the end of a day, the numbers begin anew as it starts.
    if (begun && begun != client->numbers_begun()) {
      client_side.on_numbers_reset(client->session(), client->numbers_begun());
      ++restarts_over_an_end;
    }
    initiator = std::make_unique<Initiator>(world.scheduler, world.network, *client,
                                            InitiatorOptions{.hosts = {k_host}, .delay_max = 5s});
    initiator->start(world.now);
  }
  /// As a process that dies: its connection is cut, what it did not store is gone.
  void kill_client() {
    initiator->stop();
    client->session().disconnect();
    world.network.cut(*initiator);
    world.run_for(100ms);
    initiator.reset();
    client.reset();
  }

  testing::World world{"20260309-07:00:00"};
  SessionSchedule schedule;
  Side client_side, venue_side;
  ScheduledSession venue;
  SessionAcceptor port;
  std::unique_ptr<ScheduledSession> client;
  std::unique_ptr<Initiator> initiator;
  int restarts_over_an_end = 0;
};

TEST(FixScheduledMonth, numbers_begin_anew_once_a_day_and_every_message_arrives_once) {
  Month month;
  const Time end = utc("20260410-07:00:00");
  std::vector<Time> ends;
  for (Time at = month.world.now; at < end; at = month.schedule.next_boundary(at)) {
    if (at > month.world.now && !month.schedule.is_open(at)) ends.push_back(at);
  }
  for (int hour = 0; month.world.now < end; ++hour) {
    if (month.client->may_log_on(month.world.now)) {
      // Both directions, also while the connection is lost.
      if (hour % 7 == 3) month.world.network.cut(*month.initiator);
      month.client_side.send(month.client->session(), month.world.now);
      month.venue_side.send(month.venue.session(), month.world.now);
    }
    // Restarts: in the middle of a day, and over the end of one.
    if (hour % 100 == 29 || hour % 90 == 8) {
      month.world.run_for(10s);
      month.kill_client();
      month.world.run_for(hour % 90 == 8 ? 30min : 3min);
      month.start_client();
    }
    const Time next = std::chrono::floor<std::chrono::hours>(month.world.now) + 1h;
    month.world.run_to(next);
  }
  EXPECT_EQ(ends.size(), 24u) << "weekdays of four weeks and four days";
  EXPECT_EQ(std::ranges::count_if(ends, [](Time at) { return at == time::day_of(at) + 15h + 30min; }), 9)
      << "in summer time";
  EXPECT_TRUE(month.venue_side.resets == ends) << "within a second";
  EXPECT_GT(month.restarts_over_an_end, 0);
  for (Side* side : {&month.client_side, &month.venue_side}) {
    ASSERT_EQ(side->resets.size(), ends.size());
    for (std::size_t day = 0; day < ends.size(); ++day) {
      EXPECT_GE(side->resets[day], ends[day]);
      EXPECT_LT(side->resets[day], ends[day] + 15h);
    }
    EXPECT_TRUE(side->troubles.empty()) << side->troubles.front();
    EXPECT_GT(side->sent, 150);
    EXPECT_GT(side->logons, 40);
    EXPECT_EQ(side->logons, side->logouts);
  }
  for (const auto& [from, to] :
       {std::pair{&month.client_side, &month.venue_side}, {&month.venue_side, &month.client_side}}) {
    ASSERT_EQ(to->received.size(), static_cast<std::size_t>(from->sent));
    for (std::size_t at = 0; at < to->received.size(); ++at)
      ASSERT_EQ(to->received[at], static_cast<std::int64_t>(at) + 1);
  }
}

}  // namespace
}  // namespace dojima::fix
