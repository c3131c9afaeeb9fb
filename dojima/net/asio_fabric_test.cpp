#include "dojima/net/asio_fabric.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/net/sockets/fabric_test_support.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::net {
namespace {

using namespace testing;

TEST(AsioFabric, carries_bytes_both_ways) {
  Pair pair;
  ASSERT_TRUE(pair.client.send("hello"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().received == "hello"; }));
  ASSERT_TRUE(pair.server().send("good day"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.client.received == "good day"; }));
  EXPECT_EQ(pair.turns.fabric.counts().bytes_in, 13u);
  EXPECT_EQ(pair.turns.fabric.counts().bytes_out, 13u);
  EXPECT_LE(pair.client.opened_at, pair.turns.now);
  EXPECT_GT(pair.client.opened_at, time::from_nanoseconds(1'700'000'000'000'000'000));
}

TEST(AsioFabric, says_which_port_was_chosen_and_that_a_taken_port_is_taken) {
  Turns turns;
  Host host;
  const auto first = turns.fabric.listen({"127.0.0.1", 0}, host);
  ASSERT_TRUE(first.has_value());
  EXPECT_NE(first->port, 0);
  EXPECT_EQ(first->host, "127.0.0.1");
  const auto second = turns.fabric.listen(*first, host);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_EQ(second.error().got, EADDRINUSE);
  const auto nowhere = turns.fabric.listen({"no address", 0}, host);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().got, EINVAL);
  const auto foreign = turns.fabric.listen({"192.0.2.1", 0}, host);
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().got, EADDRNOTAVAIL);
}

TEST(AsioFabric, a_program_that_is_started_beside_it_gets_none_of_its_sockets) {
  constexpr int k_descriptors = 1024;
  const auto sockets = [] {
    std::set<int> found;
    struct stat state{};
    for (int at = 0; at < k_descriptors; ++at)
      if (::fstat(at, &state) == 0 && S_ISSOCK(state.st_mode)) found.insert(at);
    return found;
  };
  const std::set<int> before = sockets();
  Pair pair;
  ASSERT_TRUE(pair.turns.fabric.publish({"127.0.0.1", 9}));
  struct Nobody final : link::DatagramReceiver {
    void on_datagram(Bytes, Time) override {}
  } nobody;
  ASSERT_TRUE(pair.turns.fabric.subscribe({"127.0.0.1", 0}, nobody));
  std::size_t count = 0;
  for (const int at : sockets()) {
    if (before.contains(at)) continue;
    ++count;
    EXPECT_NE(::fcntl(at, F_GETFD) & FD_CLOEXEC, 0) << "socket " << at;
  }
  EXPECT_EQ(count, 5u) << "a listener, both ends of a connection, a sender and a receiver of datagrams";
}

TEST(AsioFabric, reports_a_refused_connect_from_the_loop) {
  Turns turns;
  Host host;
  Address nobody;
  {
    Turns other;
    nobody = other.fabric.listen({"127.0.0.1", 0}, host).value();
  }
  Recorder client;
  turns.fabric.connect(nobody, client);
  EXPECT_EQ(client.closed, 0);
  ASSERT_TRUE(turns.until([&] { return client.closed == 1; }));
  EXPECT_EQ(client.opened, 0);
  EXPECT_EQ(client.reason, CloseReason::refused);
  EXPECT_EQ(turns.fabric.used_connections(), 0u);
}

TEST(AsioFabric, reports_a_connect_that_cannot_even_begin_from_the_loop) {
  Turns turns({.max_connections = 1});
  Recorder client;
  turns.fabric.connect({"nobody knows this name", 1}, client);
  EXPECT_EQ(client.closed, 0);
  turns.turn();
  EXPECT_EQ(client.closed, 1);
  EXPECT_EQ(client.reason, CloseReason::failed);
}

TEST(AsioFabric, moves_far_more_than_its_buffers_hold_in_both_directions_at_once) {
  Pair pair({.input_capacity = 1000, .output_capacity = 3000, .socket_buffer = 4096});
  const std::size_t total = 2'000'000;
  std::string sent;
  for (std::size_t index = 0; index < total; ++index) sent += static_cast<char>('a' + (index * index + index / 7) % 26);
  std::size_t forth = 0, back = 0;
  const auto feed = [&](Recorder& from, std::size_t& done) {
    while (done < total) {
      const std::size_t size = std::min<std::size_t>(700, total - done);
      if (!from.send(std::string_view(sent).substr(done, size))) return;
      done += size;
    }
  };
  ASSERT_TRUE(pair.turns.until([&] {
    feed(pair.client, forth);
    feed(pair.server(), back);
    return pair.server().bytes_received == total && pair.client.bytes_received == total;
  }));
  EXPECT_EQ(pair.server().received, sent);
  EXPECT_EQ(pair.client.received, sent);
  EXPECT_GT(pair.client.writable, 0);
}

TEST(AsioFabric, keeps_half_a_message_until_the_rest_is_there) {
  struct Lines : Recorder {
    std::size_t on_bytes(Bytes bytes, Time) override {
      ++shown;
      const std::string_view text = as_text(bytes);
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return 0;
      received = text.substr(0, end);
      return end + 1;
    }
    int shown = 0;
  };
  struct LineHost : link::Acceptor {
    link::Connection* on_accept(const Address&) override { return &session; }
    Lines session;
  } host;
  Turns turns;
  Recorder client;
  turns.fabric.connect(turns.fabric.listen({"", 0}, host).value(), client);
  ASSERT_TRUE(turns.until([&] { return client.opened == 1; }));
  ASSERT_TRUE(client.send("half a mess"));
  ASSERT_TRUE(turns.until([&] { return host.session.shown == 1; }));
  EXPECT_EQ(host.session.received, "");
  ASSERT_TRUE(client.send("age\n"));
  ASSERT_TRUE(turns.until([&] { return host.session.received == "half a message"; }));
}

TEST(AsioFabric, ends_a_session_that_cannot_use_a_full_input_buffer) {
  Pair pair({.input_capacity = 64});
  pair.server().is_reading = false;
  ASSERT_TRUE(pair.client.send(std::string(200, 'x')));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1 && pair.client.closed == 1; }));
  EXPECT_EQ(pair.server().reason, CloseReason::input_overflow);
  EXPECT_EQ(pair.client.reason, CloseReason::by_peer);
}

TEST(AsioFabric, closes_after_everything_committed_has_left_and_notifies_both_sides_once) {
  Pair pair({.socket_buffer = 4096});
  const std::string text(200'000, 'y');
  ASSERT_TRUE(pair.server().send(text));
  pair.server().way_out->close(CloseReason::by_us);
  EXPECT_EQ(pair.server().closed, 0) << "reported from the loop";
  EXPECT_TRUE(pair.server().way_out->prepare(1).empty()) << "closing: nothing more";
  // What the peer still sends must not destroy the farewell.
  ASSERT_TRUE(pair.client.send("too late"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1 && pair.client.closed == 1; }));
  EXPECT_EQ(pair.client.received, text);
  EXPECT_EQ(pair.server().reason, CloseReason::by_us);
  EXPECT_EQ(pair.client.reason, CloseReason::by_peer);
  EXPECT_EQ(pair.server().received, "");
  EXPECT_TRUE(pair.turns.until([&] { return pair.turns.fabric.used_connections() == 0; }));
  for (int count = 0; count < 3000; ++count) pair.turns.turn();
  EXPECT_EQ(pair.server().closed, 1);
  EXPECT_EQ(pair.client.closed, 1);
}

TEST(AsioFabric, lets_a_session_close_from_inside_its_on_bytes) {
  struct Curt : Recorder {
    std::size_t on_bytes(Bytes bytes, Time) override {
      way_out->close(CloseReason::by_us);
      return bytes.size();
    }
  };
  struct CurtHost : link::Acceptor {
    link::Connection* on_accept(const Address&) override { return &session; }
    Curt session;
  } host;
  Turns turns;
  Recorder client;
  turns.fabric.connect(turns.fabric.listen({"", 0}, host).value(), client);
  ASSERT_TRUE(turns.until([&] { return client.opened == 1; }));
  ASSERT_TRUE(client.send("hello"));
  ASSERT_TRUE(turns.until([&] { return host.session.closed == 1 && client.closed == 1; }));
  EXPECT_EQ(host.session.reason, CloseReason::by_us);
}

TEST(AsioFabric, shows_what_a_peer_sent_before_it_went) {
  Pair pair;
  ASSERT_TRUE(pair.client.send("goodbye"));
  pair.client.way_out->close(CloseReason::by_us);
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1; }));
  EXPECT_EQ(pair.server().received, "goodbye");
  EXPECT_EQ(pair.server().reason, CloseReason::by_peer);
}

TEST(AsioFabric, reports_the_end_of_a_connection_before_what_its_peer_sends_over_the_next_one) {
  Pair pair;  // of which only the listening side is of interest
  const auto where = pair.turns.fabric.listen({"127.0.0.1", 0}, pair.host).value();
  Turns away;
  for (int round = 0; round < 20; ++round) {
    const std::size_t first = pair.host.sessions.size();
    Recorder one, other;
    away.fabric.connect(where, one);
    ASSERT_TRUE(away.until([&] {
      pair.turns.turn();
      return one.opened == 1 && pair.host.sessions.size() == first + 1;
    }));
    away.fabric.connect(where, other);
    ASSERT_TRUE(away.until([&] {
      pair.turns.turn();
      return other.opened == 1 && pair.host.sessions.size() == first + 2;
    }));
    // Both are there before the other side looks.
    one.way_out->close(CloseReason::by_us);
    for (int turn = 0; turn < 3; ++turn) away.turn();
    ASSERT_TRUE(other.send("it is me again"));
    for (int turn = 0; turn < 3; ++turn) away.turn();
    const Recorder& before = *pair.host.sessions[first];
    const Recorder& after = *pair.host.sessions[first + 1];
    ASSERT_TRUE(pair.turns.until([&] { return before.closed == 1 && after.bytes_received != 0; }));
    EXPECT_LT(before.last_end, after.last_bytes) << round;
    other.way_out->close(CloseReason::by_us);
    ASSERT_TRUE(away.until([&] {
      pair.turns.turn();
      return one.closed == 1 && other.closed == 1;
    }));
  }
}

TEST(AsioFabric, bounds_what_a_peer_that_never_reads_can_hold) {
  Pair pair({.input_capacity = 1024, .output_capacity = 10'000, .socket_buffer = 4096});
  // The peer's fabric stops being polled: a peer whose process hangs. Its kernel takes what it can.
  Turns silent({.socket_buffer = 4096});
  Recorder mute;
  const auto where = pair.turns.fabric.listen({"127.0.0.1", 0}, pair.host).value();
  silent.fabric.connect(where, mute);
  ASSERT_TRUE(pair.turns.until([&] { return pair.host.sessions.size() == 2; }));
  Recorder& server = *pair.host.sessions.back();
  std::size_t sent = 0;
  bool is_full = false;
  for (int count = 0; count < 100'000 && !is_full; ++count) {
    const std::size_t before = sent;
    while (server.send(std::string(1000, 'z'))) sent += 1000;
    pair.turns.turn();
    is_full = sent == before && server.way_out->unsent() > 9'000;
  }
  ASSERT_TRUE(is_full);
  const int writable_before = server.writable;
  for (int turn = 0; turn < 10; ++turn) pair.turns.turn();
  EXPECT_EQ(server.writable, writable_before) << "there is no room";
  EXPECT_EQ(server.closed, 0) << "whether to give up is the session's decision";
  // When the peer reads again there is room again, and nothing was lost.
  ASSERT_TRUE(silent.until([&] {
    pair.turns.turn();
    return server.writable == writable_before + 1 && mute.bytes_received == sent;
  }));
  EXPECT_TRUE(server.send("more"));
}

TEST(AsioFabric, closes_at_once_on_output_overflow_though_the_peer_does_not_read) {
  Pair pair({.output_capacity = 1 << 22, .socket_buffer = 4096, .linger = std::chrono::hours{1}});
  Turns silent({.socket_buffer = 4096});
  Recorder mute;
  silent.fabric.connect(pair.turns.fabric.listen({"", 0}, pair.host).value(), mute);
  ASSERT_TRUE(pair.turns.until([&] { return pair.host.sessions.size() == 2; }));
  Recorder& server = *pair.host.sessions.back();
  ASSERT_TRUE(server.send(std::string(3'000'000, 'z')));
  pair.turns.turn();
  server.way_out->close(CloseReason::output_overflow);
  ASSERT_TRUE(pair.turns.until([&] { return server.closed == 1; }));
  EXPECT_EQ(server.reason, CloseReason::output_overflow);
}

TEST(AsioFabric, does_not_wait_for_ever_to_close) {
  Pair pair({.output_capacity = 1 << 22, .socket_buffer = 4096, .linger = std::chrono::milliseconds{100}});
  Turns silent({.socket_buffer = 4096});
  Recorder mute;
  silent.fabric.connect(pair.turns.fabric.listen({"", 0}, pair.host).value(), mute);
  ASSERT_TRUE(pair.turns.until([&] { return pair.host.sessions.size() == 2; }));
  Recorder& server = *pair.host.sessions.back();
  ASSERT_TRUE(server.send(std::string(3'000'000, 'z')));
  server.way_out->close(CloseReason::by_us);
  for (int count = 0; count < 99; ++count) pair.turns.turn();
  EXPECT_EQ(server.closed, 0);
  for (int count = 0; count < 3; ++count) pair.turns.turn();
  EXPECT_EQ(server.closed, 1);
  for (int count = 0; count < 110; ++count) pair.turns.turn();
  EXPECT_EQ(pair.turns.fabric.used_connections(), 2u) << "only the first pair is left";
}

TEST(AsioFabric, refuses_more_connections_than_it_has_and_takes_new_ones_when_some_have_gone) {
  Turns server({.max_connections = 3});
  Host host;
  const Address where = server.fabric.listen({"127.0.0.1", 0}, host).value();
  Turns clients({.max_connections = 8});
  std::array<Recorder, 5> first;
  for (Recorder& client : first) clients.fabric.connect(where, client);
  const auto closed = [&] { return std::ranges::count(first, 1, &Recorder::closed); };
  ASSERT_TRUE(clients.until([&] {
    server.turn();
    return closed() == 2;
  }));
  EXPECT_EQ(server.fabric.open_connections(), 3u);
  EXPECT_EQ(server.fabric.counts().refused, 2u);
  EXPECT_EQ(host.turned_away, 2);
  EXPECT_EQ(server.fabric.counts().accepted, 3u);
  for (Recorder& client : first) {
    if (client.way_out != nullptr) client.way_out->close(CloseReason::by_us);
  }
  ASSERT_TRUE(clients.until([&] {
    server.turn();
    return server.fabric.used_connections() == 0 && clients.fabric.used_connections() == 0;
  }));
  Recorder next;
  clients.fabric.connect(where, next);
  ASSERT_TRUE(clients.until([&] {
    server.turn();
    return host.sessions.size() == 4 && next.opened == 1;
  }));
}

TEST(AsioFabric, closed_connections_whose_peers_say_nothing_keep_nobody_out) {
  Turns server({.max_connections = 3});
  Host host;
  const Address where = server.fabric.listen({"127.0.0.1", 0}, host).value();
  Turns clients({.max_connections = 16});
  std::array<Recorder, 10> silent;
  for (std::size_t number = 0; number < silent.size(); ++number) {
    clients.fabric.connect(where, silent[number]);
    ASSERT_TRUE(clients.until([&] {
      server.turn();
      return host.sessions.size() == number + 1 && silent[number].opened == 1;
    })) << number;
    silent[number].way_out->set_reading(false);  // it never sees the end, and never ends its own stream
    host.sessions.back()->way_out->close(CloseReason::by_us);
    ASSERT_TRUE(server.until([&] { return host.sessions.back()->closed == 1; }));
  }
  EXPECT_LE(server.fabric.used_connections(), 3u);
  EXPECT_EQ(host.turned_away, 0);
}

TEST(AsioFabric, turns_away_whom_the_acceptor_does_not_want) {
  Turns turns;
  Host host;
  host.most = 0;
  Recorder client;
  turns.fabric.connect(turns.fabric.listen({"", 0}, host).value(), client);
  ASSERT_TRUE(turns.until([&] { return client.closed == 1; }));
  EXPECT_EQ(turns.fabric.counts().refused, 1u);
}

TEST(AsioFabric, serves_many_connections_through_many_lives) {
  Turns turns({.max_connections = 200, .input_capacity = 256, .output_capacity = 256});
  Host host;
  host.most = 100'000;
  const Address where = turns.fabric.listen({"127.0.0.1", 0}, host).value();
  for (int life = 0; life < 3; ++life) {
    std::vector<std::unique_ptr<Recorder>> clients;
    host.sessions.clear();
    for (int index = 0; index < 100; ++index) {
      clients.push_back(std::make_unique<Recorder>());
      turns.fabric.connect(where, *clients.back());
    }
    ASSERT_TRUE(turns.until([&] {
      return std::ranges::all_of(clients, [](auto& client) { return client->opened == 1; }) &&
             host.sessions.size() == 100;
    }));
    for (std::size_t index = 0; index < clients.size(); ++index)
      ASSERT_TRUE(clients[index]->send("client " + std::to_string(index)));
    ASSERT_TRUE(turns.until([&] {
      return std::ranges::all_of(host.sessions, [](auto& session) { return session->received.size() >= 8; });
    }));
    for (auto& session : host.sessions) ASSERT_TRUE(session->send(session->received));
    ASSERT_TRUE(turns.until(
        [&] { return std::ranges::all_of(clients, [](auto& client) { return client->received.size() >= 8; }); }));
    for (std::size_t index = 0; index < clients.size(); ++index)
      EXPECT_EQ(clients[index]->received, "client " + std::to_string(index));
    for (std::size_t index = 0; index < clients.size(); ++index)
      (index % 2 == 0 ? *clients[index] : *host.sessions[index]).way_out->close(CloseReason::by_us);
    for (std::size_t index = 0; index < clients.size(); ++index) {
      // Some are closed from both ends at the same moment.
      if (index % 3 == 0 && host.sessions[index]->way_out != nullptr)
        host.sessions[index]->way_out->close(CloseReason::by_us);
    }
    ASSERT_TRUE(turns.until([&] { return turns.fabric.open_connections() == 0; }));
    for (auto& client : clients) EXPECT_EQ(client->closed, 1);
    for (auto& session : host.sessions) EXPECT_EQ(session->closed, 1);
    ASSERT_TRUE(turns.until([&] { return turns.fabric.used_connections() == 0; }));
  }
}

TEST(AsioFabric, lets_a_session_connect_again_from_its_on_closed) {
  struct Stubborn : Recorder {
    void on_closed(CloseReason why, Time now) override {
      Recorder::on_closed(why, now);
      if (closed < 3) fabric->connect(where, *this);
    }
    AsioFabric* fabric = nullptr;
    Address where;
  } client;
  Turns turns({.max_connections = 4});
  Host host;
  client.fabric = &turns.fabric;
  client.where = turns.fabric.listen({"", 0}, host).value();
  turns.fabric.connect(client.where, client);
  ASSERT_TRUE(turns.until([&] {
    for (auto& session : host.sessions) {
      if (session->way_out != nullptr) session->way_out->close(CloseReason::by_us);
    }
    return client.closed == 3;
  }));
  EXPECT_EQ(client.opened, 3);
}

TEST(AsioFabric, stops_listening_and_keeps_what_is_open) {
  Pair pair;
  pair.turns.fabric.stop_listening();
  ASSERT_TRUE(pair.client.send("still here"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().received == "still here"; }));
}

/// Takes all file descriptors that the process may have, and gives them back.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 256), .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int taken = dup(0); taken >= 0; taken = dup(0)) taken_.push_back(taken);
    EXPECT_EQ(errno, EMFILE);
  }
  ~NoDescriptors() {
    for (const int taken : taken_) ::close(taken);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(AsioFabric, without_descriptors_it_tries_ten_times_a_second_and_accepts_later) {
  Turns turns;
  Host host;
  const auto where = turns.fabric.listen({"127.0.0.1", 0}, host);
  ASSERT_TRUE(where);
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(client, 0);
  {
    const NoDescriptors none;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(where->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    for (int turn = 0; turn < 1000; ++turn) turns.turn();  // a second
    EXPECT_GE(turns.fabric.counts().accept_failures, 5u);
    EXPECT_LE(turns.fabric.counts().accept_failures, 11u);
    EXPECT_EQ(host.sessions.size(), 0u);
  }
  EXPECT_TRUE(turns.until([&] { return host.sessions.size() == 1; })) << "it waited in the kernel's queue";
  ::close(client);
}

TEST(AsioFabric, allocates_nothing_once_connections_are_open) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  // Small buffers, so that writing has to wait at times as well.
  Pair pair({.input_capacity = 4096, .output_capacity = 4096, .socket_buffer = 4096});
  pair.client.keeps_text = pair.server().keeps_text = false;
  std::size_t forth = 0, back = 0;
  const std::string text(500, 't');
  const auto exchange = [&](std::size_t total) {
    return pair.turns.until([&] {
      while (forth < total && pair.client.send(text)) forth += text.size();
      while (back < total && pair.server().send(text)) back += text.size();
      return pair.server().bytes_received == total && pair.client.bytes_received == total;
    });
  };
  ASSERT_TRUE(exchange(10'000));
  const auto before = heap_allocations();
  ASSERT_TRUE(exchange(1'010'000));
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_GT(pair.client.writable, 0) << "the exchange should have met full buffers";
}

TEST(AsioFabric, wakes_from_a_wait_when_bytes_arrive_or_the_time_has_come) {
  Pair pair;
  ASSERT_TRUE(pair.client.send("wake up"));
  pair.turns.fabric.finish(pair.turns.now);
  // Each wait ends with something to do, or after a bounded time; none of them calls a session.
  ASSERT_TRUE(pair.turns.until([&] {
    rest(IdlePolicy::block, pair.turns.fabric, time::k_never, pair.turns.now);
    return pair.server().received == "wake up";
  }));
  rest(IdlePolicy::block, pair.turns.fabric, pair.turns.now, pair.turns.now);
  rest(IdlePolicy::block, pair.turns.fabric, pair.turns.now + time::Duration{3'000'000}, pair.turns.now);
  rest(IdlePolicy::yield, pair.turns.fabric, time::k_never, pair.turns.now);
  rest(IdlePolicy::spin, pair.turns.fabric, time::k_never, pair.turns.now);
}

TEST(IdlePolicy, is_known_by_its_name) {
  for (const IdlePolicy policy : {IdlePolicy::spin, IdlePolicy::yield, IdlePolicy::block, IdlePolicy::ring})
    EXPECT_EQ(idle_policy_of(name_of(policy)), policy);
  EXPECT_EQ(idle_policy_of("busy"), std::nullopt);
}

/// Some instructions that the compiler does not drop.
void dawdle(std::uint64_t length) {
  for (std::uint64_t at = 0; at < 32 * length; ++at) std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// A loop that blocks when it is idle, on a thread of its own; it counts the turns that saw news.
class BlockingLoop {
 public:
  BlockingLoop()
      : scheduler_(AsioFabric::timers({}), clock_.now()),
        fabric_(scheduler_, Turns::with_ring({})),
        thread_([this] { run(); }) {}
  ~BlockingLoop() {
    is_over_ = true;
    fabric_.wake();
    thread_.join();
  }
  /// News for the loop; false: it did not see them within `patience`.
  [[nodiscard]] bool post(std::uint64_t news, std::chrono::nanoseconds patience) {
    news_.store(news);
    fabric_.wake();
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
      if (seen_.load() == news) return true;
      std::this_thread::yield();
    }
    return seen_.load() == news;
  }
  /// It sleeps, or is about to.
  [[nodiscard]] bool is_resting() const { return is_resting_.load(); }

 private:
  void run() {
    while (!is_over_) {
      const Time now = clock_.now();
      scheduler_.check(now, 1000);
      fabric_.deliver(now);
      const std::uint64_t news = news_.load();
      const bool is_idle = news == seen_.exchange(news);
      fabric_.finish(now);
      if (!is_idle) continue;
      is_resting_ = true;
      dawdle(turns_++ % 64);  // as a turn does that has more to look after
      rest(IdlePolicy::block, fabric_, time::k_never, now);
      is_resting_ = false;
    }
  }

  time::SystemClock clock_;
  sched::Scheduler scheduler_;
  AsioFabric fabric_;
  std::atomic<std::uint64_t> news_{0}, seen_{0};
  std::atomic<bool> is_resting_{false}, is_over_{false};
  std::uint64_t turns_ = 0;
  std::thread thread_;
};

TEST(AsioFabric, wakes_a_loop_that_sleeps_long_before_its_time) {
  BlockingLoop loop;
  // Without waking every one of these would take the rest of k_longest_wait; one that is late may be the machine's.
  int late = 0;
  for (std::uint64_t news = 1; news <= 20; ++news) {
    while (!loop.is_resting()) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(loop.post(news, std::chrono::seconds{60}));
    if (std::chrono::steady_clock::now() - begin > AsioFabric::k_longest_wait / 2) ++late;
  }
  EXPECT_LE(late, 5);
}

TEST(AsioFabric, does_not_sleep_when_it_was_woken_behind_its_last_look) {
  Turns turns;
  const auto slept = [&turns] {
    const auto begin = std::chrono::steady_clock::now();
    rest(IdlePolicy::block, turns.fabric, time::k_never, turns.now);
    return std::chrono::steady_clock::now() - begin > AsioFabric::k_longest_wait / 2;
  };
  int late = 0;
  for (int round = 0; round < 20; ++round) {
    turns.turn();
    turns.fabric.wake();
    if (slept()) ++late;
  }
  EXPECT_LE(late, 5);
  // What the turn could see needs no wake: it sleeps.
  turns.fabric.wake();
  turns.turn();
  EXPECT_TRUE(slept());
}

TEST(AsioFabricLong, loses_no_wake) {
  BlockingLoop loop;
  // A lost one would be seen at the end of k_longest_wait only: hundreds of seconds in all.
  int late = 0;
  for (std::uint64_t news = 1; news <= 10'000; ++news) {
    // At another place of the loop's way to sleep each time.
    dawdle(news % 61);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(loop.post(news, std::chrono::seconds{60}));
    if (std::chrono::steady_clock::now() - begin > AsioFabric::k_longest_wait * 9 / 10) ++late;
    ASSERT_LE(late, 50) << "more than what other programs on the processor explain, at " << news;
  }
}

/// What `client` could send until nothing moved any more.
std::size_t send_until_stuck(Turns& turns, Recorder& client) {
  std::size_t sent = 0;
  for (int still = 0; still < 200;) {
    const std::size_t before = sent;
    while (client.send(std::string(1000, 'z'))) sent += 1000;
    turns.turn();
    still = sent == before ? still + 1 : 0;
  }
  return sent;
}

TEST(AsioFabric, reads_nothing_while_a_session_wants_nothing_and_loses_nothing) {
  Pair pair({.input_capacity = 1 << 14, .output_capacity = 10'000, .socket_buffer = 4096});
  pair.server().way_out->set_reading(false);
  const std::size_t sent = send_until_stuck(pair.turns, pair.client);
  EXPECT_GT(sent, 10'000u);
  EXPECT_LT(sent, 200'000u) << "the network pushes back";
  EXPECT_EQ(pair.server().bytes_received, 0u);
  pair.server().way_out->set_reading(true);
  EXPECT_EQ(pair.server().bytes_received, 0u) << "shown by the loop";
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().bytes_received == sent; }));
  EXPECT_GT(pair.client.writable, 0);
  EXPECT_TRUE(pair.client.send("more"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().bytes_received == sent + 4; }));
}

TEST(AsioFabric, shows_again_what_a_session_left_when_it_wanted_no_more) {
  struct Sated : Recorder {
    std::size_t on_bytes(Bytes bytes, Time now) override {
      if (!is_sated) return Recorder::on_bytes(bytes, now);
      way_out->set_reading(false);
      return Recorder::on_bytes(bytes.first(1), now);
    }
    bool is_sated = true;
  };
  struct SatedHost : link::Acceptor {
    link::Connection* on_accept(const Address&) override { return &session; }
    Sated session;
  } host;
  Turns turns({.input_capacity = 16});
  Recorder client;
  turns.fabric.connect(turns.fabric.listen({"", 0}, host).value(), client);
  ASSERT_TRUE(turns.until([&] { return client.opened == 1; }));
  ASSERT_TRUE(client.send("0123456789abcdef"));
  ASSERT_TRUE(turns.until([&] { return host.session.received == "0"; }));
  for (int count = 0; count < 100; ++count) turns.turn();
  EXPECT_EQ(host.session.received, "0");
  host.session.is_sated = false;
  host.session.way_out->set_reading(true);
  turns.turn();
  EXPECT_EQ(host.session.received, "0123456789abcdef") << "although nothing came";
  EXPECT_EQ(host.session.closed, 0);
}

TEST(AsioFabric, hears_that_a_connection_broke_which_it_does_not_read) {
  Pair pair;
  pair.server().way_out->set_reading(false);
  ASSERT_TRUE(pair.client.send("unread"));
  for (int count = 0; count < 10; ++count) pair.turns.turn();
  // The client's side ends with bytes unread: a reset.
  ASSERT_TRUE(pair.server().send("and this is not read there either"));
  pair.client.way_out->set_reading(false);
  for (int count = 0; count < 10; ++count) pair.turns.turn();
  pair.client.way_out->close(CloseReason::output_overflow);
  ASSERT_TRUE(pair.turns.until([&] { return pair.client.closed == 1; }));
  ASSERT_TRUE(pair.server().send("to nobody"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1; }));
  EXPECT_EQ(pair.server().reason, CloseReason::by_peer);
  EXPECT_EQ(pair.server().received, "");
}

TEST(AsioFabric, waits_for_the_end_of_a_peer_that_it_closed_without_reading_it) {
  Pair pair({.linger = std::chrono::hours{1}});
  pair.server().way_out->set_reading(false);
  ASSERT_TRUE(pair.client.send("unread"));
  ASSERT_TRUE(pair.server().send("farewell"));
  pair.server().way_out->close(CloseReason::by_us);
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1 && pair.client.closed == 1; }));
  EXPECT_EQ(pair.client.received, "farewell");
  EXPECT_TRUE(pair.turns.until([&] { return pair.turns.fabric.used_connections() == 0; }));
}

}  // namespace
}  // namespace dojima::net
