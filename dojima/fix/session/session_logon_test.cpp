// Logon, logout, heartbeats and test requests, as scripts in virtual time.

#include <functional>
#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::k_noon;
using testing::Peer;
using testing::stamp;
using testing::Texts;
using namespace std::chrono_literals;

SessionConfig initiator() {
  return {.role = Role::initiator};
}

TEST(FixSession, an_acceptor_answers_a_logon_and_echoes_the_heartbeat_interval) {
  Peer peer;
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{});
  peer.send("A", 1, "98=0|108=17|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=17|"});
  EXPECT_EQ(peer.handler.take(), Texts{"logon"});
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.session.next_outgoing().value, 2u);
}

TEST(FixSession, an_initiator_logs_on_first_with_its_credentials) {
  SessionConfig config = initiator();
  config.username = "user";
  config.password = "secret";
  Peer peer(config);
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|553=user|554=secret|"});
  EXPECT_FALSE(peer.session.is_logged_on());
  peer.log_on();
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.handler.take(), Texts{"logon"});
}

TEST(FixSession, an_initiator_asks_for_its_next_password_behind_the_one_it_has) {
  SessionConfig config = initiator();
  config.password = "secret";
  config.new_password = "another";
  config.next_expected = true;
  Peer peer(config);
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|554=secret|789=1|925=another|"});
}

TEST(FixSession, a_session_that_ends_while_it_logs_on_never_was_logged_on) {
  SessionConfig config = initiator();
  config.max_body = 512;
  config.store = {.messages = 2, .bytes = 2048};
  Peer peer(std::move(config));
  peer.connect();
  // More than the store holds, while the peer has not answered the Logon.
  for (int count = 0; count < 3; ++count) {
    Writer report = peer.session.begin(type::k_execution_report);
    report.field(tag::k_text, "waits");
    EXPECT_TRUE(peer.session.send(report));
  }
  peer.log_on();
  EXPECT_FALSE(peer.session.is_logged_on());
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), (Texts{"closed: the peer does not read"}));
  EXPECT_EQ(peer.session.next_incoming().value, 2u) << "its Logon is counted";
}

TEST(FixSession, writes_its_stamps_with_the_decimals_of_its_configuration) {
  SessionConfig config = initiator();
  config.timestamp_decimals = 9;
  Peer peer(config);
  peer.connect();
  EXPECT_NE(peer.transport.kept.find("\x01"
                                     "52=20260720-12:00:00.000000000\x01"),
            std::string::npos);
}

TEST(FixSession, a_reset_asked_for_by_the_initiator_resets_both_sides) {
  Peer peer;
  peer.session.store().set_next_outgoing({40});
  peer.session.store().set_next_incoming({50});
  peer.connect();
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
}

TEST(FixSession, an_initiator_that_resets_begins_at_1_and_says_so) {
  SessionConfig config = initiator();
  config.reset_on_logon = true;
  Peer peer(config);
  peer.session.store().set_next_outgoing({40});
  peer.session.store().set_next_incoming({50});
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  peer.log_on(1, "141=Y|");
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.session.next_outgoing().value, 2u);
}

TEST(FixSession, an_initiator_follows_a_reset_it_did_not_ask_for) {
  Peer peer(initiator());
  peer.session.store().set_next_outgoing({40});
  peer.session.store().set_next_incoming({50});
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=40|98=0|108=30|"});
  peer.log_on(1, "141=Y|");
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.session.next_outgoing().value, 2u);
}

TEST(FixSession, a_logon_that_resets_within_a_live_session_begins_the_numbers_anew) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.send("0", 2);
  peer.take();
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|141=Y|"});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_TRUE(peer.session.is_logged_on());
  EXPECT_EQ(peer.handler.take(), Texts{"logon"});
}

TEST(FixSession, a_logon_that_resets_a_live_session_with_another_number_than_1_ends_it) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.log_on(2, "141=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=a Logon that resets has MsgSeqNum 1|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixSession, closes_without_a_word_what_does_not_begin_with_a_valid_logon) {
  const auto refused = [](const std::function<void(Peer&)>& send, SessionConfig config = {}) {
    Peer peer(std::move(config));
    peer.connect();
    send(peer);
    EXPECT_EQ(peer.transport.kept, "");
    EXPECT_EQ(peer.handler.troubles.size(), 1u);
    EXPECT_EQ(peer.session.next_incoming().value, 1u);
    EXPECT_FALSE(peer.session.is_logged_on());
    const bool is_closed = peer.transport.closed().has_value();
    peer.finish_close();
    EXPECT_EQ(peer.handler.take(), Texts{"closed: closed by us"});
    return is_closed;
  };
  EXPECT_TRUE(refused([](Peer& peer) { peer.send("0", 1); })) << "not a Logon";
  EXPECT_TRUE(refused([](Peer& peer) { peer.send_raw("GET / HTTP/1.1\r\n"); })) << "not FIX";
  EXPECT_TRUE(refused([](Peer& peer) { peer.send("A", 1, "98=0|"); })) << "without HeartBtInt";
  EXPECT_TRUE(refused([](Peer& peer) { peer.send("A", 1, "98=0|108=-1|"); })) << "a negative HeartBtInt";
  EXPECT_TRUE(refused([](Peer& peer) { peer.send("A", 1, "98=2|108=30|"); })) << "encryption";
  EXPECT_TRUE(refused([](Peer& peer) {
    peer.send_raw(framed("35=A|34=1|49=ME|52=" + stamp(peer.now) + "|56=VENUE|98=0|108=30|", "FIX.4.2"));
  }));
  EXPECT_TRUE(refused(
      [](Peer& peer) { peer.send_raw(framed("35=A|34=1|49=YOU|52=" + stamp(peer.now) + "|56=VENUE|98=0|108=30|")); }));
  EXPECT_TRUE(refused([](Peer& peer) {
    peer.send_raw(framed("35=A|34=1|49=ME|52=" + stamp(peer.now - 121s) + "|56=VENUE|98=0|108=30|"));
  }));
  EXPECT_TRUE(refused(
      [](Peer& peer) { peer.send_raw(framed("35=A|49=ME|52=" + stamp(peer.now) + "|56=VENUE|98=0|108=30|")); }));
  EXPECT_TRUE(refused([](Peer& peer) { peer.log_on(1, "554=wrong|"); }, {.password = "right"}));
  EXPECT_TRUE(refused([](Peer& peer) { peer.log_on(); }, {.password = "right"}));
  EXPECT_TRUE(refused([](Peer& peer) { peer.run_for(10s); })) << "no logon in time";
}

TEST(FixSession, accepts_the_password_it_expects) {
  Peer peer({.password = "right"});
  peer.connect();
  peer.log_on(1, "554=right|");
  EXPECT_TRUE(peer.session.is_logged_on());
}

TEST(FixSession, a_logon_with_a_number_too_low_is_answered_with_a_logout_and_closed) {
  Peer peer;
  peer.session.store().set_next_incoming({10});
  peer.connect();
  peer.log_on(3);
  EXPECT_EQ(peer.take(), Texts{"35=5|34=1|58=MsgSeqNum too low, expecting 10 but received 3|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.session.next_incoming().value, 10u);
}

TEST(FixSession, an_initiator_whose_logon_is_answered_with_a_logout_reports_it) {
  Peer peer(initiator());
  peer.connect();
  peer.take();
  peer.send("5", 1, "58=go away|");
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.handler.troubles.at(0).code, ErrorCode::refused);
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), Texts{"closed: closed by us"});
}

TEST(FixSession, an_initiator_gives_up_on_a_peer_that_does_not_answer_its_logon) {
  Peer peer(initiator());
  peer.connect();
  peer.run_for(9999ms);
  EXPECT_FALSE(peer.transport.closed());
  peer.run_for(1ms);
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixSession, a_connection_that_cannot_be_made_is_reported_without_a_logout) {
  Peer peer(initiator());
  peer.session.on_closed(link::CloseReason::refused, k_noon);
  EXPECT_EQ(peer.handler.take(), Texts{"closed: connection refused"});
}

TEST(FixSession, answers_a_logout_and_closes) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.send("5", 2, "58=end of day|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_FALSE(peer.session.is_logged_on());
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), (Texts{"logon", "logout: end of day", "closed: closed by us"}));
}

TEST(FixSession, logs_out_waits_for_the_answer_and_closes) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.session.logout("good night");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=good night|"});
  EXPECT_FALSE(peer.session.is_logged_on());
  EXPECT_FALSE(peer.transport.closed());
  peer.send("D", 2, peer.order("late"));
  EXPECT_EQ(peer.handler.events.back(), "message D late") << "what was on its way is still received";
  peer.send("5", 3);
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

TEST(FixSession, a_logout_before_the_logon_closes_without_a_word) {
  Peer peer;
  peer.connect();
  peer.session.logout("not today");
  EXPECT_EQ(peer.take(), Texts{});
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), Texts{"closed: closed by us"});
}

TEST(FixSession, counts_a_test_request_that_crosses_its_logout_but_does_not_answer_it) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.session.logout("good night");
  peer.take();
  peer.send("1", 2, "112=ARE YOU THERE|");
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming(), market::Sequence{3});
}

TEST(FixSession, a_logout_that_nobody_answers_ends_after_a_while) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.session.logout("");
  peer.run_for(9999ms);
  EXPECT_FALSE(peer.transport.closed());
  peer.run_for(1ms);
  EXPECT_TRUE(peer.transport.closed());
  peer.finish_close();
  EXPECT_EQ(peer.handler.take().at(1), "logout: no answer to a logout");
}

TEST(FixSession, messages_sent_after_a_logout_wait_for_the_next_logon) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.session.logout("");
  peer.take();
  Writer report = peer.session.begin(type::k_execution_report);
  EXPECT_EQ(peer.session.send(report).value().value, 3u);
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixSession, a_lost_connection_ends_the_session) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.hang_up();
  EXPECT_EQ(peer.handler.take(), (Texts{"logon", "logout: closed by the peer", "closed: closed by the peer"}));
  EXPECT_FALSE(peer.session.is_connected());
}

TEST(FixSession, disconnects_without_a_message_on_request) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.session.disconnect();
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixSession, sends_a_heartbeat_when_nothing_was_sent_for_the_interval) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.run_for(29999ms);
  EXPECT_EQ(peer.take(), Texts{});
  peer.run_for(1ms);
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|"});
  peer.send("0", 2);
  peer.run_for(10s);
  Writer report = peer.session.begin(type::k_execution_report);
  ASSERT_TRUE(peer.session.send(report));
  peer.take();
  peer.run_for(20s);
  peer.send("0", 3);
  peer.run_for(9999ms);
  EXPECT_EQ(peer.take(), Texts{}) << "any message puts the heartbeat off";
  peer.run_for(1ms);
  EXPECT_EQ(peer.take(), Texts{"35=0|34=4|"});
}

TEST(FixSession, answers_a_test_request_with_a_heartbeat_that_carries_its_id) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.send("1", 2, "112=are you there|");
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|112=are you there|"});
}

TEST(FixSession, asks_a_silent_peer_and_gives_up_without_a_logout) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.run_for(30s);
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|"});
  peer.run_for(6s);  // 1.2 x 30 s
  EXPECT_EQ(peer.take(), Texts{"35=1|34=3|112=TEST|"});
  peer.run_for(30s);
  EXPECT_EQ(peer.take(), Texts{"35=0|34=4|"}) << "heartbeats go on meanwhile";
  peer.run_for(5999ms);
  EXPECT_FALSE(peer.transport.closed());
  peer.run_for(1ms);  // 2.4 x 30 s
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{});
  peer.finish_close();
  EXPECT_EQ(peer.handler.take().at(1), "logout: no answer to a test request");
}

TEST(FixSession, any_message_is_an_answer_to_a_test_request) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.run_for(36s);
  peer.send("0", 2, "112=TEST|");
  peer.run_for(35999ms);
  peer.take();
  peer.run_for(1ms);
  EXPECT_EQ(peer.take(), Texts{"35=1|34=5|112=TEST|"}) << "the count begins again";
  peer.run_for(36s);
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixSession, the_text_of_test_requests_is_configured) {
  Peer peer({.test_request_text = "HELLO"});
  peer.connect();
  peer.log_on();
  peer.run_for(36s);
  EXPECT_EQ(peer.take().back(), "35=1|34=3|112=HELLO|");
}

TEST(FixSession, without_an_interval_there_are_no_heartbeats_and_no_test_requests) {
  Peer peer;
  peer.connect();
  peer.send("A", 1, "98=0|108=0|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=0|"});
  peer.run_for(24h);
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_FALSE(peer.transport.closed());
}

TEST(FixSession, a_second_logon_ends_a_live_session) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.take();
  peer.log_on(2);
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=a second Logon|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
}

TEST(FixSession, numbers_go_on_over_connections) {
  Peer peer;
  peer.connect();
  peer.log_on();
  peer.send("D", 2, peer.order("1"));
  peer.hang_up();
  peer.connect();
  peer.log_on(3);
  EXPECT_EQ(peer.take(), Texts{"35=A|34=2|98=0|108=30|"});
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

TEST(FixSession, speaks_fix_4_2_where_configured) {
  Peer peer({.begin_string = "FIX.4.2"});
  peer.connect();
  peer.log_on();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|"});
}

TEST(FixSession, speaks_fixt_1_1_and_names_the_version_of_its_application) {
  Peer peer({.begin_string = "FIXT.1.1"});
  peer.connect();
  peer.log_on(1, "1137=9|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|1137=9|"});
  EXPECT_EQ(peer.handler.take(), Texts{"logon"});
  peer.send("D", 2, peer.order("a"), "1128=9|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});

  Peer other({.role = Role::initiator, .begin_string = "FIXT.1.1"});
  other.connect();
  EXPECT_EQ(other.take(), Texts{"35=A|34=1|98=0|108=30|1137=9|"});
}

TEST(FixSession, names_the_version_of_its_own_dictionary) {
  const auto fix44_over_fixt = Dictionary::compile({fix_5_0_sp2().models()[0], fix_4_4().models()[0]});
  ASSERT_TRUE(fix44_over_fixt);
  Peer peer({.role = Role::initiator, .begin_string = "FIXT.1.1", .dictionary = &*fix44_over_fixt});
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|1137=6|"});
  sched::Scheduler scheduler(64);
  testing::NotingHandler handler;
  EXPECT_THROW(Session(scheduler, Peer::named({.begin_string = "FIXT.1.1", .dictionary = &fix_4_4()}), handler),
               std::invalid_argument);
}

TEST(FixSession, closes_without_a_word_a_fixt_logon_without_a_version_or_with_another) {
  for (const char* rest : {"", "1137=7|", "1137=x|"}) {
    Peer peer({.begin_string = "FIXT.1.1"});
    peer.connect();
    peer.log_on(1, rest);
    EXPECT_EQ(peer.take(), Texts{}) << rest;
    EXPECT_TRUE(peer.transport.closed());
  }
}

TEST(FixSession, refuses_a_configuration_that_cannot_work) {
  sched::Scheduler scheduler(64);
  testing::NotingHandler handler;
  const auto refuses = [&](SessionConfig config, bool is_named = true) {
    if (is_named) config = Peer::named(std::move(config));
    EXPECT_THROW(Session(scheduler, std::move(config), handler), std::invalid_argument);
  };
  refuses({}, false);
  refuses({.begin_string = "FIX.5.0"});
  refuses({.heartbeat_interval = -1s});
  refuses({.timestamp_decimals = 4});
  refuses({.max_body = 10});
  refuses({.max_body = 100'000});
  refuses({.store = {.messages = 10, .bytes = 100}});
  refuses({.test_request_text = ""});
}

}  // namespace
}  // namespace dojima::fix
