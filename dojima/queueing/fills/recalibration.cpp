#include "dojima/queueing/fills/recalibration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/fills/logistic.hpp"

namespace dojima::queueing {
namespace {

double log_odds(double chance) {
  DOJIMA_ASSERT(chance > 0 && chance < 1, "a chance with odds lies between 0 and 1", chance);
  return std::log(chance / (1 - chance));
}

}  // namespace

Recalibration Recalibration::fit(std::span<const double> chances, std::span<const std::uint8_t> outcomes) {
  std::vector<double> log_chances;
  log_chances.reserve(chances.size());
  for (const double chance : chances) log_chances.push_back(log_odds(chance));
  Recalibration made;
  if (log_chances.empty()) return made;
  const auto regression = Logistic::fit(log_chances, 1, outcomes);
  if (!regression) return made;
  const std::vector<double> weights = regression->coefficients();
  if (!(weights[1] > 0)) return made;
  made.constant_ = weights[0];
  made.slope_ = weights[1];
  return made;
}

double Recalibration::of(double chance) const {
  const double odds = std::exp(std::clamp(constant_ + slope_ * log_odds(chance), -35.0, 35.0));
  return odds / (1 + odds);
}

}  // namespace dojima::queueing
