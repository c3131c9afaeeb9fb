#include "dojima/gateway/translator/order_lifecycle.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/base/slow_checks_test_support.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

/// Records of one client with an order of 100, entered under "A".
struct Book {
  Book() {
    Request& request = open(RequestKind::new_order, "A");
    Order& opened = order();
    records.name_order(opened, request.cl_ord_id);
    opened.terms.quantity = {100};
    opened.current_request = request.number;
  }

  Request& open(RequestKind kind, const std::string& id) {
    Request& request = records.open_request(records.take_number().value(), 0);
    request.kind = kind;
    request.order = slot;
    records.add_id(request, ClOrdId::from(id).value(), slot);
    return request;
  }
  /// A cancel or replace that was sent.
  Request& send(RequestKind kind, const std::string& id, std::int64_t quantity = 100) {
    Request& request = open(kind, id);
    RequestedChange& change = records.open_change(request, records.id_of(order()));
    change.terms = order().terms;
    change.terms.quantity = {quantity};
    order().pending_change = records.slot_of(request);
    return request;
  }
  /// Of the session that all requests went over.
  void end_session() {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t each = records.first_request(0); each != k_no_slot; each = records.next_request(each))
      slots.push_back(each);
    lifecycle.end_session(slots);
  }
  Request& entered() { return records.request_at(0); }
  Order& order() { return records.order_at(slot); }
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& id) const {
    return records.find_order(0, ClOrdId::from(id).value());
  }
  bool apply(Request& request, OwnerReportKind kind, std::int64_t quantity, std::int64_t leaves) {
    OwnerReport report;
    report.kind = kind;
    report.order = {77};
    report.price = {10};
    report.quantity = {quantity};
    report.leaves = {leaves};
    return lifecycle.apply_execution(request, report);
  }
  void accept() {
    EXPECT_FALSE(apply(entered(), OwnerReportKind::accepted, 0, 100));
    order().state = OrderState::live;
  }

  GatewayCounters counters;
  Records records{{.orders = 4, .requests = 8, .remembered_ids = 8}, 0};
  std::uint32_t slot = records.open_order().value();
  OrderLifecycle lifecycle{records, counters};
};

TEST(OrderLifecycle, the_first_report_answers_an_order_and_later_ones_do_not) {
  Book book;
  book.accept();
  EXPECT_EQ(book.order().order_id.value, 77u);
  EXPECT_TRUE(book.entered().is_answered);
  EXPECT_FALSE(book.apply(book.entered(), OwnerReportKind::traded, 30, 70));
  EXPECT_EQ(book.counters.answers, 1u);
  EXPECT_EQ(book.counters.executions, 1u);
  EXPECT_EQ(book.order().cumulative.lots, 30);
  EXPECT_EQ(book.order().leaves().lots, 70);
  EXPECT_EQ(static_cast<std::int64_t>(book.order().notional), 300);
}

TEST(OrderLifecycle, an_accepted_replace_gives_the_order_its_terms_and_its_id) {
  Book book;
  book.accept();
  Request& replace = book.send(RequestKind::replace, "B", 150);
  EXPECT_TRUE(book.apply(replace, OwnerReportKind::replaced, 0, 150));
  EXPECT_EQ(book.records.id_of(book.order()).view(), "B");
  EXPECT_EQ(book.order().terms.quantity.lots, 150);
  EXPECT_EQ(book.order().current_request, replace.number);
  EXPECT_EQ(book.order().pending_change, k_no_slot);
  EXPECT_EQ(book.records.find_request(0), nullptr) << "nothing has the order's first id any more";
  EXPECT_EQ(book.find("A"), book.slot) << "but it still addresses the order";
  EXPECT_EQ(book.find("B"), book.slot);
  EXPECT_FALSE(book.apply(replace, OwnerReportKind::traded, 10, 140)) << "answered once";
}

TEST(OrderLifecycle, a_fill_under_the_id_of_an_unanswered_replace_answers_it) {
  Book book;
  book.accept();
  Request& replace = book.send(RequestKind::replace, "B", 150);
  EXPECT_TRUE(book.apply(replace, OwnerReportKind::traded, 10, 140));
  EXPECT_EQ(book.order().terms.quantity.lots, 150);
  EXPECT_EQ(book.order().cumulative.lots, 10);
  EXPECT_EQ(book.counters.answers, 2u);
}

TEST(OrderLifecycle, a_refused_change_frees_the_order_and_its_id_addresses_nothing) {
  Book book;
  book.accept();
  Request& cancel = book.send(RequestKind::cancel, "B");
  book.lifecycle.answer(cancel);
  book.lifecycle.close_refused_change(cancel);
  EXPECT_EQ(book.order().pending_change, k_no_slot);
  EXPECT_EQ(book.find("B"), std::nullopt);
  EXPECT_TRUE(book.records.knows_id(0, ClOrdId::from("B").value()));
  EXPECT_EQ(book.records.requests(), 1u);
}

TEST(OrderLifecycle, a_closed_order_waits_for_its_pending_change) {
  Book book;
  book.accept();
  Request& cancel = book.send(RequestKind::cancel, "B");
  EXPECT_FALSE(book.apply(book.entered(), OwnerReportKind::traded, 100, 0));
  book.order().state = OrderState::filled;
  book.lifecycle.close_order(book.slot);
  EXPECT_EQ(book.records.closed_orders(), 0u);
  book.lifecycle.answer(cancel);
  book.lifecycle.close_refused_change(cancel);
  book.lifecycle.settle(book.slot);
  EXPECT_EQ(book.records.closed_orders(), 1u);
  EXPECT_EQ(book.records.requests(), 0u);
}

TEST(OrderLifecycle, the_end_of_a_session_makes_unanswered_changes_stale_and_frees_their_order) {
  Book book;
  book.accept();
  Request& cancel = book.send(RequestKind::cancel, "B");
  book.lifecycle.end_session({});
  EXPECT_FALSE(cancel.is_stale) << "another user's session";
  book.end_session();
  EXPECT_TRUE(cancel.is_stale);
  EXPECT_FALSE(book.entered().is_stale) << "it was answered";
  EXPECT_TRUE(book.order().is_stale);
  EXPECT_EQ(book.order().pending_change, k_no_slot);
  EXPECT_EQ(book.counters.stale, 1u);
  book.end_session();
  EXPECT_EQ(book.counters.stale, 1u) << "once";
  book.lifecycle.answer(cancel);
  EXPECT_EQ(book.order().stale_changes, k_no_slot);
  EXPECT_EQ(book.counters.stale_answered, 1u);
}

TEST(OrderLifecycle, what_is_left_of_a_stale_order_says_what_was_executed_meanwhile) {
  Book book;
  book.accept();
  book.end_session();
  EXPECT_FALSE(book.apply(book.entered(), OwnerReportKind::traded, 10, 60));
  EXPECT_EQ(book.order().cumulative.lots, 40);
  EXPECT_EQ(book.order().unpriced.lots, 30);
  EXPECT_EQ(book.counters.missed_lots, 30u);
}

TEST(OrderLifecycle, stale_changes_of_an_order_that_closes_are_given_up) {
  Book book;
  book.accept();
  book.send(RequestKind::replace, "B", 150);
  book.end_session();
  book.send(RequestKind::replace, "C", 160);
  book.end_session();
  book.order().state = OrderState::cancelled;
  book.lifecycle.close_order(book.slot);
  EXPECT_EQ(book.counters.stale_abandoned, 2u);
  EXPECT_EQ(book.records.requests(), 0u);
  EXPECT_EQ(book.records.closed_orders(), 1u);
}

TEST(OrderLifecycle, a_late_answer_to_a_stale_change_leaves_a_closed_order_to_its_pending_one) {
  Book book;
  book.accept();
  Request& stale = book.send(RequestKind::replace, "B", 150);
  book.end_session();
  Request& pending = book.send(RequestKind::cancel, "C");
  book.order().state = OrderState::expired;
  book.lifecycle.close_order(book.slot);
  for (Request* late : {&stale, &pending}) {
    EXPECT_EQ(book.records.closed_orders(), 0u);
    book.lifecycle.answer(*late);
    book.lifecycle.close_refused_change(*late);
    book.lifecycle.settle(book.slot);
  }
  EXPECT_EQ(book.records.closed_orders(), 1u) << "once";
  EXPECT_EQ(book.records.requests(), 0u);
}

TEST(OrderLifecycleDeathTest, a_request_is_answered_once) {
  Book book;
  book.accept();
  EXPECT_DEATH(book.lifecycle.answer(book.entered()), "a request is answered once .*= 0, 0, 0");
}

TEST(OrderLifecycleDeathTest, an_orders_requests_are_its_clients) {
  Book book;
  Request& cancel = book.send(RequestKind::cancel, "B");
  cancel.client = 3;
  EXPECT_DEATH(book.lifecycle.answer(cancel), "an order and its requests are one client's .*= 1, 3, 0");
}

TEST(OrderLifecycleDeathTest, no_order_executes_more_than_its_quantity) {
  Book book;
  book.accept();
  EXPECT_DEATH(static_cast<void>(book.apply(book.entered(), OwnerReportKind::traded, 101, 0)),
               "no order executes more than its quantity .*= 77, 101, 100, 1");
}

TEST(OrderLifecycleDeathTest, what_was_missed_is_part_of_what_was_executed) {
  Book book;
  book.accept();
  book.order().unpriced = {11};
  EXPECT_DEATH(static_cast<void>(book.apply(book.entered(), OwnerReportKind::traded, 10, 90)),
               "executed without a report is part .*= 77, 11, 10");
}

TEST(OrderLifecycleDeathTest, all_of_a_filled_order_was_executed) {
  Book book;
  book.accept();
  static_cast<void>(book.apply(book.entered(), OwnerReportKind::traded, 99, 1));
  book.order().state = OrderState::filled;
  EXPECT_DEATH(book.lifecycle.close_order(book.slot), "all of a filled order was executed .*= 0, 77, 99, 100");
}

TEST(OrderLifecycleDeathTest, an_order_that_retires_is_closed) {
  Book book;
  book.accept();
  EXPECT_DEATH(book.lifecycle.settle(book.slot), "only a closed order retires .*= 0, 1, 77");
}

TEST(OrderLifecycleDeathTest, an_order_has_the_id_of_an_answered_request) {
  Book book;
  book.accept();
  Request& replace = book.send(RequestKind::replace, "B", 150);
  book.order().current_request = replace.number;
  EXPECT_DEATH(static_cast<void>(book.apply(replace, OwnerReportKind::replaced, 0, 150)),
               "an order has the id of an answered request .*= 1, 0, 0");
}

TEST(OrderLifecycleDeathTest, a_stale_change_is_in_its_orders_list) {
  Book book;
  book.accept();
  Request& cancel = book.send(RequestKind::cancel, "B");
  cancel.is_stale = true;
  EXPECT_DEATH(book.lifecycle.answer(cancel), "a stale change is in its order's list .*= 1, 0");
}

TEST(OrderLifecycleDeathTest, a_stale_change_waits_for_its_answer) {
  Book book;
  book.accept();
  Request& cancel = book.send(RequestKind::cancel, "B");
  book.end_session();
  cancel.is_answered = true;
  book.order().state = OrderState::cancelled;
  EXPECT_DEATH(book.lifecycle.close_order(book.slot), "a stale change waits for its answer .*= 1, 1, 1, 1");
}

TEST(OrderLifecycleDeathTest, a_replaces_id_addresses_the_order_that_it_changes) {
  if (!k_has_slow_checks) GTEST_SKIP() << k_no_slow_checks;
  Book book;
  book.accept();
  Request& replace = book.send(RequestKind::replace, "B", 150);
  book.records.detach_id(replace);
  EXPECT_DEATH(static_cast<void>(book.apply(replace, OwnerReportKind::replaced, 0, 150)),
               "a replace's ClOrdID addresses the order that it changes .*= 1, 0");
}

}  // namespace
}  // namespace dojima::gateway
