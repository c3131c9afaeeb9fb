#include "dojima/queueing/sampler.hpp"

#include <cmath>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

/// Rounded by multiplication, addition and truncation alone, which every machine does alike.
Ticks whole_ticks(double time, double ticks_per_unit) {
  const double ticks = time * ticks_per_unit + 0.5;
  DOJIMA_ASSERT(ticks >= 0 && ticks < 1.2e18, "a time of at most 10^18 ticks", time, ticks_per_unit);
  return static_cast<Ticks>(ticks);
}

}  // namespace

Sampler::Sampler(const Law& law, double ticks_per_unit) : kind_(law.kind()), stages_(law.stages()) {
  switch (kind_) {
    case LawKind::constant:
    case LawKind::exponential:
      first_mean_ = whole_ticks(law.mean(), ticks_per_unit);
      break;
    case LawKind::erlang:
      first_mean_ = whole_ticks(law.mean() / stages_, ticks_per_unit);
      break;
    case LawKind::hyperexponential:
      first_mean_ = whole_ticks(law.first_mean(), ticks_per_unit);
      second_mean_ = whole_ticks(law.second_mean(), ticks_per_unit);
      first_share_q32_ = static_cast<std::uint64_t>(law.first_share() * 0x1p32 + 0.5);
      break;
    case LawKind::empirical:
      values_.reserve(law.values().size());
      for (const double value : law.values()) values_.push_back(whole_ticks(value, ticks_per_unit));
      return;
  }
  DOJIMA_ASSERT(first_mean_ >= 1 && first_mean_ <= Ticks{1} << 44, "a mean time of 1 to 2^44 ticks", first_mean_);
}

Mmpp2 mmpp2_of(const flow::ArrivalConfig& config, double rate) {
  const double busy_share = config.burst_share / 1000.0;
  const double calm = rate / (1 + busy_share * (config.burst_factor - 1.0));
  const double length =  // of a burst, in units of time
      static_cast<double>(config.burst_length.count()) / static_cast<double>(ModelSampler::k_gap) / rate;
  return {.rates = {calm, calm * config.burst_factor}, .leaves = {busy_share / (1 - busy_share) / length, 1 / length}};
}

Hawkes hawkes_of(const flow::ArrivalConfig& config, double rate) {
  const double branching = config.branching / 1000.0;
  const double memory =  // in units of time
      static_cast<double>(config.memory.count()) / static_cast<double>(ModelSampler::k_gap) / rate;
  return {.base_rate = rate * (1 - branching), .branching = branching, .decay = 1 / memory};
}

}  // namespace dojima::queueing
