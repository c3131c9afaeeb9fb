#include "dojima/app/market_config.hpp"

#include <gtest/gtest.h>

namespace dojima::app {
namespace {

TEST(MarketConfigs, print_and_read_back_to_the_same_values) {
  backtest::MarketConfig config;
  config.populations = backtest::standard_populations();
  config.populations.push_back(
      {.kind = backtest::PopulationKind::flow, .count = 4, .rate = 50, .arrivals = flow::ArrivalModel::hawkes});
  config.instruments[0].segment = example_segment().name;
  config.segments = {example_segment()};
  config.length = std::chrono::milliseconds{1500};
  config.news_rate = 0.5;
  const auto read = parse_market(text_of(config), "market.toml");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, config);
  EXPECT_EQ(text_of(*read), text_of(config));
}

TEST(MarketConfigs, have_standard_participants_and_say_where_something_is_wrong) {
  const auto nothing = parse_market("", "market.toml");
  ASSERT_TRUE(nothing) << nothing.error();
  EXPECT_EQ(nothing->populations, backtest::standard_populations());
  const auto problem = [](const char* toml) {
    const auto read = parse_market(toml, "market.toml");
    return read ? std::string() : read.error();
  };
  EXPECT_EQ(problem("[[population]]\nkind = \"bear\"\n"),
            "market.toml:2:8: population.0.kind: \"bear\" is not one of: noise, value, momentum, market_maker, flow");
  EXPECT_EQ(problem("[[population]]\n\ncuont = 3\n"),
            "market.toml:3:9: population.0.cuont: no such key; did you mean \"count\"?");
  EXPECT_EQ(problem("[[population]]\nquantity_most = 3\nquantity_least = 4\n"),
            "market.toml:2:17: population.0.quantity_most: it is below quantity_least");
  EXPECT_EQ(problem("[[population]]\ncount = 10001\n"),
            "market.toml:2:9: population.0.count: 10001 is out of range: 1 to 10000");
  EXPECT_EQ(problem("[[instrument]]\nreference = 10001\ntick = 2\n"),
            "market.toml:2:13: instrument.0.reference: it is no multiple of the tick");
  EXPECT_EQ(problem("[[instrument]]\nsegment = \"X\"\n"),
            "market.toml:2:11: instrument.0.segment: there is no segment \"X\"");
  // What several keys make wrong together.
  EXPECT_EQ(problem("[market]\nvalue_range = 10000\n"),
            "market.toml:1:1: market: RICE: the reference price is a multiple of the tick, and further above 0 than "
            "value_range ticks");
  EXPECT_NE(problem("[[population]]\nkind = \"flow\"\nactions_a_minute = 1\n").find("rate times count"),
            std::string::npos);
  EXPECT_NE(problem("[market\n").find("market.toml:1:"), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
