// The reports to owners that follow from single book reports, made by hand; and what no book may report.

#include "dojima/venue/partition/owner_reports.hpp"

#include <gtest/gtest.h>

namespace dojima::venue {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Reason;

constexpr Time k_now = time::from_nanoseconds(1'800'000'000'000'000'000);

class OwnerReportsByHand : public ::testing::Test {
 protected:
  /// A command of the user and an order that it enters: its id.
  market::OrderId enter(std::uint16_t user, std::int64_t lots, std::string_view id) {
    market::NewOrder order = command(user, id);
    order.terms = {.quantity = {lots}, .owner = user, .side = user == 0 ? market::Side::buy : market::Side::sell};
    reports.begin(order);
    const market::OrderId entered = orders.id(orders.add(order.terms, order.labels, 7));
    reports.report(book_report(BookReportKind::accepted, entered, lots, lots), k_now);
    return entered;
  }
  market::NewOrder command(std::uint16_t user, std::string_view id) {
    market::NewOrder order;
    order.header.sequence = {++sequence};
    order.header.user = user;
    order.labels.client_order_id = Text<20>::cut(id);
    return order;
  }
  BookReport book_report(BookReportKind kind, market::OrderId order, std::int64_t lots, std::int64_t leaves) const {
    return {
        .sequence = {sequence}, .order = order, .quantity = {lots}, .leaves = {leaves}, .instrument = 7, .kind = kind};
  }
  BookReport trade(market::OrderId resting, market::OrderId aggressor, std::int64_t lots, std::int64_t leaves) const {
    BookReport report = book_report(BookReportKind::traded, resting, lots, leaves);
    report.other = aggressor;
    return report;
  }
  std::vector<OwnerReport> read() {
    const auto batch = reports.log().read(cursor, {sequence});
    return {batch.reports.begin(), batch.reports.end()};
  }

  PartitionConfig config{.app_id = 2, .users = std::vector<UserSetUp>(2), .limits = {.orders = 8, .reports = 64}};
  book::OrderTable orders{{.partition = 2, .capacity = 8, .owners = 2}};
  OwnerReports reports{config, orders};
  Cursor cursor;
  std::uint64_t sequence = 0;
};

TEST_F(OwnerReportsByHand, number_both_sides_of_a_trade_with_the_resting_order_first) {
  const auto resting = enter(0, 5, "rest");
  const auto aggressor = enter(1, 3, "take");
  reports.report(trade(resting, aggressor, 3, 2), k_now);
  const auto sent = read();
  ASSERT_EQ(sent.size(), 4u);
  for (std::size_t at = 0; at < sent.size(); ++at) {
    EXPECT_EQ(sent[at].sequence.value, at + 1);
    EXPECT_EQ(sent[at].execution, (std::uint64_t{2} << 60) + at + 1);
  }
  EXPECT_EQ(sent[2].user, 0u);
  EXPECT_EQ(sent[2].leaves.lots, 2);
  EXPECT_EQ(sent[2].status, market::OrderStatus::partially_filled);
  EXPECT_EQ(sent[3].user, 1u);
  EXPECT_EQ(sent[3].leaves.lots, 0);
  EXPECT_EQ(sent[3].status, market::OrderStatus::filled);
  EXPECT_EQ(sent[2].trade, reports.numbers().last_trade());
  EXPECT_EQ(reports.numbers().next_trade(), reports.numbers().last_trade() + 1);
  EXPECT_EQ(reports.owned().totals(0).open(), 2);
  EXPECT_EQ(reports.owned().totals(1).open(), 0);
}

TEST_F(OwnerReportsByHand, know_what_was_executed_of_an_order_that_waits_and_enters_again) {
  config.full_reports = true;
  OwnerReports full{config, orders};
  market::NewOrder order = command(0, "rest");
  order.terms = {.quantity = {5}, .side = market::Side::buy};
  full.begin(order);
  const market::OrderId id = orders.id(orders.add(order.terms, order.labels, 7));
  full.report(book_report(BookReportKind::accepted, id, 5, 5), k_now);
  market::NewOrder taker = command(1, "take");
  taker.terms = {.quantity = {2}, .owner = 1, .side = market::Side::sell};
  full.begin(taker);
  const market::OrderId other = orders.id(orders.add(taker.terms, taker.labels, 7));
  full.report(book_report(BookReportKind::accepted, other, 2, 2), k_now);
  full.report(trade(id, other, 2, 3), k_now);
  full.report(book_report(BookReportKind::parked, id, 5, 3), k_now);
  full.report(book_report(BookReportKind::added, id, 5, 3), k_now);
  const auto sent = full.log().read(cursor, {sequence}).reports;
  ASSERT_EQ(sent.size(), 6u);
  EXPECT_EQ(sent[4].kind, OwnerReportKind::suspended);
  EXPECT_EQ(sent[5].kind, OwnerReportKind::accepted);
  EXPECT_EQ(sent[5].status, market::OrderStatus::partially_filled);
  EXPECT_EQ(sent[5].leaves.lots, 3);
}

TEST_F(OwnerReportsByHand, look_up_the_order_that_a_request_names_by_its_client_order_id) {
  const auto order = enter(0, 5, "mine");
  market::Cancel cancel{.header = {.sequence = {++sequence}, .user = 0, .type = market::CommandType::cancel},
                        .original_client_order_id = Text<20>::cut("mine")};
  EXPECT_EQ(reports.begin(cancel).order, order);
  EXPECT_EQ(reports.owned().request().command.value, sequence);
  cancel.header.user = 1;
  EXPECT_EQ(reports.begin(cancel).order.value, 0u);
  cancel.order = {99};  // an order id wins
  EXPECT_EQ(reports.begin(cancel).order.value, 99u);
}

TEST_F(OwnerReportsByHand, refuse_without_naming_another_users_order) {
  const auto order = enter(0, 5, "mine");
  market::Cancel cancel{.header = {.sequence = {++sequence}, .user = 1, .type = market::CommandType::cancel}};
  cancel.order = order;
  static_cast<void>(reports.begin(cancel));
  BookReport refusal = book_report(BookReportKind::rejected, order, 0, 0);
  refusal.reason = Reason::not_owner;
  refusal.flags = market::k_replacement;
  reports.report(refusal, k_now);
  const OwnerReport sent = read().back();
  EXPECT_EQ(sent.kind, OwnerReportKind::request_rejected);
  EXPECT_EQ(sent.reason, Reason::unknown_order);
  EXPECT_EQ(sent.order.value, 0u);
  EXPECT_EQ(sent.execution, 0u);
}

TEST_F(OwnerReportsByHand, answer_a_mass_cancel_of_a_user_and_not_of_the_operator) {
  market::MassCancel cancel;
  cancel.header.sequence = {++sequence};
  cancel.header.user = market::k_no_user;
  reports.answer(reports.begin(cancel), true);
  EXPECT_TRUE(read().empty());
  cancel.header.user = 1;
  reports.answer(reports.begin(cancel), false);
  const auto sent = read();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].reason, Reason::unknown_instrument);
}

using OwnerReportsByHandDeathTest = OwnerReportsByHand;

TEST_F(OwnerReportsByHandDeathTest, survive_nothing_that_no_book_may_report) {
  const auto resting = enter(0, 5, "rest");
  const auto aggressor = enter(1, 3, "take");
  EXPECT_DEATH(reports.report(trade(resting, aggressor, 3, 6), k_now), "never negative nor above.* = 6, 5, .*, 3");
  EXPECT_DEATH(reports.report(trade(resting, aggressor, 3, -1), k_now), "never negative nor above.* = -1, 5");
  EXPECT_DEATH(reports.report(trade(resting, aggressor, 4, 1), k_now), "never negative nor above.* = -1, 3");
  EXPECT_DEATH(reports.report(trade(aggressor, resting, 3, 0), k_now), "the aggressor is the order in hand");
  EXPECT_DEATH(reports.report(book_report(BookReportKind::accepted, resting, 5, 6), k_now), "nor above.* = 6, 5");
  EXPECT_DEATH(reports.report(book_report(BookReportKind::added, {resting.value + 1'000}, 5, 5), k_now), "still holds");
  EXPECT_DEATH(reports.report(book_report(BookReportKind::phase_changed, resting, 5, 5), k_now),
               "only what the life of an order allows");
#if defined(DOJIMA_SLOW_CHECKS)
  BookReport elsewhere = book_report(BookReportKind::added, resting, 5, 5);
  elsewhere.instrument = 8;
  EXPECT_DEATH(reports.report(elsewhere, k_now), "in the book that reports on it.* = 7, 8");
  EXPECT_DEATH(reports.report(book_report(BookReportKind::expired, resting, 6, 0), k_now),
               "no more lots end.* = -1, 5");
  orders.change_terms(orders.find(resting)).owner = 2;
  EXPECT_DEATH(reports.report(book_report(BookReportKind::added, resting, 5, 5), k_now), "a known owner.* = 2, 2");
#endif
}

}  // namespace
}  // namespace dojima::venue
