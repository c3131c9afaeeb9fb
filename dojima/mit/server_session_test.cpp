#include "dojima/mit/server_session.hpp"

#include <gtest/gtest.h>

#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/sessions/session_test_support.hpp"

namespace dojima::mit {
namespace {

using Words = std::vector<std::string>;

/// A venue with one session and a raw peer that is connected to it.
struct ServerRig {
  explicit ServerRig(ServerOptions options = {}, link::SimulatedNetworkOptions network = {.delay = time::Duration{0}})
      : world(network), session(options, lse_21_2::k_dialect, world.scheduler, venue) {
    EXPECT_TRUE(world.network.listen(k_venue, acceptor));
    connect();
  }

  void connect() {
    world.network.connect(k_venue, peer);
    world.settle();
  }
  void send(const FrameBytes& bytes) {
    peer.send(bytes);
    world.settle();
  }
  void log_on() {
    send(logon_bytes());
    ASSERT_TRUE(session.is_logged_on());
    peer.log.clear();
    venue.log.clear();
  }

  World world;
  VenueStub venue;
  ServerSession session;
  OneSession acceptor{session};
  RawPeer peer;
};

TEST(ServerSession, answers_a_logon_and_hands_over_commands_with_the_user) {
  ServerRig rig;
  rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
  EXPECT_EQ(rig.session.user_name(), "DOJIMA01");
  rig.send(order_bytes("O1") +
           octets([](Room room) { return lse_21_2::k_dialect.encode_replace(replace_of("R1", "O1"), room); }) +
           octets([](Room room) { return lse_21_2::k_dialect.encode_cancel(cancel_of("C1", "R1"), room); }) +
           mass_cancel_bytes("M1") + quote_bytes("Q1"));
  EXPECT_EQ(words(rig.venue.log), (Words{"logon DOJIMA01", "order O1 of 9/9", "replace R1 of 9", "cancel C1 of 9",
                                         "mass cancel M1 of 9", "quote Q1 of 9"}));
  EXPECT_EQ(words(rig.peer.log), Words{"B 0"});
}

TEST(ServerSession, drops_a_connection_without_logon_after_two_heartbeat_intervals) {
  ServerRig rig;
  rig.world.run_until(6s - 1ns);
  EXPECT_TRUE(rig.peer.is_open());
  rig.world.run_until(6s);
  EXPECT_EQ(rig.peer.log, (Log{{6s, "closed"}})) << "without a word";
  EXPECT_EQ(rig.venue.log, (Log{{6s, "free"}})) << "no session began, so none ended";
}

TEST(ServerSession, takes_a_logon_at_the_last_moment) {
  ServerRig rig;
  rig.world.run_until(6s - 1ns);
  rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ServerSession, looks_at_a_delayed_logon_when_its_time_has_come) {
  ServerRig rig;
  rig.venue.delay = 10s;
  rig.world.run_until(1s);
  rig.send(logon_bytes());
  rig.send(logon_bytes() + order_bytes("O1") + heartbeat_bytes());
  EXPECT_TRUE(rig.venue.log.empty());
  EXPECT_EQ(words(rig.peer.log),
            (Words{"3 20902 already logged on A ", "3 20901 not logged on D O1", "3 20901 not logged on 0 "}));
  rig.world.run_until(11s - 1ns);
  EXPECT_FALSE(rig.session.is_logged_on());
  rig.world.run_until(11s);
  EXPECT_TRUE(rig.session.is_logged_on());
  EXPECT_EQ(rig.session.user_name(), "DOJIMA01");
  EXPECT_EQ(rig.peer.log.back(), (Line{11s, "B 0"}));
}

TEST(ServerSession, gives_up_a_delayed_logon_when_either_side_ends_the_connection) {
  for (const int how : {0, 1, 2}) {
    ServerRig rig;
    rig.venue.delay = 3s;
    rig.send(logon_bytes());
    if (how == 0) rig.send(logout_bytes());
    if (how == 1) rig.peer.close();
    if (how == 2) rig.session.logout("closed");
    rig.world.run_until(10s);
    EXPECT_EQ(words(rig.venue.log), Words{"free"}) << how;
    EXPECT_FALSE(rig.session.is_connected());
  }
}

/// Whether the object has the text in it.
bool has_within(const ServerSession& session, std::string_view text) {
  return std::string_view(reinterpret_cast<const char*>(&session), sizeof session).find(text) != std::string_view::npos;
}

TEST(ServerSession, keeps_no_password_of_a_logon_that_was_not_waited_for) {
  ServerRig rig;
  rig.venue.delay = 3s;
  rig.send(logon_bytes());
  EXPECT_TRUE(has_within(rig.session, "Secret#2026")) << "it waits";
  rig.peer.close();
  rig.world.run_until(1s);
  EXPECT_FALSE(rig.session.is_connected());
  EXPECT_FALSE(has_within(rig.session, "Secret#2026"));
}

TEST(ServerSession, refuses_a_delayed_logon_as_any_other) {
  ServerRig rig;
  rig.venue.delay = 3s;
  rig.venue.code = 8;
  rig.send(logon_bytes());
  rig.world.run_until(4s);
  EXPECT_EQ(rig.peer.log, (Log{{3s, "B 8"}, {3s, "closed"}}));
}

TEST(ServerSession, does_not_wait_longer_for_who_sends_other_things_first) {
  ServerRig rig;
  rig.world.run_until(5s);
  rig.send(heartbeat_bytes());
  rig.world.run_until(6s);
  EXPECT_FALSE(rig.peer.is_open());
}

TEST(ServerSession, sends_the_code_of_a_refused_logon_and_closes) {
  ServerRig rig;
  rig.venue.code = 2;
  rig.send(logon_bytes());
  EXPECT_EQ(words(rig.peer.log), (Words{"B 2", "closed"}));
  EXPECT_EQ(words(rig.venue.log), (Words{"logon DOJIMA01", "free"}));
}

TEST(ServerSession, refuses_messages_before_the_logon_and_then_takes_it) {
  ServerRig rig;
  rig.send(heartbeat_bytes() + order_bytes("O1") + mass_cancel_bytes("M1"));
  EXPECT_EQ(words(rig.peer.log),
            (Words{"3 20901 not logged on 0 ", "3 20901 not logged on D O1", "3 20901 not logged on q M1"}));
  rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ServerSession, refuses_a_logon_that_breaks_a_rule_and_takes_the_next) {
  ServerRig rig;
  rig.send(logon_bytes(""));
  EXPECT_EQ(words(rig.peer.log), Words{"3 9900 UserName A "});
  rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ServerSession, answers_a_logout_before_the_logon) {
  ServerRig rig;
  rig.send(logout_bytes());
  EXPECT_EQ(words(rig.peer.log), Words{"5 logged out"});
  EXPECT_TRUE(rig.venue.log.empty());
}

TEST(ServerSession, refuses_a_second_logon) {
  ServerRig rig;
  rig.log_on();
  rig.send(logon_bytes("OTHER"));
  EXPECT_EQ(words(rig.peer.log), Words{"3 20902 already logged on A "});
  EXPECT_TRUE(rig.venue.log.empty());
  EXPECT_EQ(rig.session.user_name(), "DOJIMA01");
}

TEST(ServerSession, refuses_a_broken_command_and_goes_on) {
  ServerRig rig;
  rig.log_on();
  FrameBytes bad = order_bytes("O1");
  store(Room(bad), lse_21_2::NewOrder::order_qty, -1);
  FrameBytes wrong_length = heartbeat_bytes();
  wrong_length[1] = std::byte{2};
  wrong_length.push_back(std::byte{0});
  rig.send(bad + wrong_length + order_bytes("O2"));
  EXPECT_EQ(words(rig.peer.log), (Words{"3 9901 OrderQty D O1", "3 9901 MessageLength 0 "}));
  EXPECT_EQ(words(rig.venue.log), Words{"order O2 of 9/9"});
}

// Heartbeats and silence ---------------------------------------------------------------------------------------------

TEST(ServerSession, sends_a_heartbeat_when_it_sent_nothing_else_for_an_interval) {
  ServerRig rig;
  rig.log_on();
  rig.world.run_until(3s - 1ns);
  EXPECT_TRUE(rig.peer.log.empty());
  rig.world.run_until(6s);
  EXPECT_EQ(rig.peer.log, (Log{{3s, "0"}, {6s, "0"}}));
}

TEST(ServerSession, counts_the_heartbeat_interval_from_whatever_it_sent_last) {
  ServerRig rig;
  rig.log_on();
  rig.world.run_until(2s);
  EXPECT_TRUE(rig.session.send(report_of(1, 1)));
  rig.world.settle();
  rig.world.run_until(4s);
  rig.send(logon_bytes());  // answered with a Reject
  rig.world.run_until(7s);
  EXPECT_EQ(rig.peer.log, (Log{{2s, "8 A 1"}, {4s, "3 20902 already logged on A "}, {7s, "0"}}));
}

TEST(ServerSession, gives_a_silent_client_up_after_five_intervals) {
  ServerRig rig;
  rig.log_on();
  rig.world.run_until(15s - 1ns);
  EXPECT_TRUE(rig.session.is_logged_on());
  rig.world.run_until(15s);
  ASSERT_GE(rig.peer.log.size(), 2u);
  EXPECT_EQ(rig.peer.log[rig.peer.log.size() - 2], (Line{15s, "5 no heartbeat"}));
  EXPECT_EQ(rig.peer.log.back(), (Line{15s, "closed"}));
  EXPECT_EQ(rig.venue.log, (Log{{15s, "end disconnect"}, {15s, "free"}}));
}

TEST(ServerSession, counts_silence_from_the_last_whole_message) {
  ServerRig rig;
  rig.log_on();
  rig.world.run_until(10s);
  rig.send(heartbeat_bytes());
  rig.world.run_until(20s);
  const FrameBytes order = order_bytes("O1");
  rig.send({order.begin(), order.end() - 1});  // half a message is no sign of life
  rig.world.run_until(25s - 1ns);
  EXPECT_TRUE(rig.session.is_logged_on());
  rig.world.run_until(25s);
  EXPECT_EQ(rig.venue.log, (Log{{25s, "end disconnect"}, {25s, "free"}}));
}

TEST(ServerSession, keeps_its_times_in_the_interval_it_was_given) {
  ServerRig rig({.heartbeat = 100ms, .logon_intervals = 4, .silence_intervals = 3});
  rig.world.run_until(400ms - 1ns);
  EXPECT_TRUE(rig.peer.is_open());
  rig.log_on();
  rig.world.run_until(500ms - 1ns);
  EXPECT_EQ(rig.peer.log, (Log{{500ms - 1ns, "0"}}));
  rig.world.run_until(700ms);
  EXPECT_EQ(rig.venue.log.front(), (Line{700ms - 1ns, "end disconnect"}));
}

// Endings ------------------------------------------------------------------------------------------------------------

TEST(ServerSession, answers_a_logout_and_lets_the_client_close) {
  ServerRig rig;
  rig.log_on();
  rig.send(logout_bytes() + order_bytes("too late"));
  EXPECT_EQ(words(rig.peer.log), Words{"5 logged out"});
  EXPECT_EQ(words(rig.venue.log), Words{"end logout"}) << "what follows the Logout is dropped";
  EXPECT_FALSE(rig.session.send(report_of(1, 1)));
  rig.peer.close();
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), (Words{"end logout", "free"}));
}

TEST(ServerSession, closes_after_an_interval_when_the_client_does_not) {
  ServerRig rig;
  rig.world.run_until(1s);
  rig.log_on();
  rig.send(logout_bytes());
  rig.world.run_until(4s - 1ns);
  EXPECT_TRUE(rig.peer.is_open());
  rig.world.run_until(4s);
  EXPECT_EQ(rig.peer.log, (Log{{1s, "5 logged out"}, {4s, "closed"}}));
  EXPECT_EQ(rig.venue.log, (Log{{1s, "end logout"}, {4s, "free"}}));
}

TEST(ServerSession, logs_the_user_out_when_the_venue_says_so) {
  ServerRig rig;
  rig.log_on();
  rig.session.logout("a text of more than twenty characters");
  EXPECT_TRUE(rig.venue.log.empty()) << "the handler is not called back from its own call";
  EXPECT_FALSE(rig.session.is_logged_on());
  rig.session.logout("again");
  rig.world.run_until(1s);
  EXPECT_EQ(rig.peer.log, (Log{{0s, "5 a text of more than "}, {1s, "closed"}}));
  EXPECT_EQ(rig.venue.log, (Log{{0s, "end forced"}, {1s, "free"}}));
}

TEST(ServerSession, can_be_logged_out_from_inside_a_command) {
  ServerRig rig;
  rig.log_on();
  rig.venue.logout_at_order = true;
  rig.send(order_bytes("O1") + order_bytes("O2"));
  EXPECT_EQ(words(rig.venue.log), (Words{"order O1 of 9/9", "end forced"}));
  EXPECT_EQ(words(rig.peer.log), Words{"5 no more orders today"});
}

TEST(ServerSession, reports_forced_when_the_connection_goes_before_the_loop_does) {
  ServerRig rig;
  rig.log_on();
  rig.world.network.cut(rig.session);
  rig.session.logout("bye");
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), (Words{"end forced", "free"}));
}

TEST(ServerSession, closes_without_a_word_when_logged_out_before_the_logon) {
  ServerRig rig;
  rig.session.logout("go away");
  rig.world.settle();
  EXPECT_EQ(words(rig.peer.log), Words{"closed"});
  EXPECT_EQ(words(rig.venue.log), Words{"free"});
}

TEST(ServerSession, reports_a_broken_connection_once) {
  ServerRig rig;
  rig.log_on();
  rig.world.network.cut(rig.session);
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), (Words{"end disconnect", "free"}));
  rig.session.logout("nobody hears this");
  EXPECT_FALSE(rig.session.send(report_of(1, 1)));
  rig.world.run_until(60s);
  EXPECT_EQ(rig.venue.log.size(), 2u) << "no timer is left";
}

TEST(ServerSession, reports_a_peer_that_vanishes_inside_a_message) {
  ServerRig rig;
  rig.log_on();
  const FrameBytes order = order_bytes("O1");
  rig.send({order.begin(), order.begin() + 60});
  rig.peer.close();
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), (Words{"end disconnect", "free"}));
}

TEST(ServerSession, rejects_and_ends_a_stream_that_is_out_of_step) {
  ServerRig rig;
  rig.log_on();
  rig.send(order_bytes("O1") + FrameBytes{std::byte{0x00}} + order_bytes("O2"));
  EXPECT_EQ(words(rig.venue.log), (Words{"order O1 of 9/9", "end forced"}));
  EXPECT_EQ(words(rig.peer.log), (Words{"3 9901 StartOfMessage - ", "5 stream out of step"}));
  rig.world.run_until(1s);
  EXPECT_EQ(rig.peer.log.back(), (Line{1s, "closed"}));
}

TEST(ServerSession, rejects_and_ends_a_stream_with_a_length_that_no_message_has) {
  ServerRig rig;
  rig.log_on();
  FrameBytes order = order_bytes("O1");
  order[2] = std::byte{0x10};
  rig.send(order);
  EXPECT_EQ(words(rig.peer.log), (Words{"3 9901 MessageLength D ", "5 stream out of step"}));
  EXPECT_EQ(words(rig.venue.log), Words{"end forced"});
}

TEST(ServerSession, serves_one_connection_after_the_other) {
  ServerRig rig;
  rig.venue.throttle = 1;
  rig.log_on();
  rig.send(order_bytes("O1"));
  rig.peer.close();
  rig.world.settle();
  rig.venue.log.clear();
  rig.peer.log.clear();
  rig.venue.throttle = 0;
  rig.connect();
  EXPECT_EQ(rig.session.user(), 0);
  EXPECT_EQ(rig.session.user_name(), "");
  rig.log_on();
  rig.send(order_bytes("O2") + order_bytes("O3"));
  EXPECT_EQ(words(rig.venue.log), (Words{"order O2 of 9/9", "order O3 of 9/9"})) << "the throttle is the new user's";
}

// Throttle -----------------------------------------------------------------------------------------------------------

TEST(ServerSession, refuses_messages_above_the_users_rate_until_the_next_second) {
  ServerRig rig;
  rig.venue.throttle = 2;
  rig.log_on();
  FrameBytes invalid = order_bytes("O4");
  store(Room(invalid), lse_21_2::NewOrder::order_qty, -1);
  rig.send(heartbeat_bytes() + order_bytes("O1") + order_bytes("O2") + heartbeat_bytes() + invalid);
  EXPECT_EQ(words(rig.venue.log), Words{"order O1 of 9/9"}) << "a heartbeat counts";
  EXPECT_EQ(words(rig.peer.log), (Words{"3 20903 message rate exceeded D O2", "3 20903 message rate exceeded 0 ",
                                        "3 20903 message rate exceeded D O4"}));
  rig.world.run_until(1s - 1ns);
  rig.send(order_bytes("O5"));
  EXPECT_EQ(rig.venue.log.size(), 1u);
  rig.world.run_until(1s);
  rig.send(order_bytes("O6"));
  EXPECT_EQ(words(rig.venue.log), (Words{"order O1 of 9/9", "order O6 of 9/9"}));
}

TEST(ServerSession, logs_out_who_stays_above_the_rate_for_three_seconds_in_a_row) {
  ServerRig rig;
  rig.venue.throttle = 1;
  rig.log_on();
  for (const time::Duration second : {0s, 1s, 2s}) {
    rig.world.run_until(second + 500ms);
    EXPECT_TRUE(rig.session.is_logged_on());
    rig.send(order_bytes("O") + order_bytes("P"));
  }
  EXPECT_FALSE(rig.session.is_logged_on());
  EXPECT_EQ(rig.venue.log.back(), (Line{2500ms, "end forced"}));
  EXPECT_EQ(rig.peer.log.back(), (Line{2500ms, "5 message rate"}));
  rig.world.run_until(3500ms);
  EXPECT_EQ(rig.peer.log.back(), (Line{3500ms, "closed"})) << "within a second";
}

TEST(ServerSession, forgives_after_a_second_within_the_rate) {
  ServerRig rig;
  rig.venue.throttle = 1;
  rig.log_on();
  for (int second = 0; second < 30; ++second) {
    rig.world.run_until(second * 1s + 500ms);
    rig.send(order_bytes("O"));
    if (second % 3 != 2) rig.send(order_bytes("P"));  // two seconds too many, one not
  }
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ServerSession, forgives_after_a_second_without_messages) {
  ServerRig rig;
  rig.venue.throttle = 1;
  rig.log_on();
  for (int turn = 0; turn < 6; ++turn) {
    rig.world.run_until(turn * 2s + 500ms);
    rig.send(order_bytes("O") + order_bytes("P"));
  }
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ServerSession, honours_a_logout_above_the_rate) {
  ServerRig rig;
  rig.venue.throttle = 1;
  rig.log_on();
  rig.send(order_bytes("O1") + logout_bytes());
  EXPECT_EQ(words(rig.venue.log), (Words{"order O1 of 9/9", "end logout"}));
}

TEST(ServerSession, throttles_before_the_logon_as_its_options_say) {
  ServerRig rig({.throttle = 1});
  rig.send(heartbeat_bytes() + heartbeat_bytes());
  EXPECT_EQ(words(rig.peer.log), (Words{"3 20901 not logged on 0 ", "3 20903 message rate exceeded 0 "}));
}

// Sending ------------------------------------------------------------------------------------------------------------

TEST(ServerSession, sends_reports_only_to_a_user_that_is_logged_on) {
  ServerRig rig;
  EXPECT_FALSE(rig.session.send(report_of(1, 1)));
  EXPECT_FALSE(rig.session.send(Reject{}));
  rig.log_on();
  EXPECT_TRUE(rig.session.send(report_of(1, 1)));
  EXPECT_TRUE(rig.session.send(Reject{1000, Text<30>::cut("OrderQty"), 'G', Text<20>::cut("X")}));
  rig.world.settle();
  EXPECT_EQ(words(rig.peer.log), (Words{"8 A 1", "3 1000 OrderQty G X"}));
}

TEST(ServerSession, sends_a_code_of_the_callers_choice) {
  ServerRig rig;
  rig.log_on();
  market::OwnerReport report;
  report.kind = market::OwnerReportKind::business_rejected;
  report.reason = market::Reason::unknown_instrument;
  EXPECT_TRUE(rig.session.send(report));
  EXPECT_TRUE(rig.session.send(report, 9998));
  rig.world.settle();
  ASSERT_EQ(rig.peer.messages.size(), 3u);
  EXPECT_EQ(load(rig.peer.messages[1], lse_21_2::BusinessReject::reject_code), 9000);
  EXPECT_EQ(load(rig.peer.messages[2], lse_21_2::BusinessReject::reject_code), 9998);
}

TEST(ServerSession, says_when_there_is_no_room_and_when_there_is_some_again) {
  ServerRig rig({}, {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.log_on();
  rig.world.network.pause(rig.peer);
  std::uint64_t sent = 0;
  for (int round = 0; round < 40; ++round) {
    while (rig.session.send(report_of(1, sent + 1))) ++sent;
    rig.world.settle();
  }
  EXPECT_TRUE(rig.session.is_logged_on()) << "no room is the caller's affair";
  EXPECT_GT(rig.session.unsent(), 0u);
  rig.world.network.resume(rig.peer);
  rig.world.settle();
  EXPECT_EQ(rig.peer.log.size(), sent) << "nothing that was accepted is lost";
  ASSERT_FALSE(rig.venue.log.empty());
  EXPECT_EQ(rig.venue.log.front().what, "writable");
}

TEST(ServerSession, gives_up_a_client_that_does_not_read_its_rejects) {
  ServerRig rig({}, {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.log_on();
  rig.world.network.pause(rig.peer);
  for (int count = 0; count < 50; ++count) rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_held()) << "what cannot be answered is not read";
  const Time held = rig.world.scheduler.now();
  rig.world.run_until(held - k_start + 9s);
  EXPECT_TRUE(rig.session.is_connected());
  rig.world.run_until(held - k_start + 11s);
  EXPECT_FALSE(rig.session.is_connected());
  EXPECT_EQ(words(rig.venue.log), (Words{"end disconnect", "free"}));
}

TEST(ServerSession, gives_up_at_once_who_does_not_read_its_rejects_before_a_logon) {
  ServerRig rig({}, {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.world.network.pause(rig.peer);
  for (int count = 0; count < 50 && rig.session.is_connected(); ++count) rig.send(order_bytes("A"));
  EXPECT_FALSE(rig.session.is_connected());
  EXPECT_EQ(words(rig.venue.log), (Words{"free"}));
}

TEST(ServerSession, answers_every_message_of_a_client_that_reads_late) {
  ServerRig rig({}, {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.log_on();
  rig.world.network.pause(rig.peer);
  for (int count = 0; count < 50; ++count) rig.send(logon_bytes());
  EXPECT_TRUE(rig.session.is_held());
  rig.world.network.resume(rig.peer);
  for (int count = 0; count < 50; ++count) rig.world.settle();
  EXPECT_FALSE(rig.session.is_held());
  EXPECT_EQ(rig.peer.log.size(), 50u);
  for (const Line& line : rig.peer.log) EXPECT_TRUE(line.what.starts_with("3 ")) << line.what;
}

TEST(ServerSession, reads_nothing_while_its_handler_holds_it_and_does_not_call_that_silence) {
  ServerRig rig;
  rig.log_on();
  rig.session.hold();
  rig.send(order_bytes("A"));
  rig.world.run_until(60s);
  EXPECT_TRUE(rig.session.is_logged_on());
  EXPECT_TRUE(rig.venue.log.empty());
  rig.session.resume();
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), (Words{"order A of 9/9"}));
  // Silence counts from here on.
  rig.world.run_until(60s + 14s);
  EXPECT_TRUE(rig.session.is_logged_on());
  rig.world.run_until(60s + 16s);
  EXPECT_FALSE(rig.session.is_logged_on());
}

TEST(ServerSession, hears_the_logout_of_a_client_that_was_held_when_it_is_logged_out) {
  ServerRig rig;
  rig.log_on();
  rig.session.hold();
  rig.session.logout("enough");
  EXPECT_FALSE(rig.session.is_held());
  rig.world.settle();
  rig.peer.close();
  rig.world.settle();
  EXPECT_FALSE(rig.session.is_connected());
}

TEST(ServerSession, ends_when_a_report_cannot_be_carried) {
  ServerRig rig;
  rig.log_on();
  EXPECT_FALSE(rig.session.send(report_of(1, std::uint64_t{1} << 31)));
  EXPECT_TRUE(rig.venue.log.empty());
  rig.world.settle();
  EXPECT_EQ(words(rig.venue.log), Words{"end forced"});
  EXPECT_EQ(words(rig.peer.log), Words{"5 report not carried"});
}

// Deliveries ---------------------------------------------------------------------------------------------------------

/// What the venue and the client see when the same bytes arrive in pieces.
std::pair<Words, Words> seen_in_pieces(const FrameBytes& bytes, const std::vector<std::size_t>& cuts) {
  ServerRig rig({}, {.delay = time::Duration{0}});
  rig.venue.answers = true;
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    rig.send({bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end)});
    begin = end;
  }
  rig.send({bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end()});
  return {words(rig.venue.log), words(rig.peer.log)};
}

TEST(ServerSession, does_not_depend_on_how_bytes_are_delivered) {
  FrameBytes bad = order_bytes("O2");
  store(Room(bad), lse_21_2::NewOrder::side, std::uint8_t{7});
  const FrameBytes bytes = heartbeat_bytes() + logon_bytes() + order_bytes("O1") + bad + logon_bytes() +
                           order_bytes("O3") + FrameBytes(4, std::byte{0x02}) + order_bytes("O4");
  const auto whole = seen_in_pieces(bytes, {});
  EXPECT_EQ(whole.first, (Words{"logon DOJIMA01", "order O1 of 9/9", "order O3 of 9/9", "end forced"}));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) EXPECT_EQ(seen_in_pieces(bytes, {cut}), whole) << cut;
  std::vector<std::size_t> every_byte;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) every_byte.push_back(cut);
  EXPECT_EQ(seen_in_pieces(bytes, every_byte), whole);
}

}  // namespace
}  // namespace dojima::mit
