// Rounds of a latency probe without a venue: which request comes next, and what an answer means.

#include "dojima/app/trade/probe/probe_round.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dojima/app/trade/probe/probe_trips.hpp"

namespace dojima::app {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;
using Then = ProbeRound::Then;

constexpr market::OrderId k_resting{77};

LatencyProbeOptions probe_options(bool trades) {
  return {.instrument = 3, .price = {500}, .quantity = {10}, .trades = trades};
}

template <class Command>
Command next_as(ProbeRound& round) {
  return std::get<Command>(round.next());
}

ProbeRound::Answer report(ProbeRound& round, OwnerReportKind kind, const Text<20>& name,
                          market::OrderId order = k_resting) {
  return round.take({.order = order, .client_order_id = name, .kind = kind}, 0, false);
}

TEST(ProbeRound, enters_changes_and_cancels_an_order_and_begins_anew) {
  const LatencyProbeOptions options = probe_options(false);
  ProbeRound round(options, 1);
  for (int times = 0; times < 2; ++times) {
    const auto order = next_as<market::NewOrder>(round);
    EXPECT_EQ(order.header.instrument, 3u);
    EXPECT_EQ(order.terms.quantity.lots, 10);
    EXPECT_FALSE(round.rests());
    auto answer = report(round, OwnerReportKind::accepted, order.labels.client_order_id);
    EXPECT_EQ(answer.then, Then::go_on);
    EXPECT_EQ(answer.trip, ProbeKind::submit);
    EXPECT_TRUE(round.rests());

    const auto replace = next_as<market::Replace>(round);
    EXPECT_EQ(replace.quantity.lots, 11);
    EXPECT_EQ(replace.order, k_resting);
    EXPECT_EQ(replace.original_client_order_id, order.labels.client_order_id);
    answer = report(round, OwnerReportKind::replaced, replace.client_order_id);
    EXPECT_EQ(answer.then, Then::go_on);
    EXPECT_EQ(answer.trip, ProbeKind::replace);

    const auto cancel = next_as<market::Cancel>(round);
    EXPECT_EQ(cancel.original_client_order_id, replace.client_order_id);
    answer = report(round, OwnerReportKind::cancelled, cancel.client_order_id);
    EXPECT_EQ(answer.then, Then::end_round);
    EXPECT_EQ(answer.trip, ProbeKind::cancel);
    EXPECT_FALSE(round.rests());
  }
}

TEST(ProbeRound, a_trade_is_over_when_both_of_its_orders_have_reported_it) {
  const LatencyProbeOptions options = probe_options(true);
  for (const bool bid_first : {true, false}) {
    ProbeRound round(options, 1);
    static_cast<void>(
        report(round, OwnerReportKind::accepted, next_as<market::NewOrder>(round).labels.client_order_id));
    static_cast<void>(report(round, OwnerReportKind::replaced, next_as<market::Replace>(round).client_order_id));
    EXPECT_EQ(report(round, OwnerReportKind::cancelled, next_as<market::Cancel>(round).client_order_id).then,
              Then::go_on);
    const Text<20> bid = next_as<market::NewOrder>(round).labels.client_order_id;
    EXPECT_EQ(report(round, OwnerReportKind::accepted, bid).then, Then::go_on);
    const auto taker = next_as<market::NewOrder>(round);
    EXPECT_EQ(taker.terms.side, market::Side::sell);
    EXPECT_EQ(taker.terms.time_in_force, market::TimeInForce::immediate_or_cancel);
    const Text<20> offer = taker.labels.client_order_id;
    const auto first =
        bid_first ? report(round, OwnerReportKind::traded, bid) : report(round, OwnerReportKind::traded, offer, {78});
    EXPECT_EQ(first.then, Then::wait);
    EXPECT_EQ(first.trip.has_value(), bid_first);
    const auto second =
        bid_first ? report(round, OwnerReportKind::traded, offer, {78}) : report(round, OwnerReportKind::traded, bid);
    EXPECT_EQ(second.then, Then::end_round);
    EXPECT_EQ(second.trip.has_value(), !bid_first);
    EXPECT_FALSE(round.rests());
  }
}

TEST(ProbeRound, what_is_of_others_or_not_awaited_is_left_out) {
  const LatencyProbeOptions options = probe_options(false);
  ProbeRound round(options, 1);
  const Text<20> name = next_as<market::NewOrder>(round).labels.client_order_id;
  EXPECT_EQ(report(round, OwnerReportKind::accepted, Text<20>::cut("somebody")).then, Then::wait);
  EXPECT_EQ(report(round, OwnerReportKind::replaced, name).then, Then::wait);
  EXPECT_EQ(report(round, OwnerReportKind::accepted, name).then, Then::go_on);
}

TEST(ProbeRound, says_why_nothing_can_be_measured) {
  const LatencyProbeOptions options = probe_options(false);
  for (const auto& [kind, words] : {std::pair{OwnerReportKind::rejected, "refused a request"},
                                    std::pair{OwnerReportKind::suspended, "not in continuous trading"},
                                    std::pair{OwnerReportKind::traded, "take a --price that nobody meets"}}) {
    ProbeRound round(options, 1);
    const Text<20> name = next_as<market::NewOrder>(round).labels.client_order_id;
    const ProbeRound::Answer answer = report(round, kind, name);
    EXPECT_EQ(answer.then, Then::leave);
    EXPECT_NE(answer.trouble.find(words), std::string::npos) << answer.trouble;
  }
}

TEST(ProbeRound, who_leaves_waits_for_the_end_of_what_rests_and_complains_of_nothing) {
  const LatencyProbeOptions options = probe_options(false);
  ProbeRound round(options, 1);
  static_cast<void>(report(round, OwnerReportKind::accepted, next_as<market::NewOrder>(round).labels.client_order_id));
  const market::Cancel cancel = round.cancel();
  EXPECT_EQ(cancel.order, k_resting);
  const auto answer = round.take(
      {.order = k_resting, .client_order_id = cancel.client_order_id, .kind = OwnerReportKind::request_rejected}, 2000,
      true);
  EXPECT_EQ(answer.then, Then::leave);
  EXPECT_TRUE(answer.trouble.empty()) << answer.trouble;
  EXPECT_FALSE(round.rests());
}

TEST(ProbeTrips, take_a_time_at_the_exchange_of_the_turn_before_for_that_of_sending) {
  ProbeTrips trips(false);
  const time::Time sent = time::from_nanoseconds(1'000'000'000);
  EXPECT_TRUE(trips.add(ProbeKind::submit, sent, sent - k_probe_turn, sent + k_probe_turn).empty());
  EXPECT_EQ(trips.reached_back(), 1u);
  const std::string behind =
      trips.add(ProbeKind::submit, sent, sent - k_probe_turn - time::Duration{1}, sent + k_probe_turn);
  EXPECT_NE(behind.find("200001 ns behind"), std::string::npos) << behind;
  const std::string before = trips.add(ProbeKind::submit, sent, sent + time::Duration{6}, sent + time::Duration{5});
  EXPECT_NE(before.find("1 ns before"), std::string::npos) << before;
  const std::vector<ProbeTrip> kept = trips.take_sorted();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].at_exchange, sent);
}

}  // namespace
}  // namespace dojima::app
