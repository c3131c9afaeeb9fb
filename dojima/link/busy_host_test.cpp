#include "dojima/link/busy_host.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"

namespace dojima::link {
namespace {

using namespace std::chrono_literals;

/// A session that knows when it got each byte.
struct TimedPeer final : Connection {
  void on_open(Transport& opened, Time) override { transport = &opened; }
  std::size_t on_bytes(Bytes bytes, Time now) override {
    const std::size_t used = std::min(bytes.size(), use_at_most);
    for (const char byte : as_text(bytes.first(used))) received.emplace_back(byte, now);
    if (closes_after != 0 && received.size() >= closes_after) transport->close(CloseReason::by_us);
    return used;
  }
  void on_writable(Time) override {}
  void on_closed(CloseReason why, Time now) override {
    reason = why;
    closed_at = now;
    ++closes;
    still_there = transport != nullptr && !transport->prepare(1).empty();
  }
  void say(std::string_view text) {
    const Room room = transport->prepare(text.size());
    ASSERT_EQ(room.size(), text.size());
    std::copy_n(dojima::as_bytes(text).begin(), text.size(), room.begin());
    transport->commit(text.size());
  }
  Transport* transport = nullptr;
  std::vector<std::pair<char, Time>> received;
  std::size_t use_at_most = ~std::size_t{0};
  std::size_t closes_after = 0;
  int closes = 0;
  bool still_there = false;
  CloseReason reason = CloseReason::none;
  Time closed_at{};
};

/// A digit is a message that takes so many times 10 us; "(" begins one of any length that ends at ")" and takes 1 us.
struct Digits final : ServiceModel {
  Work take(Bytes bytes, bool is_accepted) override {
    const std::string_view text = as_text(bytes);
    if (text.front() != '(') return {1, (text.front() - '0') * 10us, static_cast<std::uint16_t>(is_accepted)};
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) return {};
    return {end + 1, 1us, 7};
  }
};

struct ServedLog final : ServiceObserver {
  void on_served(const Served& served) override { all.push_back(served); }
  std::vector<Served> all;
};

/// Clients, and a busy host with a session for each.
struct BusyWorld final : Acceptor {
  explicit BusyWorld(std::size_t clients_count = 1, BusyHostOptions options = {})
      : host(network, scheduler, digits, &log, options), clients(clients_count), servers(clients_count) {
    EXPECT_TRUE(host.listen({"venue", 1}, *this).has_value());
    for (TimedPeer& client : clients) network.connect({"venue", 1}, client);
    run(1ms);
    begin = scheduler.now();
  }
  Connection* on_accept(const Address&) override { return &servers[accepted++]; }
  void run(time::Duration duration) { run_for(network, scheduler, duration); }
  /// When that client's bytes came to its session, in microseconds since the host got what was said at `begin`.
  [[nodiscard]] std::vector<std::int64_t> times(std::size_t at) const {
    std::vector<std::int64_t> all;
    for (const auto& [byte, time] : servers[at].received) all.push_back((time - begin - k_delay).count() / 1000);
    return all;
  }
  static constexpr time::Duration k_delay{50'000};
  sched::Scheduler scheduler{64};
  SimulatedNetwork network{scheduler, {.delay = k_delay}};
  Digits digits;
  ServedLog log;
  BusyHost host;
  std::vector<TimedPeer> clients;
  std::vector<TimedPeer> servers;
  std::size_t accepted = 0;
  Time begin{};
};

using Times = std::vector<std::int64_t>;

TEST(BusyHost, hands_each_message_over_when_its_service_ends) {
  BusyWorld world;
  world.clients[0].say("321");
  world.run(15us);
  world.clients[0].say("1");
  world.run(1ms);
  EXPECT_EQ(world.times(0), (Times{30, 50, 60, 70}));
  ASSERT_EQ(world.log.all.size(), 4u);
  const Time arrival = world.begin + BusyWorld::k_delay;
  EXPECT_EQ(world.log.all[1], (Served{arrival, arrival + 30us, arrival + 50us, 1}));
  EXPECT_EQ(world.log.all[3], (Served{arrival + 15us, arrival + 60us, arrival + 70us, 1}));
  EXPECT_EQ(world.host.current(), world.log.all.back());
  EXPECT_EQ(world.host.waiting(), 0u);
}

TEST(BusyHost, is_interrupted_from_when_that_begins) {
  BusyHostOptions options;
  options.interruptions = Interruptions({{.at = 65us, .length = 100us}}, 1ms);
  BusyWorld world(1, options);
  world.clients[0].say("1");
  world.run(1ms);
  world.begin = world.scheduler.now();
  world.host.begin_interruptions(0us);
  world.clients[0].say("312");  // at 50 us of the recording
  world.run(1ms);
  const Time arrival = world.begin + BusyWorld::k_delay;
  ASSERT_EQ(world.log.all.size(), 4u);
  EXPECT_EQ(world.log.all[1], (Served{arrival, arrival, arrival + 130us, 1}));
  EXPECT_EQ(world.log.all[2], (Served{arrival, arrival + 130us, arrival + 140us, 1}));
  EXPECT_EQ(world.log.all[3], (Served{arrival, arrival + 140us, arrival + 160us, 1}));
}

TEST(BusyHost, serves_all_its_connections_by_one_server_both_those_it_took_and_those_it_made) {
  BusyWorld world(2);
  TimedPeer outside;
  struct Elsewhere final : Acceptor {
    explicit Elsewhere(TimedPeer& its_peer) : peer(its_peer) {}
    Connection* on_accept(const Address&) override { return &peer; }
    TimedPeer& peer;
  } elsewhere(outside);
  ASSERT_TRUE(world.network.listen({"elsewhere", 2}, elsewhere).has_value());
  TimedPeer inside;
  world.host.connect({"elsewhere", 2}, inside);
  world.run(1ms);
  world.begin = world.scheduler.now();
  world.clients[0].say("2");
  world.run(1us);
  world.clients[1].say("1");
  world.run(1us);
  outside.say("3");
  world.run(1ms);
  EXPECT_EQ(world.times(0), Times{20});
  EXPECT_EQ(world.times(1), Times{30});
  ASSERT_EQ(inside.received.size(), 1u);
  EXPECT_EQ(inside.received[0].second, world.begin + BusyWorld::k_delay + 60us);
  EXPECT_EQ(world.log.all.back().kind, 0) << "the model knows which connections the host made itself";
}

TEST(BusyHost, hands_messages_of_no_service_over_at_once_and_lets_them_wait_behind_others) {
  BusyWorld world;
  world.clients[0].say("0");
  world.run(10us);
  world.clients[0].say("10");
  world.run(1ms);
  EXPECT_EQ(world.times(0), (Times{0, 20, 20}));
}

TEST(BusyHost, waits_for_the_rest_of_a_message_and_brings_what_was_not_used_again) {
  BusyWorld world;
  world.clients[0].say("(ab");
  world.run(10us);
  EXPECT_TRUE(world.servers[0].received.empty());
  world.clients[0].say("c)1");
  world.run(1ms);
  EXPECT_EQ(world.times(0), (Times{11, 11, 11, 11, 11, 21}));
  world.servers[0].use_at_most = 0;
  world.clients[0].say("1");
  world.run(1ms);
  world.servers[0].use_at_most = 9;
  world.clients[0].say("2");
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 8u);
  EXPECT_EQ(world.servers[0].received[6].second, world.servers[0].received[7].second);
}

TEST(BusyHost, reports_the_end_of_a_connection_after_what_came_before_it) {
  BusyWorld world;
  world.clients[0].say("5");
  world.run(1us);
  world.clients[0].transport->close(CloseReason::by_us);
  world.run(1ms);
  EXPECT_EQ(world.times(0), Times{50});
  EXPECT_EQ(world.servers[0].closes, 1);
  EXPECT_EQ(world.servers[0].reason, CloseReason::by_peer);
  EXPECT_EQ(world.servers[0].closed_at, world.begin + BusyWorld::k_delay + 50us);
  EXPECT_FALSE(world.servers[0].still_there) << "nobody is there to write to";
}

TEST(BusyHost, drops_what_waits_for_a_session_that_closes) {
  BusyWorld world;
  world.servers[0].closes_after = 1;
  world.clients[0].say("123");
  world.run(1ms);
  EXPECT_EQ(world.times(0), Times{10});
  EXPECT_EQ(world.servers[0].closes, 1);
  EXPECT_EQ(world.clients[0].reason, CloseReason::by_peer);
}

TEST(BusyHost, closes_a_connection_that_sends_more_than_can_wait) {
  BusyWorld world(2, {.input_capacity = 4});
  world.clients[0].say("1234");
  world.clients[1].say("12345");
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 4u);
  EXPECT_EQ(world.servers[1].received.size(), 0u);
  EXPECT_EQ(world.servers[1].reason, CloseReason::input_overflow);
}

TEST(BusyHost, keeps_what_comes_while_a_session_wants_no_bytes_and_shows_it_from_the_loop) {
  BusyWorld world(2);
  world.servers[0].transport->set_reading(false);
  world.clients[0].say("12");
  world.clients[1].say("3");
  world.run(1ms);
  EXPECT_EQ(world.times(0), Times{});
  EXPECT_EQ(world.times(1), Times{30}) << "what waits in the network takes no service";
  world.servers[0].transport->set_reading(true);
  EXPECT_EQ(world.times(0), Times{}) << "not before the call returns";
  world.begin = world.scheduler.now() - BusyWorld::k_delay;
  world.run(1ms);
  EXPECT_EQ(world.times(0), (Times{10, 30}));
  world.begin = world.scheduler.now();
  world.clients[0].say("5");
  world.run(60us);  // in service
  world.servers[0].transport->set_reading(false);
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 2u);
  world.servers[0].transport->set_reading(true);
  world.servers[0].transport->set_reading(false);
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 2u);
  world.servers[0].transport->set_reading(true);
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 3u);
  EXPECT_EQ(world.log.all.size(), 4u) << "each was served once";
}

TEST(BusyHost, reports_an_end_after_the_bytes_that_wait_and_a_break_at_once) {
  BusyWorld world(3);
  for (TimedPeer& client : world.clients) client.say("5");
  world.clients[0].transport->close(CloseReason::by_us);
  world.clients[1].transport->close(CloseReason::by_us);
  world.run(60us);  // the first is in service, its end behind it
  for (TimedPeer& server : world.servers) server.transport->set_reading(false);
  world.network.cut(world.clients[2]);
  world.run(1ms);
  EXPECT_EQ(world.servers[0].closes + world.servers[1].closes, 0);
  EXPECT_EQ(world.servers[2].closes, 1);
  EXPECT_EQ(world.servers[2].received.size(), 0u);
  world.servers[0].transport->set_reading(true);
  world.servers[1].transport->close(CloseReason::by_us);
  EXPECT_EQ(world.servers[0].closes + world.servers[1].closes, 0) << "not before the call returns";
  world.run(1ms);
  EXPECT_EQ(world.servers[0].received.size(), 1u);
  EXPECT_EQ(world.servers[0].closes, 1);
  EXPECT_EQ(world.servers[1].received.size(), 0u) << "it has closed";
  EXPECT_EQ(world.servers[1].closes, 1);
  TimedPeer late;
  world.host.connect({"nobody", 9}, late);  // those that are over are forgotten
  world.run(1ms);
  EXPECT_EQ(late.reason, CloseReason::refused);
}

RC_GTEST_PROP(BusyHostLong, gives_every_message_the_wait_of_lindleys_recursion,
              (std::vector<std::pair<std::uint8_t, std::uint8_t>> messages)) {
  BusyWorld world(2);
  std::vector<std::pair<Time, Time>> expected;  // start, end
  Time free{};
  for (const auto& [gap, service] : messages) {
    world.run(time::Duration{1000 + gap % 40 * 1000});  // of two at one instant either may be the first
    const char digit = static_cast<char>('0' + service % 10);
    world.clients[service % 2].say({&digit, 1});
    const Time start = std::max(world.scheduler.now() + BusyWorld::k_delay, free);
    free = start + service % 10 * 10us;
    expected.emplace_back(start, free);
  }
  world.run(100ms);
  RC_ASSERT(world.log.all.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(world.log.all[i].start == expected[i].first);
    RC_ASSERT(world.log.all[i].end == expected[i].second);
  }
}

}  // namespace
}  // namespace dojima::link
