// A short random flow of every kind: the book says what the naive book says. book_flow_long_test.cpp has long
// ones, under all rules and with every storage.

#include <gtest/gtest.h>

#include "dojima/book/reference/flow_comparison_test.hpp"

namespace dojima::book::testing {
namespace {

TEST(BookFlow, says_what_the_naive_book_says_over_plain_commands) {
  EXPECT_GT(compare<>(2026, 2'000, {.orders = 60, .levels = 24}).trades, 100u);
}

TEST(BookFlow, says_what_the_naive_book_says_with_every_type_and_condition) {
  EXPECT_GT(compare<>(2027, 2'000, {.orders = 40, .levels = 24}, Mix::all).trades, 100u);
}

TEST(BookFlow, says_what_the_naive_book_says_through_the_phases_of_a_day) {
  EXPECT_GT(compare<>(2028, 2'000, {.orders = 40, .levels = 24}, Mix::days).trades, 50u);
}

TEST(BookFlow, says_what_the_naive_book_says_under_the_rules_of_a_few_seeds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) compare<>(seed, 150, options_of(seed), Mix::days);
}

}  // namespace
}  // namespace dojima::book::testing
