#pragma once

// Random times for simulations, in ticks: whole numbers made by integer arithmetic, so that a seed gives the same run
// on every machine. How long a tick is, is the simulation's choice: `ticks_per_unit` of them make the unit in which a
// law's times are given.
//
//   Sampler service(Law::exponential(1), k_ticks_per_mean);
//   const Ticks needed = service.draw(random);

#include <cstdint>
#include <vector>

#include "dojima/flow/arrivals.hpp"
#include "dojima/flow/random.hpp"
#include "dojima/queueing/formulas/modulated.hpp"
#include "dojima/queueing/law.hpp"

namespace dojima::queueing {

using Ticks = std::uint64_t;
using flow::Random;

/// A resolution that suits most runs: a mean time of 2^30 ticks is exact to 1e-9 and leaves room for 8 * 10^9 of them.
inline constexpr double k_ticks_per_mean = 1073741824.0;

class Sampler {
 public:
  /// `ticks_per_unit` > 0; the law's mean must be 1 to 2^44 ticks long.
  Sampler(const Law& law, double ticks_per_unit);

  /// O(1), of an Erlang law O(stages). Allocates nothing.
  [[nodiscard]] Ticks draw(Random& random) const {
    switch (kind_) {
      case LawKind::constant:
        return first_mean_;
      case LawKind::exponential:
        return exponential(first_mean_, random);
      case LawKind::erlang: {
        Ticks sum = 0;
        for (std::uint32_t stage = 0; stage < stages_; ++stage) sum += exponential(first_mean_, random);
        return sum;
      }
      case LawKind::hyperexponential: {
        const bool is_first = (random.next() >> 32) < first_share_q32_;
        return exponential(is_first ? first_mean_ : second_mean_, random);
      }
      case LawKind::empirical:
        break;
    }
    return values_[random.below(values_.size())];
  }

 private:
  [[nodiscard]] static Ticks exponential(Ticks mean, Random& random) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<Ticks>((static_cast<Wide>(flow::exponential_q32(random.next())) * mean) >> 32);
  }

  LawKind kind_;
  std::uint32_t stages_ = 1;
  Ticks first_mean_ = 0;
  Ticks second_mean_ = 0;
  std::uint64_t first_share_q32_ = 0;
  std::vector<Ticks> values_{};
};

/// Times between the arrivals of one of the models of `flow`, scaled to ticks.
class ModelSampler {
 public:
  /// The mean gap is `mean_gap` ticks, rounded to a multiple of 10^6.
  ModelSampler(const flow::ArrivalConfig& config, Ticks mean_gap, Random& random)
      : arrivals_(config, k_rate, random), factor_((mean_gap + k_gap / 2) / k_gap) {}
  [[nodiscard]] Ticks draw(Random& random) { return static_cast<Ticks>(arrivals_.next(random).count()) * factor_; }

  static constexpr std::uint64_t k_rate = 1000;  ///< arrivals a second of the model that is scaled
  static constexpr Ticks k_gap = 1'000'000;      ///< its mean gap, in nanoseconds

 private:
  flow::Arrivals arrivals_;
  Ticks factor_;
};

/// The MMPP that `flow`'s bursts are, at `rate` arrivals per unit of time when `config` belongs to
/// ModelSampler::k_rate a second.
[[nodiscard]] Mmpp2 mmpp2_of(const flow::ArrivalConfig& config, double rate);

/// The same of `flow`'s self-exciting arrivals; of another model's configuration `branching` and `memory` count.
[[nodiscard]] Hawkes hawkes_of(const flow::ArrivalConfig& config, double rate);

/// An independent stream for each `index`, out of one seed.
[[nodiscard]] constexpr Random stream_of(std::uint64_t seed, std::uint64_t index) noexcept {
  Random mixed(seed * 0x9e3779b97f4a7c15ULL + index);
  return Random(mixed.next() ^ 0x5851f42d4c957f2dULL);
}

}  // namespace dojima::queueing
