// The reports to owners against a plain builder: each report made as a whole from maps of what is known of orders and
// users, out of what the books reported of random commands.

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dojima/venue/partition_flow_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using market::BookReport;
using market::BookReportKind;

/// Of continuous trading without full reports.
class PlainBuilder final : public ReportSink {
 public:
  explicit PlainBuilder(std::uint8_t partition) : partition_(partition) {}

  void begin(const market::NewOrder& command) {
    begin(command.header, command.labels.client_order_id);
    order_ = command;
  }
  void begin(const market::Replace& command) {
    begin(command.header, command.client_order_id);
    replace_ = command;
    is_replace_ = true;
  }
  void begin(const market::Cancel& command) { begin(command.header, command.client_order_id); }
  void begin(const market::UserCommand& command) { begin(command.header, {}); }

  void on_reports(std::span<const BookReport> reports, Time now) override {
    for (const BookReport& report : reports) {
      now_ = now;
      if (report.kind == BookReportKind::traded)
        trade(report);
      else if (report.kind == BookReportKind::rejected)
        refuse(report);
      else
        change(report);
    }
  }

  std::vector<OwnerReport> expected;

  [[nodiscard]] OrderId named(std::uint16_t user, const Text<20>& id) const {
    const auto known = names_.find({user, std::string(id.view())});
    return known != names_.end() ? known->second : OrderId{};
  }

 private:
  struct Known {
    market::OrderTerms terms;
    Text<20> id;
    std::uint16_t user = 0;
    bool is_executed = false;
  };

  void begin(const market::CommandHeader& header, const Text<20>& id) {
    user_ = header.user;
    request_id_ = id;
    is_replace_ = false;
  }

  void change(const BookReport& report) {
    if (report.kind == BookReportKind::accepted) {
      orders_[report.order.value] = {.terms = order_.terms, .id = request_id_, .user = user_, .is_executed = false};
      assign(report.order);
      aggressor_leaves_ = report.leaves;
      return add(report, OwnerReportKind::accepted, OrderStatus::new_order);
    }
    Known& known = orders_.at(report.order.value);
    switch (report.kind) {
      case BookReportKind::replaced:
        if (!is_replace_) return;
        forget(report.order);
        known.id = request_id_;
        known.terms.minimum = replace_.minimum;
        assign(report.order);
        aggressor_leaves_ = report.leaves;
        return add(report, OwnerReportKind::replaced,
                   known.is_executed ? OrderStatus::partially_filled : OrderStatus::new_order);
      case BookReportKind::cancelled:
        forget(report.order);
        add(report, OwnerReportKind::cancelled, OrderStatus::cancelled);
        if (report.reason == Reason::by_owner) expected.back().client_order_id = request_id_;
        return;
      case BookReportKind::expired:
        forget(report.order);
        return add(report, OwnerReportKind::expired, OrderStatus::expired);
      case BookReportKind::triggered:
        aggressor_leaves_ = report.leaves;
        return;
      case BookReportKind::reduced:
        aggressor_leaves_ -= report.quantity;
        return;
      default:
        return;
    }
  }

  void trade(const BookReport& report) {
    aggressor_leaves_ -= report.quantity;
    ++trades_;
    fill(report, report.order, report.leaves, report.displayed, 'A');
    fill(report, report.other, aggressor_leaves_, aggressor_leaves_, 'R');
  }
  void fill(const BookReport& report, OrderId order, market::Quantity leaves, market::Quantity displayed,
            char liquidity) {
    OwnerReport made = about(report, order);
    made.kind = OwnerReportKind::traded;
    made.status = leaves.lots == 0 ? OrderStatus::filled : OrderStatus::partially_filled;
    made.trade = std::uint64_t{partition_} << 48 | trades_;
    made.price = report.price;
    made.quantity = report.quantity;
    made.leaves = leaves;
    made.displayed = displayed;
    made.liquidity = liquidity;
    made.last_market = 21;
    made.type_of_trade = (report.flags & market::k_hidden) != 0 ? 1 : 0;
    orders_.at(order.value).is_executed = true;
    if (leaves.lots == 0) forget(order);
    number(made);
  }

  void refuse(const BookReport& report) {
    const bool is_request = (report.flags & market::k_replacement) != 0;
    const bool is_strangers = report.reason == Reason::not_owner;
    OwnerReport made{.command = report.sequence, .time = now_, .client_order_id = request_id_};
    made.partition = partition_;
    made.user = user_;
    made.instrument = report.instrument;
    made.side = report.side;
    made.status = OrderStatus::rejected;
    made.reason = is_strangers ? Reason::unknown_order : report.reason;
    made.kind = is_request ? OwnerReportKind::request_rejected : OwnerReportKind::rejected;
    if (is_request && made.reason != Reason::unknown_order && live_.contains(report.order.value))
      made.order = report.order;
    if (report.reason == Reason::unknown_instrument) {
      made.partition = 0;
      if (!is_request) made.kind = OwnerReportKind::business_rejected;
    }
    number(made);
  }

  [[nodiscard]] OwnerReport about(const BookReport& report, OrderId order) const {
    const Known& known = orders_.at(order.value);
    OwnerReport made{.command = report.sequence, .time = now_, .order = order, .public_order = order};
    made.minimum = known.terms.minimum;
    made.client_order_id = known.id;
    made.partition = partition_;
    made.instrument = report.instrument;
    made.user = known.user;
    made.side = known.terms.side;
    made.reason = report.reason;
    made.capacity = known.terms.capacity;
    made.peg = known.terms.peg;
    made.owner_type = known.terms.owner_type;
    return made;
  }
  void add(const BookReport& report, OwnerReportKind kind, OrderStatus status) {
    OwnerReport made = about(report, report.order);
    made.kind = kind;
    made.status = status;
    made.leaves = report.leaves;
    made.displayed = report.displayed;
    number(made);
  }
  void number(OwnerReport& made) {
    if (made.partition != 0) made.sequence = {++reports_};
    if (made.kind != OwnerReportKind::request_rejected && made.kind != OwnerReportKind::business_rejected)
      made.execution = std::uint64_t{partition_} << 60 | ++executions_;
    expected.push_back(made);
  }

  void assign(OrderId order) {
    const Known& known = orders_.at(order.value);
    live_[order.value] = true;
    if (!known.id.is_empty()) names_[{known.user, std::string(known.id.view())}] = order;
  }
  void forget(OrderId order) {
    const Known& known = orders_.at(order.value);
    live_.erase(order.value);
    const auto name = names_.find({known.user, std::string(known.id.view())});
    if (name != names_.end() && name->second == order) names_.erase(name);
  }

  std::uint8_t partition_;
  Time now_;
  std::uint16_t user_ = 0;
  Text<20> request_id_;
  market::NewOrder order_;
  market::Replace replace_;
  bool is_replace_ = false;
  market::Quantity aggressor_leaves_;
  std::map<std::uint64_t, Known> orders_;
  std::map<std::uint64_t, bool> live_;
  std::map<std::pair<std::uint16_t, std::string>, OrderId> names_;
  std::uint64_t reports_ = 0, executions_ = 0, trades_ = 0;
};

void compare_with_plain_builder(std::uint64_t seed, int steps) {
  World world(flow_config());
  Flow flow(seed);
  PlainBuilder plain(world.partition.app_id());
  flow.next_sink = &plain;
  world.partition.dismiss(&world.mirror);
  world.partition.observe(&flow);
  for (int step = 0; step < steps; ++step) {
    auto command = flow.next();
    plain.expected.clear();
    std::vector<OwnerReport> reports;
    std::visit(
        [&](auto& each) {
          plain.begin(each);
          EXPECT_TRUE(world.partition.submit(each.header, world.now += std::chrono::microseconds{1}).has_value());
        },
        command);
    ASSERT_EQ(world.read(), plain.expected) << "seed " << seed << ", step " << step;
  }
  EXPECT_GT(world.partition.totals(0).trades, 5u);
}

TEST(OwnerReportsModel, give_what_a_plain_builder_makes_of_the_same_book_reports) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) compare_with_plain_builder(seed, 500);
}

TEST(OwnerReportsModelLong, give_what_a_plain_builder_makes_of_the_same_book_reports) {
  for (std::uint64_t seed = 100; seed < 120; ++seed) compare_with_plain_builder(seed, 20'000);
}

}  // namespace
}  // namespace dojima::venue::testing
