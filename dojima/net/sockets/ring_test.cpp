// The ring by itself, between two sockets. Where the system has none there is nothing to test.

#include "dojima/net/sockets/ring.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dojima::net {
namespace {

using namespace std::chrono_literals;

struct RingPair : ::testing::Test {
  void SetUp() override {
    if (ring == nullptr) GTEST_SKIP() << "this system has no io_uring for us";
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  }
  void TearDown() override {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  std::vector<Ring::Event> events() {
    std::vector<Ring::Event> all;
    while (const auto event = ring->next()) all.push_back(*event);
    return all;
  }
  std::unique_ptr<Ring> ring = Ring::make();
  int ends[2] = {-1, -1};
  std::array<std::byte, 64> room{};
};

TEST_F(RingPair, sends_and_sleeps_until_something_has_come) {
  ring->receive(ends[1], 7, room);
  ring->enter(0, {});
  EXPECT_TRUE(events().empty());
  const std::string text = "an order";
  ring->send(ends[0], 3, as_bytes(std::string_view(text)));
  ring->enter(1, 10s);
  const auto all = events();
  ASSERT_EQ(all.size(), 2u);
  const bool is_sent_first = all[0].kind == Ring::Kind::sent;
  EXPECT_EQ(all[is_sent_first ? 0 : 1].key, 3u);
  EXPECT_EQ(all[is_sent_first ? 0 : 1].result, 8);
  EXPECT_EQ(all[is_sent_first ? 1 : 0].kind, Ring::Kind::received);
  EXPECT_EQ(all[is_sent_first ? 1 : 0].key, 7u);
  EXPECT_EQ(as_text(Bytes(room).first(8)), text);
}

TEST_F(RingPair, wakes_when_its_time_is_over) {
  ring->receive(ends[1], 7, room);
  const auto begin = std::chrono::steady_clock::now();
  ring->enter(1, 20ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 19ms);
  EXPECT_TRUE(events().empty());
}

/// As an epoll set's: or a loop with many timers is woken by each of them.
TEST_F(RingPair, its_sleeps_end_late_by_the_threads_timer_slack_and_its_looks_do_not) {
  std::thread([this] {
    ASSERT_EQ(::prctl(PR_SET_TIMERSLACK, 40'000'000UL, 0, 0, 0), 0);
    ring->receive(ends[1], 7, room);
    auto begin = std::chrono::steady_clock::now();
    ring->enter(1, 2ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 40ms);
    begin = std::chrono::steady_clock::now();
    for (int look = 0; look < 100; ++look) ring->enter(0, {});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
    EXPECT_TRUE(events().empty());
  }).join();
}

TEST_F(RingPair, gives_back_at_once_what_has_no_room) {
  const std::vector<std::byte> much(1 << 22);
  ring->send(ends[0], 3, much);
  ring->enter(0, {});
  auto all = events();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_GT(all[0].result, 0);
  EXPECT_LT(all[0].result, 1 << 22);
  ring->send(ends[0], 3, much);
  ring->enter(0, {});
  all = events();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].result, -EAGAIN);
}

TEST_F(RingPair, reports_the_end_of_a_stream_and_that_a_peer_takes_nothing) {
  ring->receive(ends[1], 7, room);
  ring->enter(0, {});
  ::close(std::exchange(ends[0], -1));
  ring->send(ends[1], 5, Bytes(room).first(1));
  ring->enter(1, 10s);
  for (const Ring::Event& event : events()) EXPECT_EQ(event.result, event.kind == Ring::Kind::sent ? -EPIPE : 0);
}

TEST_F(RingPair, a_receive_that_is_cancelled_says_so_and_loses_nothing) {
  ring->receive(ends[1], 7, room);
  ring->enter(0, {});
  ring->cancel(7);
  ring->enter(1, 10s);
  bool is_cancelled = false;
  for (const Ring::Event& event : events())
    is_cancelled |= event.kind == Ring::Kind::received && event.key == 7 && event.result == -ECANCELED;
  EXPECT_TRUE(is_cancelled);
  ASSERT_EQ(::send(ends[0], "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(::recv(ends[1], &byte, 1, MSG_DONTWAIT), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(RingPair, watches_an_epoll_set_for_one_event) {
  const int set = ::epoll_create1(0);
  epoll_event wanted{.events = EPOLLIN, .data = {.u32 = 1}};
  ASSERT_EQ(::epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &wanted), 0);
  ring->watch(set, 9);
  ring->enter(0, {});
  EXPECT_TRUE(events().empty());
  ASSERT_EQ(::send(ends[0], "x", 1, 0), 1);
  ring->enter(1, 10s);
  auto all = events();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Ring::Kind::ready);
  EXPECT_EQ(all[0].key, 9u);
  ring->enter(0, {});
  EXPECT_TRUE(events().empty()) << "once";
  ring->watch(set, 9);  // what is there still
  ring->enter(1, 10s);
  EXPECT_EQ(events().size(), 1u);
  ::close(set);
}

TEST_F(RingPair, takes_more_at_a_time_than_it_has_places_for) {
  constexpr int k_sends = 300, k_room = 1 << 20;
  ASSERT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &k_room, sizeof k_room), 0);
  for (int count = 0; count < k_sends; ++count) ring->send(ends[0], 3, Bytes(room).first(1));
  ring->enter(0, {});
  int sent = 0;
  for (const Ring::Event& event : events()) sent += event.result;
  EXPECT_EQ(sent, k_sends);
}

}  // namespace
}  // namespace dojima::net
