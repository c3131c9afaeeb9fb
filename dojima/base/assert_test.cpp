#include "dojima/base/assert.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

namespace dojima {
namespace {

struct Lots {
  std::int64_t lots = 0;
};
enum class Colour : std::uint8_t { red = 3 };

TEST(Assert, does_nothing_while_its_condition_holds) {
  const int leaves = 5;
  DOJIMA_ASSERT(leaves == 5, "five are left", leaves);
  SUCCEED();
}

TEST(AssertDeathTest, says_where_what_and_with_which_values) {
  const std::int64_t leaves = 7;
  const Lots quantity{5};
  EXPECT_DEATH(DOJIMA_ASSERT(leaves <= quantity.lots, "an order never grows", leaves, quantity),
               "assert_test.cpp:[0-9]+: broken invariant: an order never grows .leaves <= quantity.lots.; "
               "leaves, quantity = 7, 5");
}

TEST(AssertDeathTest, prints_every_kind_of_value) {
  const std::uint64_t largest = ~std::uint64_t{0};
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds{-4}};
  const Colour colour = Colour::red;
  const double share = 0.5;
  EXPECT_DEATH(DOJIMA_ASSERT(false, "shown", largest, time, colour, share), "= 18446744073709551615, -4, 3, 0.5");
  const int* nothing = nullptr;
  const bool is_open = true;
  EXPECT_DEATH(DOJIMA_ASSERT(nothing != nullptr, "there", nothing, is_open), "nothing, is_open = 0, 1");
}

TEST(AssertDeathTest, needs_no_values) {
  EXPECT_DEATH(DOJIMA_ASSERT(1 > 2, "order"), "order .1 > 2.\n");
}

}  // namespace
}  // namespace dojima
