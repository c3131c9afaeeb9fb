#include "dojima/link/simulated_network.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/link/network_test_support.hpp"

namespace dojima::link {
namespace {

using namespace std::chrono_literals;

/// A session that remembers everything and uses as many bytes as the test says.
struct Peer final : Connection {
  void on_open(Transport& opened, Time now) override {
    transport = &opened;
    opened_at = now;
    if (on_opened) on_opened();
  }
  std::size_t on_bytes(Bytes bytes, Time now) override {
    if (deliveries == 0) first_bytes_at = now;
    ++deliveries;
    const std::size_t used = std::min(bytes.size(), use_at_most);
    received += as_text(bytes.first(used));
    return used;
  }
  void on_writable(Time) override { ++writable; }
  void on_closed(CloseReason closed, Time now) override {
    transport = nullptr;
    reason = closed;
    closed_at = now;
    ++closes;
  }
  bool say(std::string_view text) {
    const Room room = transport->prepare(text.size());
    if (room.empty()) return false;
    std::copy_n(dojima::as_bytes(text).begin(), text.size(), room.begin());
    transport->commit(text.size());
    return true;
  }
  Transport* transport = nullptr;
  std::string received;
  std::size_t use_at_most = ~std::size_t{0};
  int deliveries = 0, writable = 0, closes = 0;
  CloseReason reason = CloseReason::none;
  Time opened_at{}, first_bytes_at{}, closed_at{};
  std::function<void()> on_opened;
};

struct World final : Acceptor {
  explicit World(SimulatedNetworkOptions options = {}) : network(scheduler, options) {
    EXPECT_TRUE(network.listen(address, *this).has_value());
  }
  Connection* on_accept(const Address&) override { return is_accepting ? &server : nullptr; }
  void connect() {
    network.connect(address, client);
    run(1ms);
  }
  void run(time::Duration duration) { run_for(network, scheduler, duration); }
  sched::Scheduler scheduler{64};
  SimulatedNetwork network;
  Address address{"venue", 1};
  Peer client, server;
  bool is_accepting = true;
};

TEST(SimulatedNetwork, opens_both_ends_and_carries_bytes_both_ways_after_the_delay) {
  World world({.delay = 50us});
  world.connect();
  ASSERT_NE(world.client.transport, nullptr);
  const Time sent = world.scheduler.now();
  EXPECT_TRUE(world.client.say("hello"));
  EXPECT_TRUE(world.server.say("welcome"));
  EXPECT_EQ(world.server.received, "");  // never synchronously
  world.run(1ms);
  EXPECT_EQ(world.server.received, "hello");
  EXPECT_EQ(world.client.received, "welcome");
  EXPECT_EQ(world.server.first_bytes_at, sent + 50us);
}

TEST(SimulatedNetwork, refuses_where_nobody_listens_and_where_nobody_accepts) {
  World world;
  world.network.connect({"nowhere", 9}, world.client);
  EXPECT_EQ(world.client.closes, 0);
  world.run(1ms);
  EXPECT_EQ(world.client.reason, CloseReason::refused);
  world.is_accepting = false;
  world.network.connect(world.address, world.client);
  world.run(1ms);
  EXPECT_EQ(world.client.closes, 2);
  EXPECT_FALSE(world.network.listen(world.address, world).has_value());
}

TEST(SimulatedNetwork, keeps_what_a_session_did_not_use_and_brings_it_again_with_more) {
  World world;
  world.connect();
  world.server.use_at_most = 3;
  EXPECT_TRUE(world.client.say("abcdef"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "abc");
  EXPECT_TRUE(world.client.say("gh"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "abcdef");
}

TEST(SimulatedNetwork, closing_sends_what_was_committed_and_notifies_both_ends_once) {
  World world;
  world.connect();
  EXPECT_TRUE(world.client.say("last words"));
  world.client.transport->close(CloseReason::by_us);
  EXPECT_TRUE(world.client.transport->prepare(1).empty());
  EXPECT_EQ(world.client.closes, 0);
  world.run(1ms);
  EXPECT_EQ(world.server.received, "last words");
  EXPECT_EQ(world.client.reason, CloseReason::by_us);
  EXPECT_EQ(world.server.reason, CloseReason::by_peer);
  EXPECT_EQ(world.client.closes + world.server.closes, 2);
  EXPECT_EQ(world.network.open_streams(), 0u);
}

TEST(SimulatedNetwork, a_cut_loses_what_is_on_the_way) {
  World world;
  world.connect();
  EXPECT_TRUE(world.client.say("lost"));
  world.network.finish(world.scheduler.now());
  world.network.cut(world.client);
  world.run(1ms);
  EXPECT_EQ(world.server.received, "");
  EXPECT_EQ(world.client.closes, 1);
  EXPECT_EQ(world.server.closes, 1);
  world.connect();  // and the same sessions may meet again
  EXPECT_TRUE(world.client.say("again"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "again");
}

TEST(SimulatedNetwork, a_peer_that_does_not_read_fills_the_buffers_and_room_comes_back_later) {
  World world({.input_capacity = 64, .output_capacity = 64});
  world.connect();
  world.network.pause(world.server);
  int accepted = 0;
  while (world.client.say("0123456789")) {
    ++accepted;
    world.run(1ms);
    ASSERT_LT(accepted, 1000);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_EQ(world.client.writable, 0);
  world.network.resume(world.server);
  world.run(1ms);
  EXPECT_EQ(world.client.writable, 1);
  EXPECT_EQ(world.server.received.size(), 10u * static_cast<unsigned>(accepted));
}

TEST(SimulatedNetwork, a_message_larger_than_the_input_buffer_ends_the_stream) {
  World world({.input_capacity = 16});
  world.connect();
  world.server.use_at_most = 0;
  EXPECT_TRUE(world.client.say("0123456789012345678901234567890123456789"));
  world.run(1ms);
  EXPECT_EQ(world.server.reason, CloseReason::input_overflow);
  EXPECT_EQ(world.client.reason, CloseReason::by_peer);
}

TEST(SimulatedNetwork, a_session_may_connect_again_from_inside_its_end) {
  World world;
  struct Returning final : Connection {
    void on_open(Transport& transport, Time) override {
      ++opens;
      transport.close(CloseReason::by_us);
    }
    std::size_t on_bytes(Bytes bytes, Time) override { return bytes.size(); }
    void on_writable(Time) override {}
    void on_closed(CloseReason, Time) override {
      if (opens < 30) world->network.connect(world->address, *this);
    }
    World* world = nullptr;
    int opens = 0;
  } returning;
  returning.world = &world;
  world.network.connect(world.address, returning);
  world.run(100ms);
  EXPECT_EQ(returning.opens, 30);  // far more streams than the scheduler has room for at once
}

RC_GTEST_PROP(SimulatedNetwork, order_and_content_survive_splits_and_jitter, ()) {
  World world({.seed = *rc::gen::arbitrary<std::uint64_t>(),
               .delay = 10us,
               .jitter = 30us,
               .max_delivery = *rc::gen::inRange<std::size_t>(1, 9)});
  world.connect();
  world.server.use_at_most = *rc::gen::inRange<std::size_t>(1, 20);
  std::string said;
  for (const auto& part : *rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty<std::string>())) {
    RC_ASSERT(world.client.say(part));
    said += part;
    world.run(5us);
  }
  world.server.use_at_most = ~std::size_t{0};
  RC_ASSERT(world.client.say("!"));
  world.run(10ms);
  RC_ASSERT(world.server.received == said + "!");
}

TEST(SimulatedNetwork, the_same_seed_gives_the_same_times) {
  const auto times = [](std::uint64_t seed) {
    World world({.seed = seed, .jitter = 1ms, .max_delivery = 2});
    world.connect();
    world.run(2ms);
    EXPECT_TRUE(world.client.say("abcdefgh"));
    world.run(20ms);
    return std::pair(world.server.first_bytes_at, world.server.deliveries);
  };
  EXPECT_EQ(times(7), times(7));
  EXPECT_NE(times(7), times(8));
}

TEST(SimulatedNetwork, keeps_what_comes_while_a_session_wants_no_bytes_and_slows_the_peer_down) {
  World world({.input_capacity = 64, .output_capacity = 100});
  world.connect();
  world.server.transport->set_reading(false);
  std::size_t said = 0;
  for (int count = 0; count < 1000 && world.client.say("0123456789"); ++count) {
    said += 10;
    world.run(1ms);
  }
  EXPECT_EQ(said, 260u) << "its own output, and what may be on the way";
  EXPECT_EQ(world.server.received, "");
  world.server.transport->set_reading(true);
  EXPECT_EQ(world.server.received, "") << "shown by the loop";
  world.run(1ms);
  EXPECT_EQ(world.server.received.size(), said);
  EXPECT_EQ(world.client.writable, 1);
  EXPECT_TRUE(world.client.say("more"));
}

TEST(SimulatedNetwork, shows_again_what_a_session_left_when_it_wanted_no_more) {
  World world({.input_capacity = 16});
  world.connect();
  world.server.use_at_most = 3;
  EXPECT_TRUE(world.client.say("abcdef"));
  world.run(1ms);
  world.server.transport->set_reading(false);
  world.server.use_at_most = 100;
  EXPECT_TRUE(world.client.say("0123456789"));  // full, were it read
  world.run(1ms);
  EXPECT_EQ(world.server.received, "abc");
  world.server.transport->set_reading(true);
  world.run(1ms);
  EXPECT_EQ(world.server.received, "abcdef0123456789");
  EXPECT_EQ(world.server.closes, 0);
}

TEST(SimulatedNetwork, reports_an_end_after_the_bytes_that_wait_and_a_break_at_once) {
  World world;
  world.connect();
  world.server.transport->set_reading(false);
  EXPECT_TRUE(world.client.say("last words"));
  world.client.transport->close(CloseReason::by_us);
  world.run(1s);
  EXPECT_EQ(world.server.closes, 0);
  world.server.transport->set_reading(true);
  world.run(1ms);
  EXPECT_EQ(world.server.received, "last words");
  EXPECT_EQ(world.server.closes, 1);

  World broken;
  broken.connect();
  broken.server.transport->set_reading(false);
  EXPECT_TRUE(broken.client.say("lost"));
  broken.network.cut(broken.client);
  broken.run(1ms);
  EXPECT_EQ(broken.server.closes, 1);
  EXPECT_EQ(broken.server.received, "");
}

TEST(SimulatedNetwork, resets_who_does_not_read_and_writes_to_an_end_that_is_closed) {
  World world;
  world.connect();
  world.server.transport->set_reading(false);
  EXPECT_TRUE(world.client.say("unread"));
  world.client.transport->close(CloseReason::by_us);
  world.run(1s);
  ASSERT_EQ(world.client.closes, 1);
  ASSERT_EQ(world.server.closes, 0) << "who does not read does not see the end";
  EXPECT_TRUE(world.server.say("to nobody"));
  world.run(1ms);
  EXPECT_EQ(world.server.closes, 1);
  EXPECT_EQ(world.server.received, "");
  EXPECT_EQ(world.network.open_streams(), 0u);
}

}  // namespace
}  // namespace dojima::link
