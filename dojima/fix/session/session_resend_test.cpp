// Numbers that the Logons name (789), 369, requests in parts, a limit of what is resent. Scripts in virtual time.

#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::Live;
using testing::Peer;
using testing::Texts;
using namespace std::chrono_literals;

SessionConfig naming() {
  return {.next_expected = true};
}

void send_order(Peer& peer, std::string_view id) {
  Writer order = peer.session.begin(type::k_execution_report);
  order.field(tag::k_cl_ord_id, id);
  ASSERT_TRUE(peer.session.send(order));
}

/// A session that has sent `count` messages behind its Logon and has lost its connection.
void after_messages(Peer& peer, int count) {
  peer.connect();
  peer.log_on(1, peer.session.config().next_expected ? "789=1|" : "");
  for (int at = 0; at < count; ++at) send_order(peer, std::to_string(at + 2));
  peer.take();
  peer.hang_up();
}

TEST(FixNextExpected, an_acceptor_answers_with_the_number_behind_the_peers_logon) {
  Peer peer(naming());
  peer.connect();
  peer.log_on(1, "789=1|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|789=2|"});
}

TEST(FixNextExpected, what_the_peer_misses_is_resent_without_a_request) {
  Peer peer(naming());
  after_messages(peer, 3);
  peer.connect();
  peer.log_on(2, "789=3|");
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=5|98=0|108=30|789=3|", "35=8|34=3|43=Y|122=T|11=3|",
                                "35=8|34=4|43=Y|122=T|11=4|", "35=4|34=5|43=Y|122=T|36=6|123=Y|"}));
}

TEST(FixNextExpected, a_peer_that_misses_nothing_gets_nothing_again) {
  Peer peer(naming());
  after_messages(peer, 3);
  peer.connect();
  peer.log_on(2, "789=5|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=5|98=0|108=30|789=3|"});
}

TEST(FixNextExpected, a_number_that_is_not_used_yet_is_refused_in_words) {
  Peer peer(naming());
  peer.connect();
  peer.log_on(1, "789=7|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=1|58=NextExpectedMsgSeqNum too high, expecting 1 but received 7|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixNextExpected, where_both_are_ahead_both_resend_and_nobody_requests) {
  Peer peer(naming());
  after_messages(peer, 1);
  peer.connect();
  peer.log_on(5, "789=2|");
  EXPECT_EQ(peer.take(),
            (Texts{"35=A|34=3|98=0|108=30|789=2|", "35=8|34=2|43=Y|122=T|11=2|", "35=4|34=3|43=Y|122=T|36=4|123=Y|"}));
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  peer.send_again("D", 2, peer.order("a"));
  peer.send_again("4", 3, "36=6|123=Y|");
  EXPECT_EQ(peer.session.next_incoming().value, 6u);
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixNextExpected, a_resend_that_does_not_come_is_requested_after_an_interval) {
  Peer peer(naming());
  peer.connect();
  peer.log_on(5, "789=1|");
  peer.take();
  peer.send("0", 6);
  EXPECT_EQ(peer.take(), Texts{}) << "the resend may still be on its way";
  peer.run_for(29s);
  peer.take();
  peer.run_for(1s);
  peer.take();
  peer.send("0", 7);
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=1|16=0|"});
}

TEST(FixNextExpected, a_peer_that_does_not_name_its_number_gets_a_request_as_ever) {
  Peer peer(naming());
  peer.connect();
  peer.log_on(5);
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|789=1|", "35=2|34=2|7=1|16=0|"}));
}

TEST(FixNextExpected, an_initiator_names_its_number_and_resends_what_the_answer_misses) {
  SessionConfig config = naming();
  config.role = Role::initiator;
  Peer peer(config);
  peer.session.store().set_next_incoming({9});
  send_order(peer, "early");
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=2|98=0|108=30|789=9|"});
  peer.log_on(9, "789=1|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=1|43=Y|122=T|11=early|", "35=4|34=2|43=Y|122=T|36=3|123=Y|"}));
  EXPECT_TRUE(peer.session.is_logged_on());
}

TEST(FixNextExpected, after_a_reset_numbers_are_named_from_1) {
  Peer peer(naming());
  after_messages(peer, 3);
  peer.connect();
  peer.log_on(1, "141=Y|789=1|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|789=2|"});
}

TEST(FixLastProcessed, every_header_says_what_was_processed) {
  Peer peer({.last_processed = true});
  peer.connect();
  peer.log_on();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|369=0|98=0|108=30|"});
  peer.send("1", 2, "112=x|");
  peer.send("1", 3, "112=y|");
  EXPECT_EQ(peer.take(), (Texts{"35=0|34=2|369=1|112=x|", "35=0|34=3|369=2|112=y|"}));
  peer.send("2", 4, "7=1|16=0|");
  EXPECT_EQ(peer.take(), Texts{"35=4|34=1|43=Y|122=T|369=3|36=4|123=Y|"});
}

TEST(FixResendChunk, a_gap_is_asked_for_in_parts) {
  Peer peer({.resend_chunk = 3});
  peer.connect();
  peer.log_on();
  peer.take();
  peer.send("0", 9);
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=4|"});
  peer.send_again("D", 2, peer.order("a"));
  peer.send_again("D", 3, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{});
  peer.send_again("D", 4, peer.order("c"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=5|16=7|"});
  peer.send_again("4", 5, "36=8|123=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=2|34=4|7=8|16=9|"});
  peer.send_again("D", 8, peer.order("d"));
  EXPECT_EQ(peer.session.next_incoming().value, 10u) << "the early one was kept";
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixResendLimit, what_is_older_than_the_limit_is_filled_and_reported) {
  Peer peer({.resend_limit = 2});
  peer.connect();
  peer.log_on();
  for (int at = 2; at < 7; ++at) send_order(peer, std::to_string(at));
  peer.take();
  peer.send("2", 2, "7=2|16=0|");
  EXPECT_EQ(peer.take(),
            (Texts{"35=4|34=2|43=Y|122=T|36=5|123=Y|", "35=8|34=5|43=Y|122=T|11=5|", "35=8|34=6|43=Y|122=T|11=6|"}));
  ASSERT_EQ(peer.handler.troubles.size(), 1u);
  EXPECT_EQ(peer.handler.troubles[0].got, 3);
  peer.send("2", 3, "7=4|16=5|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=4|43=Y|122=T|11=4|", "35=8|34=5|43=Y|122=T|11=5|"})) << "within the limit";
}

TEST(FixResendRequest, the_same_one_again_and_again_ends_the_session) {
  Peer peer;
  peer.connect();
  peer.log_on();
  send_order(peer, "x");
  unsigned number = 2;
  for (; number < 18; ++number) peer.send("2", number, "7=2|16=0|");
  EXPECT_FALSE(peer.transport.closed());
  peer.take();
  peer.send("2", number, "7=2|16=0|");
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{"35=5|34=3|58=too many ResendRequests for the same messages|"});
}

TEST(FixResendRequest, alternating_ones_that_get_nowhere_end_the_session) {
  Peer peer;
  peer.connect();
  peer.log_on();
  send_order(peer, "x");
  send_order(peer, "y");
  unsigned number = 2;
  const auto ask = [&](unsigned first) { peer.send("2", number++, "7=" + std::to_string(first) + "|16=0|"); };
  for (int round = 0; round < 8; ++round) {
    ask(2);
    ask(3);
  }
  ask(2);
  EXPECT_FALSE(peer.transport.closed()) << "sixteen behind the first that asked for the last message";
  peer.take();
  ask(3);
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{"35=5|34=4|58=too many ResendRequests for the same messages|"});
}

TEST(FixResendRequest, ones_for_what_was_never_sent_get_nowhere_either) {
  Peer peer;
  peer.connect();
  peer.log_on();
  unsigned number = 2;
  for (; number < 18; ++number) peer.send("2", number, "7=" + std::to_string(100 + number) + "|16=0|");
  EXPECT_FALSE(peer.transport.closed());
  peer.send("2", number, "7=200|16=0|");
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixResendRequest, a_peer_that_asks_in_parts_gets_all_of_them) {
  Live peer;
  unsigned number = 2;
  const auto ask_for_all = [&](const char* what) {
    for (int order = 0; order < 40; ++order) send_order(peer, "x");
    peer.take();
    for (unsigned part = 2; part < 42; ++part) {
      peer.send("2", number++, "7=" + std::to_string(part) + "|16=" + std::to_string(part) + "|");
      EXPECT_EQ(peer.take(), Texts{"35=8|34=" + std::to_string(part) + "|43=Y|122=T|11=x|"}) << what;
    }
    EXPECT_FALSE(peer.transport.closed()) << what;
  };
  ask_for_all("once");
  peer.send("D", number++, peer.order("a"));
  ask_for_all("again, behind a message of the application");
  peer.session.reset();
  peer.log_on(1, "141=Y|");
  number = 2;
  ask_for_all("behind a reset of ours");
  peer.log_on(1, "141=Y|");
  number = 2;
  ask_for_all("behind a reset of the peer's");
}

TEST(FixResendRequest, ours_that_nobody_answers_end_the_session) {
  Live peer;
  unsigned number = 5;
  peer.send("0", number++);
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=0|"});
  const auto next_answer = [&] {
    peer.run_for(31s);
    peer.take();
    peer.send("0", number++);
    return peer.take();
  };
  for (int repeat = 1; repeat < 8; ++repeat) {
    const Texts sent = next_answer();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_TRUE(sent[0].ends_with("|7=2|16=0|")) << sent[0];
  }
  EXPECT_FALSE(peer.transport.closed());
  const Texts last = next_answer();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_TRUE(last[0].ends_with("|58=no answer to 8 ResendRequests for 2 and later|")) << last[0];
  EXPECT_TRUE(peer.transport.closed());
  ASSERT_FALSE(peer.handler.troubles.empty());
  EXPECT_EQ(peer.handler.troubles.back().field, tag::k_begin_seq_no);
  EXPECT_EQ(peer.handler.troubles.back().got, 2);
}

TEST(FixResendRequest, ours_may_bring_one_message_at_a_time) {
  Live peer;
  for (unsigned number = 2; number < 30; ++number) {
    peer.run_for(31s);
    peer.send("0", 100 + number);
    peer.send_again("D", number, peer.order("a"));
  }
  EXPECT_FALSE(peer.transport.closed());
}

TEST(FixGapFill, a_duplicate_outside_the_answer_to_a_request_changes_nothing) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.send("D", 2, peer.order("a"));
  peer.send_again("4", 2, "36=10|123=Y|");
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  peer.send("D", 3, peer.order("b"));
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
  EXPECT_TRUE(peer.session.is_logged_on());
}

}  // namespace
}  // namespace dojima::fix
