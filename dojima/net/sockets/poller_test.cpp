// What an epoll set says of descriptors.

#include "dojima/net/sockets/poller.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dojima::net {
namespace {

/// Two sockets, each the other's peer.
struct Sockets {
  Sockets() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0); }
  ~Sockets() {
    for (const int end : ends) ::close(end);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  std::array<int, 2> ends{};
};

constexpr std::chrono::milliseconds k_now{0};

TEST(Poller, names_whoever_has_input_as_long_as_it_is_there) {
  Sockets sockets;
  Poller poller;
  ASSERT_TRUE(poller.add(sockets.ends[0], 7, Poller::k_input));
  EXPECT_TRUE(poller.look(k_now).empty());
  ASSERT_EQ(::write(sockets.ends[1], "ab", 2), 2);
  for (int look = 0; look < 3; ++look) {
    const auto ready = poller.look(k_now);
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].key(), 7u);
    EXPECT_TRUE(ready[0].has_input());
    EXPECT_FALSE(ready[0].has_room());
  }
  char bytes[8];
  ASSERT_EQ(::read(sockets.ends[0], bytes, sizeof bytes), 2);
  EXPECT_TRUE(poller.look(k_now).empty());
}

TEST(Poller, waits_for_parts_of_a_millisecond) {
  Poller poller;
  for (const std::chrono::nanoseconds limit :
       {std::chrono::nanoseconds{700'000}, std::chrono::nanoseconds{1'300'001}}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(poller.look(limit).empty());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, limit);
  }
}

TEST(Poller, can_wait_for_room_and_for_nothing_and_forgets) {
  Sockets sockets;
  Poller poller;
  ASSERT_TRUE(poller.add(sockets.ends[0], 1, Poller::k_input));
  poller.change(sockets.ends[0], 1, Poller::k_input | Poller::k_output);
  const auto ready = poller.look(k_now);
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_TRUE(ready[0].has_room());
  EXPECT_FALSE(ready[0].has_input());
  poller.change(sockets.ends[0], 1, Poller::k_nothing);
  ASSERT_EQ(::write(sockets.ends[1], "ab", 2), 2);
  EXPECT_TRUE(poller.look(k_now).empty());
  poller.change(sockets.ends[0], 1, Poller::k_input);
  EXPECT_EQ(poller.look(k_now).size(), 1u);
  poller.remove(sockets.ends[0]);
  EXPECT_TRUE(poller.look(k_now).empty());
}

TEST(Poller, says_once_that_both_streams_have_ended_to_whom_waits_for_nothing) {
  Sockets sockets;
  Poller poller;
  ASSERT_TRUE(poller.add(sockets.ends[0], 1, Poller::k_nothing));
  ::shutdown(sockets.ends[0], SHUT_WR);
  ::shutdown(sockets.ends[1], SHUT_WR);
  EXPECT_EQ(poller.look(k_now).size(), 1u);
  EXPECT_TRUE(poller.look(k_now).empty()) << "a loop would never sleep";
}

TEST(Poller, has_no_place_for_what_is_no_descriptor) {
  Poller poller;
  EXPECT_FALSE(poller.add(-1, 1, Poller::k_input));
}

}  // namespace
}  // namespace dojima::net
