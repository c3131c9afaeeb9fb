// Sequence numbers: gaps, resends, gap fills and duplicates.

#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::Live;
using testing::Peer;
using testing::stamp;
using testing::Texts;
using namespace std::chrono_literals;

TEST(FixSequence, messages_in_order_reach_the_handler_once_each) {
  Live peer;
  peer.send("D", 2, peer.order("a"));
  peer.send("F", 3, "11=c|41=a|54=1|55=RICE|60=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.handler.take(), (Texts{"message D a", "message F c"}));
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

TEST(FixSequence, a_gap_is_asked_for_once_and_filled_in_order) {
  Live peer;
  peer.send("D", 4, peer.order("c"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=0|"});
  peer.send("D", 5, peer.order("d"));
  EXPECT_EQ(peer.take(), Texts{}) << "no second request for the same gap";
  EXPECT_EQ(peer.handler.take(), Texts{});
  peer.send_again("D", 2, peer.order("a"));
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
  peer.send_again("D", 3, peer.order("b"));
  EXPECT_EQ(peer.handler.take(), (Texts{"message D b", "message D c", "message D d"})) << "what came early follows";
  peer.send_again("D", 4, peer.order("c"));
  peer.send_again("D", 5, peer.order("d"));
  EXPECT_EQ(peer.handler.take(), Texts{}) << "the duplicates of what came early are known";
  EXPECT_EQ(peer.session.next_incoming().value, 6u);
  peer.send("D", 8, peer.order("g"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=6|16=0|"}) << "the next gap is another one";
}

TEST(FixSequence, a_logon_too_high_is_answered_and_then_the_gap_is_asked_for) {
  Peer peer;
  peer.connect();
  peer.log_on(5);
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|", "35=2|34=2|7=1|16=0|"}));
  EXPECT_TRUE(peer.session.is_logged_on());
  peer.send("4", 1, "36=6|123=Y|", "43=Y|122=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.session.next_incoming().value, 6u);
}

TEST(FixSequence, early_messages_that_do_not_fit_come_with_the_resend) {
  Live peer({.early_bytes = 300});
  for (unsigned number = 3; number <= 6; ++number) peer.send("D", number, peer.order(std::to_string(number)));
  for (unsigned number = 2; number <= 6; ++number) peer.send_again("D", number, peer.order(std::to_string(number)));
  EXPECT_EQ(peer.handler.take(), (Texts{"message D 2", "message D 3", "message D 4", "message D 5", "message D 6"}));
}

TEST(FixSequence, an_answer_that_lost_a_part_is_asked_for_again_from_there) {
  Live peer;
  peer.send("D", 6, peer.order("6"));
  peer.take();
  peer.send_again("D", 2, peer.order("2"));
  peer.send_again("D", 4, peer.order("4"));  // 3 was garbled on the way
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=3|16=0|"});
  peer.send_again("D", 5, peer.order("5"));
  EXPECT_EQ(peer.take(), Texts{});
  for (unsigned number = 3; number <= 6; ++number) peer.send_again("D", number, peer.order(std::to_string(number)));
  EXPECT_EQ(peer.handler.take(), (Texts{"message D 2", "message D 3", "message D 4", "message D 5", "message D 6"}));
}

TEST(FixSequence, a_gap_that_does_not_move_is_asked_for_again_after_an_interval) {
  Live peer;
  peer.send("0", 3);
  peer.take();
  peer.run_for(29s);
  peer.send("0", 4);
  EXPECT_EQ(peer.take(), Texts{});
  peer.run_for(1s);
  peer.send("0", 5);
  EXPECT_EQ(peer.take().back(), "35=2|34=4|7=2|16=0|");
}

TEST(FixSequence, a_number_too_low_ends_the_session) {
  Live peer;
  peer.send("D", 2, peer.order("a"));
  peer.send("D", 2, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2|"});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
  peer.finish_close();
  EXPECT_EQ(peer.handler.take().at(0), "logout: MsgSeqNum too low, expecting 3 but received 2");
}

TEST(FixSequence, a_known_duplicate_is_ignored) {
  Live peer;
  peer.send("D", 2, peer.order("a"));
  peer.send_again("D", 2, peer.order("a"));
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
}

TEST(FixSequence, a_duplicate_needs_its_original_time) {
  Live peer;
  peer.send("D", 2, peer.order("a"));
  peer.send("D", 2, peer.order("a"), "43=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Required tag missing|371=122|372=D|373=1|"});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  peer.send("D", 3, peer.order("b"), "43=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=3|45=3|58=Required tag missing|371=122|372=D|373=1|"});
  EXPECT_EQ(peer.session.next_incoming().value, 4u) << "the number is used up";
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixSequence, a_duplicate_from_the_future_ends_the_session) {
  Live peer;
  peer.send("D", 2, peer.order("a"), "43=Y|122=" + stamp(peer.now + 1s) + "|");
  EXPECT_EQ(peer.take(), (Texts{"35=3|34=2|45=2|58=SendingTime accuracy problem|372=D|373=10|",
                                "35=5|34=3|58=SendingTime accuracy problem|"}));
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixSequence, resends_application_messages_and_fills_over_session_messages) {
  Live peer;
  peer.report("one");           // 2
  peer.send("1", 2, "112=x|");  // 3: heartbeat
  peer.send("1", 3, "112=y|");  // 4: heartbeat
  peer.report("two");           // 5
  peer.send("1", 4, "112=z|");  // 6: heartbeat
  peer.take();
  peer.run_for(1s);
  peer.send("2", 5, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=2|123=Y|", "35=8|34=2|43=Y|122=T|58=one|",
                                "35=4|34=3|43=Y|122=T|36=5|123=Y|", "35=8|34=5|43=Y|122=T|58=two|",
                                "35=4|34=6|43=Y|122=T|36=7|123=Y|"}));
  EXPECT_EQ(peer.session.next_outgoing().value, 7u) << "a resend uses up no numbers";
}

TEST(FixSequence, a_duplicate_differs_from_its_original_only_where_it_must) {
  Live peer;
  peer.report("one");
  EXPECT_EQ(peer.transport.kept, framed("35=8|34=2|49=VENUE|52=20260720-12:00:00.000|56=ME|58=one|"));
  peer.take();
  peer.run_for(1500ms);
  peer.send("2", 2, "7=2|16=2|");
  EXPECT_EQ(peer.transport.kept, framed("35=8|34=2|43=Y|49=VENUE|52=20260720-12:00:01.500|56=ME|"
                                        "122=20260720-12:00:00.000|58=one|"));
}

TEST(FixSequence, the_application_may_choose_the_sending_time_of_a_message) {
  Live peer;
  for (const time::Duration chosen : {time::Duration{-3s}, time::Duration{4s}}) {
    Writer writer = peer.session.begin(type::k_execution_report, peer.now + chosen);
    writer.field(tag::k_text, "event");
    ASSERT_TRUE(peer.session.send(writer));
  }
  EXPECT_EQ(peer.transport.kept, framed("35=8|34=2|49=VENUE|52=20260720-11:59:57.000|56=ME|58=event|") +
                                     framed("35=8|34=3|49=VENUE|52=20260720-12:00:04.000|56=ME|58=event|"));
  peer.transport.kept.clear();
  peer.run_for(1500ms);
  peer.send("2", 2, "7=2|16=0|");
  EXPECT_EQ(peer.transport.kept, framed("35=8|34=2|43=Y|49=VENUE|52=20260720-12:00:01.500|56=ME|"
                                        "122=20260720-11:59:57.000|58=event|") +
                                     framed("35=8|34=3|43=Y|49=VENUE|52=20260720-12:00:01.500|56=ME|"
                                            "122=20260720-12:00:01.500|58=event|"))
      << "a duplicate is not older than its original";
}

TEST(FixSequence, resends_exactly_the_range_that_was_asked_for) {
  Live peer;
  for (const char* text : {"two", "three", "four"}) peer.report(text);
  peer.take();
  peer.send("2", 2, "7=3|16=3|");
  EXPECT_EQ(peer.take(), Texts{"35=8|34=3|43=Y|122=T|58=three|"});
  peer.send("2", 3, "7=4|16=900|");
  EXPECT_EQ(peer.take(), Texts{"35=8|34=4|43=Y|122=T|58=four|"}) << "nothing for the surplus";
  peer.send("2", 4, "7=5|16=0|");
  EXPECT_EQ(peer.take(), Texts{}) << "nothing was sent from there on";
}

TEST(FixSequence, a_resend_request_that_makes_no_sense_is_rejected) {
  Live peer;
  peer.send("2", 2, "7=3|16=2|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|371=16|372=2|373=5|"});
  peer.send("2", 3, "7=0|16=0|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=3|45=3|58=Value is incorrect (out of range) for this tag|371=7|372=2|373=5|"});
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

TEST(FixSequence, a_session_level_reject_is_resent) {
  Live peer;
  peer.send("D", 2, "11=x|");
  EXPECT_EQ(peer.take().size(), 1u);
  peer.send("2", 3, "7=2|16=2|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|43=Y|122=T|45=2|58=Required tag missing|371=54|372=D|373=1|"});
}

TEST(FixSequence, a_resend_request_that_is_too_high_is_answered_before_the_gap_is_asked_for) {
  Live peer;
  peer.report("two");
  peer.take();
  peer.send("2", 7, "7=2|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|43=Y|122=T|58=two|", "35=2|34=3|7=2|16=0|"}));
  peer.send("4", 2, "36=8|123=Y|", "43=Y|122=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.session.next_incoming().value, 8u);
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixSequence, a_logout_that_is_too_high_is_answered_and_the_gap_stays_for_the_next_logon) {
  Live peer;
  peer.send("5", 7);
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|"});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
}

TEST(FixSequence, messages_sent_while_nobody_is_connected_arrive_by_resend) {
  Live peer;
  peer.hang_up();
  EXPECT_EQ(peer.report("while you were away").value, 2u);
  peer.connect();
  EXPECT_EQ(peer.report("before your logon").value, 3u);
  peer.log_on(2);
  EXPECT_EQ(peer.take(), Texts{"35=A|34=4|98=0|108=30|"});
  peer.send("2", 3, "7=2|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|43=Y|122=T|58=while you were away|",
                                "35=8|34=3|43=Y|122=T|58=before your logon|", "35=4|34=4|43=Y|122=T|36=5|123=Y|"}));
}

TEST(FixSequence, messages_sent_before_a_logon_that_is_refused_stay_in_the_store) {
  Peer peer;
  peer.session.store().set_next_incoming({5});
  peer.connect();
  Writer report = peer.session.begin(type::k_execution_report);
  ASSERT_TRUE(peer.session.send(report));
  peer.log_on(2);
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=MsgSeqNum too low, expecting 5 but received 2|"});
}

TEST(FixSequence, messages_sent_during_the_logon_of_an_initiator_follow_it) {
  Peer peer({.role = Role::initiator});
  peer.connect();
  Writer order = peer.session.begin(type::k_new_order_single);
  ASSERT_TRUE(peer.session.send(order));
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|"});
  peer.log_on();
  EXPECT_EQ(peer.take(), Texts{"35=D|34=2|"});
}

TEST(FixSequence, what_was_overwritten_is_gap_filled_and_reported) {
  Live peer({.store = {.messages = 3, .bytes = 1 << 16}});
  for (int count = 2; count <= 6; ++count) peer.report("report " + std::to_string(count));
  peer.take();
  peer.send("2", 2, "7=2|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=2|43=Y|122=T|36=4|123=Y|", "35=8|34=4|43=Y|122=T|58=report 4|",
                                "35=8|34=5|43=Y|122=T|58=report 5|", "35=8|34=6|43=Y|122=T|58=report 6|"}));
  ASSERT_EQ(peer.handler.troubles.size(), 1u);
  EXPECT_EQ(peer.handler.troubles[0].code, ErrorCode::no_room);
  EXPECT_EQ(peer.handler.troubles[0].got, 2);
}

TEST(FixSequence, a_gap_fill_moves_the_expected_number) {
  Live peer;
  peer.send("4", 2, "36=9|123=Y|");
  EXPECT_EQ(peer.session.next_incoming().value, 9u);
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixSequence, a_gap_fill_that_is_too_high_waits_for_its_gap) {
  Live peer;
  peer.send("4", 4, "36=9|123=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=0|"});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  peer.send_again("D", 2, peer.order("a"));
  peer.send_again("D", 3, peer.order("b"));
  EXPECT_EQ(peer.session.next_incoming().value, 9u);
}

TEST(FixSequence, a_gap_fill_over_numbers_that_came_early_does_not_lose_them) {
  Live peer;
  peer.send("D", 5, peer.order("early"));
  peer.send("4", 2, "36=8|123=Y|", "43=Y|122=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D early"});
  EXPECT_EQ(peer.session.next_incoming().value, 8u);
}

TEST(FixSequence, a_gap_fill_that_begins_among_known_numbers_fills_what_lies_beyond) {
  Live peer;
  peer.send("0", 3);
  peer.send_again("D", 2, peer.order("a"));  // now 3 was served as well
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
  peer.send("4", 3, "36=6|123=Y|", "43=Y|122=" + stamp(peer.now) + "|");
  EXPECT_EQ(peer.session.next_incoming().value, 6u);
}

TEST(FixSequence, a_gap_fill_backwards_is_rejected_and_changes_nothing) {
  Live peer;
  peer.send("0", 2);
  peer.send("4", 3, "36=2|123=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=3|58=Value is incorrect (out of range) for this tag|371=36|372=4|373=5|"});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
}

TEST(FixSequence, a_low_gap_fill_that_is_no_duplicate_ends_the_session) {
  Live peer;
  peer.send("0", 2);
  peer.send("4", 1, "36=5|123=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 1|"});
}

TEST(FixSequence, a_reset_sets_the_expected_number_whatever_its_own_number_is) {
  for (const unsigned own : {1u, 2u, 100u}) {
    Live peer;
    peer.send("4", own, "36=50|");
    EXPECT_EQ(peer.session.next_incoming().value, 50u);
    peer.send("4", own, "36=60|123=N|");
    EXPECT_EQ(peer.session.next_incoming().value, 60u);
    EXPECT_EQ(peer.take(), Texts{});
  }
}

TEST(FixSequence, a_reset_backwards_is_rejected) {
  Live peer;
  peer.send("4", 2, "36=50|");
  peer.send("4", 50, "36=49|");
  EXPECT_EQ(peer.take(),
            Texts{"35=3|34=2|45=50|58=Value is incorrect (out of range) for this tag|371=36|372=4|373=5|"});
  EXPECT_EQ(peer.session.next_incoming().value, 50u);
}

TEST(FixSequence, a_reset_without_a_new_number_is_rejected) {
  Live peer;
  peer.send("4", 2);
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Required tag missing|371=36|372=4|373=1|"});
}

TEST(FixSequence, a_reset_ends_the_wait_for_a_gap) {
  Live peer;
  peer.send("D", 5, peer.order("lost"));
  peer.send("4", 6, "36=20|");
  EXPECT_EQ(peer.session.next_incoming().value, 20u);
  EXPECT_EQ(peer.handler.take(), Texts{});
}

TEST(FixSequence, a_reset_below_what_came_early_begins_a_new_count) {
  Live peer;
  peer.send("D", 50, peer.order("lost"));
  peer.take();
  peer.send("4", 51, "36=10|");
  peer.send("D", 12, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=10|16=0|"});
  EXPECT_EQ(peer.handler.take(), Texts{});
}

TEST(FixSequence, nothing_is_asked_for_after_a_logout) {
  Live peer;
  peer.session.logout("");
  peer.take();
  peer.send("D", 9, peer.order("early"));
  EXPECT_EQ(peer.take(), Texts{});
}

TEST(FixSequence, garbled_messages_are_ignored_and_show_as_a_gap) {
  Live peer;
  std::string broken = peer.message("D", 2, peer.order("a"));
  broken[broken.size() - 3] = broken[broken.size() - 3] == '0' ? '1' : '0';
  peer.send_raw(broken);
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
  EXPECT_EQ(peer.handler.troubles.size(), 1u);
  peer.send("D", 3, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=0|"});
}

TEST(FixSequence, a_tag_that_is_no_number_makes_a_message_garbled) {
  Live peer;
  peer.send("D", 2, peer.order("a") + "x=1|");
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 2u);
}

TEST(FixSequence, a_body_length_that_is_too_long_takes_the_next_message_and_both_come_again) {
  Live peer;
  std::string broken = peer.message("D", 2, peer.order("a"));
  broken.replace(broken.find("\x01"
                             "9=") +
                     3,
                 3,
                 std::to_string(std::stoi(broken.substr(broken.find("\x01"
                                                                    "9=") +
                                                            3,
                                                        3)) +
                                10));
  peer.send_raw(broken);
  peer.send("D", 3, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{});
  peer.send("D", 2, peer.order("a"));
  peer.send("D", 3, peer.order("b"));
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.handler.take(), (Texts{"message D a", "message D b"}));
}

TEST(FixSequence, a_script_may_arrive_cut_at_any_byte) {
  const auto play = [](std::size_t cut) {
    Peer peer;
    peer.connect();
    std::string script = peer.message("A", 1, "98=0|108=30|") + peer.message("D", 2, peer.order("a")) + "noise" +
                         peer.message("D", 5, peer.order("c")) + peer.message("1", 3, "112=x|") +
                         peer.message("2", 4, "7=1|16=0|");
    peer.send_raw(script.substr(0, cut));
    peer.send_raw(script.substr(cut));
    Texts all = peer.take();
    for (const std::string& event : peer.handler.take()) all.push_back(event);
    return std::pair{all, script.size()};
  };
  const auto [whole, size] = play(0);
  EXPECT_EQ(whole.size(), 7u);
  for (std::size_t cut = 1; cut < size; ++cut) EXPECT_EQ(play(cut).first, whole) << cut;
}

TEST(FixSequence, only_the_message_opened_last_can_be_sent) {
  Live peer;
  Writer first = peer.session.begin(type::k_execution_report);
  Writer second = peer.session.begin(type::k_execution_report);
  EXPECT_EQ(peer.session.send(first).error().code, ErrorCode::wrong_state);
  EXPECT_EQ(peer.session.send(second).value().value, 2u);
  EXPECT_EQ(peer.session.send(second).error().code, ErrorCode::wrong_state);
  Writer third = peer.session.begin(type::k_execution_report);
  peer.send("1", 2, "112=x|");  // the session sends something itself
  EXPECT_EQ(peer.session.send(third).error().code, ErrorCode::wrong_state);
}

TEST(FixSequence, a_message_that_cannot_be_written_uses_up_no_number) {
  Live peer;
  Writer broken = peer.session.begin(type::k_execution_report);
  broken.field(tag::k_text, "");
  EXPECT_EQ(peer.session.send(broken).error().code, ErrorCode::malformed);
  Writer huge = peer.session.begin(type::k_execution_report);
  huge.field(tag::k_text, std::string(5000, 'x'));
  EXPECT_EQ(peer.session.send(huge).error().code, ErrorCode::no_room);
  EXPECT_EQ(peer.report("good").value, 2u);
}

TEST(FixSequence, the_largest_message_can_be_resent_to_a_peer_with_the_same_limit) {
  Live peer;
  std::size_t size = 4096;
  for (;; --size) {
    Writer writer = peer.session.begin(type::k_execution_report);
    writer.field(tag::k_text, std::string(size, 'x'));
    if (peer.session.send(writer)) break;
  }
  peer.take();
  peer.send("2", 2, "7=2|16=2|");
  EXPECT_EQ(find_frame(as_bytes(peer.transport.kept), 4096).state, FrameState::whole);
}

TEST(FixSequence, the_handler_may_send_and_log_out_while_it_is_called) {
  struct Answering : testing::NotingHandler {
    void on_logon(Session& session, Time) override {
      Writer hello = session.begin(type::k_execution_report);
      EXPECT_TRUE(session.send(hello));
    }
    void on_message(Session& session, const MessageView& message, Time) override {
      Writer answer = session.begin(type::k_execution_report);
      answer.field(tag::k_cl_ord_id, *message.find(tag::k_cl_ord_id));
      EXPECT_TRUE(session.send(answer));
      session.logout("enough");
    }
  };
  Answering handler;
  Peer peer;
  Session session(peer.scheduler, Peer::named({}), handler);
  session.on_open(peer.transport, peer.now);
  const std::string script = peer.message("A", 1, "98=0|108=30|") + peer.message("D", 2, peer.order("a"));
  EXPECT_EQ(session.on_bytes(as_bytes(script), peer.now), script.size());
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|", "35=8|34=2|", "35=8|34=3|11=a|", "35=5|34=4|58=enough|"}));
  EXPECT_EQ(session.next_incoming().value, 3u);
  session.on_closed(link::CloseReason::by_peer, peer.now);
}

}  // namespace
}  // namespace dojima::fix
