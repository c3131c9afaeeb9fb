// What a session does with messages that break a rule, what its profile changes, and what versions do not have. Scripts
// in virtual time.

#include <gtest/gtest.h>

#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::logged_on;
using testing::Peer;
using testing::stamp;
using testing::Texts;
using testing::wire;
using namespace std::chrono_literals;

TEST(FixRules, an_empty_header_field_is_reason_4_before_the_names_are_judged) {
  Peer peer;
  logged_on(peer);
  peer.send_raw(framed("35=0|34=2|49=|52=" + stamp(peer.now) + "|56=VENUE|"));
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Tag specified without a value|371=49|372=0|373=4|"});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  EXPECT_TRUE(peer.session.is_logged_on());
}

TEST(FixRules, tag_0_and_negative_tags_are_reason_0_with_that_number) {
  Peer peer;
  logged_on(peer);
  peer.send("D", 2, peer.order("a") + "0=HI|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Invalid tag number|371=0|372=D|373=0|"});
  peer.send("D", 3, "-1=HI|" + peer.order("a"));
  EXPECT_EQ(peer.take(), Texts{"35=3|34=3|45=3|58=Invalid tag number|371=-1|372=D|373=0|"});
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

TEST(FixRules, a_tag_of_the_users_own_passes_where_it_was_agreed_and_is_reason_0_elsewhere) {
  Peer strict;
  logged_on(strict);
  strict.send("D", 2, strict.order("a") + "5000=HI|");
  EXPECT_EQ(strict.take(), Texts{"35=3|34=2|45=2|58=Invalid tag number|371=5000|372=D|373=0|"});
  Peer agreed({.checks = {.user_tags = true}});
  logged_on(agreed);
  agreed.send("D", 2, agreed.order("a") + "5000=HI|");
  EXPECT_EQ(agreed.handler.take(), Texts{"message D a"});
}

TEST(FixRules, the_structure_of_a_message_is_judged_before_its_values) {
  Peer peer;
  logged_on(peer);
  peer.send("D", 2, "11=a|21=9|38=x|40=2|44=12.5|54=1|55=RICE|60=" + stamp(peer.now) + "|11=b|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Tag appears more than once|371=11|372=D|373=13|"});
  peer.send("D", 3, "11=a|21=9|38=x|40=2|44=12.5|54=1|55=RICE|60=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=3|45=3|58=Value is incorrect (out of range) for this tag|371=21|372=D|373=5|"});
}

TEST(FixRules, a_group_whose_count_is_no_number_has_a_wrong_format_not_a_wrong_count) {
  Peer peer;
  logged_on(peer);
  peer.send("D", 2, peer.order("a") + "78=x|79=acct|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Incorrect data format for value|371=78|372=D|373=6|"});
}

TEST(FixRules, a_message_larger_than_the_session_reads_ends_it_and_the_logout_says_so) {
  Peer peer({.max_body = 600});
  logged_on(peer);
  peer.send_raw(wire("8=FIX.4.4|9=601|35=D|34=2|"));
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=BodyLength of 601 bytes exceeds the largest of 600|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.handler.troubles.back().code, ErrorCode::too_long);
}

TEST(FixRules, a_logon_can_name_the_largest_message_and_the_peers_is_kept_to) {
  Peer peer({.max_body = 2000, .announces_max_message_size = true});
  peer.connect();
  peer.log_on(1, "383=512|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|383=2000|"});
  Writer big = peer.session.begin(type::k_execution_report);
  big.field(tag::k_text, std::string(500, 'x'));
  const auto sent = peer.session.send(big);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::no_room);
  EXPECT_EQ(peer.session.next_outgoing().value, 2u);
  Writer small = peer.session.begin(type::k_execution_report);
  small.field(tag::k_text, "x");
  EXPECT_TRUE(peer.session.send(small));
}

TEST(FixRules, a_largest_message_too_small_for_a_session_is_refused_in_words) {
  Peer peer;
  peer.connect();
  peer.log_on(1, "383=100|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=1|58=MaxMessageSize(383) must be at least 512 bytes|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixRules, garbled_messages_are_rejected_where_it_is_wanted) {
  Peer peer({.rejects_garbled = true});
  logged_on(peer);
  std::string bytes = peer.message("D", 2, peer.order("a"));
  bytes[bytes.size() - 2] = bytes[bytes.size() - 2] == '0' ? '1' : '0';
  peer.send_raw(bytes);
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=garbled message: CheckSum of the bytes before it is missing|"});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  Peer silent;
  logged_on(silent);
  silent.send_raw(bytes);
  EXPECT_EQ(silent.take(), Texts{});
  EXPECT_EQ(silent.session.next_incoming().value, 2u);
}

TEST(FixRules, a_peer_whose_messages_are_all_refused_is_stopped) {
  Peer peer({.rejects_in_a_row = 3});
  logged_on(peer);
  peer.send("D", 2);
  peer.send("D", 3);
  peer.send("D", 4, peer.order("good"));
  peer.send("D", 5);
  peer.send("D", 6);
  EXPECT_FALSE(peer.transport.closed());
  peer.take();
  peer.send("D", 7);
  EXPECT_EQ(peer.take().back(), "35=5|34=7|58=too many messages refused one after the other|");
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixRules, reads_stamps_of_twelve_decimals) {
  Peer peer;
  logged_on(peer);
  peer.send_raw(framed("35=1|34=2|49=ME|52=20260720-12:00:00.123456789012|56=VENUE|112=x|"));
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|112=x|"});
}

TEST(FixProfile, canonical_a_logout_behind_a_reject_says_nothing_more) {
  Peer canonical({.profile = Profile::canonical});
  logged_on(canonical);
  canonical.send_raw(framed("35=0|34=2|49=YOU|52=" + stamp(canonical.now) + "|56=VENUE|"));
  EXPECT_EQ(canonical.take(), (Texts{"35=3|34=2|45=2|58=CompID problem|372=0|373=9|", "35=5|34=3|"}));
  Peer compact;
  logged_on(compact);
  compact.send_raw(framed("35=0|34=2|49=YOU|52=" + stamp(compact.now) + "|56=VENUE|"));
  EXPECT_EQ(compact.take(), (Texts{"35=3|34=2|45=2|58=CompID problem|372=0|373=9|", "35=5|34=3|58=CompID problem|"}));
}

TEST(FixProfile, canonical_no_heartbeat_while_our_test_request_is_open) {
  Peer canonical({.profile = Profile::canonical});
  logged_on(canonical);
  canonical.run_for(30s);
  EXPECT_EQ(canonical.take(), Texts{"35=0|34=2|"});
  canonical.run_for(6s);
  EXPECT_EQ(canonical.take(), Texts{"35=1|34=3|112=TEST|"});
  canonical.run_for(31s);
  EXPECT_EQ(canonical.take(), Texts{});
  canonical.send("0", 2, "112=TEST|");
  canonical.run_for(30s);
  EXPECT_EQ(canonical.take(), Texts{"35=0|34=4|"});
}

TEST(FixProfile, canonical_writes_milliseconds_at_most) {
  Peer canonical({.timestamp_decimals = 9, .profile = Profile::canonical});
  EXPECT_EQ(canonical.session.config().timestamp_decimals, 3u);
}

TEST(FixProfile, silence_is_measured_by_the_multipliers) {
  Peer peer({.test_request_percent = 200, .give_up_percent = 300});
  logged_on(peer);
  peer.run_for(59s);
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|"});
  peer.run_for(1s);
  EXPECT_EQ(peer.take().back(), "35=1|34=3|112=TEST|");
  peer.run_for(29s);
  EXPECT_FALSE(peer.transport.closed());
  peer.run_for(1s);
  EXPECT_TRUE(peer.transport.closed());
}

SessionConfig named() {
  return {
      .sender_sub_id = "DESK", .sender_location_id = "OSAKA", .target_sub_id = "TRADER", .target_location_id = "KYOTO"};
}

TEST(FixNames, further_names_are_written_and_demanded) {
  Peer peer(named());
  peer.connect();
  peer.send_raw(
      framed("35=A|34=1|49=ME|50=TRADER|52=" + stamp(peer.now) + "|56=VENUE|57=DESK|142=KYOTO|143=OSAKA|98=0|108=30|"));
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|50=DESK|57=TRADER|142=OSAKA|143=KYOTO|98=0|108=30|"});
  peer.send_raw(framed("35=0|34=2|49=ME|50=TRADER|52=" + stamp(peer.now) + "|56=VENUE|57=DESK|142=KYOTO|"));
  EXPECT_EQ(peer.take(), (Texts{"35=3|34=2|50=DESK|57=TRADER|142=OSAKA|143=KYOTO|45=2|58=CompID problem|372=0|373=9|",
                                "35=5|34=3|50=DESK|57=TRADER|142=OSAKA|143=KYOTO|58=CompID problem|"}));
}

TEST(FixNames, a_duplicate_has_them_where_their_tags_belong) {
  Peer peer(named());
  peer.connect();
  const std::string header = "|49=ME|50=TRADER|52=" + stamp(peer.now) + "|56=VENUE|57=DESK|142=KYOTO|143=OSAKA|";
  peer.send_raw(framed("35=A|34=1" + header + "98=0|108=30|"));
  Writer report = peer.session.begin(type::k_execution_report);
  report.field(tag::k_cl_ord_id, "a");
  ASSERT_TRUE(peer.session.send(report));
  peer.take();
  peer.send_raw(framed("35=2|34=2" + header + "7=2|16=2|"));
  EXPECT_EQ(peer.take(), Texts{"35=8|34=2|43=Y|50=DESK|57=TRADER|122=T|142=OSAKA|143=KYOTO|11=a|"});
}

/// A handler that decides on Logons.
struct Deciding : testing::NotingHandler {
  LogonDecision on_logon_request(Session&, const MessageView& logon, Time) override {
    const auto wanted = logon.find(tag::k_new_password);
    seen = std::string(logon.find(tag::k_username).value_or(""));
    if (!accepts) return {.is_accepted = false, .text = "not today"};
    return {.is_password_changed = wanted && wanted->size() >= 6};
  }
  bool accepts = true;
  std::string seen;
};

struct DecidedPeer : Peer {
  explicit DecidedPeer(SessionConfig config) : Peer(config), decided(scheduler, named(std::move(config)), deciding) {}
  ~DecidedPeer() {
    if (decided.is_connected()) decided.on_closed(link::CloseReason::by_peer, now);
  }
  void log_on_with(std::string_view rest) {
    transport.reopen();
    decided.on_open(transport, now);
    const std::string bytes =
        message("A", static_cast<unsigned>(decided.next_incoming().value), "98=0|108=30|" + std::string(rest));
    EXPECT_EQ(decided.on_bytes(as_bytes(bytes), now), bytes.size());
  }
  void close() { decided.on_closed(link::CloseReason::by_us, now); }
  Deciding deciding;
  Session decided;
};

TEST(FixAdmission, the_handler_decides_on_a_logon_that_kept_every_rule) {
  DecidedPeer peer({.refusal = Refusal::logout});
  peer.deciding.accepts = false;
  peer.log_on_with("553=me|141=Y|");
  EXPECT_EQ(peer.deciding.seen, "me");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=1|58=not today|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.decided.next_outgoing().value, 2u) << "who is refused resets nothing";
  EXPECT_EQ(peer.decided.refusal().code, ErrorCode::refused);
  peer.close();
  DecidedPeer silent({});
  silent.deciding.accepts = false;
  silent.log_on_with("");
  EXPECT_EQ(silent.take(), Texts{});
  EXPECT_TRUE(silent.transport.closed());
}

TEST(FixAdmission, a_password_is_changed_where_the_handler_takes_the_new_one) {
  DecidedPeer peer({.begin_string = "FIXT.1.1", .password = "first!"});
  peer.log_on_with("554=first!|925=second|1137=9|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|1137=9|1409=1|"});
  peer.close();
  peer.log_on_with("554=first!|1137=9|");
  EXPECT_TRUE(peer.transport.closed()) << "the old one is over";
  peer.close();
  peer.log_on_with("554=second|925=no|1137=9|");
  EXPECT_TRUE(peer.transport.closed()) << "the handler did not take it";
  peer.close();
  peer.log_on_with("554=second|1137=9|");
  EXPECT_TRUE(peer.decided.is_logged_on());
}

/// Credentials in memory.
struct NotedCredentials final : Credentials {
  bool is_right(const SessionName& name, std::string_view first, std::string_view password) override {
    EXPECT_EQ(name, (SessionName{"FIX.4.4", "VENUE", "ME"}));
    return password == (chosen.empty() ? first : chosen);
  }
  Result<void> change(const SessionName&, std::string_view first, std::string_view wanted) override {
    EXPECT_EQ(first, "first");
    if (is_full) return fail(ErrorCode::no_room);
    chosen = wanted;
    return {};
  }
  std::string chosen;
  bool is_full = false;
};

TEST(FixAdmission, a_peer_changes_its_password_where_there_is_somebody_who_keeps_it) {
  NotedCredentials credentials;
  const SessionConfig config{.password = "first", .credentials = &credentials};
  Peer peer(config);
  const auto log_on = [&peer](std::string_view fields) {
    peer.connect();
    peer.send("A", static_cast<unsigned>(peer.session.next_incoming().value), "98=0|108=30|" + std::string(fields));
    const bool is_logged_on = peer.session.is_logged_on();
    peer.session.disconnect();
    peer.finish_close();
    return is_logged_on;
  };
  EXPECT_FALSE(log_on("")) << "no password";
  EXPECT_FALSE(log_on("554=second|"));
  EXPECT_FALSE(log_on("554=second|925=third|"));
  EXPECT_EQ(credentials.chosen, "") << "only who knows the password changes it";
  EXPECT_TRUE(log_on("554=first|"));
  credentials.is_full = true;
  EXPECT_FALSE(log_on("554=first|925=second|")) << "what cannot be kept is not taken";
  EXPECT_EQ(peer.session.refusal().code, ErrorCode::no_room);
  credentials.is_full = false;
  EXPECT_TRUE(log_on("554=first|925=second|")) << "also in versions whose Logon has no such field";
  EXPECT_FALSE(log_on("554=first|"));
  EXPECT_TRUE(log_on("554=second|"));
}

TEST(FixAdmission, credentials_are_taken_in_every_version_where_they_are_configured) {
  for (const char* const version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    const std::string_view last = std::string_view(version) == "FIXT.1.1" ? "1137=9|" : "";
    const auto logs_on = [&](SessionConfig config, std::string_view fields) {
      config.begin_string = version;
      Peer peer(std::move(config));
      peer.connect();
      peer.log_on(1, std::string(fields) + std::string(last));
      return peer.session.is_logged_on();
    };
    const SessionConfig both{.username = "me", .password = "right"};
    EXPECT_TRUE(logs_on(both, "553=me|554=right|")) << version;
    EXPECT_TRUE(logs_on({.password = "right"}, "553=anybody|554=right|")) << version;
    EXPECT_TRUE(logs_on({.username = "me"}, "553=me|")) << version;
    EXPECT_FALSE(logs_on(both, "553=me|554=wrong|")) << version;
    EXPECT_FALSE(logs_on(both, "")) << version;
    const bool has_such_fields = std::string_view(version) >= "FIX.4.3";
    EXPECT_EQ(logs_on({}, "553=me|554=right|"), has_such_fields) << version << ": they were not agreed";
    EXPECT_EQ(logs_on(both, "553=me|554=right|55=RICE|"), false) << version << ": a tag of other messages";
  }
}

TEST(FixAdmission, no_password_is_chosen_where_none_is_demanded) {
  NotedCredentials credentials;
  Peer peer({.credentials = &credentials});
  peer.connect();
  peer.send("A", 1, "98=0|108=30|925=mine|");
  EXPECT_FALSE(peer.session.is_logged_on());
  EXPECT_EQ(credentials.chosen, "");
}

TEST(FixAdmission, wrong_credentials_can_be_answered_with_a_logout) {
  Peer peer({.password = "right", .refusal = Refusal::logout});
  peer.connect();
  peer.log_on(1, "554=wrong|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=1|58=field 554: expected the session's Username(553) and Password(554)|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixProbe, a_peer_that_answers_stays_and_one_that_does_not_is_dropped) {
  Peer peer;
  logged_on(peer);
  peer.session.probe(2s);
  EXPECT_EQ(peer.take(), Texts{"35=1|34=2|112=TEST|"});
  peer.session.probe(2s);
  EXPECT_EQ(peer.take(), Texts{}) << "one at a time";
  peer.send("0", 2, "112=TEST|");
  peer.run_for(10s);
  EXPECT_FALSE(peer.transport.closed());
  peer.session.probe(2s);
  peer.run_for(2s);
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixProbe, a_peer_that_takes_nothing_is_dropped_however_often_it_is_probed) {
  Peer peer({.stall_timeout = 10s});
  logged_on(peer);
  peer.transport.capacity = 0;
  for (int count = 0; count < 40 && !peer.transport.closed(); ++count) {
    peer.session.probe(2s);
    peer.run_for(500ms);
  }
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixProbe, works_without_heartbeats) {
  Peer peer;
  peer.connect();
  peer.send("A", 1, "98=0|108=0|");
  peer.take();
  peer.session.probe(2s);
  peer.send("0", 2, "112=TEST|");
  peer.run_for(1h);
  EXPECT_FALSE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{"35=1|34=2|112=TEST|"});
  peer.session.probe(2s);
  peer.run_for(2s);
  EXPECT_TRUE(peer.transport.closed());
}

}  // namespace
}  // namespace dojima::fix
