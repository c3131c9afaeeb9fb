#include "dojima/app/market_config.hpp"

#include <gtest/gtest.h>

namespace dojima::app {
namespace {

TEST(MarketConfigs, print_and_read_back_to_the_same_values) {
  backtest::MarketConfig config;
  config.populations = backtest::standard_populations();
  config.instruments[0].segment = "RICE";
  config.segments = {example_segment()};
  config.length = std::chrono::milliseconds{1500};
  config.news_rate = 0.5;
  const auto read = parse_market(text_of(config), "market.toml");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->populations, config.populations);
  EXPECT_EQ(read->segments, config.segments);
  EXPECT_EQ(read->length, config.length);
  EXPECT_EQ(read->news_rate, config.news_rate);
  EXPECT_EQ(read->start, config.start);
  EXPECT_EQ(text_of(*read), text_of(config));
}

TEST(MarketConfigs, have_standard_participants_and_say_what_is_wrong) {
  const auto nothing = parse_market("", "market.toml");
  ASSERT_TRUE(nothing) << nothing.error();
  EXPECT_EQ(nothing->populations, backtest::standard_populations());
  const auto problem = [](const char* toml) {
    const auto read = parse_market(toml, "market.toml");
    return read ? std::string() : read.error();
  };
  EXPECT_NE(problem("[[population]]\nkind = \"bear\"\n").find("is not one of: noise, value, momentum, market_maker"),
            std::string::npos);
  EXPECT_NE(problem("[[population]]\ncuont = 3\n").find("count"), std::string::npos);
  EXPECT_NE(problem("[[instrument]]\nreference = 10001\ntick = 2\n").find("is a multiple of the tick"),
            std::string::npos);
  EXPECT_NE(problem("[[instrument]]\nsegment = \"X\"\n").find("there is no segment \"X\""), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
