#include "dojima/gateway/messages/average_price.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::gateway {
namespace {

TEST(GatewayAveragePrice, rounds_half_away_from_zero_at_the_eighth_decimal) {
  EXPECT_EQ(average_price(0, {0}).units, 0);
  EXPECT_EQ(average_price(notional_of({10}, {1}) + notional_of({11}, {1}), {2}).units, 11);     // 10.5
  EXPECT_EQ(average_price(notional_of({-10}, {1}) + notional_of({-11}, {1}), {2}).units, -11);  // -10.5
  EXPECT_EQ(average_price(notional_of({10}, {2}) + notional_of({11}, {1}), {3}).units, 10);     // 10.33
  EXPECT_EQ(average_price(notional_of({10}, {1}) + notional_of({11}, {2}), {3}).units, 11);     // 10.67
}

RC_GTEST_PROP(GatewayAveragePrice, one_price_is_its_own_mean_whatever_the_fills, ()) {
  const auto price = *rc::gen::arbitrary<std::int64_t>();
  const auto fills = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 1 << 30));
  Notional notional = 0;
  market::Quantity total;
  for (const std::int64_t fill : fills) {
    notional += notional_of({price}, {fill});
    total += {fill};
  }
  RC_ASSERT(average_price(notional, total).units == (fills.empty() ? 0 : price));
}

}  // namespace
}  // namespace dojima::gateway
