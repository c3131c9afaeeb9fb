#include "dojima/mit/client_session.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

#include "dojima/mit/dialects/known_answers_test.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/sessions/session_test_support.hpp"

namespace dojima::mit {
namespace {

using Words = std::vector<std::string>;

const lse_21_2::NewOrder k_order_layout{};

FrameBytes logon_reply_bytes(std::int32_t code = 0) {
  return octets([&](Room room) { return lse_21_2::k_dialect.encode_logon_reply({.code = code, .days = 30}, room); });
}

FrameBytes report_bytes(const market::OwnerReport& report, std::int32_t code = 0) {
  return octets([&](Room room) { return lse_21_2::k_dialect.encode_report(report, code, room); });
}

/// A member's session and a raw venue that it is connected to.
struct Rig {
  explicit Rig(const ClientOptions& options = {.user = "DOJIMA01", .password = "Secret#2026"},
               link::SimulatedNetworkOptions network = {.delay = time::Duration{0}})
      : world(network), session(options, lse_21_2::k_dialect, world.scheduler, member) {
    EXPECT_TRUE(world.network.listen(k_venue, acceptor));
    connect();
  }

  void connect() {
    world.network.connect(k_venue, session);
    world.settle();
  }
  /// The venue sends.
  void send(const FrameBytes& bytes) {
    venue.send(bytes);
    world.settle();
  }
  void log_on() {
    send(logon_reply_bytes());
    ASSERT_TRUE(session.is_logged_on());
    member.log.clear();
    venue.messages.clear();
    venue.log.clear();
  }
  /// Types of the messages that the venue received.
  [[nodiscard]] std::string types() const {
    std::string all;
    for (const FrameBytes& message : venue.messages) all += load_little<char>(message, k_type_offset);
    return all;
  }

  World world;
  MemberStub member;
  ClientSession session;
  RawPeer venue;
  OneSession acceptor{venue};
};

/// The two passwords of a Logon.
std::string passwords_in(const FrameBytes& message) {
  Inbound request;
  Reject refusal;
  EXPECT_TRUE(lse_21_2::k_dialect.decode_request(message, request, refusal));
  return std::string(request.logon.password.view()) + ">" + std::string(request.logon.new_password.view());
}

TEST(ClientSession, counts_what_the_venue_has_not_answered) {
  Rig rig;
  rig.log_on();
  for (const char* id : {"A", "B", "C", "D"}) ASSERT_TRUE(rig.session.send(order_of(id)));
  EXPECT_EQ(rig.session.unanswered(), 4u);
  rig.send(report_bytes(report_of(1, 1, "A")));
  EXPECT_EQ(rig.session.unanswered(), 4u) << "its owner knows what a report is about";
  rig.session.count_answer();
  EXPECT_EQ(rig.session.unanswered(), 3u);
  const auto reject = [&](char type) {
    rig.send(octets([=](Room room) {
      return lse_21_2::k_dialect.encode_reject({.code = 9900, .type = type, .client_order_id = Text<20>::cut("B")},
                                               room);
    }));
  };
  reject('D');
  EXPECT_EQ(rig.session.unanswered(), 2u);
  for (const char type : {'S', 'q'}) {
    reject(type);
    EXPECT_EQ(rig.session.unanswered(), 2u) << "quotes and mass cancels are not counted: " << type;
  }
  rig.venue.close();
  rig.world.settle();
  EXPECT_EQ(rig.session.unanswered(), 0u) << "nothing is awaited of a venue that is gone";
}

TEST(ClientSession, reads_nothing_while_its_owner_wants_nothing_and_does_not_call_that_silence) {
  Rig rig;
  rig.log_on();
  rig.session.set_reading(false);
  rig.send(report_bytes(report_of(1, 1, "A")));
  rig.world.run_until(60s);
  EXPECT_TRUE(rig.session.is_logged_on());
  EXPECT_TRUE(rig.member.log.empty());
  rig.session.set_reading(true);
  rig.world.settle();
  EXPECT_EQ(rig.member.log.size(), 1u);
  rig.world.run_until(60s + 16s);
  EXPECT_FALSE(rig.session.is_logged_on());
}

TEST(ClientSession, says_when_there_is_little_room_left) {
  Rig rig({.user = "DOJIMA01", .password = "Secret#2026"},
          {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.log_on();
  rig.world.network.pause(rig.venue);
  int sent = 0;
  for (; sent < 100 && !rig.session.is_crowded(); ++sent) {
    ASSERT_TRUE(rig.session.send(order_of("A")));
    rig.world.settle();
  }
  EXPECT_LT(sent, 40);
  ASSERT_TRUE(rig.session.send(order_of("B"))) << "some room is left";
  rig.world.network.resume(rig.venue);
  rig.world.settle();
  EXPECT_FALSE(rig.session.is_crowded());
}

TEST(ClientSession, goes_over_to_a_new_password_when_the_venue_has_taken_it) {
  Rig rig({.user = "DOJIMA01", .password = "Secret#2026", .new_password = "Other#2026"});
  EXPECT_EQ(passwords_in(rig.venue.messages.at(0)), "Secret#2026>Other#2026");
  EXPECT_FALSE(rig.session.has_changed_password());
  rig.log_on();
  EXPECT_TRUE(rig.session.has_changed_password());
  EXPECT_EQ(rig.session.password(), "Other#2026");
  rig.venue.close();
  rig.world.settle();
  rig.connect();
  EXPECT_EQ(passwords_in(rig.venue.messages.at(0)), "Other#2026>");
  rig.send(logon_reply_bytes());
  EXPECT_FALSE(rig.session.has_changed_password());
}

TEST(ClientSession, keeps_its_password_when_the_venue_refuses_the_new_one) {
  Rig rig;
  rig.log_on();
  rig.session.change_password("short");
  rig.venue.close();
  rig.world.settle();
  rig.connect();
  EXPECT_EQ(passwords_in(rig.venue.messages.at(0)), "Secret#2026>short");
  rig.send(logon_reply_bytes(14));
  EXPECT_EQ(rig.session.password(), "Secret#2026");
  EXPECT_EQ(rig.session.new_password(), "short");
  rig.session.change_password("");
  rig.connect();
  EXPECT_EQ(passwords_in(rig.venue.messages.at(1)), "Secret#2026>");
  EXPECT_THROW(rig.session.change_password(std::string(26, 'x')), std::invalid_argument);
  EXPECT_THROW(rig.session.set_password(""), std::invalid_argument);
}

TEST(ClientSession, logs_on_when_its_connection_opens) {
  Rig rig;
  ASSERT_EQ(rig.venue.messages.size(), 1u);
  EXPECT_EQ(rig.venue.messages[0], bytes_of(known_answers()[0].hex));
  EXPECT_FALSE(rig.session.is_logged_on());
  rig.send(logon_reply_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
  EXPECT_EQ(words(rig.member.log), Words{"logged on, 30 days"});
}

TEST(ClientSession, asks_for_a_new_password) {
  Rig rig({.user = "U", .password = "P", .new_password = "Q"});
  EXPECT_EQ(load(rig.venue.messages[0], lse_21_2::Logon::new_password).view(), "Q");
}

TEST(ClientSession, refuses_credentials_that_no_logon_can_carry) {
  World world;
  MemberStub member;
  const auto make = [&](const ClientOptions& options) {
    ClientSession(options, lse_21_2::k_dialect, world.scheduler, member);
  };
  EXPECT_THROW(make({.user = "", .password = "P"}), std::invalid_argument);
  EXPECT_THROW(make({.user = "U", .password = ""}), std::invalid_argument);
  EXPECT_THROW(make({.user = std::string(26, 'U'), .password = "P"}), std::invalid_argument);
  EXPECT_THROW(make({.user = "U", .password = "caf\xe9"}), std::invalid_argument);
  EXPECT_NO_THROW(make({.user = std::string(25, 'U'), .password = "P"}));
}

TEST(ClientSession, reports_a_refused_logon_and_closes) {
  Rig rig;
  rig.send(logon_reply_bytes(8));
  EXPECT_EQ(words(rig.member.log), (Words{"refused 8", "end (closed by us) logon refused"}));
  EXPECT_FALSE(rig.venue.is_open());
}

TEST(ClientSession, reports_a_logon_that_breaks_a_rule_and_closes) {
  Rig rig;
  rig.send(octets(
      [](Room room) { return lse_21_2::k_dialect.encode_reject({9901, Text<30>::cut("Password"), 'A', {}}, room); }));
  EXPECT_EQ(words(rig.member.log), (Words{"reject 9901 Password", "end (closed by us) logon rejected"}));
}

TEST(ClientSession, reports_a_connection_that_is_dropped_without_a_reply) {
  Rig rig;
  rig.venue.close();
  rig.world.settle();
  EXPECT_EQ(words(rig.member.log), Words{"end (closed by the peer) "});
}

TEST(ClientSession, reports_a_connection_that_could_not_be_made) {
  World world;
  MemberStub member;
  ClientSession session({.user = "U", .password = "P"}, lse_21_2::k_dialect, world.scheduler, member);
  world.network.connect({"nobody", 1}, session);
  world.settle();
  EXPECT_EQ(words(member.log), Words{"end (connection refused) "});
}

TEST(ClientSession, closes_a_connection_that_has_no_room_for_its_logon) {
  Rig rig({.user = "U", .password = "P"}, {.delay = time::Duration{0}, .input_capacity = 16, .output_capacity = 16});
  EXPECT_EQ(words(rig.member.log), Words{"end (closed by us) no room for the logon"});
  EXPECT_EQ(rig.types(), "");
}

TEST(ClientSession, gives_up_a_venue_that_does_not_answer_the_logon) {
  Rig rig;
  rig.world.run_until(6s - 1ns);
  EXPECT_TRUE(rig.session.is_connected());
  rig.world.run_until(6s);
  EXPECT_EQ(rig.member.log, (Log{{6s, "end (closed by us) no answer to the logon"}}));
}

TEST(ClientSession, takes_a_logout_as_the_answer_to_its_logon) {
  Rig rig;
  rig.send(logout_bytes("closed today"));
  EXPECT_EQ(words(rig.member.log), Words{"end (closed by us) closed today"});
}

// Heartbeats and silence ---------------------------------------------------------------------------------------------

TEST(ClientSession, sends_a_heartbeat_when_it_sent_nothing_else_for_an_interval) {
  Rig rig;
  rig.log_on();
  rig.world.run_until(2s);
  ASSERT_TRUE(rig.session.send(order_of("O1")));
  rig.world.run_until(5s - 1ns);
  EXPECT_EQ(rig.types(), "D");
  rig.world.run_until(8s);
  EXPECT_EQ(rig.types(), "D00");
  EXPECT_EQ(rig.venue.log.back().at, time::Duration{8s});
}

TEST(ClientSession, sends_no_heartbeats_before_it_is_logged_on) {
  Rig rig;
  rig.world.run_until(5s);
  EXPECT_EQ(rig.types(), "A");
}

TEST(ClientSession, gives_a_silent_venue_up_after_five_intervals) {
  Rig rig;
  rig.log_on();
  rig.world.run_until(5s);
  rig.send(heartbeat_bytes());
  rig.world.run_until(20s - 1ns);
  EXPECT_TRUE(rig.session.is_logged_on());
  rig.world.run_until(20s);
  EXPECT_EQ(rig.member.log, (Log{{20s, "end (closed by us) the venue fell silent"}}));
  EXPECT_EQ(rig.types(), "0000005") << "a Logout comes before the end";
}

// Commands -----------------------------------------------------------------------------------------------------------

TEST(ClientSession, sends_commands_once_it_is_logged_on) {
  Rig rig;
  EXPECT_EQ(rig.session.send(order_of("O1")).error().code, ErrorCode::wrong_state);
  rig.log_on();
  EXPECT_TRUE(rig.session.send(order_of("O1")));
  EXPECT_TRUE(rig.session.send(replace_of("R1", "O1")));
  EXPECT_TRUE(rig.session.send(cancel_of("C1", "R1")));
  rig.world.settle();
  EXPECT_EQ(rig.types(), "DGF");
  EXPECT_EQ(load(rig.venue.messages[2], lse_21_2::OrderCancelRequest::client_order_id).view(), "C1");
}

TEST(ClientSession, sends_nothing_of_a_command_that_the_dialect_cannot_carry) {
  Rig rig;
  rig.log_on();
  const Result<void> sent = rig.session.send(order_of("O1", std::int64_t{1} << 31));
  EXPECT_EQ(sent.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(sent.error().offset, k_order_layout.order_qty.offset);
  rig.world.settle();
  EXPECT_EQ(rig.types(), "");
  EXPECT_TRUE(rig.session.is_logged_on());
}

TEST(ClientSession, says_when_there_is_no_room_and_when_there_is_some_again) {
  Rig rig({.user = "U", .password = "P"},
          {.delay = time::Duration{0}, .input_capacity = 1024, .output_capacity = 1024});
  rig.log_on();
  rig.world.network.pause(rig.venue);
  std::size_t sent = 0;
  for (int round = 0; round < 10; ++round) {
    while (rig.session.send(order_of("O"))) ++sent;
    EXPECT_EQ(rig.session.send(order_of("O")).error().code, ErrorCode::no_room);
    rig.world.settle();
  }
  rig.world.network.resume(rig.venue);
  rig.world.settle();
  EXPECT_EQ(rig.types(), std::string(sent, 'D'));
  ASSERT_FALSE(rig.member.log.empty());
  EXPECT_EQ(rig.member.log.front().what, "writable");
}

// Reports ------------------------------------------------------------------------------------------------------------

TEST(ClientSession, hands_over_reports_and_rejects) {
  Rig rig;
  rig.log_on();
  market::OwnerReport rejected = report_of(1, 5, "B");
  rejected.kind = market::OwnerReportKind::rejected;
  rig.send(report_bytes(report_of(1, 4)) + report_bytes(rejected, 9100) + octets([](Room room) {
             return lse_21_2::k_dialect.encode_reject({1000, Text<30>::cut("OrderQty"), 'G', {}}, room);
           }));
  EXPECT_EQ(words(rig.member.log), (Words{"report A 1:4 code 0", "report B 1:5 code 9100", "reject 1000 OrderQty"}));
}

TEST(ClientSession, takes_gaps_in_the_numbers_as_normal) {
  Rig rig;
  rig.log_on();
  rig.send(report_bytes(report_of(1, 10)) + report_bytes(report_of(2, 3)) + report_bytes(report_of(1, 500)));
  EXPECT_EQ(rig.member.log.size(), 3u);
  EXPECT_EQ(rig.session.highest_sequence(1).value, 500u);
  EXPECT_EQ(rig.session.highest_sequence(2).value, 3u);
  EXPECT_EQ(rig.types(), "") << "nothing is requested";
}

TEST(ClientSession, drops_what_it_has_seen_after_a_new_connection) {
  Rig rig;
  rig.log_on();
  rig.send(report_bytes(report_of(1, 10)) + report_bytes(report_of(2, 4)));
  rig.venue.close();
  rig.world.settle();
  rig.connect();
  rig.log_on();
  rig.send(report_bytes(report_of(1, 9)) + report_bytes(report_of(1, 10)) + report_bytes(report_of(1, 11)) +
           report_bytes(report_of(2, 5)));
  EXPECT_EQ(words(rig.member.log), (Words{"report A 1:11 code 0", "report A 2:5 code 0"}));
  EXPECT_EQ(rig.session.duplicates(), 2u);
}

TEST(ClientSession, never_drops_what_is_not_numbered) {
  Rig rig;
  rig.log_on();
  market::OwnerReport report = report_of(0, 0);
  report.kind = market::OwnerReportKind::business_rejected;
  rig.send(report_bytes(report) + report_bytes(report));
  EXPECT_EQ(rig.member.log.size(), 2u);
}

TEST(ClientSession, forgets_numbers_on_request) {
  Rig rig;
  rig.log_on();
  rig.send(report_bytes(report_of(1, 10)));
  rig.session.forget_sequences();
  rig.send(report_bytes(report_of(1, 1)));
  EXPECT_EQ(rig.member.log.size(), 2u);
}

TEST(ClientSession, drops_a_message_that_it_does_not_understand_and_goes_on) {
  Rig rig;
  rig.log_on();
  FrameBytes restated = report_bytes(report_of(1, 4));
  store(Room(restated), lse_21_2::ExecutionReport::exec_type, 'L');
  rig.send(bytes_of("0202004e00") + bytes_of("0202005009") + restated + logon_reply_bytes() +
           report_bytes(report_of(1, 5)));
  EXPECT_EQ(words(rig.member.log), (Words{"trouble: wrong state", "trouble: out of range", "trouble: not supported",
                                          "trouble: wrong state", "report A 1:5 code 0"}))
      << "answers of the recovery channel, one of them wrong, a report of another kind, a second LogonReply";
}

TEST(ClientSession, hands_over_the_status_of_a_partition) {
  Rig rig;
  rig.log_on();
  rig.send(bytes_of("0203006e0203"));
  EXPECT_EQ(words(rig.member.log), Words{"status 2 3"});
}

// Endings ------------------------------------------------------------------------------------------------------------

TEST(ClientSession, says_goodbye_and_takes_reports_until_the_venue_answers) {
  Rig rig;
  rig.log_on();
  rig.session.logout("done for today");
  EXPECT_EQ(rig.session.send(order_of("O1")).error().code, ErrorCode::wrong_state);
  rig.world.settle();
  EXPECT_EQ(rig.types(), "5");
  rig.send(report_bytes(report_of(1, 1)));
  rig.world.run_until(1s);
  rig.send(logout_bytes("logged out"));
  EXPECT_EQ(rig.member.log, (Log{{0s, "report A 1:1 code 0"}, {1s, "end (closed by us) done for today"}}));
  EXPECT_FALSE(rig.venue.is_open());
}

TEST(ClientSession, closes_when_the_venue_does_not_answer_its_goodbye) {
  Rig rig;
  rig.log_on();
  rig.session.logout("");
  rig.world.run_until(3s - 1ns);
  EXPECT_TRUE(rig.member.log.empty());
  rig.world.run_until(3s);
  EXPECT_EQ(rig.member.log, (Log{{3s, "end (closed by us) the venue did not answer"}}));
}

TEST(ClientSession, answers_the_venues_goodbye_and_closes) {
  Rig rig;
  rig.log_on();
  rig.send(logout_bytes("end of day") + report_bytes(report_of(1, 1)));
  EXPECT_EQ(rig.types(), "5");
  EXPECT_EQ(words(rig.member.log), Words{"end (closed by us) end of day"});
}

TEST(ClientSession, closes_at_once_when_logged_out_before_it_is_logged_on) {
  Rig rig;
  rig.session.logout("changed my mind");
  EXPECT_TRUE(rig.member.log.empty()) << "the handler is not called back from its own call";
  rig.world.settle();
  EXPECT_EQ(words(rig.member.log), Words{"end (closed by us) changed my mind"});
  rig.session.logout("again");
  rig.world.run_until(60s);
  EXPECT_EQ(rig.member.log.size(), 1u);
}

TEST(ClientSession, ends_a_stream_that_is_out_of_step) {
  Rig rig;
  rig.log_on();
  rig.send(report_bytes(report_of(1, 1)) + FrameBytes{std::byte{9}});
  EXPECT_EQ(rig.types(), "5");
  EXPECT_EQ(words(rig.member.log),
            (Words{"report A 1:1 code 0", "end (closed by us) the venue's bytes are no messages"}));
}

TEST(ClientSession, can_be_connected_again_from_inside_its_end) {
  Rig rig;
  rig.member.at_end = [&](ClientSession& session) { rig.world.network.connect(k_venue, session); };
  rig.log_on();
  rig.world.network.cut(rig.session);
  rig.world.settle();
  EXPECT_TRUE(rig.session.is_connected());
  rig.send(logon_reply_bytes());
  EXPECT_TRUE(rig.session.is_logged_on());
  rig.member.at_end = nullptr;
}

TEST(ClientSession, does_not_depend_on_how_bytes_are_delivered) {
  const FrameBytes bytes = logon_reply_bytes() + report_bytes(report_of(1, 1)) + bytes_of("0202004e00") +
                           heartbeat_bytes() + report_bytes(report_of(1, 1)) + report_bytes(report_of(1, 2)) +
                           logout_bytes("end");
  const auto seen = [&](std::size_t cut, bool is_dripping) {
    Rig rig;
    const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(cut);
    rig.send({bytes.begin(), middle});
    for (auto at = middle; is_dripping && at != bytes.end(); ++at) rig.send({*at});
    if (!is_dripping) rig.send({middle, bytes.end()});
    return words(rig.member.log);
  };
  const Words whole = seen(0, false);
  EXPECT_EQ(whole.back(), "end (closed by us) end");
  EXPECT_EQ(whole.size(), 5u);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) EXPECT_EQ(seen(cut, false), whole) << cut;
  EXPECT_EQ(seen(0, true), whole);
}

}  // namespace
}  // namespace dojima::mit
