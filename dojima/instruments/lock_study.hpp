#pragma once

// How long threads wait for a lock. Each thread thinks for a random time, asks for the lock, holds it for a fixed time
// and gives it back; every request is recorded with when it was made, when it was granted and when the lock was given
// back: a trace that queueing models can be fitted to (measure/service_trace.hpp). Locks are measured by turns: a
// mutex, which sleeps, a spin lock, which whoever is quickest gets, and a ticket lock, which serves in the order of
// asking. Spins on all processors named while a round lasts; memory is taken before.
//
//   const auto study = measure_locks({.cpus = {0, 1}}, clock, [](std::size_t done) { return true; });
//   add_lock_study(artefact, plan, *study, clock);

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/service_trace.hpp"

namespace dojima::instruments {

enum class LockKind : std::uint16_t { mutex, spin, ticket };
inline constexpr std::array k_locks = {LockKind::mutex, LockKind::spin, LockKind::ticket};
[[nodiscard]] std::string_view name_of(LockKind kind) noexcept;

struct LockPlan {
  std::vector<int> cpus{};
  std::size_t rounds = 5;
  std::chrono::nanoseconds round_length = std::chrono::milliseconds{100};
  std::uint64_t hold_ns = 500;
  std::uint64_t think_ns = 2'000;  ///< on average, exponentially distributed
  std::size_t capacity = 100'000;  ///< requests a thread and round; then its round is over
  std::uint64_t seed = 1;
};

struct LockStudy {
  /// All requests, by round (`group`), within it by when they were granted; `kind` is the lock, `server` the thread.
  std::vector<measure::ServiceRecord> trace;
  double uncontended_ns = 0;  ///< asking, being granted and giving back without another thread, stamps included
  double stamps_ns = 0;       ///< of that, what the stamps cost
  CoreOutcome outcome;
};

[[nodiscard]] std::expected<LockStudy, std::string> measure_locks(const LockPlan& plan,
                                                                  const measure::CycleClock& clock,
                                                                  const std::function<bool(std::size_t done)>& go_on);

/// How often one was granted the lock before another gave it back, in a trace in the order of being granted. A lock
/// that works has none; neither have counters that agree. Pure; O(n).
[[nodiscard]] std::size_t overlapping_holders(std::span<const measure::ServiceRecord> trace);

/// Adds parameters, the tables "lock" and "overhead", the check that nobody ever held a lock that another held, and a
/// run with its histogram of waits for each lock. Pure.
void add_lock_study(evidence::Artefact& artefact, const LockPlan& plan, const LockStudy& study);

}  // namespace dojima::instruments
