// The numbered rules of section 8 of the reference for the recovery session, and for what the real-time session says of
// partitions that are away, in every dialect.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/venue/front/recovery_test_support.hpp"

namespace dojima::venue::testing {
namespace {

class RecoveryRule : public mit::InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, RecoveryRule, mit::k_each_dialect, mit::dialect_name);

/// A recovery connection that says what the test wants, and what it got: "B 0", "N 0", "8 5" (a message and its
/// number), "P 0", "n 1 2", "3", "5".
struct RawRecovery : RawPeer {
  void log_on(Venue& venue, const link::Address& port, std::string_view new_password = {}) {
    venue.network.connect(port, *this);
    venue.run(1ms);
    say_with([&](Room room) {
      return mit::dialect_under_test().encode_logon(
          {Text<25>::cut("ANNA"), Text<25>::cut("Secret#2026"), Text<25>::cut(new_password)}, room);
    });
  }
  void ask(std::uint8_t partition, std::uint64_t last) {
    say_with([&](Room room) {
      return mit::dialect_under_test().encode_missed_request({.partition = partition, .last = {last}}, room);
    });
  }
  std::vector<std::string> take() {
    std::vector<std::string> words;
    for (std::string_view rest = received; !rest.empty();) {
      const auto frame = mit::read_frame(as_bytes(rest), mit::dialect_under_test().longest);
      EXPECT_TRUE(frame.has_value());
      mit::Outbound reply;
      EXPECT_TRUE(mit::dialect_under_test().decode_reply(as_bytes(rest.substr(0, frame->size)), reply).has_value());
      std::string word(1, frame->type);
      if (frame->type == 'B') word += " " + std::to_string(reply.logon_reply.code);
      if (frame->type == '8') word += " " + std::to_string(reply.report.report.sequence.value);
      if (frame->type == 'N') word += " " + std::to_string(int(reply.missed_ack.response));
      if (frame->type == 'P') word += " " + std::to_string(int(reply.missed_report.response));
      if (frame->type == 'n') word += " " + std::to_string(reply.system_status.status);
      if (frame->type != '0') words.push_back(word);
      rest.remove_prefix(frame->size);
    }
    received.clear();
    return words;
  }

 private:
  template <class Encode>
  void say_with(Encode encode) {
    std::byte room[200];
    const Result<std::size_t> size = encode(Room(room));
    ASSERT_TRUE(size.has_value());
    say(Bytes(room).first(*size));
  }
};

using Words = std::vector<std::string>;

TEST_P(RecoveryRule, n_1_only_beside_a_real_time_session_and_with_its_password_alone) {
  RecoveringVenue venue;
  RawRecovery early, good;
  early.log_on(venue, venue.port);
  venue.run(10ms);
  EXPECT_EQ(early.take(), Words{"B " + std::to_string(mit::code::k_no_session)});
  const auto anna = venue.log_on("ANNA");
  good.log_on(venue, venue.port, "Ignored#2026");
  venue.run(10ms);
  EXPECT_EQ(good.take(), Words{"B 0"}) << "a new password is not looked at";
}

TEST_P(RecoveryRule, n_2_each_request_is_answered_before_anything_else) {
  RecoveringVenue venue({.requests = 2});
  venue.trade_while_anna_is_away(1);
  RawRecovery peer;
  peer.log_on(venue, venue.port);
  peer.ask(1, venue.missed_from);
  peer.ask(7, 1);
  peer.ask(2, 1);
  venue.run(50ms);
  const Words said = peer.take();
  ASSERT_EQ(said.size(), 8u);
  EXPECT_EQ((Words{said[0], said[1], said[4]}), (Words{"B 0", "N 0", "P 0"}));
  EXPECT_EQ((Words{said[5], said[6], said[7]}), (Words{"N 2", "N 0", "P 0"})) << "no such partition; nothing missed";
  peer.ask(1, 1);
  venue.run(50ms);
  EXPECT_EQ(peer.take().back(), "N 1") << "as many as a session has";
}

TEST_P(RecoveryRule, n_3_the_messages_from_the_number_on_up_to_the_session_then_the_end) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(2);
  RawRecovery peer;
  peer.log_on(venue, venue.port);
  peer.ask(1, venue.missed_from);
  venue.run(50ms);
  const Words said = peer.take();
  ASSERT_GE(said.size(), 4u);
  EXPECT_EQ((Words{said[0], said[1], said[2]}), (Words{"B 0", "N 0", "8 " + std::to_string(venue.missed_from)}));
  EXPECT_EQ(said.back(), "P 0");
  EXPECT_EQ(said.size(), 6u) << "the last one she had, and two";
}

TEST_P(RecoveryRule, n_4_a_member_drops_what_it_has_by_partition_and_number) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(3);
  const auto first = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_EQ(first->reports.size(), 3u);
  EXPECT_EQ(first->last.duplicates, 1u) << "the one that she had";
  const auto again = venue.recover("ANNA", first->client.highest(1).value, 0);
  EXPECT_TRUE(again->reports.empty());
  EXPECT_EQ(again->last.duplicates, 1u);
}

TEST_P(RecoveryRule, n_4_an_order_cancel_reject_is_not_kept) {
  RecoveringVenue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 10, .ticks = 100, .id = "A1"}));
  venue.send(*anna, make_cancel({.original = "A9", .id = "A2"}));
  venue.send(*anna, valid_order({.lots = 10, .ticks = 100, .id = "A3"}));
  venue.send(*anna, make_cancel({.original = "A9", .id = "A4"}));
  ASSERT_EQ(anna->reports.size(), 4u);
  ASSERT_EQ(anna->reports[1].kind, OwnerReportKind::request_rejected);
  anna->session.logout("lunch");
  venue.run(5s);
  venue.network.connect(venue.address, anna->session);
  venue.run(1ms);
  const auto all = venue.recover("ANNA", 0, 0);
  EXPECT_TRUE(all->last.is_complete);
  EXPECT_EQ(kinds_of(all->reports), (std::vector{OwnerReportKind::accepted, OwnerReportKind::accepted}));
  EXPECT_EQ(all->last.duplicates, 0u);
  // A member that has it goes on from there, and may compare it.
  const auto behind = venue.recover("ANNA", anna->reports[1].sequence.value, 0);
  EXPECT_EQ(behind->last.duplicates, 1u);
  EXPECT_TRUE(behind->last.is_complete);
  ASSERT_EQ(behind->reports.size(), 1u);
  EXPECT_EQ(behind->reports[0].client_order_id.view(), "A3");
}

TEST_P(RecoveryRule, n_5_requests_before_the_end_of_another_wait) {
  RecoveringVenue venue({.messages_a_turn = 1});
  venue.trade_while_anna_is_away(3);
  RawRecovery peer;
  peer.log_on(venue, venue.port);
  peer.ask(1, venue.missed_from);
  peer.ask(1, venue.missed_from);
  venue.run(50ms);
  const Words said = peer.take();
  ASSERT_EQ(said.size(), 13u);
  EXPECT_EQ(said[6], "P 0");
  EXPECT_EQ(said[7], "N 0") << "the second one is answered behind the first one's end";
  EXPECT_EQ(said[12], "P 0");
}

TEST_P(RecoveryRule, n_6_without_a_further_request_the_session_ends) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(1);
  RawRecovery peer;
  peer.log_on(venue, venue.port);
  peer.ask(1, venue.missed_from);
  venue.run(14s);
  EXPECT_FALSE(peer.is_closed);
  venue.run(3s);
  EXPECT_TRUE(peer.is_closed);
  EXPECT_EQ(peer.take().back(), "5");
}

TEST_P(RecoveryRule, n_7_members_hear_that_a_partition_cannot_be_recovered_and_that_it_can_again) {
  RecoveringVenue venue;
  const auto anna = venue.log_on("ANNA");
  RawRecovery peer;
  peer.log_on(venue, venue.port);
  venue.run(10ms);
  venue.recovery.set_available(0, false);
  venue.run(10ms);
  peer.ask(1, 1);
  venue.run(10ms);
  venue.recovery.set_available(0, true);
  venue.run(10ms);
  EXPECT_EQ(peer.take(), (Words{"B 0", "n 2", "N 3", "n 1"}));
  // Who comes later hears it when it asks, and once.
  venue.recovery.set_available(0, false);
  peer.transport->close(link::CloseReason::by_us);
  venue.run(10ms);
  RawRecovery late;
  late.log_on(venue, venue.port);
  late.ask(1, 1);
  late.ask(1, 1);
  late.ask(2, 1);
  venue.run(10ms);
  EXPECT_EQ(late.take(), (Words{"B 0", "n 2", "N 3", "N 3", "N 0", "P 0"})) << "the other partition is served";
}

/// The other half of the rule: on the real-time channel.
TEST_P(RecoveryRule, n_7_members_hear_on_the_real_time_channel_that_a_partition_is_not_available) {
  Venue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A1"}));
  venue.journal_one.is_full = true;
  venue.run(10ms);
  EXPECT_TRUE(anna->statuses.empty()) << "nobody has wanted anything of it";
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A2"}));
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A3"}));
  const std::vector<mit::SystemStatus> said{{1, mit::SystemStatus::k_partition_unavailable}};
  EXPECT_EQ(anna->statuses, said) << "once";
  EXPECT_EQ(bert->statuses, said);
  EXPECT_TRUE(venue.front.is_unavailable(0));
  EXPECT_FALSE(venue.front.is_unavailable(1));
  EXPECT_EQ(anna->reports.back().kind, OwnerReportKind::business_rejected);
  venue.send(*bert, valid_order({.lots = 1, .ticks = 100, .id = "B1", .instrument = k_silk}));
  EXPECT_EQ(bert->reports.back().kind, OwnerReportKind::accepted) << "the other partition is";
  // There is no word for its being back: orders are taken.
  venue.journal_one.is_full = false;
  venue.send(*bert, valid_order({.lots = 1, .ticks = 100, .id = "B2"}));
  EXPECT_EQ(bert->reports.back().kind, OwnerReportKind::accepted);
  EXPECT_FALSE(venue.front.is_unavailable(0));
  venue.journal_one.is_full = true;
  venue.send(*bert, valid_order({.lots = 1, .ticks = 100, .id = "B3"}));
  EXPECT_EQ(anna->statuses.size(), 2u) << "and away once more";
  EXPECT_EQ(venue.front.counters().unavailable, 2u);
}

/// A logon is taken from what a journal keeps for it, so members come while orders are refused.
TEST_P(RecoveryRule, n_7_who_logs_on_to_a_venue_without_a_partition_hears_it_behind_the_answer) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.journal_one.is_full = venue.journal_one.has_reserve = true;
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  ASSERT_EQ(anna->statuses.size(), 1u);
  const auto bert = venue.log_on("BERT");
  ASSERT_TRUE(bert->is_on);
  EXPECT_EQ(bert->statuses, anna->statuses);
  EXPECT_EQ(anna->statuses.size(), 1u);
}

}  // namespace
}  // namespace dojima::venue::testing
