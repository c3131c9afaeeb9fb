#include "dojima/recorded/days/calibration.hpp"

#include <gtest/gtest.h>

namespace dojima::recorded {
namespace {

Calibration calibrated(GeneratedDay& day) {
  Calibration calibration;
  for (auto events = day.next_batch(); !events.empty(); events = day.next_batch())
    calibration.take(events, day.instruments());
  return calibration;
}

TEST(Calibration, finds_the_rate_the_clustering_and_the_shape_of_a_generated_day_again) {
  GeneratedDayConfig config;
  config.flow = {
      .seed = 8,
      .rate = 4000,
      .clients = 8,
      .shares = {.cancel = 400, .replace = 0, .market = 0, .immediate_or_cancel = 80, .fill_or_kill = 0, .crossing = 0},
      .mid_move = 30,
      .depth = 12,
      .arrivals = {.model = flow::ArrivalModel::hawkes, .branching = 600, .memory = std::chrono::milliseconds{5}}};
  config.instruments = {{.symbol = "BEAN", .price_decimals = 2, .tick = 5, .reference = 50'000}};
  config.requests = 120'000;
  GeneratedDay day(config);
  const auto found = calibrated(day).config(8);
  ASSERT_TRUE(found) << found.error();
  EXPECT_NEAR(static_cast<double>(found->flow.rate), 4000, 800) << "some requests leave no trace";
  EXPECT_EQ(found->flow.arrivals.model, flow::ArrivalModel::hawkes);
  EXPECT_NEAR(found->flow.arrivals.branching, 600, 120);
  EXPECT_GT(found->flow.arrivals.memory, std::chrono::milliseconds{1});
  EXPECT_LT(found->flow.arrivals.memory, std::chrono::milliseconds{25});
  EXPECT_NEAR(found->flow.shares.cancel, 400, 80);
  EXPECT_NEAR(found->flow.shares.immediate_or_cancel, 120, 60) << "orders also trade that the mid walks into";
  EXPECT_GE(found->flow.sizes.front(), 100);
  EXPECT_LE(found->flow.sizes.back(), 1000);
  ASSERT_EQ(found->instruments.size(), 1u);
  EXPECT_EQ(found->instruments[0].symbol, "BEAN");
  EXPECT_EQ(found->instruments[0].tick, 5);
  EXPECT_NEAR(static_cast<double>(found->instruments[0].reference), 50'000, 200);
  GeneratedDay again(*found);
  RecordedEvent event;
  EXPECT_EQ(again.next(event), Next::event);
}

TEST(Calibration, does_not_call_a_poisson_process_excited) {
  GeneratedDayConfig config;
  config.flow = {.seed = 8, .rate = 4000, .clients = 8};
  config.requests = 40'000;
  GeneratedDay day(config);
  const auto found = calibrated(day).config(1);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->flow.arrivals.model, flow::ArrivalModel::poisson);
}

TEST(Calibration, says_what_it_misses) {
  EXPECT_EQ(Calibration().config(1).error(), "there are no orders or levels to imitate");
  const std::vector<RecordedInstrument> instruments = {{.symbol = "RICE"}};
  Calibration one_sided;
  RecordedEvent event{.event_time = time::from_nanoseconds(5),
                      .order = 1,
                      .price = 10,
                      .quantity = 1,
                      .kind = EventKind::add,
                      .side = market::Side::buy,
                      .flags = k_last};
  one_sided.take({&event, 1}, instruments);
  EXPECT_EQ(one_sided.config(1).error(), "all of it happens at one time");
  event.event_time += std::chrono::seconds{1};
  event.order = 2;
  one_sided.take({&event, 1}, instruments);
  EXPECT_EQ(one_sided.config(1).error(), "no instrument ever had both a bid and an ask");
}

}  // namespace
}  // namespace dojima::recorded
