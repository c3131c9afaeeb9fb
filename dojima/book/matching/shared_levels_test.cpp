// Long levels that are not traded in the order of time: what the fast path makes of its memory of the largest orders,
// beside the general path, which has none.

#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {
namespace {

constexpr std::uint64_t k_some_sizes = 6;

/// Sell orders at three prices, up to some hundred at each, that come, change, go and are traded, now and then with an
/// iceberg among them.
class LongLevels {
 public:
  LongLevels(Policy policy, std::uint64_t seed) : random_(seed), fast_(options(policy)), general_(options(policy)) {
    general_.book.forbid_fast_path();
  }

  void run(std::size_t commands) {
    for (std::size_t at = 0; at < 300; ++at) rest();
    for (std::size_t at = 0; at < commands && !::testing::Test::HasFailure(); ++at) step();
    EXPECT_EQ(general_.orders.digest(), fast_.orders.digest());
  }

 private:
  static WorldOptions options(Policy policy) { return {.orders = 4096, .buffer = 64, .rules = {.policy = policy}}; }

  template <class Command>
  std::vector<BookReport> apply(const Command& command) {
    const auto reports = fast_.apply(command);
    EXPECT_EQ(general_.apply(command), reports);
    return reports;
  }

  void step() {
    const std::uint64_t draw = random_.below(100);
    if (draw < 40) return rest();
    if (draw < 58) return take(1 + lots(60));
    if (draw < 60) return take(1 + lots(6'000));
    if (draw < 61) return rest_iceberg();
    const auto waiting = fast_.queue(Side::sell);
    if (waiting.empty()) return rest();
    const OrderId order = waiting[random_.below(waiting.size())];
    if (draw < 80) return cancel(order);
    change(order, draw < 90);
  }

  /// Few sizes, so that many orders have as much as others, and now and then any.
  std::int64_t size() { return random_.chance(20) ? 1 + lots(200) : 10 * (1 + lots(k_some_sizes)); }
  std::int64_t lots(std::uint64_t below) { return static_cast<std::int64_t>(random_.below(below)); }
  std::int64_t price() { return 10 + lots(3); }

  void rest() { static_cast<void>(apply(make_order({Side::sell, size(), price()}))); }
  void rest_iceberg() {
    market::NewOrder order = make_order({Side::sell, 90, price()});
    order.terms.displayed = {20};
    static_cast<void>(apply(order));
  }
  void take(std::int64_t quantity) {
    static_cast<void>(
        apply(make_order({Side::buy, quantity, price(), OrderType::limit, TimeInForce::immediate_or_cancel})));
  }
  void cancel(OrderId order) {
    market::Cancel command;
    command.header.instrument = k_instrument;
    command.order = order;
    command.side = Side::sell;
    static_cast<void>(apply(command));
  }
  void change(OrderId order, bool is_smaller) {
    const Slot slot = fast_.orders.find(order);
    const Price limit = fast_.orders.limit(slot);
    const std::int64_t total = fast_.orders.quantity(slot).lots;
    market::Replace command = fast_.make_replace(order, Side::sell, is_smaller ? total - total / 3 : total + 10, 10);
    command.limit = random_.chance(50) ? limit : at(price());
    static_cast<void>(apply(command));
  }

  SplitMix64 random_;
  World fast_, general_;
};

TEST(LongLevels, are_traded_on_the_fast_path_as_on_the_general_one) {
  std::uint64_t seed = 1;
  for (const Policy policy : {Policy::pro_rata, Policy::top_pro_rata, Policy::size_time})
    LongLevels(policy, seed++).run(300);
}

TEST(LongLevels, give_one_takers_trades_from_the_largest_order_to_the_smallest) {
  World world({.orders = 256, .buffer = 256, .rules = {.policy = Policy::size_time}});
  for (std::int64_t at = 0; at < 100; ++at) world.sell(1 + at * 37 % 50, 10);  // each size twice
  std::int64_t before = 51;
  OrderId order;
  for (const BookReport& report : world.enter({Side::buy, 2'549, 10})) {
    if (report.kind != BookReportKind::traded) continue;
    EXPECT_LE(report.quantity.lots, before);
    if (report.quantity.lots == before) {
      EXPECT_LT(order.value & 0xffff'ffffU, report.order.value & 0xffff'ffffU);
    }
    before = report.quantity.lots;
    order = report.order;
  }
  EXPECT_EQ(before, 1);
  EXPECT_EQ(world.queue(Side::sell).size(), 1u) << "of 2,550 lots one is left";
}

TEST(LongLevels, give_the_oldest_what_shares_leave_over_also_where_it_has_none_itself) {
  World world({.orders = 256, .buffer = 256, .rules = {.policy = Policy::pro_rata}});
  for (std::int64_t at = 0; at < 40; ++at) world.sell(at == 20 ? 200 : 1, 10);  // 239 lots
  std::vector<std::int64_t> traded;
  for (const BookReport& report : world.enter({Side::buy, 4, 10}))
    if (report.kind == BookReportKind::traded) traded.push_back(report.quantity.lots);
  EXPECT_EQ(traded, (std::vector<std::int64_t>{1, 3})) << "200 * 4 / 239 = 3.3; what is left goes to the oldest";
}

}  // namespace
}  // namespace dojima::book::testing
