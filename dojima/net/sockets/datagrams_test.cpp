#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/net/sockets/fabric_test_support.hpp"

namespace dojima::net {
namespace {

using namespace testing;

struct GroupListener final : link::DatagramReceiver {
  void on_datagram(Bytes datagram, Time) override {
    EXPECT_TRUE(Recorder::is_in_loop);
    received.emplace_back(as_text(datagram));
  }
  std::vector<std::string> received;
};

TEST(AsioDatagrams, come_whole_to_every_subscriber_of_a_multicast_group_and_to_no_other) {
  Turns turns;
  GroupListener first, second, other;
  const Address group{"239.255.77.1", 14'377}, neighbour{"239.255.77.2", 14'377};
  ASSERT_EQ(turns.fabric.subscribe(group, first), group);
  ASSERT_EQ(turns.fabric.subscribe(group, second), group);
  ASSERT_EQ(turns.fabric.subscribe(neighbour, other), neighbour);
  const auto sender = turns.fabric.publish(group);
  ASSERT_TRUE(sender.has_value());
  const std::string longer(1'400, 'x');
  EXPECT_TRUE((*sender)->send(as_bytes("rice")));
  EXPECT_TRUE((*sender)->send(as_bytes(longer)));
  ASSERT_TRUE(turns.until([&] { return first.received.size() == 2 && second.received.size() == 2; }));
  const std::vector<std::string> expected = {"rice", longer};
  EXPECT_EQ(first.received, expected);
  EXPECT_EQ(second.received, expected);
  EXPECT_TRUE(other.received.empty());
  EXPECT_EQ(turns.fabric.counts().datagrams_out, 2u);
  EXPECT_EQ(turns.fabric.counts().datagrams_in, 4u);
}

TEST(AsioDatagrams, reach_a_single_receiver_by_its_address_and_nobody_is_harmed_where_there_is_none) {
  Turns turns;
  GroupListener listener;
  Address where;
  {
    Turns other;
    where = other.fabric.subscribe({"127.0.0.1", 0}, listener).value();
  }
  EXPECT_NE(where.port, 0);
  const auto sender = turns.fabric.publish(where);
  ASSERT_TRUE(sender.has_value());
  for (int count = 0; count < 10; ++count) EXPECT_TRUE((*sender)->send(as_bytes("to nobody")));
  ASSERT_EQ(turns.fabric.subscribe(where, listener), where);
  EXPECT_EQ(turns.fabric.subscribe(where, listener).error().got, EADDRINUSE);
  EXPECT_TRUE((*sender)->send(as_bytes("to somebody")));
  ASSERT_TRUE(turns.until([&] { return !listener.received.empty(); }));
  EXPECT_EQ(listener.received, std::vector<std::string>{"to somebody"});
  EXPECT_EQ(turns.fabric.counts().datagrams_failed, 0u);
}

TEST(AsioDatagrams, say_which_group_cannot_be_had) {
  Turns turns({.multicast_interface = "192.0.2.1"});
  GroupListener listener;
  const Address group{"239.255.77.1", 14'377};
  for (const Address& address : {group, Address{"no address", 1}, Address{"192.0.2.1", 1}}) {
    const auto where = turns.fabric.subscribe(address, listener);
    ASSERT_FALSE(where.has_value()) << address.host;
    EXPECT_EQ(where.error().code, ErrorCode::unavailable);
    EXPECT_NE(where.error().got, 0);
  }
  EXPECT_EQ(turns.fabric.publish(group).error().code, ErrorCode::unavailable);
  EXPECT_EQ(turns.fabric.publish({"no address", 1}).error().got, EINVAL);
}

TEST(AsioDatagrams, are_sent_and_received_without_an_allocation_and_wake_a_loop_that_sleeps) {
  Turns turns;
  GroupListener listener;
  listener.received.reserve(100);
  const Address where = turns.fabric.subscribe({"127.0.0.1", 0}, listener).value();
  link::DatagramSender* const sender = turns.fabric.publish(where).value();
  sender->send(as_bytes("first"));
  ASSERT_TRUE(turns.until([&] { return listener.received.size() == 1; }));
  const auto before = heap_allocations();
  sender->send(as_bytes("short"));
  turns.fabric.wait(turns.now + std::chrono::seconds{10}, turns.now);  // returns at once: there is something
  turns.turn();
  EXPECT_EQ(listener.received.size(), 2u);
  if (counts_heap_allocations()) {
    EXPECT_EQ(heap_allocations() - before, 0u);
  }
}

}  // namespace
}  // namespace dojima::net
