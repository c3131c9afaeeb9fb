#pragma once

// When an order is filled in a queue-reactive market: the market is simulated many times from the state in which the
// order waits, with the order followed as the recorded ones are (fill_samples.hpp). It rests beside the model's queues
// and changes none of their rates. Fills of a state are simulated once and kept, as a distribution of times: a market
// that is twice as active as the model's mean has the same fills in half the time.
//
//   QueueReactiveFills fills(rates, {.runs = 2'000, .longest_s = 40});
//   const FillChances chances = fills.chances({.ahead = 3, .own = 4, .other = 2, .spread = 1});
//   chances.within(10.0)
//
// Error: sqrt(p (1 - p) / runs). A state costs runs x events until the longest time; states are kept, 4 bytes a run.

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "dojima/flow/queue_reactive.hpp"

namespace dojima::queueing {

/// Where an order waits; queues in orders, the spread in ticks.
struct FillState {
  std::uint32_t ahead = 0;   ///< at most `own`; those behind it are cancelled and executed as well
  std::uint32_t own = 1;     ///< at the best price of its side without it, at least 1
  std::uint32_t other = 1;   ///< at least 1
  std::uint32_t spread = 1;  ///< at least 1
  friend auto operator<=>(const FillState&, const FillState&) = default;
};

class FillChances {
 public:
  /// Share of the runs that were filled after at most so many seconds.
  [[nodiscard]] double within(double seconds) const;
  /// Share that was filled no later than the mid moved.
  [[nodiscard]] double before_move() const noexcept { return before_move_; }

 private:
  friend class QueueReactiveFills;
  std::vector<float> filled_s_;  // sorted
  std::size_t runs_ = 0;
  double before_move_ = 0;
};

struct FillRuns {
  std::size_t runs = 2'000;
  double longest_s = 60;  ///< of the model's time; no fill is seen later
  std::uint64_t seed = 1;
};

class QueueReactiveFills {
 public:
  /// `rates` outlive it. Throws std::invalid_argument for rates with trouble.
  QueueReactiveFills(const flow::QueueReactiveRates& rates, FillRuns runs);

  /// Valid as long as this is.
  [[nodiscard]] const FillChances& chances(const FillState& state);
  [[nodiscard]] std::size_t states() const noexcept { return known_.size(); }

 private:
  struct Run {
    double filled_s = -1;  // below 0: not seen
    bool is_before_move = false;
  };
  [[nodiscard]] Run simulate(const FillState& state, std::uint64_t seed);

  FillRuns runs_;
  flow::QueueReactiveMarket market_;
  std::map<FillState, FillChances> known_;
};

}  // namespace dojima::queueing
