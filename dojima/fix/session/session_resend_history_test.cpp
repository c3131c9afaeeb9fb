// What users of other engines have reported about resends, each as a scenario of its own, where no other test has it.

#include <gtest/gtest.h>
#include <string>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using testing::logged_on;
using testing::Peer;
using testing::send_report;
using testing::Texts;

TEST(FixResendHistory, a_range_that_ends_in_heartbeats_is_answered_to_its_end) {
  Peer peer;
  logged_on(peer);
  send_report(peer.session, "one");
  for (unsigned number = 2; number <= 3; ++number) {
    peer.run_for(30s);
    peer.send("0", number);
  }
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|58=one|", "35=0|34=3|", "35=0|34=4|"}));
  peer.send("2", 4, "7=2|16=4|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|43=Y|122=T|58=one|", "35=4|34=3|43=Y|122=T|36=5|123=Y|"}));
}

TEST(FixResendHistory, what_follows_a_gap_fill_has_a_number_of_its_own) {
  Peer peer;
  logged_on(peer);
  peer.send("2", 2, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=2|123=Y|"})) << "no number is used up by it";
  send_report(peer.session, "one");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|58=one|"}));
  peer.send("2", 3, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=2|123=Y|", "35=8|34=2|43=Y|122=T|58=one|"}));
}

TEST(FixResendHistory, a_gap_fill_beyond_the_part_that_was_asked_for_leads_to_the_next_part) {
  Peer peer({.resend_chunk = 3});
  logged_on(peer);
  peer.send("D", 20, peer.order("early"));
  EXPECT_EQ(peer.take(), Texts{"35=2|34=2|7=2|16=4|"});
  peer.send_again("4", 2, "36=9|123=Y|");
  EXPECT_EQ(peer.take(), Texts{"35=2|34=3|7=9|16=11|"});
  peer.send_again("4", 9, "36=20|123=Y|");
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.handler.take(), Texts{"message D early"});
  EXPECT_EQ(peer.session.next_incoming().value, 21u);
}

TEST(FixResendHistory, a_request_behind_a_reset_gets_nothing_of_what_was_before) {
  Peer peer;
  logged_on(peer);
  send_report(peer.session, "before");
  static_cast<void>(peer.take());
  peer.log_on(1, "141=Y|");
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|141=Y|"}));
  peer.send("2", 2, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=2|123=Y|"}));
}

TEST(FixResendHistory, a_request_that_went_with_its_connection_is_made_again_on_the_next) {
  Peer peer;
  logged_on(peer);
  peer.transport.capacity = 0;  // it never leaves
  peer.send("D", 4, peer.order("early"));
  EXPECT_EQ(peer.take(), Texts{});
  peer.hang_up();
  peer.transport.capacity = 1 << 16;
  peer.connect();
  peer.log_on(5);
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=3|98=0|108=30|", "35=2|34=4|7=2|16=0|"}));
}

TEST(FixResendHistory, messages_that_came_early_on_a_connection_that_ended_do_not_hold_up_the_next) {
  Peer peer;
  logged_on(peer);
  peer.send("D", 4, peer.order("early"));
  peer.hang_up();
  peer.connect();
  peer.log_on(5);
  static_cast<void>(peer.handler.take());
  for (unsigned number = 2; number <= 4; ++number) peer.send_again("D", number, peer.order(std::to_string(number)));
  peer.send_again("4", 5, "36=6|123=Y|");
  EXPECT_EQ(peer.handler.take(), (Texts{"message D 2", "message D 3", "message D 4"}));
  EXPECT_EQ(peer.session.next_incoming().value, 6u);
}

TEST(FixResendHistory, a_group_goes_out_again_as_it_was_and_with_a_length_and_sum_of_its_own) {
  Peer peer;
  logged_on(peer);
  Writer order = peer.session.begin(type::k_new_order_single);
  order.field(tag::k_cl_ord_id, "1").field(tag::k_no_party_ids, 2);
  for (const char* party : {"A", "B"}) order.field(tag::k_party_id, party).field(tag::k_party_id_source, 'D');
  ASSERT_TRUE(peer.session.send(order));
  EXPECT_EQ(peer.take(), (Texts{"35=D|34=2|11=1|453=2|448=A|447=D|448=B|447=D|"}));
  peer.send("2", 2, "7=2|16=2|");
  EXPECT_EQ(peer.take(), (Texts{"35=D|34=2|43=Y|122=T|11=1|453=2|448=A|447=D|448=B|447=D|"}))
      << "take() sums and measures";
}

}  // namespace
}  // namespace dojima::fix
