#include "dojima/backtest/queue_model.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace dojima::backtest {
namespace {

TEST(QueueModels, are_read_and_written_by_name) {
  for (const char* text : {"risk_averse", "power1:1", "power2:8", "power3:3", "log1", "log2"}) {
    const auto settings = parse_queue_model(text);
    ASSERT_TRUE(settings) << text;
    EXPECT_EQ(to_text(*settings), text);
  }
  EXPECT_EQ(parse_queue_model("power3")->exponent, 3u);
  for (const char* text : {"", "power4", "power3:", "power3:0", "power3:9", "power3:2x", "log1:2", "risk_averse:1"})
    EXPECT_FALSE(parse_queue_model(text)) << text;
}

TEST(QueueModels, a_place_estimated_before_the_front_of_its_queue_goes_as_in_hftbacktest) {
  // ln(1 + ahead) is minus infinity: nothing went from behind, all of it from ahead.
  QueuePlace at_infinity{.ahead = -1};
  at_infinity.on_level({.model = QueueModel::log1}, 10, 6, 1);
  EXPECT_EQ(at_infinity.ahead, -5);
  // It is no number: the place is what the level has left.
  QueuePlace beyond{.ahead = -2};
  beyond.on_level({.model = QueueModel::log1}, 10, 6, 1);
  EXPECT_EQ(beyond.ahead, 6);
}

TEST(QueueModels, the_portable_logarithm_and_exponential_are_those_of_the_library) {
  for (double x = 1e-6; x < 1e12; x *= 1.37)
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-14 * (1 + std::fabs(std::log(x))));
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_EQ(portable_log(0), -std::numeric_limits<double>::infinity());
  for (double x = -20; x < 20; x += 0.173) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-14);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_TRUE(std::isinf(portable_exp(701)));
  EXPECT_EQ(portable_exp(-701), 0);
}

TEST(QueueModels, trades_take_from_ahead_and_the_level_does_not_take_it_again) {
  const QueueModelSettings settings{.model = QueueModel::power3, .exponent = 3};
  QueuePlace place = QueuePlace::behind(100);
  EXPECT_EQ(place.excess(1), 0);
  place.on_trade(30);
  EXPECT_EQ(place.ahead, 70);
  place.on_level(settings, 100, 70, 1);  // what was traded, in the level's update
  EXPECT_EQ(place.ahead, 70);
  place.on_trade(70);
  EXPECT_EQ(place.excess(1), 0);  // all ahead is gone, nothing is left for it
  place.on_trade(3);
  EXPECT_EQ(place.excess(1), 3);
  EXPECT_EQ(place.excess(2), 4);  // half a lot counts as one
  EXPECT_EQ(place.excess(4), 4);
  EXPECT_EQ(place.excess(8), 0);
}

TEST(QueueModels, risk_averse_moves_by_trades_alone_but_never_stands_behind_the_end) {
  const QueueModelSettings settings{.model = QueueModel::risk_averse};
  QueuePlace place = QueuePlace::behind(100);
  place.on_level(settings, 100, 150, 1);
  EXPECT_EQ(place.ahead, 100);
  place.on_level(settings, 150, 101, 1);
  EXPECT_EQ(place.ahead, 100);
  place.on_level(settings, 101, 40, 1);
  EXPECT_EQ(place.ahead, 40);
}

TEST(QueueModels, what_goes_is_shared_between_ahead_and_behind_as_each_model_says) {
  // 60 ahead, 40 behind, 10 go.
  const auto ahead_after = [](QueueModelSettings settings) {
    QueuePlace place = QueuePlace::behind(60);
    place.on_level(settings, 60, 100, 1);
    place.on_level(settings, 100, 90, 1);
    return place.ahead;
  };
  EXPECT_DOUBLE_EQ(ahead_after({.model = QueueModel::power1, .exponent = 1}), 60 - 10 * 0.6);
  EXPECT_DOUBLE_EQ(ahead_after({.model = QueueModel::power1, .exponent = 2}), 60 - 10 * (1 - 1600.0 / 5200));
  EXPECT_DOUBLE_EQ(ahead_after({.model = QueueModel::power2, .exponent = 2}), 60 - 10 * (1 - 0.16));
  EXPECT_DOUBLE_EQ(ahead_after({.model = QueueModel::power3, .exponent = 3}), 60 - 10 * 0.216);
  EXPECT_NEAR(ahead_after({.model = QueueModel::log1}), 60 - 10 * (1 - std::log(41) / (std::log(41) + std::log(61))),
              1e-12);
  EXPECT_NEAR(ahead_after({.model = QueueModel::log2}), 60 - 10 * (1 - std::log(41) / std::log(101)), 1e-12);
  EXPECT_DOUBLE_EQ(ahead_after({.model = QueueModel::risk_averse}), 60);
}

TEST(QueueModels, an_order_alone_stays_first) {
  for (const char* text : {"risk_averse", "power1:3", "power2:3", "power3:3", "log1", "log2"}) {
    QueuePlace place = QueuePlace::behind(0);
    place.on_level(*parse_queue_model(text), 0, 50, 1);
    place.on_level(*parse_queue_model(text), 50, 0, 1);
    EXPECT_EQ(place.ahead, 0) << text;
    place.on_trade(1);
    EXPECT_EQ(place.excess(1), 1) << text;
  }
}

}  // namespace
}  // namespace dojima::backtest
