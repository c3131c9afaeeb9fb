#pragma once

// What a simulation saw of one kind of time, job by job: its mean with an interval by batch means, and its quantiles.
// Jobs of one run hang together, so the run is cut into batches of equal length, long enough that their means do not,
// and the interval comes from those. The first part of the run, when the queue still fills, is left out. Whole numbers
// until the last division, so that equal runs show equal figures everywhere.
//
//   Observed waits(jobs);
//   waits.add(wait);                        // job by job; allocates nothing
//   const Estimate mean = waits.mean();     // mean.low .. mean.high

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {

struct Estimate {
  double value = 0;
  double error = 0;  ///< standard error, from the spread of the batches
  /// 95 %, Student's distribution with k_batches - 1 degrees of freedom.
  [[nodiscard]] double low() const noexcept { return value - k_student * error; }
  [[nodiscard]] double high() const noexcept { return value + k_student * error; }
  /// How many standard errors `truth` lies away.
  [[nodiscard]] double z(double truth) const noexcept { return error > 0 ? (value - truth) / error : 0; }

  static constexpr std::size_t k_batches = 40;
  static constexpr double k_student = 2.0226909200367604;
};

class Observed {
 public:
  /// Room for `jobs` values, of which the first tenth is left out of all figures. At least 10 x k_batches.
  explicit Observed(std::size_t jobs);

  /// Values beyond `jobs` are not kept.
  void add(Ticks value) {
    if (values_.size() < values_.capacity()) values_.push_back(value);
  }

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// Those that count, in order of adding. Too few for k_batches of one: empty.
  [[nodiscard]] const Ticks* begin() const noexcept { return values_.data() + skipped(); }
  [[nodiscard]] const Ticks* end() const noexcept { return values_.data() + values_.size(); }

  /// In ticks.
  [[nodiscard]] Estimate mean() const;
  /// The share of values above `limit`.
  [[nodiscard]] Estimate share_above(Ticks limit) const;
  /// The value of rank ceil(share n), with the spread of the batches' own; `can_show` says whether there are enough
  /// values for it: ten are expected above.
  [[nodiscard]] Estimate quantile(double share) const;
  [[nodiscard]] bool can_show(double share) const noexcept;

 private:
  [[nodiscard]] std::size_t skipped() const noexcept { return values_.size() / 10; }
  [[nodiscard]] std::size_t batch_size() const noexcept { return (values_.size() - skipped()) / Estimate::k_batches; }

  std::vector<Ticks> values_;
};

}  // namespace dojima::queueing
