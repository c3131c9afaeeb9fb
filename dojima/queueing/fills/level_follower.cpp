#include "dojima/queueing/fills/level_follower.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {

LevelFollower::LevelFollower(double step) : step_(step) {
  DOJIMA_ASSERT(step >= 0 && step <= 1, "a step is 0 to 1", step);
}

double LevelFollower::followed(double chance) const {
  DOJIMA_ASSERT(chance > 0 && chance < 1, "a chance that can be moved lies between 0 and 1", chance);
  const double odds = chance / (1 - chance) * std::exp(std::clamp(offset_, -35.0, 35.0));
  return odds / (1 + odds);
}

std::vector<double> followed(std::span<const LevelRow> rows, double step) {
  std::vector<std::size_t> by_known(rows.size());
  std::iota(by_known.begin(), by_known.end(), std::size_t{0});
  std::ranges::sort(by_known, {}, [&](std::size_t row) { return std::tuple(rows[row].known_s, row); });
  LevelFollower level(step);
  std::vector<double> chances;
  chances.reserve(rows.size());
  std::size_t known = 0;
  for (const LevelRow& row : rows) {
    DOJIMA_ASSERT(row.known_s > row.asked_s, "an outcome is known after it was asked for", row.asked_s, row.known_s);
    for (; known < by_known.size() && rows[by_known[known]].known_s <= row.asked_s; ++known)
      level.learn(chances[by_known[known]], rows[by_known[known]].is_yes);
    chances.push_back(level.followed(row.chance));
  }
  return chances;
}

namespace {

/// Mean squared distances of chance and outcome, by part.
std::vector<double> part_scores(std::span<const LevelRow> rows, double step, std::size_t parts) {
  const std::vector<double> chances = followed(rows, step);
  std::vector<double> scores(parts, 0.0);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * rows.size() / parts, end = (part + 1) * rows.size() / parts;
    for (std::size_t at = begin; at < end; ++at) {
      const double off = chances[at] - (rows[at].is_yes ? 1 : 0);
      scores[part] += off * off / static_cast<double>(end - begin);
    }
  }
  return scores;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

double best_level_step(std::span<const LevelRow> rows, std::size_t parts) {
  DOJIMA_ASSERT(parts >= 2 && rows.size() >= parts, "every part has a row", parts, rows.size());
  const std::vector<double> still = part_scores(rows, 0, parts);
  double best = 0;
  std::vector<double> best_scores = still;
  for (double step = 1.0 / 1024; step <= 1.0 / 16; step *= 2) {
    std::vector<double> scores = part_scores(rows, step, parts);
    if (sum_of(scores) >= sum_of(best_scores)) continue;
    best = step;
    best_scores = std::move(scores);
  }
  const auto n = static_cast<double>(parts);
  const double gain = (sum_of(still) - sum_of(best_scores)) / n;
  double squares = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const double off = still[part] - best_scores[part] - gain;
    squares += off * off;
  }
  return gain > std::sqrt(squares / (n * (n - 1))) ? best : 0;
}

}  // namespace dojima::queueing
