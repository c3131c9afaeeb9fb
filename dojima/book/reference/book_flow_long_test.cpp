// Random commands of every kind: all storages must say what the naive book says, byte for byte, and keep every
// invariant after every command.

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/book/reference/flow_comparison_test.hpp"
#include "dojima/book/storages.hpp"

namespace dojima::book::testing {
namespace {

constexpr std::size_t k_storages = 4;

Outcome compare_all(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix = Mix::plain) {
  return compare<IntrusiveBook, PooledBook, MapBook>(seed, count, options, mix);
}

/// Many short flows, each with the rules of its seed. DOJIMA_BOOK_COMMANDS asks for more than a usual run has,
/// DOJIMA_BOOK_SEED for other ones.
void compare_many(Mix mix, std::uint64_t seed, std::uint64_t usual) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t wanted = number("DOJIMA_BOOK_COMMANDS", usual);
  const std::uint64_t first = number("DOJIMA_BOOK_SEED", seed);
  constexpr std::size_t k_length = 2'000;
  std::uint64_t commands = 0, trades = 0;
  for (std::uint64_t at = first; commands < wanted && !::testing::Test::HasFailure(); ++at) {
    trades += compare_all(at, k_length, options_of(at), mix).trades;
    commands += k_length * k_storages;
  }
  std::printf("%llu commands, %llu trades\n", static_cast<unsigned long long>(commands),
              static_cast<unsigned long long>(trades * k_storages));
  EXPECT_GT(trades, wanted / k_storages / 100);
}

TEST(BookFlowLong, says_what_the_naive_book_says_over_fifty_thousand_plain_commands) {
  const Outcome run = compare_all(2026, 50'000, {.orders = 60, .levels = 24});
  EXPECT_GT(run.trades, 4'000u);
  // The same bytes with every compiler and in every run.
  EXPECT_EQ(run.reports_digest, 983591103606554659u);
  EXPECT_EQ(run.book_digest, 15459417168491616375u);
}

TEST(BookFlowLong, says_what_the_naive_book_says_with_every_type_and_condition) {
  const Outcome run = compare_all(2027, 60'000, {.orders = 40, .levels = 24}, Mix::all);
  EXPECT_GT(run.trades, 4'000u);
  EXPECT_EQ(run.reports_digest, 2178801919887034672u);
  EXPECT_EQ(run.book_digest, 2608704464688637089u);
}

TEST(BookFlowLong, says_what_the_naive_book_says_through_the_phases_of_days) {
  const Outcome run = compare_all(2028, 40'000, {.orders = 40, .levels = 24}, Mix::days);
  EXPECT_GT(run.trades, 2'000u);
  for (const Reason reason : {Reason::book_closed, Reason::wrong_phase})
    EXPECT_GT(run.refusals.count(reason), 0u) << int(reason);
  EXPECT_EQ(run.reports_digest, 5838854329768469616u);
  EXPECT_EQ(run.book_digest, 10855567726540383987u);
}

// DOJIMA_BOOK_COMMANDS and DOJIMA_BOOK_SEED as below.
TEST(BookFlowLong, says_what_the_naive_book_says_through_any_days_whatever_the_rules) {
  compare_many(Mix::days, 3'000'000, 4'000'000);
}

TEST(BookFlowLong, says_what_the_naive_book_says_under_every_policy_and_prevention) {
  std::uint64_t seed = 0;
  for (const Policy policy : {Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time})
    for (const SelfTrade self_trade : {SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                       SelfTrade::cancel_both, SelfTrade::decrement})
      for (const SelfTradeScope scope : {SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group}) {
        BookRules rules{policy, self_trade, scope, {0, 0, 1}};
        rules.seed = ++seed;
        rules.most_peaks = 10;
        compare_all(seed, 3'000, {.orders = 40, .levels = 16, .rules = rules}, Mix::all);
        if (::testing::Test::HasFailure()) FAIL() << int(policy) << int(self_trade) << int(scope);
      }
}

TEST(BookFlowLong, agrees_with_the_naive_book_when_capacities_run_out_all_the_time) {
  const Outcome run = compare_all(8, 20'000, {.orders = 24, .levels = 4});
  for (const Reason reason :
       {Reason::order_table_full, Reason::levels_full, Reason::unknown_order, Reason::not_owner, Reason::side_mismatch,
        Reason::not_supported, Reason::quantity_out_of_range, Reason::quantity_already_executed,
        Reason::display_not_allowed, Reason::price_not_on_tick, Reason::price_out_of_range})
    EXPECT_GT(run.refusals.count(reason), 0u) << int(reason);
}

TEST(BookFlowLong, says_what_the_naive_book_says_whatever_the_rules) {
  compare_many(Mix::all, 1'000'000, 1'000'000);
}

RC_GTEST_PROP(BookFlowLong, agrees_with_the_naive_book_for_any_seed_rules_and_capacities, ()) {
  WorldOptions options{.orders = *rc::gen::inRange<std::size_t>(1, 40),
                       .levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .hidden_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .stop_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .buffer = *rc::gen::inRange<std::size_t>(1, 5)};
  options.rules.policy = *rc::gen::element(Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time);
  options.rules.self_trade = *rc::gen::element(SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                               SelfTrade::cancel_both, SelfTrade::decrement);
  options.rules.scope = *rc::gen::element(SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group);
  options.rules.accounts = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::inRange<std::uint16_t>(0, 3));
  options.rules.most_peaks = *rc::gen::inRange<std::int64_t>(1, 100);
  const Mix mix = *rc::gen::element(Mix::plain, Mix::all, Mix::days);
  compare_all(*rc::gen::arbitrary<std::uint64_t>(), 400, options, mix);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(BookFlowLong, has_the_same_digest_in_two_runs_and_another_for_another_seed) {
  const Outcome one = compare_all(1, 2'000, {}), again = compare_all(1, 2'000, {}), other = compare_all(2, 2'000, {});
  EXPECT_EQ(one.reports_digest, again.reports_digest);
  EXPECT_EQ(one.book_digest, again.book_digest);
  EXPECT_NE(one.reports_digest, other.reports_digest);
}

}  // namespace
}  // namespace dojima::book::testing
