#include "dojima/queueing/fills/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

struct BlockScore {
  double forecast = 0;  // sums of squared distances
  double base = 0;
};

double squared(double value) {
  return value * value;
}

std::vector<BlockScore> block_scores(std::span<const Forecasted> forecasts, const JudgePlan& plan) {
  std::vector<BlockScore> blocks;
  double block = -1;
  for (const Forecasted& each : forecasts) {
    const double at = std::floor((each.at_s - forecasts.front().at_s) / plan.block_s);
    if (at != block) blocks.emplace_back();
    block = at;
    const double outcome = each.is_yes ? 1 : 0;
    blocks.back().forecast += squared(each.chance - outcome);
    blocks.back().base += squared(plan.base_rate - outcome);
  }
  return blocks;
}

measure::Interval skill_of(const std::vector<BlockScore>& blocks, const JudgePlan& plan) {
  const auto skill = [](double forecast, double base) { return base > 0 ? 1 - forecast / base : 0.0; };
  double forecast = 0, base = 0;
  for (const BlockScore& block : blocks) {
    forecast += block.forecast;
    base += block.base;
  }
  measure::Random random(plan.bootstrap.seed);
  std::vector<double> skills;
  skills.reserve(plan.bootstrap.resamples);
  for (std::size_t i = 0; i < plan.bootstrap.resamples; ++i) {
    BlockScore sum;
    for (std::size_t drawn = 0; drawn < blocks.size(); ++drawn) {
      const BlockScore& block = blocks[random.below(blocks.size())];
      sum.forecast += block.forecast;
      sum.base += block.base;
    }
    skills.push_back(skill(sum.forecast, sum.base));
  }
  const double outside = (1 - plan.confidence) / 2;
  return {skill(forecast, base), measure::quantile(skills, outside), measure::quantile(skills, 1 - outside)};
}

std::vector<ReliabilityBin> reliability_of(std::span<const Forecasted> forecasts) {
  std::vector<std::size_t> order(forecasts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t one, std::size_t two) {
    if (forecasts[one].chance != forecasts[two].chance) return forecasts[one].chance < forecasts[two].chance;
    return one < two;
  });
  const std::size_t bins = std::min(k_reliability_bins, order.size());
  std::vector<ReliabilityBin> made;
  std::size_t end = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = end;
    end = std::max(begin, (bin + 1) * order.size() / bins);
    // Equal forecasts are one statement: no bin parts them.
    while (end > begin && end < order.size() && forecasts[order[end]].chance == forecasts[order[end - 1]].chance) ++end;
    if (begin == end) continue;
    ReliabilityBin sum{.samples = end - begin};
    for (std::size_t at = begin; at < end; ++at) {
      sum.forecast += forecasts[order[at]].chance;
      sum.frequency += forecasts[order[at]].is_yes ? 1 : 0;
    }
    sum.forecast /= static_cast<double>(sum.samples);
    sum.frequency /= static_cast<double>(sum.samples);
    made.push_back(sum);
  }
  return made;
}

}  // namespace

Judgement judge(std::span<const Forecasted> forecasts, const JudgePlan& plan) {
  DOJIMA_ASSERT(!forecasts.empty() && plan.block_s > 0, "there is something to judge", forecasts.size());
  const auto n = static_cast<double>(forecasts.size());
  Judgement judged{.samples = forecasts.size()};
  const std::vector<BlockScore> blocks = block_scores(forecasts, plan);
  for (const BlockScore& block : blocks) {
    judged.brier += block.forecast / n;
    judged.brier_of_base += block.base / n;
  }
  for (const Forecasted& each : forecasts) judged.frequency += each.is_yes ? 1 / n : 0;
  judged.skill = skill_of(blocks, plan);
  judged.reliability = reliability_of(forecasts);
  for (const ReliabilityBin& bin : judged.reliability)
    judged.calibration_error += std::abs(bin.forecast - bin.frequency) * static_cast<double>(bin.samples) / n;
  return judged;
}

}  // namespace dojima::queueing
