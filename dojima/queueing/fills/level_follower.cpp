#include "dojima/queueing/fills/level_follower.hpp"

#include <cmath>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {

LevelFollower::LevelFollower(double memory_s, double prior) : memory_s_(memory_s), prior_(prior) {
  DOJIMA_ASSERT(memory_s > 0 && prior > 0, "a memory and a prior above 0", memory_s, prior);
}

double LevelFollower::weight_at(double at_s) const {
  return std::exp(-(at_s - last_s_) / memory_s_);
}

void LevelFollower::learn(double known_s, double chance, bool is_yes) {
  const double weight = weight_at(known_s);
  forecast_ = forecast_ * weight + chance;
  happened_ = happened_ * weight + (is_yes ? 1 : 0);
  last_s_ = known_s;
}

double LevelFollower::followed(double at_s, double chance) const {
  const double weight = weight_at(at_s);
  const double odds = chance / (1 - chance) * (happened_ * weight + prior_) / (forecast_ * weight + prior_);
  return odds / (1 + odds);
}

}  // namespace dojima::queueing
