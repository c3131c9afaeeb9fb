// Both ends of the protocol together: over a network that delays, splits and cuts, and without touching the heap.

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <set>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/sessions/session_test_support.hpp"

namespace dojima::mit {
namespace {

/// A venue that numbers the orders of its one user and answers each with a report.
class CountingVenue final : public ServerHandler {
 public:
  LogonReply on_logon(ServerSession&, const Logon&, Time) override {
    ++logons;
    return {.code = 0, .days = 30};
  }
  void on_new_order(ServerSession& session, market::NewOrder& order, Time) override {
    taken.push_back(order.terms.quantity.lots);
    is_answered = session.send(report_of(1, static_cast<std::uint64_t>(order.terms.quantity.lots)));
  }
  void on_replace(ServerSession&, market::Replace&, Time) override {}
  void on_cancel(ServerSession&, market::Cancel&, Time) override {}
  void on_mass_cancel(ServerSession&, market::MassCancel&, Time) override {}
  void on_quote(ServerSession&, market::Quote&, Time) override {}
  void on_end(ServerSession&, market::SessionEnd, Time) override { ++ends; }

  int logons = 0;
  int ends = 0;
  bool is_answered = false;
  std::vector<std::int64_t> taken;  // the quantities, which number the orders
};

class CountingMember final : public ClientHandler {
 public:
  void on_logged_on(ClientSession&, std::int32_t, Time) override { ++logons; }
  void on_logon_refused(ClientSession&, std::int32_t, Time) override { ++refusals; }
  void on_report(ClientSession&, const market::OwnerReport& report, std::int32_t, Time) override {
    reported.push_back(static_cast<std::int64_t>(report.sequence.value));
  }
  void on_reject(ClientSession&, const Reject&, Time) override { ++rejects; }
  void on_end(ClientSession&, link::CloseReason, std::string_view, Time) override { ++ends; }
  void on_trouble(ClientSession&, const Error&, Time) override { ++troubles; }

  int logons = 0, refusals = 0, rejects = 0, troubles = 0, ends = 0;
  std::vector<std::int64_t> reported;
};

bool is_rising(const std::vector<std::int64_t>& numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) == numbers.end();
}

RC_GTEST_PROP(Sessions, keep_their_promises_over_a_network_that_splits_and_cuts, (std::uint64_t seed)) {
  link::SimulatedNetworkOptions options{.seed = seed, .delay = 50us, .jitter = 40us, .max_delivery = 90};
  World world(options);
  CountingVenue venue;
  CountingMember member;
  ServerSession server({}, lse_21_2::k_dialect, world.scheduler, venue);
  ClientSession client({.user = "U", .password = "P"}, lse_21_2::k_dialect, world.scheduler, member);
  OneSession acceptor(server);
  RC_ASSERT(world.network.listen(k_venue, acceptor).has_value());

  time::Duration at{0};
  std::int64_t orders = 0;
  std::set<std::int64_t> sent;
  int connections = 0;
  for (int step = 0; step < 60; ++step) {
    at += std::chrono::microseconds(*rc::gen::inRange(1, 300));
    const int choice = *rc::gen::inRange(0, 20);
    if (choice == 0) world.network.cut(client);
    if (choice == 1) client.logout("bye");
    if (choice == 2) server.logout("enough");
    if (choice == 3) at += 4s;
    if (choice == 4) at += 20s;
    if (choice >= 5) {
      ++orders;
      if (client.send(order_of("O", orders))) sent.insert(orders);
    }
    world.run_until(at);
    if (!client.is_connected() && !server.is_connected() && member.ends == connections) {
      ++connections;
      world.network.connect(k_venue, client);
    }
  }
  // Everything ends, also a connection that is only being made.
  world.run_until(at + 1s);
  world.network.cut(client);
  world.run_until(at + 60s);

  RC_ASSERT(!client.is_connected() && !server.is_connected());
  RC_ASSERT(venue.ends == venue.logons);
  RC_ASSERT(member.ends == connections);
  RC_ASSERT(member.logons <= venue.logons);
  RC_ASSERT(member.refusals == 0 && member.rejects == 0 && member.troubles == 0);
  RC_ASSERT(is_rising(venue.taken));
  RC_ASSERT(is_rising(member.reported));
  for (const std::int64_t order : venue.taken) RC_ASSERT(sent.contains(order));
  for (const std::int64_t order : member.reported)
    RC_ASSERT(std::find(venue.taken.begin(), venue.taken.end(), order) != venue.taken.end());
}

TEST(Sessions, keep_each_other_alive_with_heartbeats_alone) {
  World world({.delay = 50us, .max_delivery = 3});
  CountingVenue venue;
  CountingMember member;
  ServerSession server({}, lse_21_2::k_dialect, world.scheduler, venue);
  ClientSession client({.user = "U", .password = "P"}, lse_21_2::k_dialect, world.scheduler, member);
  OneSession acceptor(server);
  ASSERT_TRUE(world.network.listen(k_venue, acceptor));
  world.network.connect(k_venue, client);
  world.run_until(1h);
  EXPECT_TRUE(client.is_logged_on());
  EXPECT_TRUE(server.is_logged_on());
  client.logout("bye");
  world.run_until(1h + 1s);
  EXPECT_EQ(member.ends, 1);
  EXPECT_EQ(venue.ends, 1);
}

/// A transport whose other side is an array: no network, no heap.
class Buffer final : public link::Transport {
 public:
  Room prepare(std::size_t size) override {
    return size > bytes_.size() - size_ ? Room{} : Room(bytes_).subspan(size_, size);
  }
  void commit(std::size_t size) override { size_ += size; }
  [[nodiscard]] std::size_t unsent() const override { return size_; }
  void flush() override {}
  void close(link::CloseReason) override { is_closed = true; }
  void set_reading(bool) override {}

  /// Gives what was sent to `receiver`.
  void deliver(link::Connection& receiver, Time now) {
    const std::size_t used = receiver.on_bytes(Bytes(bytes_).first(size_), now);
    ASSERT_EQ(used, size_);
    size_ = 0;
  }

  bool is_closed = false;

 private:
  std::array<std::byte, 4096> bytes_{};
  std::size_t size_ = 0;
};

TEST(Sessions, do_not_touch_the_heap_once_they_are_made) {
  sched::Scheduler scheduler(10, k_start);
  CountingVenue venue;
  CountingMember member;
  venue.taken.reserve(100'000);
  member.reported.reserve(100'000);
  ServerSession server({.throttle = 1000}, lse_21_2::k_dialect, scheduler, venue);
  ClientSession client({.user = "U", .password = "P"}, lse_21_2::k_dialect, scheduler, member);
  Buffer from_client, from_server;
  const market::NewOrder good = order_of("O");
  market::NewOrder bad = good;
  bad.terms.capacity = market::Capacity::none;  // not carried
  FrameBytes invalid = order_bytes("O");
  store(Room(invalid), lse_21_2::NewOrder::side, std::uint8_t{9});

  const std::uint64_t before = heap_allocations();
  Time now = k_start;
  std::int64_t orders = 0;
  for (int connection = 0; connection < 5; ++connection) {
    server.on_open(from_server, now);
    client.on_open(from_client, now);
    for (int second = 0; second < 20; ++second) {
      now += 1s;
      scheduler.check(now, 1000);
      from_client.deliver(server, now);
      from_server.deliver(client, now);
      for (int order = 0; order < 20 && client.is_logged_on(); ++order) {
        market::NewOrder next = good;
        next.terms.quantity = {++orders};
        ASSERT_TRUE(client.send(next));
        ASSERT_FALSE(client.send(bad));
      }
      static_cast<void>(server.on_bytes(invalid, now));
      scheduler.check(now, 1000);
    }
    client.logout("bye");
    from_client.deliver(server, now);
    from_server.deliver(client, now);
    server.on_closed(link::CloseReason::by_peer, now);
    client.on_closed(link::CloseReason::by_us, now);
  }
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_GT(member.reported.size(), 1000u);
  EXPECT_GT(member.rejects, 50);
  EXPECT_EQ(venue.ends, 5);
}

}  // namespace
}  // namespace dojima::mit
