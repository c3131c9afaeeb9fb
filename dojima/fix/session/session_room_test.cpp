// Room for what is sent: a peer that reads slowly, and an acceptor whose answers find no room.

#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::Live;
using testing::Peer;
using testing::Texts;
using namespace std::chrono_literals;

TEST(FixSequence, a_slow_peer_gets_everything_in_order_when_there_is_room_again) {
  Live peer;
  peer.transport.capacity = 150;
  Texts received;
  for (int count = 0; count < 10; ++count) peer.report("report " + std::to_string(count));
  EXPECT_EQ(peer.session.waiting(), 9u);
  while (peer.session.waiting() > 0) {
    for (std::string& text : peer.take()) received.push_back(std::move(text));
    peer.session.on_writable(peer.now);
  }
  for (std::string& text : peer.take()) received.push_back(std::move(text));
  ASSERT_EQ(received.size(), 10u);
  for (std::size_t at = 0; at < 10; ++at)
    EXPECT_EQ(received[at], "35=8|34=" + std::to_string(at + 2) + "|58=report " + std::to_string(at) + "|");
}

TEST(FixSequence, a_resend_to_a_slow_peer_goes_on_when_there_is_room_and_comes_before_what_is_new) {
  Live peer;
  for (int count = 0; count < 3; ++count) peer.report("old");
  peer.take();
  peer.transport.capacity = 150;
  peer.send("2", 2, "7=2|16=0|");
  peer.report("new");
  Texts received;
  for (int turn = 0; turn < 6; ++turn) {
    for (std::string& text : peer.take()) received.push_back(std::move(text));
    peer.session.on_writable(peer.now);
  }
  EXPECT_EQ(received, (Texts{"35=8|34=2|43=Y|122=T|58=old|", "35=8|34=3|43=Y|122=T|58=old|",
                             "35=8|34=4|43=Y|122=T|58=old|", "35=8|34=5|58=new|"}));
}

TEST(FixSequence, a_further_request_during_a_resend_drops_nothing_of_the_first) {
  Live peer({.stall_timeout = 0s});  // it is read on
  for (const char* text : {"two", "three", "four"}) peer.report(text);
  peer.take();
  peer.transport.capacity = 0;
  peer.send("2", 2, "7=2|16=3|");
  peer.send("2", 3, "7=4|16=4|");
  peer.transport.capacity = 1 << 16;
  peer.session.on_writable(peer.now);
  EXPECT_EQ(peer.take(),
            (Texts{"35=8|34=2|43=Y|122=T|58=two|", "35=8|34=3|43=Y|122=T|58=three|", "35=8|34=4|43=Y|122=T|58=four|"}));
}

TEST(FixSequence, what_waits_for_room_is_not_resent_as_well) {
  Live peer({.stall_timeout = 0s});  // it is read on
  peer.report("gone");
  peer.transport.capacity = peer.transport.kept.size();
  peer.report("waiting");
  Texts received = peer.take();
  peer.transport.capacity = 0;
  peer.send("2", 2, "7=2|16=0|");
  peer.transport.capacity = 1 << 16;
  peer.session.on_writable(peer.now);
  for (std::string& text : peer.take()) received.push_back(std::move(text));
  EXPECT_EQ(received, (Texts{"35=8|34=2|58=gone|", "35=8|34=2|43=Y|122=T|58=gone|", "35=8|34=3|58=waiting|"}));
}

TEST(FixSequence, a_peer_that_lags_more_than_the_store_holds_is_cut_off) {
  Live peer({.store = {.messages = 4, .bytes = 1 << 16}});
  peer.transport.capacity = 0;
  for (int count = 0; count < 10; ++count) peer.report("report");
  EXPECT_EQ(peer.transport.closed(), link::CloseReason::output_overflow);
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), (Texts{"logout: the peer does not read", "closed: the peer does not read"}));
}

TEST(FixSequence, no_heartbeats_pile_up_behind_a_peer_that_does_not_read) {
  Live peer({.stall_timeout = 0s});  // it is read on
  peer.transport.capacity = 0;
  peer.report("report");
  for (unsigned number = 2; number < 20; ++number) {
    peer.run_for(20s);
    peer.send("0", number);
  }
  EXPECT_EQ(peer.session.next_outgoing().value, 3u);
}

TEST(FixFlow, an_acceptor_reads_nothing_while_its_answers_find_no_room) {
  Live peer;
  peer.transport.capacity = 0;
  peer.report("one");
  EXPECT_TRUE(peer.session.is_blocked());
  EXPECT_FALSE(peer.transport.is_reading);
  peer.send("D", 2, peer.order("a"));
  EXPECT_TRUE(peer.handler.take().empty()) << "it waits";
  peer.transport.capacity = 1 << 16;
  peer.session.on_writable(peer.now);
  EXPECT_TRUE(peer.transport.is_reading);
  EXPECT_FALSE(peer.session.is_blocked());
  peer.send_raw("");
  EXPECT_EQ(peer.handler.take(), (Texts{"unblocked", "message D a"}));
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|58=one|"}));
}

TEST(FixFlow, an_acceptor_stops_in_the_middle_of_what_came) {
  Live peer;
  peer.transport.capacity = 40;  // not even a reject
  peer.send_raw(peer.message("D", 2, "11=no symbol|") + peer.message("D", 3, peer.order("b")));
  EXPECT_TRUE(peer.handler.take().empty());
  EXPECT_FALSE(peer.unused.empty());
  peer.transport.capacity = 1 << 16;
  peer.session.on_writable(peer.now);
  peer.send_raw("");
  EXPECT_EQ(peer.handler.take(), (Texts{"unblocked", "message D b"}));
}

TEST(FixFlow, a_peer_that_takes_nothing_is_ended_in_time_and_is_no_silent_one) {
  Live peer({.stall_timeout = 100s});
  peer.transport.capacity = 0;
  peer.report("one");
  peer.run_for(99s);  // more than twice the heartbeat interval
  EXPECT_TRUE(peer.session.is_logged_on());
  peer.run_for(1s);
  EXPECT_EQ(peer.transport.closed(), link::CloseReason::output_overflow);
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), (Texts{"logout: the peer does not read", "closed: the peer does not read"}));
}

TEST(FixFlow, a_peer_that_takes_something_now_and_then_stays) {
  Live peer;
  peer.transport.capacity = 150;
  for (int count = 0; count < 10; ++count) peer.report("report");
  for (int count = 0; count < 8; ++count) {
    peer.run_for(9s);
    peer.take();
    peer.session.on_writable(peer.now);
  }
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_TRUE(peer.session.is_blocked());
}

TEST(FixFlow, an_initiator_reads_on_while_its_requests_find_no_room) {
  Live peer({.role = Role::initiator});
  peer.transport.capacity = 0;
  peer.report("request");
  EXPECT_TRUE(peer.session.is_blocked());
  EXPECT_TRUE(peer.transport.is_reading);
}

TEST(FixFlow, the_owner_holds_a_session_whose_peer_is_not_silent_then) {
  Live peer;
  peer.session.set_reading(false);
  peer.send("D", 2, peer.order("a"));
  peer.run_for(300s);  // what waits is then older than a SendingTime may be
  EXPECT_TRUE(peer.session.is_logged_on());
  for (const std::string& text : peer.take()) EXPECT_TRUE(text.starts_with("35=0|")) << "no test request: " << text;
  // Both reasons have to go.
  peer.transport.capacity = 0;
  peer.report("one");
  peer.session.set_reading(true);
  EXPECT_FALSE(peer.transport.is_reading);
  peer.transport.capacity = 1 << 16;
  peer.session.on_writable(peer.now);
  EXPECT_TRUE(peer.transport.is_reading);
  peer.send_raw("");
  EXPECT_EQ(peer.handler.take(), (Texts{"unblocked", "message D a"}));
  // From now on silence counts again.
  peer.take();
  peer.run_for(36s);
  const Texts said = peer.take();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back().substr(0, 4), "35=1");
}

}  // namespace
}  // namespace dojima::fix
