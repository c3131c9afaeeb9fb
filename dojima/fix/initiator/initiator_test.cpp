#include "dojima/fix/initiator.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/initiator/initiator_test_world.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using testing::SwallowingTransport;
using testing::utc;
using Texts = std::vector<std::string>;

const link::Address k_first{"first", 1}, k_second{"second", 1};
const std::string k_start = "20260720-09:00:00";

/// One client and, where they are opened, a venue on either of two hosts.
struct InitiatorClient {
  explicit InitiatorClient(InitiatorOptions options = {})
      : InitiatorClient(testing::client_config(), std::move(options)) {}
  InitiatorClient(SessionConfig config, InitiatorOptions options)
      : session(world.scheduler, std::move(config), handler),
        venue(world.scheduler, testing::venue_config(), venue_handler),
        port(world.scheduler, {.links = 8, .unknown_links = 8}),
        initiator(world.scheduler, world.network, session, with_hosts(std::move(options)), &observer) {
    EXPECT_TRUE(port.add(venue));
  }
  ~InitiatorClient() {
    initiator.stop();
    world.run_for(1min);
  }
  static InitiatorOptions with_hosts(InitiatorOptions options) {
    if (options.hosts.empty()) options.hosts = {k_first, k_second};
    return options;
  }
  void open(const link::Address& host) { EXPECT_TRUE(world.network.listen(host, port)); }
  void open(const link::Address& host, link::Acceptor& acceptor) { EXPECT_TRUE(world.network.listen(host, acceptor)); }

  testing::World world{k_start};
  testing::NotingHandler handler, venue_handler;
  testing::NotingInitiatorObserver observer;
  Session session, venue;
  SessionAcceptor port;
  Initiator initiator;
};

TEST(FixInitiator, connects_and_logs_on) {
  InitiatorClient client;
  client.open(k_first);
  EXPECT_FALSE(client.initiator.is_running());
  client.initiator.start(client.world.now);
  EXPECT_TRUE(client.initiator.is_running());
  client.world.run_for(10ms);
  EXPECT_TRUE(client.session.is_logged_on());
  EXPECT_TRUE(client.venue.is_logged_on());
  EXPECT_EQ(client.observer.take(), (Texts{"09:00:00.000 attempt 1 first", "09:00:00.003 success 1 first"}));
  EXPECT_EQ(client.initiator.next_attempt(), time::k_never);
  client.initiator.start(client.world.now);
  client.world.run_for(1h);
  EXPECT_TRUE(client.observer.take().empty()) << "it runs already, and heartbeats keep the session";
}

TEST(FixInitiator, tries_the_next_host_after_each_failure_and_begins_with_the_first_again) {
  InitiatorClient client({.hosts = {}, .jitter_percent = 0});
  client.open(k_second);
  client.initiator.start(client.world.now);
  client.world.run_for(1500ms);
  EXPECT_EQ(client.observer.take(),
            (Texts{"09:00:00.000 attempt 1 first", "09:00:00.001 failure 1 first: not connected (connection refused)",
                   "09:00:00.001 waiting until 20260720-09:00:01.001", "09:00:01.001 attempt 2 second",
                   "09:00:01.004 success 2 second"}));
  // The connection is lost; the first host is asked first, then the second again.
  client.world.network.cut(client.initiator);
  client.world.run_for(3s);
  EXPECT_EQ(client.observer.take(),
            (Texts{"09:00:01.501 waiting until 20260720-09:00:02.501", "09:00:02.501 attempt 1 first",
                   "09:00:02.502 failure 1 first: not connected (connection refused)",
                   "09:00:02.502 waiting until 20260720-09:00:03.502", "09:00:03.502 attempt 2 second",
                   "09:00:03.505 success 2 second"}));
  EXPECT_EQ(client.handler.take(), (Texts{"closed: connection refused", "logon", "logout: closed by the peer",
                                          "closed: closed by the peer", "closed: connection refused", "logon"}));
}

TEST(FixInitiator, waits_twice_as_long_after_each_failure_up_to_a_cap) {
  InitiatorClient client({.hosts = {}, .delay = 1s, .delay_max = 10s, .jitter_percent = 0});
  client.initiator.start(client.world.now);
  client.world.run_for(1min);
  EXPECT_EQ(client.observer.delays, (std::vector<time::Duration>{1s, 2s, 4s, 8s, 10s, 10s, 10s, 10s, 10s}));
}

TEST(FixInitiator, delays_are_shortened_at_random_the_same_for_the_same_seed) {
  const auto delays_of = [](std::uint64_t seed) {
    InitiatorClient client({.hosts = {}, .delay = 10s, .delay_max = 10s, .jitter_percent = 30, .seed = seed});
    client.initiator.start(client.world.now);
    client.world.run_for(10min);
    return client.observer.delays;
  };
  const std::vector<time::Duration> delays = delays_of(7);
  ASSERT_GT(delays.size(), 50u);
  EXPECT_GE(std::ranges::min(delays), 7s);
  EXPECT_LE(std::ranges::max(delays), 10s);
  EXPECT_LT(std::ranges::min(delays), 8s);
  EXPECT_GT(std::ranges::max(delays), 9s);
  EXPECT_EQ(delays, delays_of(7));
  EXPECT_NE(delays, delays_of(8));
}

TEST(FixInitiator, a_logon_resets_the_delays) {
  InitiatorClient client({.hosts = {k_first}, .delay = 1s, .delay_max = 1min, .jitter_percent = 0});
  client.initiator.start(client.world.now);
  client.world.run_for(10s);
  EXPECT_EQ(client.initiator.failed_in_a_row(), 4u);
  client.open(k_first);
  client.world.run_for(10s);
  EXPECT_TRUE(client.session.is_logged_on());
  EXPECT_EQ(client.initiator.failed_in_a_row(), 0u);
  client.world.network.stop_listening(k_first);
  client.world.network.cut(client.initiator);
  client.observer.delays.clear();
  client.world.run_for(5s);
  EXPECT_EQ(client.observer.delays, (std::vector<time::Duration>{1s, 1s, 2s, 4s}));
}

TEST(FixInitiator, gives_up_after_as_many_failures_as_may_be) {
  InitiatorClient client({.hosts = {}, .jitter_percent = 0, .attempts_in_a_row = 3});
  client.initiator.start(client.world.now);
  client.world.run_for(10min);
  const Texts events = client.observer.take();
  ASSERT_EQ(events.size(), 9u);
  EXPECT_EQ(events[6], "09:00:03.002 attempt 3 first");
  EXPECT_EQ(events[7], "09:00:03.003 failure 3 first: not connected (connection refused)");
  EXPECT_EQ(events[8], "09:00:03.003 gave up after 3");
  EXPECT_FALSE(client.initiator.is_running());
  EXPECT_EQ(client.initiator.next_attempt(), time::k_never);
  // By hand it begins anew.
  client.open(k_first);
  client.initiator.start(client.world.now);
  client.world.run_for(1s);
  EXPECT_TRUE(client.session.is_logged_on());
}

TEST(FixInitiator, a_peer_that_never_answers_the_logon_is_a_failed_attempt) {
  testing::OddVenue silent("", false);
  InitiatorClient client({.hosts = {}, .jitter_percent = 0});
  client.open(k_first, silent);
  client.open(k_second);
  client.initiator.start(client.world.now);
  client.world.run_for(20s);
  EXPECT_EQ(client.observer.take(), (Texts{"09:00:00.000 attempt 1 first",
                                           "09:00:10.001 failure 1 first: no answer to the logon (closed by us)",
                                           "09:00:10.001 waiting until 20260720-09:00:11.001",
                                           "09:00:11.001 attempt 2 second", "09:00:11.004 success 2 second"}));
}

TEST(FixInitiator, a_peer_that_hangs_up_or_refuses_the_logon_is_a_failed_attempt) {
  testing::OddVenue hangs_up("", true);
  testing::OddVenue refuses(testing::framed("35=5|34=1|49=VENUE|52=20260720-09:00:01.000|56=ME|58=not today|"), false);
  InitiatorClient client({.hosts = {}, .jitter_percent = 0});
  client.open(k_first, hangs_up);
  client.open(k_second, refuses);
  client.initiator.start(client.world.now);
  client.world.run_for(2s);
  EXPECT_EQ(client.observer.take(),
            (Texts{"09:00:00.000 attempt 1 first",
                   "09:00:00.003 failure 1 first: closed before the logon (closed by the peer)",
                   "09:00:00.003 waiting until 20260720-09:00:01.003", "09:00:01.003 attempt 2 second",
                   "09:00:01.006 failure 2 second: logon refused (closed by us)",
                   "09:00:01.006 waiting until 20260720-09:00:03.006"}));
}

TEST(FixInitiator, stopped_while_it_waits_it_tries_no_more) {
  InitiatorClient client;
  client.initiator.start(client.world.now);
  client.world.run_for(100ms);
  client.initiator.stop();
  EXPECT_EQ(client.initiator.next_attempt(), time::k_never);
  client.observer.take();
  client.world.run_for(1h);
  EXPECT_TRUE(client.observer.take().empty());
}

TEST(FixInitiator, stopped_while_it_connects_it_closes_what_comes) {
  InitiatorClient client;
  client.open(k_first);
  client.initiator.start(client.world.now);
  client.initiator.stop();
  client.world.run_for(1h);
  EXPECT_EQ(client.observer.take(), (Texts{"09:00:00.000 attempt 1 first"})) << "that is no failure";
  EXPECT_TRUE(client.handler.take().empty()) << "the session never heard of it";
  EXPECT_EQ(client.world.network.open_streams(), 0u);
}

TEST(FixInitiator, stopped_while_it_logs_on_it_closes) {
  testing::OddVenue silent("", false);
  InitiatorClient client;
  client.open(k_first, silent);
  client.initiator.start(client.world.now);
  client.world.run_for(1s);
  ASSERT_TRUE(client.session.is_connected());
  client.initiator.stop();
  client.world.run_for(1s);
  EXPECT_FALSE(client.session.is_connected());
  EXPECT_EQ(client.observer.take(), (Texts{"09:00:00.000 attempt 1 first"}));
}

TEST(FixInitiator, stopped_while_it_is_logged_on_it_logs_out_and_can_be_started_again) {
  InitiatorClient client({.hosts = {k_first}, .jitter_percent = 0});
  client.open(k_first);
  client.initiator.start(client.world.now);
  client.world.run_for(1s);
  client.initiator.stop("for today");
  client.world.run_for(1s);
  EXPECT_EQ(client.venue_handler.take(), (Texts{"logon", "logout: for today", "closed: closed by us"}));
  client.observer.take();
  client.initiator.start(client.world.now);
  client.world.run_for(1s);
  EXPECT_TRUE(client.session.is_logged_on());
  EXPECT_EQ(client.observer.take(), (Texts{"09:00:02.000 attempt 1 first", "09:00:02.003 success 1 first"}));
}

TEST(FixInitiator, started_while_the_logout_is_under_way_it_connects_when_the_connection_is_gone) {
  InitiatorClient client({.hosts = {k_first}, .jitter_percent = 0});
  client.open(k_first);
  client.initiator.start(client.world.now);
  client.world.run_for(1s);
  client.initiator.stop();
  client.initiator.start(client.world.now);
  client.world.run_for(2s);
  EXPECT_TRUE(client.session.is_logged_on());
  EXPECT_EQ(client.handler.take(), (Texts{"logon", "logout: logged out", "closed: closed by us", "logon"}));
}

/// Stops and starts from inside a callback.
struct RestartingHandler final : testing::NotingHandler {
  void on_closed(Session& session, link::CloseReason reason, Time now) override {
    NotingHandler::on_closed(session, reason, now);
    if (initiator == nullptr) return;
    initiator->stop();
    if (starts) initiator->start(now);
  }
  Initiator* initiator = nullptr;
  bool starts = false;
};

TEST(FixInitiator, can_be_stopped_and_started_from_inside_the_handler) {
  for (const bool starts : {false, true}) {
    testing::World world(k_start);
    RestartingHandler handler;
    testing::NotingInitiatorObserver observer;
    Session session(world.scheduler, testing::client_config(), handler);
    Initiator initiator(world.scheduler, world.network, session, {.hosts = {k_first}, .jitter_percent = 0}, &observer);
    handler.initiator = &initiator;
    handler.starts = starts;
    initiator.start(world.now);
    world.run_for(1500us);
    const Texts begun{"09:00:00.000 attempt 1 first", "09:00:00.001 attempt 1 first"};
    EXPECT_EQ(observer.take(), starts ? begun : Texts{begun.front()});
    handler.starts = false;
    world.run_for(1s);
    EXPECT_FALSE(initiator.is_running());
  }
}

TEST(FixInitiator, what_cannot_work_is_refused_and_says_why) {
  testing::World world(k_start);
  testing::NotingHandler handler;
  Session client(world.scheduler, testing::client_config(), handler);
  Session venue(world.scheduler, testing::venue_config(), handler);
  const auto refusal = [&](Session& session, InitiatorOptions options) -> std::string {
    try {
      const Initiator initiator(world.scheduler, world.network, session, std::move(options));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(refusal(venue, {.hosts = {k_first}}), "initiator: the session's role is acceptor");
  EXPECT_EQ(refusal(client, {}), "initiator: no host");
  EXPECT_EQ(refusal(client, {.hosts = {k_first}, .delay = 0s}), "initiator: delay is not positive");
  EXPECT_EQ(refusal(client, {.hosts = {k_first}, .delay = 2s, .delay_max = 1s}), "initiator: delay_max is below delay");
  EXPECT_EQ(refusal(client, {.hosts = {k_first}, .jitter_percent = 101}), "initiator: jitter_percent is above 100");
  EXPECT_EQ(refusal(client, {.hosts = {k_first}, .jitter_percent = 100}), "taken");
}

/// Takes no memory for a connection, which the test opens and ends itself.
struct PlainFabric final : link::Fabric {
  Result<link::Address> listen(const link::Address& address, link::Acceptor&) override { return address; }
  void connect(const link::Address&, link::Connection&) override { ++attempts; }
  unsigned attempts = 0;
};

struct QuietHandler final : Handler {
  void on_logon(Session&, Time) override {}
  void on_logout(Session&, std::string_view, Time) override {}
  void on_message(Session&, const MessageView&, Time) override { ++messages; }
  void on_trouble(Session&, const Error&) override {}
  unsigned messages = 0;
};

TEST(FixInitiator, takes_no_memory_once_it_is_made) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  testing::World world(k_start);
  PlainFabric fabric;
  SwallowingTransport transport;
  QuietHandler handler;
  ScheduledSession scheduled(world.scheduler,
                             SessionSchedule({.session = Hours::daily(8h, 20h), .logon = {}, .zone = {}}),
                             testing::client_config(), handler, {}, world.now);
  Initiator initiator(world.scheduler, fabric, scheduled, {.hosts = {k_first, k_second}, .delay_max = 2s});
  const std::string order = "11=a|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=20260720-09:00:00|";
  std::vector<std::string> input;
  for (unsigned number = 1; number <= 200; ++number) {
    const std::string head = "|34=" + std::to_string(number) + "|49=VENUE|52=20260721-08:00:00|56=ME|";
    input.push_back(testing::framed(number == 1 ? "35=A" + head + "98=0|108=60|" : "35=D" + head + order));
  }

  const Time morning = utc("20260721-08:00:00");

  const std::uint64_t before = heap_allocations();
  initiator.start(world.now);
  // A day of refusals, and a night.
  Time now = world.now;
  while (now < morning) {
    initiator.on_closed(link::CloseReason::refused, now);
    now = initiator.next_attempt();
    world.scheduler.check(now, 100);
  }
  initiator.on_open(transport, now);
  for (const std::string& bytes : input) {
    if (initiator.on_bytes(as_bytes(bytes), now) != bytes.size()) ADD_FAILURE() << bytes;
  }
  const bool was_logged_on = scheduled.session().is_logged_on();
  initiator.on_closed(link::CloseReason::by_peer, now);
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_GT(fabric.attempts, 10'000u);
  EXPECT_TRUE(was_logged_on);
  EXPECT_EQ(handler.messages, 199u);
}

RC_GTEST_PROP(FixInitiatorProperty, whatever_happened_a_running_initiator_is_logged_on_in_the_end, ()) {
  InitiatorOptions options{.hosts = {}, .delay = 100ms, .delay_max = 5s};
  options.jitter_percent = *rc::gen::inRange(0u, 101u);
  options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  InitiatorClient client(std::move(options));
  testing::OddVenue silent("", false), hangs_up("", true);
  const int steps = *rc::gen::inRange(1, 25);
  for (int step = 0; step < steps; ++step) {
    const link::Address& host = *rc::gen::arbitrary<bool>() ? k_first : k_second;
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        client.initiator.start(client.world.now);
        break;
      case 1:
        client.initiator.stop("enough");
        break;
      case 2:
        client.world.network.cut(client.initiator);
        break;
      case 3:
        client.world.network.stop_listening(host);
        break;
      case 4:
        static_cast<void>(client.world.network.listen(host, client.port));
        break;
      case 5:
        static_cast<void>(client.world.network.listen(host, silent));
        break;
      case 6:
        static_cast<void>(client.world.network.listen(host, hangs_up));
        break;
      default:
        client.venue.logout("go away");
    }
    client.world.run_for(std::chrono::milliseconds{*rc::gen::inRange(0, 3000)});
  }
  client.initiator.stop();
  client.world.run_for(1min);
  RC_ASSERT(!client.session.is_connected());
  RC_ASSERT(client.initiator.next_attempt() == time::k_never);
  for (const link::Address& host : {k_first, k_second}) {
    client.world.network.stop_listening(host);
    client.open(host);
  }
  client.initiator.start(client.world.now);
  client.world.run_for(1min);
  RC_ASSERT(client.session.is_logged_on());
  RC_ASSERT(client.venue.is_logged_on());
}

}  // namespace
}  // namespace dojima::fix
