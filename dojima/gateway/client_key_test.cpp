#include "dojima/gateway/client_key.hpp"

#include <gtest/gtest.h>

namespace dojima::gateway {
namespace {

TEST(GatewayClientKey, joins_the_client_with_the_digits_behind_the_last_dash) {
  EXPECT_EQ(client_key(0, "DEMO1-000042"), 42u);
  EXPECT_EQ(client_key(3, "A-B-7"), (std::uint64_t{3} << 40) + 7);
  EXPECT_EQ(client_key(1, "123"), (std::uint64_t{1} << 40) + 123);
  EXPECT_EQ(client_key(1, "A-"), std::uint64_t{1} << 40);
  EXPECT_EQ(client_key(1, "A-1x"), std::uint64_t{1} << 40);
  EXPECT_EQ(client_key(1, ""), std::uint64_t{1} << 40);
  EXPECT_EQ(client_key(0, "A-99999999999999999999999999") >> 40, 0u);
}

}  // namespace
}  // namespace dojima::gateway
