#include "dojima/instruments/jitter.hpp"

#include <algorithm>
#include <ctime>
#include <sys/prctl.h>

namespace dojima::instruments {
namespace {

/// A gap as the counter shows it.
struct CycleGap {
  std::uint64_t begin;
  std::uint64_t length;
};

/// What the loop writes, with all its memory touched beforehand.
struct Recorder {
  explicit Recorder(std::size_t capacity) : gaps(capacity) {}
  void keep(std::uint64_t from, std::uint64_t length) noexcept {
    if (count < gaps.size()) {
      gaps[count++] = {from, length};
    } else {
      ++dropped;
    }
  }
  std::vector<CycleGap> gaps;
  std::size_t count = 0;
  std::uint64_t dropped = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t turns = 0;
  std::uint64_t missed = 0;
  std::uint64_t quickest = 0;  ///< cycles of the quickest turn of many
};

/// Reads the counter until it has advanced by `length`; everything that this loop touches is here.
void spin(Recorder& recorder, std::uint64_t threshold, std::uint64_t length, const StopFlag& stop) noexcept {
  constexpr std::uint64_t k_batch = 256;
  std::uint64_t before = measure::cycles();
  recorder.begin = before;
  const std::uint64_t until = before + length;
  recorder.quickest = ~std::uint64_t{0};
  while (before < until && !stop.is_set()) {
    const std::uint64_t batch = before;
    for (std::uint64_t turn = 0; turn < k_batch; ++turn) {
      const std::uint64_t now = measure::cycles();
      if (now - before >= threshold) [[unlikely]] {
        recorder.keep(before, now - before);
      }
      before = now;
    }
    recorder.turns += k_batch;
    recorder.quickest = std::min(recorder.quickest, (before - batch) / k_batch);
  }
  recorder.end = before;
}

std::int64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Sleeps from moment to moment of a schedule that does not wait for the sleeper: after a long delay the moments that
/// have passed count as late as they are, or the delay would hide what it did to them.
void sleep_by_schedule(Recorder& recorder, measure::FineHistogram& lateness, const JitterPlan& plan,
                       const StopFlag& stop) {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // of this thread only, which ends soon
  const std::int64_t begin = monotonic_ns();
  const std::int64_t until = begin + plan.duration.count();
  recorder.begin = static_cast<std::uint64_t>(begin);
  std::int64_t due = begin;
  std::int64_t now = begin;
  while (!stop.is_set()) {
    due += plan.sleep_interval.count();
    if (due >= until) break;
    if (due < now) ++recorder.missed;
    const timespec moment{.tv_sec = due / 1'000'000'000, .tv_nsec = due % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr) != 0 && !stop.is_set()) {
    }
    now = monotonic_ns();
    const auto late = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - due));
    lateness.record(late);
    if (late >= plan.threshold_ns) recorder.keep(static_cast<std::uint64_t>(due), late);
    ++recorder.turns;
  }
  recorder.end = static_cast<std::uint64_t>(std::max(now, begin));
}

/// Every wake-up is a little late; a gap is what is late beyond that.
void keep_the_late(GapTrace& trace, const measure::FineHistogram& lateness) {
  trace.threshold_ns = std::max(trace.threshold_ns, 4 * lateness.value_at(0.5));
  std::erase_if(trace.gaps, [&trace](const Gap& gap) { return gap.duration_ns < trace.threshold_ns; });
}

JitterCore core_of(const Recorder& recorder, measure::FineHistogram& lateness, const measure::CycleClock& clock,
                   const JitterPlan& plan, int cpu) {
  const bool is_spin = plan.mode == JitterMode::spin;
  const auto ns = [&](std::uint64_t ticks) { return is_spin ? clock.nanoseconds(ticks) : ticks; };
  JitterCore core;
  core.trace.cpu = cpu;
  core.trace.span_ns = ns(recorder.end - recorder.begin);
  core.trace.threshold_ns = plan.threshold_ns;
  core.trace.dropped = recorder.dropped;
  core.trace.gaps.reserve(recorder.count);
  for (std::size_t i = 0; i < recorder.count; ++i) {
    const CycleGap& gap = recorder.gaps[i];
    core.trace.gaps.push_back({ns(gap.begin - recorder.begin), ns(gap.length)});
    if (is_spin) core.durations.record(core.trace.gaps.back().duration_ns);
  }
  if (!is_spin) keep_the_late(core.trace, lateness);
  core.turns = recorder.turns;
  core.missed = recorder.missed;
  if (!is_spin) core.durations = std::move(lateness);
  core.turn_ns = is_spin && recorder.turns > 0 ? static_cast<double>(recorder.quickest) * clock.ns_per_cycle() : 0;
  return core;
}

}  // namespace

std::expected<JitterRecording, std::string> record_jitter(const JitterPlan& plan, const std::function<bool()>& go_on) {
  if (plan.policy.fifo_priority && plan.mode == JitterMode::spin) {
    if (const auto trouble = real_time_trouble()) return std::unexpected(*trouble);
  }
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  const auto cycles_of = [&clock](double ns) { return static_cast<std::uint64_t>(ns / clock.ns_per_cycle()); };
  const std::uint64_t threshold = cycles_of(static_cast<double>(plan.threshold_ns));
  const std::uint64_t length = cycles_of(static_cast<double>(plan.duration.count()));
  std::vector<Recorder> recorders(plan.cpus.size(), Recorder(plan.capacity));
  std::vector<measure::FineHistogram> lateness(plan.cpus.size());
  const auto work = [&](std::size_t index, const StopFlag& stop) {
    if (plan.mode == JitterMode::spin) {
      spin(recorders[index], threshold, length, stop);
    } else {
      sleep_by_schedule(recorders[index], lateness[index], plan, stop);
    }
  };
  auto outcome = run_on_cores(plan.cpus, plan.policy, work, go_on);
  if (!outcome) return std::unexpected(outcome.error());
  JitterRecording recording{{}, std::move(*outcome), clock.ns_per_cycle(), clock.quantum_ns()};
  for (std::size_t i = 0; i < plan.cpus.size(); ++i) {
    recording.cores.push_back(core_of(recorders[i], lateness[i], clock, plan, plan.cpus[i]));
  }
  return recording;
}

}  // namespace dojima::instruments
