#include "dojima/harness/measured_costs.hpp"

#include <gtest/gtest.h>

namespace dojima::harness {
namespace {

std::vector<evidence::DoctorFinding> findings() {
  return {{.check = "busy_polling", .cost = "5 to 50 us a message"}, {.check = "steal", .cost = "that share"}};
}

TEST(MeasuredCosts, what_was_measured_replaces_a_range) {
  const auto tune = evidence::parse_document(
      R"({"tables":[{"name":"tune","rows":[
          {"beside":"nothing","setting":"busy_poll","figure":"p50_us","ratio":0.9,"low":0.85,"high":0.95,"verdict":"better"},
          {"beside":"a load","setting":"busy_poll","figure":"p50_us","ratio":null,"low":null,"high":null,"verdict":"unavailable"},
          {"beside":"nothing","setting":"policy","figure":"p50_us","ratio":2,"low":1,"high":3,"verdict":"worse"}]}]})");
  ASSERT_TRUE(tune.has_value());
  auto all = findings();
  EXPECT_EQ(quote_measured(*tune, all), 1U);
  EXPECT_EQ(
      all[0].cost,
      "measured, loop.busy_poll on / off: p50_us beside nothing 0.900 (0.850 to 0.950) better; p50_us beside a load "
      "unavailable");
  EXPECT_EQ(all[1].cost, "that share");
}

TEST(MeasuredCosts, another_result_is_refused) {
  auto all = findings();
  const auto refused = quote_measured(*evidence::parse_document(R"({"tables":[{"name":"doctor","rows":[]}]})"), all);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), "has no table \"tune\": it is no result of dojima lab tune");
  EXPECT_EQ(all[0].cost, "5 to 50 us a message");
}

}  // namespace
}  // namespace dojima::harness
