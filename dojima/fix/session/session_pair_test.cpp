// Two of our own sessions, initiator against acceptor, over the simulated network: streams are split, delayed, cut and
// damaged at random, and still every message arrives once and in order.

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;

constexpr Time k_pair_start = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + 8h;
const link::Address k_pair_venue{"venue", 1};

/// Changes one byte of a stream every so many bytes, the same one however often it is shown.
class Damaging final : public link::Connection {
 public:
  Damaging(link::Connection& session, std::uint64_t stride) : session_(session), stride_(stride) {}

  void on_open(link::Transport& transport, Time now) override { session_.on_open(transport, now); }
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override {
    shown_.assign(bytes.begin(), bytes.end());
    for (std::size_t at = 0; at < shown_.size(); ++at) {
      if (stride_ != 0 && (used_ + at) % stride_ == stride_ - 1) shown_[at] ^= std::byte{0x10};
    }
    const std::size_t used = session_.on_bytes(shown_, now);
    used_ += used;
    return used;
  }
  void on_writable(Time now) override { session_.on_writable(now); }
  void on_closed(link::CloseReason reason, Time now) override { session_.on_closed(reason, now); }

 private:
  link::Connection& session_;
  std::uint64_t stride_;
  std::uint64_t used_ = 0;
  std::vector<std::byte> shown_;
};

/// One side's application: numbers what it sends and notes what it receives; some messages are answered at once.
struct PairSide : Handler {
  void send(Session& session) {
    Writer order = session.begin(type::k_new_order_single);
    order.field(tag::k_cl_ord_id, ++sent).field(tag::k_symbol, "RICE").field(tag::k_side, '1');
    order.field(tag::k_transact_time, k_pair_start).field(tag::k_ord_type, '1');
    EXPECT_TRUE(session.send(order));
  }
  void on_logon(Session&, Time) override { ++logons; }
  void on_logout(Session&, std::string_view, Time) override { ++logouts; }
  void on_message(Session& session, const MessageView& message, Time) override {
    EXPECT_EQ(message.msg_type(), type::k_new_order_single);
    received.push_back(message.integer(tag::k_cl_ord_id).value());
    if (received.size() % 5 == 0 && answers > 0) {
      --answers;
      send(session);
    }
  }
  void on_reject(Session&, const MessageView& reject, Time) override {
    ADD_FAILURE() << "rejected: " << reject.find(tag::k_text).value_or("?");
  }
  void on_trouble(Session&, const Error&) override { ++troubles; }

  int sent = 0;
  int answers = 50;
  int logons = 0, logouts = 0, troubles = 0;
  std::vector<std::int64_t> received;
};

/// Connects again a little after the connection is gone.
struct PairClient : PairSide {
  PairClient(sched::Scheduler& scheduler, link::SimulatedNetwork& fabric) : network(fabric), timer(scheduler, *this) {}
  void on_closed(Session&, link::CloseReason, Time now) override { timer.arm(now + 100ms); }
  void reconnect(Time) { network.connect(k_pair_venue, *connection); }

  link::SimulatedNetwork& network;
  link::Connection* connection = nullptr;
  sched::TimerOf<&PairClient::reconnect> timer;
};

/// The acceptor's port, with damage on what it receives.
struct DamagedPort final : link::Acceptor {
  DamagedPort(SessionAcceptor& real, std::uint64_t damage) : acceptor(real), stride(damage) {}
  link::Connection* on_accept(const link::Address& peer) override {
    link::Connection* connection = acceptor.on_accept(peer);
    if (connection == nullptr) return nullptr;
    return connections.emplace_back(std::make_unique<Damaging>(*connection, stride)).get();
  }
  SessionAcceptor& acceptor;
  std::uint64_t stride;
  std::vector<std::unique_ptr<Damaging>> connections;
};

struct Options {
  std::uint64_t seed = 1;
  std::size_t max_delivery = 0;
  std::uint64_t damage_stride = 0;
  std::size_t output_capacity = 1 << 16;
  time::Duration jitter{0};
};

struct Pair {
  explicit Pair(Options options)
      : network(scheduler, {.seed = options.seed,
                            .jitter = options.jitter,
                            .max_delivery = options.max_delivery,
                            .input_capacity = 1 << 13,
                            .output_capacity = options.output_capacity}),
        client(scheduler, network),
        initiator(scheduler, config(Role::initiator, "CLIENT", "VENUE"), client),
        acceptor(scheduler, config(Role::acceptor, "VENUE", "CLIENT"), venue),
        port(scheduler, {.links = 8, .unknown_links = 8}),
        damaged_port(port, options.damage_stride),
        damaged_client(initiator, options.damage_stride == 0 ? 0 : options.damage_stride + 17) {
    client.connection = &damaged_client;
    EXPECT_TRUE(port.add(acceptor));
    EXPECT_TRUE(network.listen(k_pair_venue, damaged_port));
    network.connect(k_pair_venue, damaged_client);
  }
  ~Pair() {
    // Sessions are notified of the end of their connections before they are destroyed.
    network.stop_listening(k_pair_venue);
    network.cut(damaged_client);
    run_for(50ms);
    client.timer.disarm();
  }

  static SessionConfig config(Role role, std::string sender, std::string target) {
    return {.role = role,
            .sender_comp_id = std::move(sender),
            .target_comp_id = std::move(target),
            .heartbeat_interval = 2s,
            .store = {.messages = 1 << 13, .bytes = 1 << 21},
            .early_bytes = 4096};
  }

  void run_for(time::Duration duration) {
    const Time end = now + duration;
    while (true) {
      network.finish(now);
      const Time next = scheduler.next_due();
      if (next > end) break;
      now = std::max(now, next);
      scheduler.check(now, 10'000);
    }
    now = end;
    scheduler.check(now, 10'000);
  }

  Time now = k_pair_start;
  sched::Scheduler scheduler{4096, k_pair_start};
  link::SimulatedNetwork network;
  PairClient client;
  PairSide venue;
  Session initiator;
  Session acceptor;
  SessionAcceptor port;
  DamagedPort damaged_port;
  Damaging damaged_client;
};

bool is_complete(const PairSide& from, const PairSide& to) {
  if (to.received.size() != static_cast<std::size_t>(from.sent)) return false;
  for (std::size_t at = 0; at < to.received.size(); ++at) {
    if (to.received[at] != static_cast<std::int64_t>(at) + 1) return false;
  }
  return true;
}

TEST(FixPair, two_sessions_exchange_messages_both_ways) {
  Pair pair({});
  pair.run_for(10ms);
  ASSERT_TRUE(pair.initiator.is_logged_on());
  ASSERT_TRUE(pair.acceptor.is_logged_on());
  for (int count = 0; count < 100; ++count) {
    pair.client.send(pair.initiator);
    pair.venue.send(pair.acceptor);
  }
  pair.run_for(10ms);
  EXPECT_TRUE(is_complete(pair.client, pair.venue));
  EXPECT_TRUE(is_complete(pair.venue, pair.client));
  EXPECT_EQ(pair.client.troubles + pair.venue.troubles, 0);
}

TEST(FixPair, an_idle_session_stays_alive) {
  Pair pair({});
  pair.run_for(1h);
  EXPECT_TRUE(pair.initiator.is_logged_on());
  EXPECT_EQ(pair.client.logons, 1);
  EXPECT_EQ(pair.venue.logons, 1);
}

TEST(FixPair, both_sides_recover_what_the_other_sent_while_they_were_apart) {
  Pair pair({});
  pair.run_for(10ms);
  pair.network.cut(pair.damaged_client);
  pair.run_for(10ms);
  for (int count = 0; count < 30; ++count) {
    pair.client.send(pair.initiator);
    pair.venue.send(pair.acceptor);
  }
  pair.run_for(1s);
  EXPECT_EQ(pair.client.logons, 2);
  EXPECT_TRUE(is_complete(pair.client, pair.venue));
  EXPECT_TRUE(is_complete(pair.venue, pair.client));
  EXPECT_EQ(pair.client.logouts, 1);
  EXPECT_EQ(pair.venue.logouts, 1);
}

TEST(FixPair, a_logout_ends_both_sides) {
  Pair pair({});
  pair.run_for(10ms);
  pair.initiator.logout("enough");
  pair.run_for(50ms);
  EXPECT_FALSE(pair.initiator.is_connected());
  EXPECT_FALSE(pair.acceptor.is_connected());
  EXPECT_EQ(pair.client.logouts, 1);
  EXPECT_EQ(pair.venue.logouts, 1);
}

RC_GTEST_PROP(FixPairPropertyLong, nothing_is_lost_or_doubled_whatever_the_network_does, ()) {
  Options options;
  options.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  options.max_delivery = *rc::gen::element<std::size_t>(0, 1, 7, 100);
  options.damage_stride = *rc::gen::element<std::uint64_t>(0, 0, 1009, 2003, 5003);
  options.output_capacity = *rc::gen::element<std::size_t>(400, 4096, 1 << 16);
  options.jitter = std::chrono::microseconds{*rc::gen::inRange(0, 5000)};
  Pair pair(options);
  const auto steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const auto action = *rc::gen::inRange(0, 12);
    const auto count = *rc::gen::inRange(1, 20);
    for (int message = 0; message < count && action < 8; ++message) {
      if (action % 2 == 0) pair.client.send(pair.initiator);
      if (action % 4 != 0) pair.venue.send(pair.acceptor);
    }
    if (action == 8) pair.network.cut(pair.damaged_client);
    if (action == 9) pair.network.pause(pair.damaged_client);
    if (action == 10) pair.network.resume(pair.damaged_client);
    if (action == 11) pair.initiator.logout("a pause");
    pair.run_for(std::chrono::microseconds{*rc::gen::inRange(0, 300'000)});
  }
  pair.network.resume(pair.damaged_client);
  pair.run_for(2min);
  RC_ASSERT(is_complete(pair.client, pair.venue));
  RC_ASSERT(is_complete(pair.venue, pair.client));
  RC_ASSERT(pair.client.logons - pair.client.logouts <= 1);
  RC_ASSERT(pair.venue.logons - pair.venue.logouts <= 1);
}

}  // namespace
}  // namespace dojima::fix
