#pragma once

// What it costs when threads write to words that lie in one cache line: every thread increments a counter of its own,
// the counters at one distance after another, from the same word for all to lines of their own. Only what was done
// while all threads really ran at the same time counts (overlap.hpp), and each case says for how long that was:
// threads that take turns share nothing and would look free. Distances are measured by turns. Spins on all processors
// named.
//
//   const auto rounds = measure_sharing({.cpus = {0, 1}}, clock, [](std::size_t done) { return true; });
//   add_sharing(artefact, plan, *rounds, clock);

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::instruments {

struct SharingPlan {
  std::vector<int> cpus{};
  /// Bytes between the counters of neighbours; 0: one counter for all. The last is what others are compared with.
  std::vector<std::size_t> distances = {0, 8, 16, 32, 64, 128, 256};
  std::size_t rounds = 10;
  std::size_t chunk = 500;     ///< increments between two stamps
  std::size_t chunks = 2'000;  ///< a thread and round at the most
  std::chrono::nanoseconds round_length = std::chrono::milliseconds{20};
};

/// One distance, once. The stamps of each thread between its chunks.
struct SharingRound {
  std::size_t distance = 0;
  std::vector<std::vector<std::uint64_t>> stamps;
};

struct SharingResult {
  std::vector<SharingRound> rounds;
  CoreOutcome outcome;
};

/// `go_on` is asked before each round with how many are done.
[[nodiscard]] std::expected<SharingResult, std::string> measure_sharing(
    const SharingPlan& plan, const measure::CycleClock& clock, const std::function<bool(std::size_t done)>& go_on);

/// What a round says: the cost of an increment while all ran, and how long that was.
struct SharingFigures {
  double ns_per_increment = 0;  ///< median of the chunks; NaN when there was none
  double overlapped_s = 0;
  double overlapped_share = 0;  ///< of the time in which the thread that ran least ran
};
[[nodiscard]] SharingFigures figures_of(const SharingRound& round, std::size_t chunk, double ns_per_cycle);

/// Adds the tables "sharing" and "overhead", a run for each round, and for each distance the check that the threads
/// overlapped for at least half of the time in which they ran. Pure.
void add_sharing(evidence::Artefact& artefact, const SharingPlan& plan, const SharingResult& result,
                 const measure::CycleClock& clock);

}  // namespace dojima::instruments
