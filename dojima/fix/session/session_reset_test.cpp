// When numbers begin anew: by a Logon of either side, at the end of a connection, by hand; and that no reset answers an
// answer. Scripts in virtual time.

#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::logged_on;
using testing::Peer;
using testing::Texts;
using namespace std::chrono_literals;

TEST(FixReset, an_acceptor_that_resets_on_logon_does_not_announce_what_the_peer_did_not_ask_for) {
  Peer peer({.reset_on_logon = true});
  peer.session.store().set_next_incoming({50});
  peer.session.store().set_next_outgoing({40});
  peer.connect();
  peer.log_on(1);
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|"});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_TRUE(peer.session.is_logged_on());
}

TEST(FixReset, an_acceptor_that_resets_on_logon_asks_a_peer_that_did_not_for_what_it_forgot) {
  Peer peer({.reset_on_logon = true});
  peer.connect();
  peer.log_on(7);
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|", "35=2|34=2|7=1|16=0|"}));
}

TEST(FixReset, the_answer_to_a_reset_by_hand_is_not_answered) {
  Peer peer;
  logged_on(peer);
  peer.send("0", 2);
  peer.session.reset();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  peer.send("0", 3);  // was on its way
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.session.next_outgoing().value, 2u);
  EXPECT_TRUE(peer.session.is_logged_on());
  peer.run_for(20s);
  EXPECT_FALSE(peer.transport.closed()) << "the limit for the answer is lifted";
}

TEST(FixReset, a_reset_by_hand_that_nobody_answers_ends_the_connection) {
  Peer peer;
  logged_on(peer);
  peer.session.reset();
  peer.run_for(10s);
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixReset, a_reset_by_hand_without_a_connection_is_immediate) {
  Peer peer;
  peer.session.store().set_next_incoming({50});
  peer.session.store().set_next_outgoing({40});
  peer.session.reset();
  EXPECT_EQ(peer.session.next_incoming().value, 1u);
  EXPECT_EQ(peer.session.next_outgoing().value, 1u);
}

TEST(FixReset, a_peer_that_answers_every_reset_with_a_reset_is_stopped) {
  Peer peer;
  logged_on(peer);
  for (int reset = 0; reset < 3; ++reset) {
    peer.log_on(1, "141=Y|");
    EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  }
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=too many resets one after the other|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixReset, resets_with_messages_between_them_are_no_loop) {
  Peer peer;
  logged_on(peer);
  for (int reset = 0; reset < 8; ++reset) {
    peer.log_on(1, "141=Y|");
    peer.send("D", 2, peer.order("a"));
    EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  }
  EXPECT_TRUE(peer.session.is_logged_on());
}

TEST(FixReset, heartbeats_between_resets_do_not_make_them_less_of_a_loop) {
  Peer peer;
  logged_on(peer);
  for (int reset = 0; reset < 3; ++reset) {
    peer.log_on(1, "141=Y|");
    peer.send("0", 2);
    peer.send("1", 3, "112=x|");
    EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|141=Y|", "35=0|34=2|112=x|"}));
  }
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=3|58=too many resets one after the other|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixReset, a_session_that_carries_no_orders_may_begin_anew_every_hour) {
  Peer peer({.sending_time_tolerance = 0s});
  peer.connect();
  peer.send("A", 1, "98=0|108=0|");
  for (int hour = 0; hour < 8; ++hour) {
    peer.run_for(1h);
    peer.take();
    peer.send("A", 1, "98=0|108=0|141=Y|");
    EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=0|141=Y|"});
  }
  EXPECT_TRUE(peer.session.is_logged_on());
}

void expect_numbers_after(SessionConfig config, void (*end)(Peer&), std::uint64_t incoming, std::uint64_t outgoing,
                          const char* what) {
  Peer peer(std::move(config));
  logged_on(peer);
  end(peer);
  ASSERT_TRUE(peer.transport.closed()) << what;
  peer.finish_close();
  EXPECT_EQ(peer.session.next_incoming().value, incoming) << what;
  EXPECT_EQ(peer.session.next_outgoing().value, outgoing) << what;
}

TEST(FixReset, after_a_logout_where_it_is_wanted) {
  const auto by_peer = [](Peer& peer) { peer.send("5", 2); };
  const auto by_us = [](Peer& peer) {
    peer.session.logout("");
    peer.send("5", 2);
  };
  const auto in_anger = [](Peer& peer) { peer.session.disconnect(); };
  expect_numbers_after({}, by_peer, 3, 3, "not wanted");
  expect_numbers_after({.reset_on_logout = true}, by_peer, 1, 1, "the peer's Logout");
  expect_numbers_after({.reset_on_logout = true}, by_us, 1, 1, "our Logout");
  expect_numbers_after({.reset_on_logout = true}, in_anger, 2, 2, "no Logout");
  expect_numbers_after({.reset_on_disconnect = true}, in_anger, 1, 1, "a disconnect");
  expect_numbers_after({.reset_on_disconnect = true}, by_peer, 1, 1, "a Logout is a disconnect as well");
}

TEST(FixReset, after_a_broken_rule_where_it_is_wanted) {
  const auto too_low = [](Peer& peer) { peer.send("0", 1); };
  const auto in_order = [](Peer& peer) { peer.send("5", 2); };
  expect_numbers_after({.reset_on_error = true}, too_low, 1, 1, "a number that was used before");
  expect_numbers_after({.reset_on_error = true}, in_order, 3, 3, "a Logout");
  expect_numbers_after({}, too_low, 2, 3, "not wanted");
}

TEST(FixReset, a_connection_that_never_logged_on_resets_nothing) {
  Peer peer({.reset_on_logout = true, .reset_on_disconnect = true, .reset_on_error = true});
  peer.session.store().set_next_incoming({50});
  peer.connect();
  peer.send("0", 1);
  peer.finish_close();
  EXPECT_EQ(peer.session.next_incoming().value, 50u);
}

TEST(FixReset, messages_written_before_the_next_connection_have_the_new_numbers) {
  const auto send_order = [](Session& session) {
    Writer order = session.begin(type::k_new_order_single);
    order.field(tag::k_cl_ord_id, "a");
    return session.send(order);
  };
  for (const bool by_hand : {true, false}) {
    Peer peer({.reset_on_disconnect = !by_hand});
    logged_on(peer);
    ASSERT_EQ(send_order(peer.session)->value, 2u);
    peer.hang_up();
    if (by_hand) peer.session.reset();
    const auto first = send_order(peer.session);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->value, 1u);
    peer.take();
    // They are there when the peer asks for them.
    peer.connect();
    peer.log_on(1);
    peer.send("2", 2, "7=1|16=1|");
    const Texts sent = peer.take();
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[1], "35=D|34=1|43=Y|122=T|11=a|");
  }
}

}  // namespace
}  // namespace dojima::fix
