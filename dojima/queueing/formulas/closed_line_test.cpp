#include "dojima/queueing/formulas/closed_line.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

/// Customers who think for an exponential time and hold a lock for a fixed one, first come, first served.
Trace locked(std::uint32_t customers, std::size_t requests, double think_ns, std::uint64_t hold_ns) {
  Random random = stream_of(5, customers);
  const Sampler think(Law::exponential(think_ns), 1);
  std::vector<std::uint64_t> asks;
  for (std::uint32_t i = 0; i < customers; ++i) asks.push_back(think.draw(random));
  Trace trace;
  trace.parts.emplace_back();
  std::uint64_t free = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const auto next = std::ranges::min_element(asks);
    const std::uint64_t start = std::max(*next, free);
    free = start + hold_ns;
    trace.parts[0].push_back({.arrival_ns = *next,
                              .start_ns = start,
                              .end_ns = free,
                              .kind = 0,
                              .server = static_cast<std::uint16_t>(next - asks.begin())});
    *next = free + think.draw(random);
  }
  return trace;
}

TEST(ClosedLine, is_read_out_of_a_trace) {
  const ClosedLine line = *closed_line_of(locked(3, 20'000, 4'000, 1'000));
  EXPECT_EQ(line.customers, 3u);
  EXPECT_EQ(line.service_ns, 1'000);
  EXPECT_NEAR(line.think_ns, 4'000, 4 * 4'000 / 141.0);
  EXPECT_NEAR(line.per_second, 3e9 / (5'000 + line.wait_ns), 3e6 / 100);
}

TEST(ClosedLine, is_forecast_by_its_own_formula_and_not_by_that_of_a_crowd) {
  for (const std::uint32_t customers : {2U, 4U}) {
    const ClosedLine line = *closed_line_of(locked(customers, 40'000, 3'000, 1'000));
    const LineForecasts forecasts = forecasts_of(line);
    EXPECT_NEAR(*forecasts.finite_fixed / line.wait_ns, 1, 0.05) << customers;
    EXPECT_GT(*forecasts.finite / line.wait_ns, 1.15) << "exponential services are not fixed ones";
    EXPECT_GT(*forecasts.open / line.wait_ns, 1.5) << "a crowd asks on while it waits";
  }
}

TEST(ClosedLine, of_several_servers_has_no_formula_for_fixed_services) {
  const LineForecasts forecasts = forecasts_of(
      {.customers = 8, .servers = 2, .requests = 100, .per_second = 800, .think_ns = 8e6, .service_ns = 2e6});
  EXPECT_NEAR(*forecasts.open, 2e6 * mmc(1.6, 1, 2)->means.wait, 1);
  EXPECT_LT(*forecasts.finite, *forecasts.open);
  EXPECT_FALSE(forecasts.finite_fixed.has_value());
}

TEST(ClosedLine, refuses_what_is_none) {
  EXPECT_EQ(closed_line_of(locked(2, 99, 1'000, 10)).error().text, "99 requests; a line of few customers needs 100");
  EXPECT_EQ(closed_line_of(locked(2, 200, 1'000, 0)).error().text, "nobody thinks, or no service takes any time");
}

}  // namespace
}  // namespace dojima::queueing
