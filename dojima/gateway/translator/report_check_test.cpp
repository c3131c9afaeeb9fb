#include "dojima/gateway/translator/report_check.hpp"

#include <gtest/gtest.h>

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

/// An order of 100 of which 30 were executed, its accepted request, and reports about them.
struct Case {
  Case() {
    order.terms.side = market::Side::buy;
    order.terms.quantity = {100};
    order.cumulative = {30};
    order.instrument = 7;
    order.order_id = {77};
    order.state = OrderState::live;
    entered.is_answered = true;
    replace.kind = RequestKind::replace;
    cancel.kind = RequestKind::cancel;
  }
  [[nodiscard]] static OwnerReport about(OwnerReportKind kind, std::int64_t quantity, std::int64_t leaves) {
    OwnerReport report;
    report.kind = kind;
    report.order = {77};
    report.instrument = 7;
    report.side = market::Side::buy;
    report.quantity = {quantity};
    report.leaves = {leaves};
    return report;
  }
  [[nodiscard]] bool fits(const OwnerReport& report, const Request& request) const {
    return is_plausible(report, request, &request == &replace ? wanted : market::Quantity{}, order);
  }
  Order order;
  market::Quantity wanted{150};  // by the replace
  Request entered, replace, cancel;
};

TEST(ReportCheck, takes_what_an_open_order_may_meet) {
  const Case open;
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::traded, 70, 0), open.entered));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::accepted, 0, 70), open.entered));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::cancelled, 0, 0), open.cancel));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::expired, 0, 0), open.entered));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::replaced, 0, 120), open.replace));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::traded, 120, 0), open.replace)) << "the replace was accepted";
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::request_rejected, 0, 0), open.cancel));
}

TEST(ReportCheck, drops_quantities_that_the_order_does_not_have) {
  const Case open;
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::traded, 71, 0), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::traded, 70, 1), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::traded, 0, 70), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::traded, 10, -1), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::accepted, 0, 71), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::replaced, 0, 121), open.replace));
}

TEST(ReportCheck, drops_a_replace_below_what_was_executed) {
  Case open;
  open.wanted = {29};
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::replaced, 0, 0), open.replace));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::cancelled, 0, 0), open.replace));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::expired, 0, 0), open.replace));
}

TEST(ReportCheck, drops_what_is_about_another_order) {
  const Case open;
  OwnerReport report = Case::about(OwnerReportKind::traded, 10, 60);
  report.order = {78};
  EXPECT_FALSE(open.fits(report, open.entered));
  report = Case::about(OwnerReportKind::traded, 10, 60);
  report.instrument = 8;
  EXPECT_FALSE(open.fits(report, open.entered));
  report = Case::about(OwnerReportKind::traded, 10, 60);
  report.side = market::Side::sell;
  EXPECT_FALSE(open.fits(report, open.entered));
}

TEST(ReportCheck, drops_what_the_kind_of_request_cannot_meet) {
  const Case open;
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::traded, 10, 60), open.cancel));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::replaced, 0, 70), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::request_rejected, 0, 0), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::business_rejected, 0, 0), open.entered)) << "answered";
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::rejected, 0, 0), open.entered)) << "accepted before";
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::none, 0, 0), open.entered));
}

TEST(ReportCheck, takes_what_a_venue_does_by_itself) {
  Case open;
  open.order.cumulative = {30};
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::suspended, 0, 70), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::suspended, 0, 71), open.entered));
  EXPECT_TRUE(open.fits(Case::about(OwnerReportKind::restated, 0, 60), open.entered));
  EXPECT_FALSE(open.fits(Case::about(OwnerReportKind::restated, 0, 0), open.entered));
  OwnerReport bust = Case::about(OwnerReportKind::trade_cancelled, 30, 70);
  EXPECT_FALSE(open.fits(bust, open.entered)) << "without a price";
  bust.price = {1};
  EXPECT_TRUE(open.fits(bust, open.entered));
  open.order.state = OrderState::filled;
  EXPECT_TRUE(open.fits(bust, open.entered)) << "also when the order is over";
  bust.quantity = {31};
  EXPECT_FALSE(open.fits(bust, open.entered));
}

TEST(ReportCheck, a_closed_order_meets_refusals_only) {
  Case closed;
  closed.order.state = OrderState::cancelled;
  EXPECT_FALSE(closed.fits(Case::about(OwnerReportKind::traded, 10, 60), closed.entered));
  EXPECT_FALSE(closed.fits(Case::about(OwnerReportKind::cancelled, 0, 0), closed.cancel));
  EXPECT_TRUE(closed.fits(Case::about(OwnerReportKind::request_rejected, 0, 0), closed.cancel));
  EXPECT_TRUE(closed.fits(Case::about(OwnerReportKind::business_rejected, 0, 0), closed.cancel));
}

}  // namespace
}  // namespace dojima::gateway
