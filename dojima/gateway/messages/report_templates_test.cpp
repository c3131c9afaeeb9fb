// Reports from templates are the reports that are written field by field, whatever becomes of the orders.

#include "dojima/gateway/messages/report_templates.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "dojima/gateway/messages/report_writer.hpp"

namespace dojima::gateway {
namespace {

std::string written_report(const ReportForm& form, const SymbolTable& symbols, const Order& order,
                           const OrderParties* parties, const Execution& execution, ReportTemplates* templates) {
  std::vector<std::byte> room(1024);
  fix::Writer writer(
      room,
      {.type = fix::type::k_execution_report, .sender = "V", .target = "C", .sequence = {execution.total_reports}});
  write_execution(writer, form, symbols, {order, parties}, execution, templates);
  const auto message = writer.finish();
  return message ? std::string(as_text(*message)) : std::string();
}

/// Changes one thing of an order, or two.
void change(Order& order, std::mt19937_64& random) {
  const auto lots = static_cast<std::int64_t>(1 + random() % 100'000);
  switch (random() % 12) {
    case 0:
      order.terms.quantity = {lots};
      break;
    case 1:
      order.terms.limit = {static_cast<std::int64_t>(random() % 1'000'000'000'000)};
      break;
    case 2:
      order.terms.displayed = {lots};
      break;
    case 3:
      order.terms.capacity = static_cast<market::Capacity>(random() % 4);
      break;
    case 4:
      order.account = random() % 3 == 0 ? Text<10>{} : Text<10>::cut(std::to_string(random() % 1'000));
      break;
    case 5:
      order.instrument = 7 + static_cast<std::uint32_t>(random() % 2);
      break;
    case 6:
      order.order_id = {random() % 5 == 0 ? 0 : std::uint64_t{1} << 60 | (random() % 3) << 32 | random() % 8};
      break;
    case 7:
      order.terms.side = random() % 2 == 0 ? market::Side::buy : market::Side::sell;
      break;
    case 8:
      order.terms.time_in_force = static_cast<market::TimeInForce>(random() % 7);
      order.terms.expiry = time::from_nanoseconds(static_cast<std::int64_t>(random() % 1'000'000'000'000'000'000));
      break;
    case 9:
      order.state = random() % 2 == 0 ? OrderState::live : OrderState::cancelled;
      break;
    default:
      order.cumulative.lots += 1;
  }
}

TEST(ReportTemplates, give_the_reports_that_are_written_field_by_field) {
  const SymbolTable symbols(std::vector<SymbolConfig>{{"ALPHA", 7}, {"A-LONGER-SYMBOL", 8}});
  constexpr std::array k_versions = {FixVersion::fix_4_2, FixVersion::fix_4_4, FixVersion::fix_5_0_sp2};
  std::mt19937_64 random(5);
  ReportTemplates templates(4);
  std::vector<Order> orders(6);
  for (std::uint32_t at = 0; at < orders.size(); ++at) {
    orders[at].terms.side = market::Side::buy;
    orders[at].terms.type = market::OrderType::limit;
    orders[at].terms.quantity = orders[at].terms.displayed = {100};
    orders[at].instrument = 7;
    orders[at].client = at % 3;
    orders[at].state = OrderState::live;
    orders[at].order_id = {std::uint64_t{1} << 60 | at};
  }
  std::vector<OrderParties> parties(orders.size());
  std::size_t repeated = 0;
  for (unsigned step = 0; step < 4'000; ++step) {
    const std::size_t at = random() % orders.size();
    Order& order = orders[at];
    change(order, random);
    order.has_parties = random() % 2 == 0;
    if (random() % 8 == 0)
      parties[at] = {.given = static_cast<std::uint8_t>(random() % 16),
                     .clearing = static_cast<std::uint8_t>(random() % 2 * 3),
                     .trader = Text<11>::cut("TRD1")};
    const OrderParties* const own = order.has_parties ? &parties[at] : nullptr;
    const std::uint8_t clearing = own == nullptr ? std::uint8_t{0} : own->clearing;
    const ReportForm form{.version = k_versions[order.client], .has_venue_fields = order.client == 1};
    const Execution execution{.type = '0', .exec_id = "1", .cl_ord_id = "A-1", .total_reports = step};
    if (order.order_id.value != 0 && templates.of(order).is_of(order, clearing)) ++repeated;
    ASSERT_EQ(written_report(form, symbols, order, own, execution, &templates),
              written_report(form, symbols, order, own, execution, nullptr))
        << step;
  }
  EXPECT_GT(repeated, 100u);
}

TEST(ReportTemplates, of_orders_in_the_same_place_are_not_taken_for_each_other) {
  ReportTemplates templates(1);
  Order one, other;
  one.order_id = {5};
  other.order_id = {6};
  templates.of(one).begin(one, 0);
  EXPECT_TRUE(templates.of(one).is_of(one, 0));
  EXPECT_FALSE(templates.of(other).is_of(other, 0));
  EXPECT_FALSE(templates.of(one).is_of(one, 3));
  // Nor is one of the same id that differs in any of what the fields follow from, beside its terms.
  for (void (*const differ)(Order&) :
       {+[](Order& of) { of.instrument = 9; }, +[](Order& of) { of.client = 9; }, +[](Order& of) { of.user = 9; },
        +[](Order& of) { of.account = Text<10>::cut("A"); }, +[](Order& of) { of.terms.quantity = {9}; }}) {
    Order same = one;
    EXPECT_TRUE(templates.of(same).is_of(same, 0));
    differ(same);
    EXPECT_FALSE(templates.of(same).is_of(same, 0));
  }
}

}  // namespace
}  // namespace dojima::gateway
