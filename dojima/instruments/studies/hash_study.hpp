#pragma once

// The measurement of "Queuing: Where Math Meets CS" again: 100,000 evaluations of a 64-round integer hash, each timed
// by itself, with a clock that counts the time of the processor and with clocks that count the time of the wall, under
// the ordinary and the real-time policy, alone on a processor and beside a spinner. What the machine forbids is in the
// result with its reason. Runs are interleaved: every cell once, then all again. Memory is taken before the loops; what
// the recording says is the business of hash_tables.hpp.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"

namespace dojima::instruments {

enum class HashClock : std::uint8_t { process_cpu, thread_cpu, monotonic, tsc };
inline constexpr HashClock k_hash_clocks[] = {HashClock::process_cpu, HashClock::thread_cpu, HashClock::monotonic,
                                              HashClock::tsc};
[[nodiscard]] std::string_view name_of(HashClock clock) noexcept;

/// The work that is timed.
enum class HashFunction : std::uint8_t {
  littlepage,  ///< the article's: seven shifts a round
  wang,        ///< Thomas Wang's 64-bit mix: additions beside the shifts, so a little more work
};
inline constexpr HashFunction k_hash_functions[] = {HashFunction::littlepage, HashFunction::wang};
[[nodiscard]] std::string_view name_of(HashFunction function) noexcept;

struct HashPlan {
  int cpu = 0;
  HashFunction function = HashFunction::littlepage;
  std::size_t iterations = 100'000;
  std::size_t rounds = 11;
  std::vector<HashClock> clocks{std::begin(k_hash_clocks), std::end(k_hash_clocks)};
  std::vector<bool> real_time{false, true};
  std::vector<bool> loaded{false, true};
};

/// One run of one cell.
struct HashRun {
  std::vector<float> times;      ///< of each evaluation, ns by the clock of the cell
  double elapsed_ns = 0;         ///< of all of them, by CLOCK_MONOTONIC
  double on_processor_ns = 0;    ///< of all of them, by the processor time of the thread
  std::int64_t preemptions = 0;  ///< involuntary switches meanwhile
};

struct HashCell {
  HashClock clock = HashClock::monotonic;
  bool is_real_time = false;
  bool is_loaded = false;
  std::vector<HashRun> runs{};
  std::string trouble{};  ///< why there is no run
  evidence::Document applied = evidence::Document::object();
};

/// What a timed section around nothing shows by each clock.
struct HashOverhead {
  HashClock clock;
  std::vector<float> times;  ///< ns
};

struct HashStudy {
  std::vector<HashCell> cells;
  std::vector<HashOverhead> overheads;
  double ns_per_cycle = 0;
  double quantum_ns = 0;  ///< the step of the processor's counter
  HashFunction function = HashFunction::littlepage;
};

/// Measures; each run in a thread of its own on `plan.cpu`. `go_on` is called at least between runs with the share that
/// is done; when it says no the study ends with what there is.
[[nodiscard]] HashStudy study_hash(const HashPlan& plan, const std::function<bool(double done)>& go_on);

/// 64 rounds of a function, in unsigned arithmetic: shifting signed numbers over their edge is undefined in C. Where
/// the article shifts to the right it shifts a signed number, so the sign fills in from the left here as well.
[[nodiscard]] std::uint64_t hash_64_rounds(HashFunction function, std::uint64_t value) noexcept;

}  // namespace dojima::instruments
