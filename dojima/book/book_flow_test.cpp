#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/random_flow_test.hpp"
#include "dojima/book/reference_book_test.hpp"

namespace dojima::book::testing {
namespace {

ReferenceBook make_reference(const WorldOptions& options) {
  return ReferenceBook({.instrument = k_instrument,
                        .tick = k_tick,
                        .lowest = k_tick,
                        .highest = k_ticks * k_tick,
                        .largest = k_largest,
                        .orders = options.orders,
                        .levels = options.levels,
                        .hidden_levels = options.hidden_levels,
                        .stop_levels = options.stop_levels,
                        .book = options.rules});
}

/// What became of every order's lots, told from the reports alone.
class Ledger {
 public:
  void add(const std::vector<BookReport>& reports) {
    for (const BookReport& report : reports) {
      switch (report.kind) {
        case BookReportKind::accepted:
          orders_[report.order].submitted = report.quantity.lots;
          break;
        case BookReportKind::traded:
          orders_[report.order].executed += report.quantity.lots;
          orders_[report.other].executed += report.quantity.lots;
          break;
        case BookReportKind::replaced:
          orders_[report.order].submitted = report.quantity.lots;
          break;
        case BookReportKind::cancelled:
        case BookReportKind::expired:
          orders_[report.order].ended += report.quantity.lots;
          break;
        case BookReportKind::reduced:  // of the order's total
          orders_[report.order].submitted -= report.quantity.lots;
          break;
        default:
          break;
      }
    }
  }

  /// executed + resting + cancelled + expired = submitted, for each order.
  void check(const World& world) {
    for (auto order = orders_.begin(); order != orders_.end();) {
      const Lots& lots = order->second;
      const std::int64_t resting = world.leaves(order->first);
      ASSERT_EQ(lots.executed + resting + lots.ended, lots.submitted) << std::hex << order->first.value;
      order = resting == 0 ? orders_.erase(order) : std::next(order);
    }
  }

 private:
  struct Lots {
    std::int64_t submitted = 0, executed = 0, ended = 0;
  };
  std::map<OrderId, Lots> orders_;
};

struct Outcome {
  std::uint64_t reports_digest = 0;
  std::uint64_t book_digest = 0;
  std::size_t trades = 0;
  std::map<Reason, std::size_t> refusals;
};

/// Feeds `count` commands of a seed to the book and to the reference, and compares after every one: the reports byte
/// for byte, the ledger, and a mirror rebuilt from the reports.
Outcome compare(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix = Mix::plain) {
  World world(options);
  ReferenceBook reference = make_reference(options);
  OrderTable mirrored({.capacity = options.orders, .ids = Ids::foreign});
  Collector silent(1);
  Book mirror(world.instrument, mirrored, silent, {.levels = options.levels, .hidden_levels = options.hidden_levels});
  RandomFlow flow(seed, mix);
  Ledger ledger;
  Digest all;
  Outcome run;
  for (std::size_t step = 0; step < count && !::testing::Test::HasFatalFailure(); ++step) {
    const Command command = flow.next();
    std::visit(
        [&](const auto& each) {
          const auto reports = world.apply(each);
          const auto expected = reference.apply(world.sequence, each);
          ASSERT_EQ(reports, expected) << "seed " << seed << ", step " << step;
          for (const BookReport& report : reports) {
            ASSERT_TRUE(mirror.mirror(report)) << "seed " << seed << ", step " << step;
            all.add(report);
            run.trades += report.kind == BookReportKind::traded ? 1 : 0;
            if (report.kind == BookReportKind::rejected) ++run.refusals[report.reason];
          }
          ASSERT_EQ(mirror.digest(), world.book.digest()) << "seed " << seed << ", step " << step;
          flow.learn(reports);
          ledger.add(reports);
          ledger.check(world);
        },
        command);
  }
  EXPECT_EQ(mirror.inconsistency(), nullptr);
  run.reports_digest = all.value();
  run.book_digest = world.book.digest();
  return run;
}

TEST(BookFlow, says_what_the_naive_book_says_over_two_hundred_thousand_commands) {
  const Outcome run = compare(2026, 200'000, {.orders = 200, .levels = 24});
  EXPECT_GT(run.trades, 20'000u);
  // The same bytes with every compiler and in every run.
  EXPECT_EQ(run.reports_digest, 9881216009245642433u);
  EXPECT_EQ(run.book_digest, 10832808649714826782u);
}

TEST(BookFlow, says_what_the_naive_book_says_with_every_type_and_condition) {
  const Outcome run = compare(2027, 200'000, {.orders = 100, .levels = 24}, Mix::all);
  EXPECT_GT(run.trades, 20'000u);
}

TEST(BookFlow, says_what_the_naive_book_says_under_every_policy_and_prevention) {
  std::uint64_t seed = 0;
  for (const Policy policy : {Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time})
    for (const SelfTrade self_trade : {SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                       SelfTrade::cancel_both, SelfTrade::decrement})
      for (const SelfTradeScope scope : {SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group}) {
        BookRules rules{policy, self_trade, scope, {0, 0, 1}};
        rules.seed = ++seed;
        rules.most_peaks = 10;
        compare(seed, 3'000, {.orders = 60, .levels = 16, .rules = rules}, Mix::all);
        if (::testing::Test::HasFailure()) FAIL() << int(policy) << int(self_trade) << int(scope);
      }
}

TEST(BookFlow, agrees_with_the_naive_book_when_capacities_run_out_all_the_time) {
  const Outcome run = compare(8, 20'000, {.orders = 24, .levels = 4});
  for (const Reason reason :
       {Reason::order_table_full, Reason::levels_full, Reason::unknown_order, Reason::not_owner, Reason::side_mismatch,
        Reason::not_supported, Reason::quantity_out_of_range, Reason::quantity_already_executed,
        Reason::display_not_allowed, Reason::price_not_on_tick, Reason::price_out_of_range})
    EXPECT_GT(run.refusals.count(reason), 0u) << int(reason);
}

RC_GTEST_PROP(BookFlow, agrees_with_the_naive_book_for_any_seed_and_capacities, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const WorldOptions options{.orders = *rc::gen::inRange<std::size_t>(1, 40),
                             .levels = *rc::gen::inRange<std::size_t>(1, 10),
                             .buffer = *rc::gen::inRange<std::size_t>(1, 5)};
  compare(seed, 400, options);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(BookFlow, has_the_same_digest_in_two_runs_and_another_for_another_seed) {
  const Outcome one = compare(1, 2'000, {}), again = compare(1, 2'000, {}), other = compare(2, 2'000, {});
  EXPECT_EQ(one.reports_digest, again.reports_digest);
  EXPECT_EQ(one.book_digest, again.book_digest);
  EXPECT_NE(one.reports_digest, other.reports_digest);
}

}  // namespace
}  // namespace dojima::book::testing
