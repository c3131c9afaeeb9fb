#include "dojima/venue/front.hpp"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/front/request_marks.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using Kinds = std::vector<OwnerReportKind>;

// ---- Logon ----

TEST(Front, logs_on_a_user_that_knows_its_password) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  EXPECT_TRUE(anna->is_on);
  EXPECT_TRUE(venue.front.is_logged_on(0));
  EXPECT_EQ(venue.front.logged_on(), 1u);
  EXPECT_EQ(venue.front.counters().logons, 1u);
}

TEST(Front, refuses_a_logon_with_the_protocols_code_and_leaves_others_alone) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  EXPECT_EQ(venue.log_on("NOBODY")->refusal, mit::code::k_user_not_found);
  EXPECT_EQ(venue.log_on("BERT", "wrong")->refusal, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.log_on("ANNA", "wrong")->refusal, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.log_on("ANNA")->refusal, mit::code::k_already_logged_in);
  Member wants_new(venue.scheduler, "BERT", "Secret#2026", "Other#2026");
  venue.network.connect(venue.address, wants_new.session);
  venue.run(1ms);
  EXPECT_EQ(wants_new.refusal, mit::code::k_new_password_refused);
  EXPECT_EQ(venue.front.counters().logons_refused, 5u);
  venue.run(10s);
  EXPECT_TRUE(anna->is_on);
  EXPECT_EQ(anna->ends, 0);
  EXPECT_EQ(venue.front.free_sessions(), 3u);
  EXPECT_TRUE(venue.log_on("BERT")->is_on);
}

TEST(Front, refuses_connections_when_all_sessions_are_taken_and_takes_them_again) {
  FrontConfig config = make_front_config();
  config.sessions = 1;
  Venue venue(config);
  const auto anna = venue.log_on("ANNA");
  const auto bert = venue.log_on("BERT");
  EXPECT_FALSE(bert->is_on);
  EXPECT_EQ(bert->ends, 1);
  EXPECT_EQ(venue.front.counters().connections_refused, 1u);
  anna->session.logout("done");
  venue.run(10s);
  EXPECT_TRUE(venue.log_on("BERT")->is_on);
}

TEST(Front, lets_a_user_log_on_again_after_its_session_ended) {
  Venue venue;
  const auto first = venue.log_on("ANNA");
  venue.network.cut(first->session);
  venue.run(1ms);
  EXPECT_FALSE(venue.front.is_logged_on(0));
  EXPECT_TRUE(venue.log_on("ANNA")->is_on);
}

// ---- Orders ----

TEST(Front, carries_an_order_to_its_partition_and_the_reports_to_both_owners) {
  Venue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT"), carl = venue.log_on("CARL");
  venue.send(*anna, valid_order({.side = Side::sell, .lots = 10, .ticks = 100, .id = "A1", .instrument = k_silk}));
  venue.send(*bert, valid_order({.side = Side::buy, .lots = 4, .ticks = 100, .id = "B1", .instrument = k_silk}));
  ASSERT_EQ(kinds_of(anna->reports), (Kinds{accepted, traded}));
  ASSERT_EQ(kinds_of(bert->reports), (Kinds{accepted, traded}));
  EXPECT_TRUE(carl->reports.empty());
  EXPECT_EQ(anna->reports[1].partition, 2);
  EXPECT_EQ(anna->reports[1].liquidity, 'A');
  EXPECT_EQ(anna->reports[1].leaves.lots, 6);
  EXPECT_EQ(anna->reports[1].client_order_id.view(), "A1");
  EXPECT_EQ(anna->reports[1].trade, bert->reports[1].trade);
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  EXPECT_EQ(venue.front.counters().reports_sent, 4u);
}

TEST(Front, carries_replaces_and_cancels) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 10, .ticks = 100, .id = "A1"}));
  venue.send(*anna, make_replace({.original = "A1", .id = "A2", .lots = 5, .ticks = 100}));
  venue.send(*anna, make_cancel({.original = "A2", .id = "A3"}));
  venue.send(*anna, make_cancel({.original = "A2", .id = "A4"}));
  ASSERT_EQ(kinds_of(anna->reports), (Kinds{accepted, replaced, cancelled, request_rejected}));
  EXPECT_EQ(anna->reports[2].client_order_id.view(), "A3");
  EXPECT_EQ(anna->codes[3], mit::code_of(Reason::unknown_order));
}

TEST(Front, answers_an_order_in_an_unknown_instrument_with_a_business_reject) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A1", .instrument = 99}));
  ASSERT_EQ(kinds_of(anna->reports), Kinds{business_rejected});
  EXPECT_EQ(anna->reports[0].partition, 0);
  EXPECT_EQ(anna->codes[0], mit::code_of(Reason::unknown_instrument));
  EXPECT_EQ(anna->reports[0].client_order_id.view(), "A1");
}

TEST(Front, holds_a_user_to_its_throttle_and_not_the_others) {
  FrontConfig config = make_front_config();
  config.users[0].throttle = 2;
  Venue venue(config);
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  for (int count = 0; count < 5; ++count) {
    venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
    venue.send(*bert, valid_order({.lots = 1, .ticks = 100}));
  }
  EXPECT_LT(anna->reports.size(), 5u);
  EXPECT_EQ(anna->reports.size() + anna->rejects.size(), 5u);
  EXPECT_EQ(bert->reports.size(), 5u);
}

// ---- Ends ----

TEST(Front, expires_orders_of_a_user_whose_link_broke_while_others_trade_on) {
  Venue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*anna, valid_order({.side = Side::sell, .lots = 1, .ticks = 100, .id = "goes", .auto_cancel = true}));
  venue.send(*anna, valid_order({.side = Side::sell, .lots = 1, .ticks = 101, .id = "stays"}));
  venue.send(*anna, valid_order({.lots = 1, .ticks = 90, .id = "goes", .instrument = k_silk, .auto_cancel = true}));
  venue.network.cut(anna->session);
  venue.run(1ms);
  EXPECT_EQ(venue.partition_one.live_orders(), 1u);
  EXPECT_EQ(venue.partition_two.live_orders(), 0u);
  EXPECT_EQ(venue.front.counters().reports_missed, 2u);
  venue.send(*bert, valid_order({.lots = 1, .ticks = 101}));
  ASSERT_EQ(kinds_of(bert->reports), (Kinds{accepted, traded}));
  EXPECT_EQ(bert->reports[1].price, at(101));
  EXPECT_EQ(venue.front.counters().reports_missed, 3u);  // Anna's fill
}

TEST(Front, follows_the_set_up_at_a_logout) {
  FrontConfig config = make_front_config();
  config.users[0].set_up.cancel_on_logout = false;
  Venue venue(config);
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  for (Member* member : {anna.get(), bert.get()}) {
    venue.send(*member, valid_order({.lots = 1, .ticks = 100, .auto_cancel = true}));
    member->session.logout("bye");
  }
  venue.run(1ms);
  EXPECT_EQ(venue.partition_one.open_orders(0), 1u);
  EXPECT_EQ(venue.partition_one.open_orders(1), 0u);
}

TEST(Front, ends_the_session_of_a_peer_that_vanishes_in_the_middle_of_a_message) {
  Venue venue;
  const auto bert = venue.log_on("BERT");
  RawPeer peer;
  venue.network.connect(venue.address, peer);
  venue.run(1ms);
  std::byte bytes[256];
  const auto& dialect = mit::lse_21_2::k_dialect;
  const auto logon =
      dialect.encode_logon({.user = Text<25>::cut("ANNA"), .password = Text<25>::cut("Secret#2026")}, Room{bytes});
  peer.say(Bytes{bytes, *logon});
  const auto order = dialect.encode_new_order(valid_order({.lots = 1, .ticks = 100, .auto_cancel = true}), Room{bytes});
  peer.say(Bytes{bytes, *order});
  peer.say(Bytes{bytes, *order / 2});
  venue.run(1ms);
  EXPECT_TRUE(venue.front.is_logged_on(0));
  EXPECT_EQ(venue.partition_one.live_orders(), 1u);
  venue.network.cut(peer);
  venue.run(1ms);
  EXPECT_FALSE(venue.front.is_logged_on(0));
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  EXPECT_EQ(venue.front.free_sessions(), 3u);
  EXPECT_TRUE(bert->is_on);
  EXPECT_TRUE(venue.log_on("ANNA")->is_on);
}

TEST(Front, ends_the_session_of_a_peer_that_sends_nonsense_and_no_other) {
  Venue venue;
  const auto bert = venue.log_on("BERT");
  RawPeer peer;
  venue.network.connect(venue.address, peer);
  venue.run(1ms);
  peer.say(as_bytes("GET / HTTP/1.1\r\n\r\n"));
  venue.run(60s);
  EXPECT_TRUE(peer.is_closed);
  EXPECT_TRUE(bert->is_on);
  EXPECT_EQ(venue.front.free_sessions(), 3u);
}

TEST(Front, logs_everybody_out) {
  Venue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.front.logout_all("closing time");
  venue.run(10s);
  EXPECT_EQ(anna->end_text, "closing time");
  EXPECT_EQ(bert->end_text, "closing time");
  EXPECT_EQ(venue.front.logged_on(), 0u);
  EXPECT_EQ(venue.front.free_sessions(), 4u);
}

// ---- Peers that do not read ----

link::SimulatedNetworkOptions narrow() {
  return {.input_capacity = 512, .output_capacity = 2048};
}

/// Bert rests many orders; Anna fills them one lot at a time, `count` fills in all.
void trade(Venue& venue, Member& anna, Member& bert, int count) {
  venue.send(bert, valid_order({.side = Side::sell, .lots = 10'000, .ticks = 100, .id = "wall"}));
  for (int fill = 0; fill < count; ++fill) {
    while (!anna.session.send(valid_order({.lots = 1, .ticks = 100, .id = "lot"}))) venue.run(1ms);
    venue.run(1ms);
  }
}

TEST(Front, keeps_the_reports_of_a_slow_user_and_sends_them_in_order_when_it_reads_again) {
  Venue venue(make_front_config(), narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 100);
  EXPECT_EQ(anna->reports.size(), 200u);
  EXPECT_LT(bert->reports.size(), 50u);
  venue.network.resume(bert->session);
  venue.run(1s);
  ASSERT_EQ(bert->reports.size(), 101u);
  for (std::size_t at = 1; at < bert->reports.size(); ++at) {
    EXPECT_EQ(bert->reports[at].leaves.lots, 10'000 - static_cast<std::int64_t>(at));
    EXPECT_GT(bert->reports[at].sequence, bert->reports[at - 1].sequence);
  }
  EXPECT_EQ(venue.front.counters().reports_missed, 0u);
  EXPECT_EQ(venue.front.counters().sessions_ended, 0u);
  // It is up to date: the next report comes at once.
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  EXPECT_EQ(bert->reports.size(), 102u);
}

TEST(Front, keeps_a_laggards_reports_of_both_partitions) {
  Venue venue(make_front_config(), narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*bert, valid_order({.side = Side::sell, .lots = 10'000, .ticks = 100, .instrument = k_silk}));
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 40);
  for (int fill = 0; fill < 40; ++fill) venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .instrument = k_silk}));
  venue.network.resume(bert->session);
  venue.run(1s);
  ASSERT_EQ(bert->reports.size(), 82u);
  market::Sequence last[3];
  for (const OwnerReport& report : bert->reports) {
    EXPECT_GT(report.sequence, last[report.partition]);
    last[report.partition] = report.sequence;
  }
}

TEST(Front, ends_a_session_that_does_not_read_when_it_is_too_far_behind_and_no_other) {
  FrontConfig config = make_front_config();
  config.maximum_lag = 100;
  Venue venue(config, narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT"), carl = venue.log_on("CARL");
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 200);
  venue.send(*carl, valid_order({.lots = 1, .ticks = 100}));
  venue.run(10s);
  EXPECT_FALSE(venue.front.is_logged_on(1));
  EXPECT_EQ(venue.front.counters().sessions_ended, 1u);
  EXPECT_TRUE(anna->is_on);
  EXPECT_EQ(anna->reports.size(), 400u);
  EXPECT_EQ(carl->reports.size(), 2u);
  // Every report was sent or is known to be missed.
  EXPECT_EQ(venue.front.counters().reports_sent + venue.front.counters().reports_missed,
            venue.partition_one.reports().end());
  EXPECT_GT(venue.front.counters().reports_missed, 100u);
}

TEST(Front, does_not_read_a_session_that_lags_until_it_has_caught_up) {
  Venue venue(make_front_config(), narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.network.pause(bert->session);
  // Both are answered or wait: the network takes no more of Bert's when nothing is read.
  int sent = 0;
  while (sent < 1000 && bert->session.send(make_cancel({.original = "none"})).has_value()) {
    ++sent;
    venue.run(1ms);
    venue.send(*anna, make_cancel({.original = "none"}));
  }
  EXPECT_LT(sent, 200) << "the member is slowed down";
  EXPECT_EQ(anna->reports.size(), static_cast<std::size_t>(sent)) << "and nobody else";
  EXPECT_EQ(venue.front.counters().holds, 1u);
  venue.network.resume(bert->session);
  venue.run(1s);
  EXPECT_EQ(bert->reports.size(), static_cast<std::size_t>(sent)) << "nothing is lost";
  EXPECT_EQ(venue.front.counters().sessions_ended, 0u);
  venue.send(*bert, make_cancel({.original = "none"}));
  EXPECT_EQ(bert->reports.size(), static_cast<std::size_t>(sent) + 1);
}

TEST(Front, ends_a_session_that_takes_nothing_for_too_long_however_little_waits) {
  FrontConfig config = make_front_config();
  config.session.stall = 5s;
  Venue venue(config, narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 40);
  venue.run(4900ms);
  EXPECT_TRUE(venue.front.is_logged_on(1));
  venue.run(300ms);
  EXPECT_FALSE(venue.front.is_logged_on(1));
  EXPECT_EQ(venue.front.counters().sessions_ended, 1u);
  EXPECT_TRUE(anna->is_on);
  EXPECT_EQ(venue.front.counters().reports_sent + venue.front.counters().reports_missed,
            venue.partition_one.reports().end());
}

TEST(Front, ends_a_session_that_takes_next_to_nothing_while_others_cause_its_reports) {
  FrontConfig config = make_front_config();
  config.session.stall = 1s;
  config.maximum_lag = 1000;
  Venue venue(config, narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 40);
  // A byte or two now and then: it never comes to what waited when the second began.
  for (int count = 0; count < 60 && venue.front.is_logged_on(1); ++count) {
    venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
    venue.run(50ms);
    if (count % 15 != 0) continue;
    venue.network.resume(bert->session);
    venue.network.pause(bert->session);
  }
  EXPECT_FALSE(venue.front.is_logged_on(1));
}

TEST(Front, slows_those_who_fill_a_member_that_reads_slower_and_loses_nothing) {
  FrontConfig config = make_front_config();
  config.maximum_lag = 100;
  Venue venue(config, {.delay = 500us, .input_capacity = 512, .output_capacity = 2048});
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT"), carl = venue.log_on("CARL");
  venue.run(5ms);
  venue.send(*bert, valid_order({.side = Side::sell, .lots = 10'000, .ticks = 100, .id = "wall"}));
  // Bert reads for a moment in every 20 ms, Anna fills him as fast as she may.
  int sent = 0;
  for (int round = 0; round < 100; ++round) {
    venue.network.pause(bert->session);
    for (int count = 0; count < 100; ++count) {
      sent += anna->session.send(valid_order({.lots = 1, .ticks = 100})).has_value() ? 1 : 0;
      if (count % 5 == 4) venue.run(1ms);
    }
    venue.network.resume(bert->session);
    venue.run(1ms);
  }
  venue.run(5s);
  EXPECT_GT(sent, 1000);
  EXPECT_LT(sent, 10'000) << "she is slowed down to what he reads";
  EXPECT_TRUE(anna->is_on && bert->is_on && carl->is_on);
  EXPECT_EQ(anna->reports.size(), 2 * static_cast<std::size_t>(sent));
  EXPECT_EQ(bert->reports.size(), 1 + static_cast<std::size_t>(sent));
  EXPECT_EQ(venue.front.counters().reports_missed, 0u);
}

TEST(Front, counts_what_a_laggard_misses_when_its_link_breaks) {
  Venue venue(make_front_config(), narrow());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.network.pause(bert->session);
  trade(venue, *anna, *bert, 100);
  venue.network.cut(bert->session);
  venue.run(1s);
  EXPECT_FALSE(venue.front.is_logged_on(1));
  EXPECT_EQ(venue.front.counters().reports_sent + venue.front.counters().reports_missed,
            venue.partition_one.reports().end());
}

// ---- Journals ----

TEST(Front, lets_no_report_out_before_its_command_is_durable) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.journal_one.lag();
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  EXPECT_EQ(venue.partition_one.live_orders(), 1u);
  EXPECT_TRUE(anna->reports.empty());
  // Another partition does not wait for it.
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .instrument = k_silk}));
  EXPECT_EQ(anna->reports.size(), 1u);
  venue.journal_one.is_lagging = false;
  venue.run(1ms);
  EXPECT_EQ(anna->reports.size(), 2u);
}

TEST(Front, reads_no_further_while_too_many_reports_wait_to_become_durable) {
  Venue venue(make_front_config(), {}, {.orders = 16, .levels = 16, .reports = 128});
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.journal_one.lag();
  // Refused cancels: one report each, and no order table to fill.
  for (int count = 0; count < 40; ++count) venue.send(*anna, make_cancel({.original = "none"}));
  EXPECT_EQ(venue.partition_one.reports().end(), 17u);  // an eighth of the log, and the one that found it there
  EXPECT_TRUE(anna->reports.empty());
  // Another member does not suffer from that but for the same partition.
  venue.send(*bert, make_cancel({.original = "none", .instrument = k_silk}));
  EXPECT_EQ(bert->reports.size(), 1u);
  venue.send(*bert, make_cancel({.original = "none"}));
  venue.send(*bert, make_cancel({.original = "none"}));
  EXPECT_EQ(venue.partition_one.reports().end(), 18u);
  venue.run(1h);
  EXPECT_TRUE(anna->is_on && bert->is_on) << "who is not read is not silent";
  venue.journal_one.is_lagging = false;
  venue.run(100ms);
  EXPECT_EQ(kinds_of(anna->reports), Kinds(40, request_rejected));
  EXPECT_EQ(bert->reports.size(), 3u);
  EXPECT_EQ(venue.front.counters().commands_refused, 0u);
}

TEST(Front, refuses_commands_while_a_quarter_of_the_log_waits_to_become_durable) {
  Venue venue(make_front_config(), {}, {.orders = 16, .levels = 16, .reports = 128});
  const auto anna = venue.log_on("ANNA");
  for (int count = 0; count < 16; ++count) venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  venue.journal_one.lag();
  for (int count = 0; count < 17; ++count) venue.send(*anna, make_cancel({.original = "none"}));
  EXPECT_TRUE(venue.front.cancel_orders(0, k_rice, venue.scheduler.now()).has_value());
  const Result<void> refused = venue.front.cancel_orders(0, k_rice, venue.scheduler.now());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::no_room);
  venue.journal_one.is_lagging = false;
  venue.run(100ms);
  EXPECT_TRUE(venue.front.cancel_orders(0, k_rice, venue.scheduler.now()).has_value());
  EXPECT_EQ(anna->reports.size(), 16u + 17u + 16u);
}

TEST(FrontDeathTest, stops_when_what_was_durable_is_no_longer) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  venue.journal_one.is_lagging = true;  // durable up to 0
  EXPECT_DEATH(venue.send(*anna, valid_order({.lots = 1, .ticks = 100})), "what is durable stays durable.* = 0, ");
}

TEST(Front, says_that_a_partition_is_suspended_when_its_journal_is_full) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A1"}));
  venue.journal_one.is_full = true;
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .id = "A2"}));
  venue.send(*anna, make_cancel({.original = "A1", .id = "A3"}));
  ASSERT_EQ(kinds_of(anna->reports), (Kinds{accepted, business_rejected, business_rejected}));
  EXPECT_EQ(anna->reports[2].client_order_id.view(), "A3");
  EXPECT_EQ(anna->reports[2].sequence.value, 0u);
  EXPECT_EQ(anna->codes[2], mit::code::k_partition_suspended);
  EXPECT_EQ(venue.front.counters().commands_refused, 2u);
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .instrument = k_silk}));
  EXPECT_EQ(anna->reports.back().kind, accepted);
}

TEST(Front, submits_a_sessions_end_to_a_full_partition_as_soon_as_it_can_and_lets_nobody_on_before) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.lots = 1, .ticks = 100, .auto_cancel = true}));
  venue.journal_one.is_full = true;
  venue.network.cut(anna->session);
  venue.run(1ms);
  EXPECT_FALSE(venue.front.is_logged_on(0));
  EXPECT_EQ(venue.partition_one.live_orders(), 1u);
  EXPECT_EQ(venue.log_on("ANNA")->refusal, mit::code::k_already_logged_in);
  EXPECT_EQ(venue.log_on("BERT")->refusal, mit::code::k_system_suspended);
  venue.journal_one.is_full = false;
  venue.run(1ms);
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  EXPECT_TRUE(venue.log_on("ANNA")->is_on);
}

// ---- Probes ----

struct SeenMarks final : measure::Probe {
  void mark(std::uint8_t stage, std::uint64_t number) override { seen.emplace_back(stage, number); }
  void bind(std::uint64_t, std::uint64_t) override {}
  std::vector<std::pair<int, std::uint64_t>> seen;
};

/// By number, how often each of two stages was marked.
struct CountedMarks final : measure::Probe {
  void mark(std::uint8_t stage, std::uint64_t number) override { ++seen[number][stage]; }
  void bind(std::uint64_t, std::uint64_t) override {}
  std::map<std::uint64_t, std::array<int, 2>> seen;
};

TEST(Front, marks_a_request_coming_in_and_its_answer_leaving_by_the_number_in_its_id) {
  SeenMarks marks;
  FrontConfig config = make_front_config();
  config.stages = {.in = 3, .out = 4};
  Venue venue(config, {}, {.orders = 64, .levels = 32, .reports = 4096}, &marks);
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*anna, valid_order({.side = Side::sell, .lots = 1, .ticks = 100, .id = "5"}));
  venue.send(*bert, valid_order({.lots = 1, .ticks = 100, .id = "10"}));   // 62; fills are not marked
  venue.send(*bert, valid_order({.lots = 1, .ticks = 100, .id = "a-b"}));  // no number
  venue.send(*bert, make_cancel({.original = "none", .id = "7"}));
  using Seen = std::vector<std::pair<int, std::uint64_t>>;
  EXPECT_EQ(marks.seen, (Seen{{3, 5}, {4, 5}, {3, 62}, {4, 62}, {3, 7}, {4, 7}}));
}

TEST(Front, marks_that_an_answer_was_taken_up_before_it_leaves_where_somebody_wants_to_know) {
  SeenMarks marks;
  FrontConfig config = make_front_config();
  config.stages = {.in = 3, .taken = 5, .out = 4};
  Venue venue(config, {}, {.orders = 64, .levels = 32, .reports = 4096}, &marks);
  const auto anna = venue.log_on("ANNA");
  venue.send(*anna, valid_order({.side = Side::sell, .lots = 1, .ticks = 100, .id = "5"}));
  using Seen = std::vector<std::pair<int, std::uint64_t>>;
  EXPECT_EQ(marks.seen, (Seen{{3, 5}, {5, 5}, {4, 5}}));
}

TEST(Front, marks_one_request_in_sixteen_with_all_of_its_marks) {
  CountedMarks marks;
  FrontConfig config = make_front_config();
  config.marked_one_in = 16;
  Venue venue(config, {}, {.orders = 64, .levels = 32, .reports = 1 << 15}, &marks);
  const auto anna = venue.log_on("ANNA");
  constexpr int k_requests = 1600;
  for (int number = 0; number < k_requests; ++number)
    venue.send(*anna, make_cancel({.original = "none", .id = std::to_string(number)}));
  // Expected are 100; numbers that follow each other are as good as any.
  EXPECT_GT(marks.seen.size(), 60u);
  EXPECT_LT(marks.seen.size(), 140u);
  for (const auto& [number, stages] : marks.seen) EXPECT_EQ(stages, (std::array{1, 1})) << number;
  // Every request is as likely as any other, whatever rhythm they have.
  std::array<int, 16> places{};
  for (const auto& [number, stages] : marks.seen) ++places[number % 16];
  for (const int count : places) EXPECT_LT(count, 25);
}

TEST(Front, measures_requests_whose_answers_wait_for_the_journal_among_many_others) {
  CountedMarks marks;
  RequestMarks chosen(&marks, {.in = 0, .out = 1}, 16);
  // A thousand on their way at once, of which one in sixteen takes one of 256 places: a few share one, and the older of
  // two is not measured.
  for (std::uint64_t number = 0; number < 1000; ++number) {
    char text[mit::k_base62_max];
    chosen.came_in(Text<20>::cut(mit::format_base62_shortest(number, text)));
  }
  ASSERT_TRUE(chosen.are_any_waiting());
  EXPECT_GT(marks.seen.size(), 40u);
  for (std::uint64_t number = 0; number < 2000; ++number) {
    char text[mit::k_base62_max];
    const Text<20> id = Text<20>::cut(mit::format_base62_shortest(number, text));
    chosen.went_out(id);
    chosen.went_out(id);  // an unsolicited report that names it as well
  }
  std::size_t measured = 0;
  for (const auto& [number, stages] : marks.seen) {
    EXPECT_EQ(stages[0], 1) << number;
    EXPECT_LE(stages[1], 1) << number;
    measured += static_cast<std::size_t>(stages[1]);
  }
  EXPECT_GT(measured, marks.seen.size() * 3 / 4);
  EXPECT_FALSE(chosen.are_any_waiting());
}

// ---- Construction and memory ----

TEST(Front, cannot_be_made_from_a_configuration_that_makes_no_sense) {
  sched::Scheduler scheduler(64);
  journal::MemoryJournal one({}), two({});
  PartitionConfig partition_config = make_config();
  Partition partition(partition_config, one), same_instruments(partition_config, two);
  const auto make = [&](std::vector<Partition*> partitions, auto change) {
    FrontConfig config = make_front_config();
    change(config);
    Front front(config, scheduler, partitions);
  };
  EXPECT_NO_THROW(make({&partition}, [](FrontConfig&) {}));
  EXPECT_THROW(make({}, [](FrontConfig&) {}), std::invalid_argument);
  EXPECT_THROW(make({&partition, &same_instruments}, [](FrontConfig&) {}), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.sessions = 0; }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.marked_one_in = 0; }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.marked_one_in = 12; }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.users.clear(); }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.users[1].name = c.users[0].name; }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.users[1].name = ""; }), std::invalid_argument);
  EXPECT_THROW(make({&partition}, [](FrontConfig& c) { c.users[1].password = std::string(26, 'x'); }),
               std::invalid_argument);
}

/// Takes what it is sent and forgets it.
struct Sink final : link::Transport {
  Room prepare(std::size_t size) override { return {bytes, size}; }
  void commit(std::size_t size) override { sent += size; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void flush() override {}
  void close(link::CloseReason) override {}
  void set_reading(bool) override {}
  std::byte bytes[1024] = {};
  std::size_t sent = 0;
};

TEST(Front, allocates_nothing_once_users_are_logged_on) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "this build does not count";
  Venue venue;
  const auto& dialect = mit::lse_21_2::k_dialect;
  Sink sinks[2];
  link::Connection* sessions[2];
  std::byte bytes[256];
  for (int user = 0; user < 2; ++user) {
    sessions[user] = venue.front.on_accept(venue.address);
    sessions[user]->on_open(sinks[user], k_start);
    const auto logon = dialect.encode_logon({.user = Text<25>::cut(make_users()[static_cast<std::size_t>(user)].name),
                                             .password = Text<25>::cut("Secret#2026")},
                                            Room{bytes});
    EXPECT_EQ(sessions[user]->on_bytes(Bytes{bytes, *logon}, k_start), *logon);
  }
  ASSERT_EQ(venue.front.logged_on(), 2u);
  const std::uint64_t before = heap_allocations();
  for (int round = 0; round < 5'000; ++round) {
    const auto say = [&](int user, const Result<std::size_t>& size) {
      static_cast<void>(sessions[user]->on_bytes(Bytes{bytes, *size}, k_start));
      venue.front.finish(k_start);
    };
    say(0,
        dialect.encode_new_order(valid_order({.side = Side::sell, .lots = 5, .ticks = 100, .id = "S"}), Room{bytes}));
    say(0, dialect.encode_replace(
               make_replace({.side = Side::sell, .original = "S", .id = "T", .lots = 4, .ticks = 101}), Room{bytes}));
    say(1, dialect.encode_new_order(valid_order({.lots = 3, .ticks = 101, .id = "B"}), Room{bytes}));
    say(1, dialect.encode_new_order(valid_order({.lots = 3, .ticks = 5000, .id = "B"}), Room{bytes}));
    say(0, dialect.encode_cancel(make_cancel({.side = Side::sell, .original = "T"}), Room{bytes}));
    say(1, dialect.encode_cancel(make_cancel({.original = "T"}), Room{bytes}));
  }
  const std::uint64_t after = heap_allocations();
  EXPECT_EQ(after - before, 0u);
  EXPECT_EQ(venue.front.counters().reports_sent, 5'000u * 8);
  EXPECT_EQ(venue.partition_one.totals(0).sold, 15'000u);
  for (link::Connection* session : sessions) session->on_closed(link::CloseReason::by_peer, k_start);
}

}  // namespace
}  // namespace dojima::venue::testing
