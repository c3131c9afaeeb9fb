#include "dojima/simulate/checks.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace dojima::simulate {
namespace {

using market::Side;

constexpr time::Time k_now = time::from_nanoseconds(1'700'000'000'000'000'000);

flow::Intent intent(std::uint64_t number, std::uint32_t client, Side side, std::int64_t lots) {
  return {.number = number, .due = k_now, .price = {100}, .quantity = {lots}, .client = client, .side = side};
}

Answer accepted(std::string_view id) {
  return {.kind = AnswerKind::accepted, .order_id = id};
}

Answer traded(std::int64_t lots, std::int64_t cumulative, std::int64_t leaves) {
  return {.kind = AnswerKind::traded,
          .leaves = {leaves},
          .cumulative = {cumulative},
          .last_quantity = {lots},
          .last_price = {100}};
}

/// Two clients: the first bought 60 of 100 from the second, whose 60 are done; the first then took back what was left
/// of another order of 10.
struct Story {
  Story() : ledger(16, 2, 1), venue{.users = std::vector<venue::UserTotals>(2)} {
    ledger.open(0, intent(0, 0, Side::buy, 100), flow::IntentKind::enter, k_no_number, k_now);
    ledger.open(1, intent(1, 1, Side::sell, 60), flow::IntentKind::enter, k_no_number, k_now);
    ledger.open(2, intent(2, 0, Side::buy, 10), flow::IntentKind::enter, k_no_number, k_now);
    ledger.apply(0, 0, accepted("1"), k_now);
    ledger.apply(1, 1, accepted("2"), k_now);
    ledger.apply(0, 2, accepted("3"), k_now);
    ledger.open(3, intent(3, 0, Side::buy, 10), flow::IntentKind::cancel, 2, k_now);
    ledger.apply(0, 3, {.kind = AnswerKind::cancelled}, k_now);
    ledger.apply(1, 1, traded(60, 60, 0), k_now);
    venue.users[0] = {.bought = 60, .submitted = 110, .cancelled = 10, .trades = 1};
    venue.users[1] = {.sold = 60, .submitted = 60, .trades = 1};
    venue.resting = {{.id = {1}, .leaves = 40, .user = 0}};
    venue.trades = 1;
  }
  /// The report that a planted fault may drop.
  void report_to_buyer() { ledger.apply(0, 0, traded(60, 60, 40), k_now); }

  [[nodiscard]] Verdict verdict() const { return verify(ledger, 2, 1, venue, gateway); }
  [[nodiscard]] static bool is_ok(const Verdict& verdict, std::string_view name) {
    const auto found = std::ranges::find(verdict.checks, name, &Check::name);
    EXPECT_NE(found, verdict.checks.end()) << name;
    return found->is_ok;
  }

  Ledger ledger;
  VenueSnapshot venue;
  gateway::GatewayCounters gateway;
};

TEST(DemoChecks, pass_when_clients_and_venue_agree) {
  Story story;
  story.report_to_buyer();
  const Verdict verdict = story.verdict();
  for (const Check& check : verdict.checks) EXPECT_TRUE(check.is_ok) << check.name << ": " << check.detail;
  EXPECT_TRUE(verdict.is_ok());
  EXPECT_FALSE(verdict.offender.has_value());
}

TEST(DemoChecks, fail_when_one_report_is_lost_and_name_its_order) {
  const Story story;
  const Verdict verdict = story.verdict();
  EXPECT_FALSE(verdict.is_ok());
  EXPECT_FALSE(Story::is_ok(verdict, "positions sum to zero"));
  EXPECT_FALSE(Story::is_ok(verdict, "clients and venue agree on every total"));
  EXPECT_FALSE(Story::is_ok(verdict, "clients and venue agree on every resting order"));
  EXPECT_FALSE(Story::is_ok(verdict, "no report lost on the way"));
  ASSERT_EQ(verdict.offender, 0u);
  const std::vector<std::string> history = story.ledger.history(0);
  ASSERT_EQ(history.size(), 4u);
  EXPECT_NE(history[1].find("request 0 sent: enter 100"), std::string::npos) << history[1];
  EXPECT_NE(history[2].find("request 0 accepted"), std::string::npos) << history[2];
}

TEST(DemoChecks, fail_when_a_report_comes_twice) {
  Story story;
  story.report_to_buyer();
  story.report_to_buyer();
  const Verdict verdict = story.verdict();
  EXPECT_FALSE(Story::is_ok(verdict, "positions sum to zero"));
  EXPECT_FALSE(Story::is_ok(verdict, "no report lost on the way"));
}

TEST(DemoChecks, fail_when_a_request_has_no_answer_or_two) {
  Story story;
  story.report_to_buyer();
  story.ledger.open(4, intent(4, 1, Side::sell, 5), flow::IntentKind::enter, k_no_number, k_now);
  EXPECT_FALSE(Story::is_ok(story.verdict(), "every request answered once"));
  EXPECT_EQ(story.verdict().offender, 4u);
  story.ledger.apply(1, 4, {.kind = AnswerKind::rejected}, k_now);
  EXPECT_TRUE(Story::is_ok(story.verdict(), "every request answered once"));
  story.ledger.apply(1, 4, {.kind = AnswerKind::rejected}, k_now);
  EXPECT_FALSE(Story::is_ok(story.verdict(), "every request answered once"));
}

TEST(DemoChecks, fail_when_the_venue_holds_another_order_or_quantity) {
  Story story;
  story.report_to_buyer();
  story.venue.resting[0].leaves = 41;
  EXPECT_FALSE(Story::is_ok(story.verdict(), "clients and venue agree on every resting order"));
  story.venue.resting[0] = {.id = {9}, .leaves = 40, .user = 0};
  EXPECT_FALSE(Story::is_ok(story.verdict(), "clients and venue agree on every resting order"));
  story.venue.resting.clear();
  EXPECT_FALSE(Story::is_ok(story.verdict(), "clients and venue agree on every resting order"));
}

TEST(DemoChecks, fail_when_a_counter_on_the_way_says_so) {
  Story story;
  story.report_to_buyer();
  story.venue.front.reports_missed = 1;
  EXPECT_FALSE(Story::is_ok(story.verdict(), "no report lost on the way"));
  story.venue.front.reports_missed = 0;
  story.gateway.undelivered = 1;
  EXPECT_FALSE(Story::is_ok(story.verdict(), "no report lost on the way"));
  story.gateway.undelivered = 0;
  story.venue.mirror_mismatch = "the rebuilt book differs from the book";
  EXPECT_FALSE(Story::is_ok(story.verdict(), "books equal the books rebuilt from their reports"));
}

TEST(DemoChecks, count_allocations_where_the_build_can) {
  EXPECT_TRUE(verify_allocations({{"a", 0, true}, {"b", 0, true}}).is_ok);
  EXPECT_FALSE(verify_allocations({{"a", 0, true}, {"b", 3, true}}).is_ok);
  const Check uncounted = verify_allocations({{"a", 0, false}});
  EXPECT_TRUE(uncounted.is_ok);
  EXPECT_NE(uncounted.detail.find("not counted"), std::string::npos);
}

TEST(DemoLedger, picks_only_orders_that_rest_and_have_nothing_under_way) {
  Ledger ledger(16, 1, 1);
  const auto& pickable = ledger.pickable(0, 0, Side::buy);
  ledger.open(0, intent(0, 0, Side::buy, 100), flow::IntentKind::enter, k_no_number, k_now);
  EXPECT_TRUE(pickable.empty()) << "not accepted yet";
  EXPECT_TRUE(ledger.apply(0, 0, accepted("1"), k_now));
  EXPECT_EQ(pickable, std::vector<Number>{0});
  ledger.open(1, intent(1, 0, Side::buy, 50), flow::IntentKind::replace, 0, k_now);
  EXPECT_TRUE(pickable.empty()) << "a change is under way";
  Answer replaced{.kind = AnswerKind::replaced, .total = {50}, .leaves = {50}};
  EXPECT_TRUE(ledger.apply(0, 1, replaced, k_now));
  EXPECT_EQ(pickable, std::vector<Number>{0});
  EXPECT_EQ(ledger.order(0).current, 1u) << "the order bears the id of its replace now";
  ledger.open(2, intent(2, 0, Side::buy, 50), flow::IntentKind::cancel, 0, k_now);
  EXPECT_TRUE(ledger.apply(0, 2, {.kind = AnswerKind::change_rejected}, k_now));
  EXPECT_EQ(pickable, std::vector<Number>{0}) << "it lives on";
  ledger.apply(0, 1, traded(50, 50, 0), k_now);
  EXPECT_TRUE(pickable.empty());
  EXPECT_EQ(ledger.order(0).phase, OrderPhase::filled);
  EXPECT_EQ(ledger.counts().strange, 0u);
}

TEST(DemoLedger, follows_what_the_venue_does_by_itself) {
  Ledger ledger(4, 1, 1);
  ledger.open(0, intent(0, 0, Side::buy, 100), flow::IntentKind::enter, k_no_number, k_now);
  EXPECT_TRUE(ledger.apply(0, 0, accepted("1"), k_now));
  EXPECT_FALSE(ledger.apply(0, 0, {.kind = AnswerKind::suspended, .leaves = {100}}, k_now));
  EXPECT_FALSE(ledger.apply(0, 0, accepted("1"), k_now)) << "it entered the book: no second answer";
  EXPECT_FALSE(ledger.apply(0, 0, {.kind = AnswerKind::restated, .leaves = {70}}, k_now));
  EXPECT_EQ(ledger.order(0).total, 70);
  EXPECT_EQ(ledger.order(0).leaves, 70);
  EXPECT_EQ(ledger.counts().strange, 0u);
  EXPECT_EQ(ledger.counts().accepted, 1u);
  ledger.apply(0, 0, {.kind = AnswerKind::restated, .leaves = {71}}, k_now);
  ledger.apply(0, 0, accepted("1"), k_now);
  EXPECT_EQ(ledger.counts().strange, 2u) << "it cannot grow, nor be accepted again";
}

TEST(DemoLedger, counts_what_it_cannot_place) {
  Ledger ledger(4, 2, 1);
  ledger.open(0, intent(0, 0, Side::buy, 100), flow::IntentKind::enter, k_no_number, k_now);
  ledger.apply(1, 0, accepted("1"), k_now);            // another client's
  ledger.apply(0, 3, accepted("1"), k_now);            // never made
  ledger.apply(0, k_no_number, accepted("1"), k_now);  // no number at all
  ledger.apply(0, 0, accepted("no id!"), k_now);       // no order id
  EXPECT_EQ(ledger.counts().strange, 4u);
  EXPECT_EQ(ledger.counts().answered, 0u);
}

}  // namespace
}  // namespace dojima::simulate
