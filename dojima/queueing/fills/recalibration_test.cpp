#include "dojima/queueing/fills/recalibration.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {
namespace {

/// Log odds of -3 to 1; outcomes by `constant` + `slope` times them.
struct ToldAndHappened {
  std::vector<double> chances;
  std::vector<std::uint8_t> outcomes;

  ToldAndHappened(std::size_t count, double constant, double slope) {
    measure::Random random(12);
    for (std::size_t i = 0; i < count; ++i) {
      const double odds = 4 * random.unit() - 3;
      chances.push_back(1 / (1 + std::exp(-odds)));
      outcomes.push_back(random.unit() < 1 / (1 + std::exp(-constant - slope * odds)) ? 1 : 0);
    }
  }
};

TEST(Recalibration, finds_what_was_wrong_with_the_forecasts) {
  const ToldAndHappened rows(40'000, -0.4, 0.6);  // too high, and too bold
  const Recalibration found = Recalibration::fit(rows.chances, rows.outcomes);
  EXPECT_NEAR(found.constant(), -0.4, 0.05);
  EXPECT_NEAR(found.slope(), 0.6, 0.04);
  EXPECT_NEAR(found.of(0.5), 1 / (1 + std::exp(0.4)), 0.01);
  double forecast = 0, happened = 0;
  for (std::size_t i = 0; i < rows.chances.size(); ++i) {
    forecast += found.of(rows.chances[i]);
    happened += rows.outcomes[i];
  }
  EXPECT_NEAR(forecast, happened, 1) << "the likelihood's maximum has the right level";
}

TEST(Recalibration, leaves_alone_what_it_cannot_mend) {
  const Recalibration nothing;
  EXPECT_NEAR(nothing.of(0.3), 0.3, 1e-15);
  const auto is_unchanged = [](const Recalibration& of) { return of.constant() == 0 && of.slope() == 1; };
  EXPECT_TRUE(is_unchanged(Recalibration::fit({}, {})));
  const ToldAndHappened few(19, 0, 1);
  EXPECT_TRUE(is_unchanged(Recalibration::fit(few.chances, few.outcomes)));
  const ToldAndHappened never(100, -30, 1);
  EXPECT_TRUE(is_unchanged(Recalibration::fit(never.chances, never.outcomes)));
  const ToldAndHappened upside_down(2'000, 0, -1);
  EXPECT_TRUE(is_unchanged(Recalibration::fit(upside_down.chances, upside_down.outcomes)));
}

}  // namespace
}  // namespace dojima::queueing
