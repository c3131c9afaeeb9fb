// However the sockets are looked at, asleep, by asking for all, or by reading a few directly: what sessions see is the
// same.

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "dojima/net/idle.hpp"
#include "dojima/net/sockets/fabric_test_support.hpp"
#include "dojima/net/sockets/ring.hpp"

namespace dojima::net {
namespace {

using namespace testing;

constexpr int k_awake = 100;  // turns after which a loop that did not sleep reads itself

/// Both ends of a connection are read directly.
struct DirectPair : Pair {
  explicit DirectPair(const FabricOptions& options = {}) : Pair(options) {
    for (int count = 0; count < k_awake; ++count) turns.turn();
    exchange("both");
    client.received.clear();
    server().received.clear();
  }
  void exchange(const std::string& text) {
    EXPECT_TRUE(client.send(text));
    EXPECT_TRUE(turns.until([&] { return server().received.ends_with(text); }));
    EXPECT_TRUE(server().send(text));
    EXPECT_TRUE(turns.until([&] { return client.received.ends_with(text); }));
  }
};

TEST(DirectReads, carry_bytes_both_ways) {
  DirectPair pair;
  std::string all;
  for (int count = 0; count < 300; ++count) {
    const std::string text = "message " + std::to_string(count) + ";";
    all += text;
    pair.exchange(text);
  }
  EXPECT_EQ(pair.client.received, all);
  EXPECT_EQ(pair.server().received, all);
}

/// Descriptors whose input epoll sets of this process wait for, by what the kernel says of the sets.
int awaited_inputs() {
  int awaited = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(file.path(), gone) != "anon_inode:[eventpoll]") continue;
    std::ifstream entries("/proc/self/fdinfo/" + file.path().filename().string());
    for (std::string line; std::getline(entries, line);) {
      std::istringstream words(line);
      std::string word;
      std::uint32_t events = 0;
      if (words >> word && word == "tfd:" && words >> word >> word >> std::hex >> events && (events & EPOLLIN) != 0)
        ++awaited;
    }
  }
  return awaited;
}

TEST(DirectReads, are_no_news_for_the_poller) {
  DirectPair pair;
  const int direct = awaited_inputs();
  ASSERT_GT(direct, 0) << "the ports and the bell are";
  for (int count = 0; count < 100; ++count) pair.exchange("more");
  EXPECT_EQ(awaited_inputs(), direct);
  rest(IdlePolicy::block, pair.turns.fabric, pair.turns.now + std::chrono::milliseconds{2}, pair.turns.now);
  const bool has_ring = Turns::with_ring({}).ring && Ring::make() != nullptr;  // which reads them itself
  EXPECT_EQ(awaited_inputs(), has_ring ? direct : direct + 2) << "a loop that sleeps is woken by all";
  pair.exchange("and more");
}

TEST(DirectReads, carry_far_more_than_a_buffer_holds) {
  DirectPair pair({.input_capacity = 1024, .output_capacity = 300'000, .socket_buffer = 4096});
  const std::string text(200'000, 'z');
  ASSERT_TRUE(pair.client.send(text));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().bytes_received == text.size() + 4; }));
}

TEST(DirectReads, connections_that_become_many_and_few_again_are_served_all_the_time) {
  constexpr std::size_t k_clients = 12;
  Turns turns({.max_connections = 2 * k_clients});
  Host host;
  const auto where = turns.fabric.listen({"127.0.0.1", 0}, host).value();
  for (int count = 0; count < k_awake; ++count) turns.turn();
  std::array<Recorder, k_clients> clients;
  std::size_t sent = 0;
  const auto say_and_hear = [&](std::size_t first, std::size_t last) {
    ++sent;
    for (std::size_t at = first; at < last; ++at) ASSERT_TRUE(clients[at].send("x"));
    ASSERT_TRUE(turns.until([&] {
      for (std::size_t at = first; at < last; ++at)
        if (host.sessions[at]->bytes_received < 1) return false;
      return true;
    })) << first
        << " to " << last;
    for (const auto& session : host.sessions) session->bytes_received = 0;
  };
  // One after the other: the first two pairs are read directly, all go back to the reactor with the third.
  for (std::size_t open = 1; open <= k_clients; ++open) {
    turns.fabric.connect(where, clients[open - 1]);
    ASSERT_TRUE(turns.until([&] { return host.sessions.size() == open && clients[open - 1].opened == 1; }));
    say_and_hear(0, open);
    say_and_hear(0, open);
  }
  for (std::size_t gone = 0; gone + 1 < k_clients; ++gone) {
    clients[gone].way_out->close(CloseReason::by_us);
    ASSERT_TRUE(turns.until([&] { return turns.fabric.used_connections() == 2 * (k_clients - gone - 1); }));
    say_and_hear(gone + 1, k_clients);
    say_and_hear(gone + 1, k_clients);
  }
}

TEST(DirectReads, a_busy_connection_does_not_keep_others_waiting) {
  DirectPair pair({.max_connections = 8});
  Recorder other;
  const auto where = pair.turns.fabric.listen({"127.0.0.1", 0}, pair.host).value();
  pair.turns.fabric.connect(where, other);
  ASSERT_TRUE(pair.turns.until([&] { return other.opened == 1 && pair.host.sessions.size() == 2; }));
  ASSERT_TRUE(other.send("me too"));
  pair.turns.fabric.finish(pair.turns.now);
  ::usleep(20'000);  // the kernel has it
  int turns = 0;
  for (; turns < 1000 && pair.host.sessions[1]->received != "me too"; ++turns) {
    ASSERT_TRUE(pair.client.send("busy"));
    pair.turns.turn();
  }
  EXPECT_LE(turns, 9) << "the reactor is asked at least once in eight turns";
}

/// A session whose messages end with a semicolon.
struct Sentences : Recorder {
  std::size_t on_bytes(Bytes bytes, Time) override {
    const std::string_view text = as_text(bytes);
    const std::size_t end = text.rfind(';');
    if (end == std::string_view::npos) return 0;
    received += text.substr(0, end + 1);
    return end + 1;
  }
};

TEST(AsioFabric, halves_of_messages_of_many_connections_wait_apart) {
  struct SentencesHost : link::Acceptor {
    link::Connection* on_accept(const Address&) override { return &sessions[taken++]; }
    std::array<Sentences, 6> sessions;
    std::size_t taken = 0;
  } host;
  Turns turns;
  const auto where = turns.fabric.listen({"127.0.0.1", 0}, host).value();
  std::array<Recorder, 6> clients;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    turns.fabric.connect(where, clients[at]);
    ASSERT_TRUE(turns.until([&] { return clients[at].opened == 1 && host.taken == at + 1; }));
  }
  for (int part = 0; part < 5; ++part) {
    for (std::size_t at = 0; at < clients.size(); ++at) {
      const std::string name = std::to_string(at) + std::to_string(part);
      ASSERT_TRUE(clients[at].send(part % 2 == 0 ? name + ";begun" + name : "ended" + name + ";whole" + name + ";be"));
    }
    turns.turn();
  }
  for (std::size_t at = 0; at < clients.size(); ++at) {
    const std::string n = std::to_string(at);
    const std::string all = n + "0;begun" + n + "0ended" + n + "1;whole" + n + "1;be" + n + "2;begun" + n + "2ended" +
                            n + "3;whole" + n + "3;be" + n + "4;";
    ASSERT_TRUE(turns.until([&] { return host.sessions[at].received.size() >= all.size(); }));
    EXPECT_EQ(host.sessions[at].received, all);
  }
}

TEST(AsioFabric, a_reset_ends_the_connection_and_the_loop_can_sleep) {
  Turns turns;
  Host host;
  const auto where = turns.fabric.listen({"127.0.0.1", 0}, host).value();
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(where.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_TRUE(turns.until([&] { return host.sessions.size() == 1; }));
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  ::close(peer);
  ASSERT_TRUE(turns.until([&] { return host.sessions[0]->closed == 1; }));
  EXPECT_EQ(host.sessions[0]->reason, CloseReason::by_peer);
  EXPECT_TRUE(turns.until([&] { return turns.fabric.used_connections() == 0; }));
}

TEST(AsioFabric, what_arrives_behind_a_sleep_is_seen_by_whoever_does_not_sleep_again) {
  Pair pair;
  ASSERT_TRUE(pair.client.send("first"));
  pair.turns.fabric.finish(pair.turns.now);
  for (int count = 0; count < 100 && pair.server().received.empty(); ++count) {
    rest(IdlePolicy::block, pair.turns.fabric, time::k_never, pair.turns.now);
    pair.turns.turn();
  }
  ASSERT_EQ(pair.server().received, "first");
  ASSERT_TRUE(pair.client.send("second"));
  EXPECT_TRUE(pair.turns.until([&] { return pair.server().received == "firstsecond"; }));
}

TEST(DirectReads, see_the_end_of_the_stream_and_what_came_before) {
  DirectPair pair;
  ASSERT_TRUE(pair.client.send("goodbye"));
  pair.client.way_out->close(CloseReason::by_us);
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1 && pair.client.closed == 1; }));
  EXPECT_EQ(pair.server().received, "goodbye");
  EXPECT_EQ(pair.server().reason, CloseReason::by_peer);
  EXPECT_TRUE(pair.turns.until([&] { return pair.turns.fabric.used_connections() == 0; }));
}

TEST(DirectReads, a_close_still_waits_for_the_peer_so_that_the_farewell_arrives) {
  DirectPair pair({.socket_buffer = 4096});
  const std::string text(200'000, 'y');
  ASSERT_TRUE(pair.server().send(text));
  pair.server().way_out->close(CloseReason::by_us);
  ASSERT_TRUE(pair.client.send("too late"));
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().closed == 1 && pair.client.closed == 1; }));
  EXPECT_EQ(pair.client.received, text);
  EXPECT_EQ(pair.client.reason, CloseReason::by_peer);
  EXPECT_EQ(pair.server().received, "");
  EXPECT_TRUE(pair.turns.until([&] { return pair.turns.fabric.used_connections() == 0; }));
}

TEST(DirectReads, a_closed_connection_is_used_until_its_peer_has_ended_the_stream) {
  Turns turns;
  Host host;
  const auto where = turns.fabric.listen({"127.0.0.1", 0}, host).value();
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(where.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (int count = 0; count < k_awake; ++count) turns.turn();
  ASSERT_EQ(::send(peer, "hello", 5, 0), 5);
  ASSERT_TRUE(turns.until([&] { return !host.sessions.empty() && host.sessions[0]->received == "hello"; }));
  host.sessions[0]->way_out->close(CloseReason::by_us);
  for (int count = 0; count < 20; ++count) turns.turn();
  EXPECT_EQ(host.sessions[0]->closed, 1);
  EXPECT_EQ(turns.fabric.used_connections(), 1u) << "closed at once, its farewell could be lost";
  ::close(peer);
  EXPECT_TRUE(turns.until([&] { return turns.fabric.used_connections() == 0; }));
}

TEST(DirectReads, end_where_the_loop_sleeps) {
  DirectPair pair;
  ASSERT_TRUE(pair.client.send("wake up"));
  pair.turns.fabric.finish(pair.turns.now);
  for (int count = 0; count < 100 && pair.server().received != "wake up"; ++count) {
    rest(IdlePolicy::block, pair.turns.fabric, time::k_never, pair.turns.now);
    pair.turns.turn();
  }
  EXPECT_EQ(pair.server().received, "wake up");
  pair.exchange("and again");
}

}  // namespace
}  // namespace dojima::net
