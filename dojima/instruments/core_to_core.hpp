#pragma once

// How long a word takes from one processor to another and back, and how far apart their time stamp counters are. Two
// threads pass a number to and fro through a cache line each; the one that is asked stamps it as it passes by. An
// exchange brackets the other counter: it was read after the request was sent and before the answer was seen, so every
// exchange bounds the offset from both sides, and the bounds of all together are the narrowest ones that causality
// gives. Spins on two processors while it measures; memory is taken before.
//
//   const auto measured = measure_core_pair(0, 1, {}, clock, [] { return true; });
//   offset_of(measured->exchanges).low_cycles;

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::instruments {

/// One round trip, in readings of the counters of both processors.
struct Exchange {
  std::uint64_t sent = 0;      ///< by the asking processor, before it asked
  std::uint64_t passed = 0;    ///< by the other one, in between
  std::uint64_t received = 0;  ///< by the asking processor, after the answer
};

/// By how much the other counter is ahead: at least `low`, at most `high`.
struct CounterOffset {
  std::int64_t low_cycles = 0;
  std::int64_t high_cycles = 0;
  /// The exchanges contradict each other: the counters do not run at one rate, or one of them has been set.
  [[nodiscard]] bool is_contradiction() const noexcept { return low_cycles > high_cycles; }
};
/// From at least one exchange. Pure; O(n).
[[nodiscard]] CounterOffset offset_of(std::span<const Exchange> exchanges);

struct CorePairPlan {
  std::size_t exchanges = 20'000;  ///< stamped ones
  std::size_t batch = 200;         ///< round trips between two stamps where none is made inside
  std::chrono::nanoseconds time_cap = std::chrono::seconds{2};  ///< then what there is counts
};

struct CorePair {
  int from = 0;
  int to = 0;
  std::vector<Exchange> exchanges;          ///< without the first tenth, in which both come up
  std::vector<std::uint64_t> batch_cycles;  ///< of `batch` round trips without stamps inside
  std::size_t batch = 0;
  bool was_stopped = false;
};

/// Measures one pair. The error says why a thread could not be put there.
[[nodiscard]] std::expected<CorePair, std::string> measure_core_pair(int from, int to, const CorePairPlan& plan,
                                                                     const measure::CycleClock& clock,
                                                                     const std::function<bool()>& go_on);

/// Adds the tables "core_to_core", "matrix" and "overhead" and a run with its histogram for each pair. Where there is
/// no pair the tables say why. Pure.
void add_core_to_core(evidence::Artefact& artefact, const std::vector<int>& cpus, const std::vector<CorePair>& pairs,
                      const measure::CycleClock& clock);

}  // namespace dojima::instruments
