#include "dojima/instruments/studies/hash_study.hpp"

#include <ctime>
#include <optional>
#include <sys/resource.h>
#include <thread>

#include "dojima/instruments/studies/core_spinner.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::instruments {
namespace {

template <clockid_t Id>
std::int64_t now() noexcept {
  timespec time{};
  ::clock_gettime(Id, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// To the right with the sign, as the article's int64_t does.
std::uint64_t shifted_with_sign(std::uint64_t value, unsigned places) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> places);
}

/// One round of each function.
template <HashFunction Function>
std::uint64_t hash_round(std::uint64_t value) noexcept {
  if constexpr (Function == HashFunction::littlepage) {
    value -= value << 6;
    value ^= shifted_with_sign(value, 17);
    value -= value << 9;
    value ^= value << 4;
    value -= value << 3;
    value ^= value << 10;
    value ^= shifted_with_sign(value, 15);
  } else {
    value = ~value + (value << 21);
    value ^= value >> 24;
    value += (value << 3) + (value << 8);
    value ^= value >> 14;
    value += (value << 2) + (value << 4);
    value ^= value >> 28;
    value += value << 31;
  }
  return value;
}

template <HashFunction Function>
[[gnu::always_inline]] inline std::uint64_t hash_rounds(std::uint64_t value) noexcept {
  for (int round = 0; round < 64; ++round) value = hash_round<Function>(value);
  return value;
}

/// Without the compiler's freedom to leave it out, or to do it once for all.
template <HashFunction Function>
[[gnu::always_inline]] inline void evaluate(std::uint64_t& value) noexcept {
  asm volatile("" : "+r"(value));
  value = hash_rounds<Function>(value);
  asm volatile("" : "+r"(value));
}

/// The loop of the article: a reading, the work, a reading.
template <class Read, class Work>
void time_each(std::vector<std::int64_t>& spans, Read read, Work work) {
  for (std::int64_t& span : spans) {
    const std::int64_t begin = read();
    work();
    span = read() - begin;
  }
}

template <class Work>
void time_each(HashClock clock, std::vector<std::int64_t>& spans, Work work) {
  switch (clock) {
    case HashClock::process_cpu:
      return time_each(spans, now<CLOCK_PROCESS_CPUTIME_ID>, work);
    case HashClock::thread_cpu:
      return time_each(spans, now<CLOCK_THREAD_CPUTIME_ID>, work);
    case HashClock::monotonic:
      return time_each(spans, now<CLOCK_MONOTONIC>, work);
    case HashClock::tsc:
      return time_each(spans, [] { return static_cast<std::int64_t>(measure::cycles_fenced_end()); }, work);
  }
}

std::vector<float> in_ns(HashClock clock, const std::vector<std::int64_t>& spans, double ns_per_cycle) {
  const double unit = clock == HashClock::tsc ? ns_per_cycle : 1.0;
  std::vector<float> times;
  times.reserve(spans.size());
  for (const std::int64_t span : spans) times.push_back(static_cast<float>(static_cast<double>(span) * unit));
  return times;
}

std::int64_t involuntary_switches() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// In the measuring thread, which is where it belongs by now.
HashRun run_once(HashClock clock, HashFunction function, std::vector<std::int64_t>& spans, double ns_per_cycle) {
  std::uint64_t value = 1;
  HashRun run;
  const std::int64_t switches = involuntary_switches();
  const std::int64_t processor = now<CLOCK_THREAD_CPUTIME_ID>();
  const std::int64_t wall = now<CLOCK_MONOTONIC>();
  if (function == HashFunction::littlepage)
    time_each(clock, spans, [&value] { evaluate<HashFunction::littlepage>(value); });
  else
    time_each(clock, spans, [&value] { evaluate<HashFunction::wang>(value); });
  run.elapsed_ns = static_cast<double>(now<CLOCK_MONOTONIC>() - wall);
  run.on_processor_ns = static_cast<double>(now<CLOCK_THREAD_CPUTIME_ID>() - processor);
  run.preemptions = involuntary_switches() - switches;
  run.times = in_ns(clock, spans, ns_per_cycle);
  return run;
}

std::vector<HashCell> cells_of(const HashPlan& plan) {
  std::vector<HashCell> cells;
  for (const bool is_loaded : plan.loaded) {
    for (const bool is_real_time : plan.real_time) {
      for (const HashClock clock : plan.clocks) cells.push_back({clock, is_real_time, is_loaded});
    }
  }
  return cells;
}

void run_cell(HashCell& cell, const HashPlan& plan, double ns_per_cycle, const std::function<bool()>& go_on) {
  if (!cell.trouble.empty()) return;
  std::optional<CoreSpinner> spinner;
  if (cell.is_loaded) {
    spinner.emplace(plan.cpu, std::chrono::seconds{10});
    std::this_thread::sleep_for(std::chrono::milliseconds{20});  // until it spins
  }
  // Written once, so that no page is missing in the loop.
  std::vector<std::int64_t> spans(plan.iterations, 1);
  const ThreadPolicy policy{.fifo_priority = cell.is_real_time ? std::optional(50) : std::nullopt};
  const auto outcome = run_on_cores(
      {plan.cpu}, policy,
      [&](std::size_t, const StopFlag&) {
        cell.runs.push_back(run_once(cell.clock, plan.function, spans, ns_per_cycle));
      },
      go_on);
  if (!outcome) {
    cell.trouble = outcome.error();
  } else {
    cell.applied = outcome->applied;
  }
}

std::vector<HashOverhead> measure_overheads(const HashPlan& plan, double ns_per_cycle) {
  std::vector<HashOverhead> overheads;
  for (const HashClock clock : plan.clocks) overheads.push_back({clock, {}});
  const auto outcome = run_on_cores(
      {plan.cpu}, {},
      [&](std::size_t, const StopFlag&) {
        for (HashOverhead& overhead : overheads) {
          std::vector<std::int64_t> spans(10'000, 1);
          time_each(overhead.clock, spans, [] {});
          overhead.times = in_ns(overhead.clock, spans, ns_per_cycle);
        }
      },
      [] { return true; });
  if (!outcome) overheads.clear();
  return overheads;
}

}  // namespace

std::string_view name_of(HashClock clock) noexcept {
  switch (clock) {
    case HashClock::process_cpu:
      return "process_cpu";
    case HashClock::thread_cpu:
      return "thread_cpu";
    case HashClock::monotonic:
      return "monotonic";
    case HashClock::tsc:
      break;
  }
  return "tsc";
}

std::string_view name_of(HashFunction function) noexcept {
  return function == HashFunction::littlepage ? "littlepage" : "wang";
}

std::uint64_t hash_64_rounds(HashFunction function, std::uint64_t value) noexcept {
  return function == HashFunction::littlepage ? hash_rounds<HashFunction::littlepage>(value)
                                              : hash_rounds<HashFunction::wang>(value);
}

HashStudy study_hash(const HashPlan& plan, const std::function<bool(double)>& go_on) {
  const measure::CycleClock clock = measure::CycleClock::calibrate();
  HashStudy study{.cells = cells_of(plan),
                  .ns_per_cycle = clock.ns_per_cycle(),
                  .quantum_ns = clock.quantum_ns(),
                  .function = plan.function};
  study.overheads = measure_overheads(plan, study.ns_per_cycle);
  const auto forbidden = real_time_trouble();
  for (HashCell& cell : study.cells) {
    if (cell.is_real_time && forbidden) cell.trouble = *forbidden;
  }
  const auto total = static_cast<double>(plan.rounds * study.cells.size());
  std::size_t done = 0;
  bool is_wanted = true;
  for (std::size_t round = 0; round < plan.rounds && is_wanted; ++round) {
    for (HashCell& cell : study.cells) {
      const auto ask = [&] { return is_wanted = is_wanted && go_on(static_cast<double>(done) / total); };
      if (!ask()) break;
      run_cell(cell, plan, study.ns_per_cycle, ask);
      ++done;
    }
  }
  for (HashCell& cell : study.cells) {
    if (cell.runs.empty() && cell.trouble.empty()) cell.trouble = "the run ended before it was measured";
  }
  return study;
}

}  // namespace dojima::instruments
