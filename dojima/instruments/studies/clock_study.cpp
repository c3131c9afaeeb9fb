#include "dojima/instruments/studies/clock_study.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>

#include "dojima/instruments/clock_reads.hpp"
#include "dojima/instruments/studies/core_spinner.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::instruments {
namespace {

using Seconds = std::chrono::duration<double>;

bool is_wanted(const ClockPlan& plan, const ClockRead& read) {
  return plan.clocks.empty() || std::ranges::find(plan.clocks, read.name) != plan.clocks.end();
}

/// A loop to run, and where its times go.
struct Job {
  const ClockRead* read;
  std::size_t sample;
};

/// The samples in their order, empty, with the jobs of one round.
std::vector<Job> plan_jobs(const ClockPlan& plan, std::vector<ClockSample>& samples) {
  std::vector<Job> jobs;
  const auto add = [&](const ClockRead& read, Compiled compiled, bool is_loaded, bool is_single, std::size_t calls) {
    jobs.push_back({&read, samples.size()});
    samples.push_back({read.name, read.way, compiled, is_loaded, is_single, calls});
  };
  for (const bool is_loaded : {false, true}) {
    if (is_loaded && !plan.is_reference) continue;
    for (const ClockRead& read : clock_reads_plain()) {
      if (plan.is_reference && is_wanted(plan, read)) add(read, Compiled::plain, is_loaded, false, plan.calls);
    }
    for (const ClockRead& read : clock_reads_optimised()) {
      if (!is_wanted(plan, read)) continue;
      for (const std::size_t calls : {plan.calls, std::size_t{10}, std::size_t{1}}) {
        add(read, Compiled::optimised, is_loaded, false, calls);
      }
      add(read, Compiled::optimised, is_loaded, true, 1);
    }
  }
  return jobs;
}

/// One round of a sample.
void run_loop(const ClockRead& read, ClockSample& sample, const ClockPlan& plan, double ns_per_cycle) {
  const std::size_t kept = sample.is_single ? plan.singles : plan.repetitions;
  std::vector<std::int64_t> spans(plan.dropped + kept);
  const auto loop = sample.is_single ? read.by_cycles : read.by_monotonic;
  loop(spans.size(), sample.calls, spans.data());
  std::vector<float> times(spans.size());
  const double unit = sample.is_single ? ns_per_cycle : 1.0;
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<float>(static_cast<double>(spans[i]) * unit);
  const auto first_kept = times.begin() + static_cast<std::ptrdiff_t>(plan.dropped);
  sample.first.emplace_back(times.begin(), first_kept);
  sample.rounds.emplace_back(first_kept, times.end());
}

/// Batches of gettimeofday in slices, the kernel's counts read between them.
void run_slices(const ClockPlan& plan, bool is_loaded, const StopFlag& stop, std::vector<ClockSlice>& slices) {
  constexpr std::size_t k_slices = 1'000;
  constexpr std::size_t k_batches = 50;
  const ClockReads reads = clock_reads_optimised();
  const auto* const read =
      std::ranges::find_if(reads, [](const ClockRead& one) { return std::string_view(one.name) == "gettimeofday"; });
  if (read == reads.end() || !is_wanted(plan, *read)) return;
  std::vector<std::int64_t> spans(k_batches, 1);
  slices.reserve(slices.size() + k_slices);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < k_slices && !stop.is_set(); ++i) {
    ClockSlice slice{.is_loaded = is_loaded, .begin_s = Seconds(std::chrono::steady_clock::now() - begin).count()};
    const KernelCounts before = read_kernel_counts(plan.cpu);
    read->by_monotonic(spans.size(), plan.calls, spans.data());
    slice.counts = read_kernel_counts(plan.cpu) - before;
    for (const std::int64_t span : spans) slice.elapsed_ns += static_cast<double>(span);
    slice.largest_ns = static_cast<double>(std::ranges::max(spans)) / static_cast<double>(plan.calls);
    slices.push_back(slice);
  }
}

ClockStep look_for_step(const ClockRead& read, double ns_per_cycle) {
  constexpr std::size_t k_readings = 200'000;
  constexpr std::chrono::milliseconds k_span{30};
  std::vector<std::int64_t> differences;
  differences.reserve(k_readings);
  const auto end = std::chrono::steady_clock::now() + k_span;
  std::int64_t before = read.now();
  std::int64_t last_seen = before;
  // Coarse clocks step only now and then: readings without a step are counted in bulk once there are many of them.
  while (std::chrono::steady_clock::now() < end && differences.size() < k_readings) {
    for (int i = 0; i < 100 && differences.size() < k_readings; ++i) {
      const std::int64_t now = read.now();
      const bool is_step = now != last_seen;
      if (is_step || differences.size() < k_readings / 2) differences.push_back(now - before);
      before = last_seen = now;
    }
  }
  ClockStep step = step_of(read.name, differences, read.is_cycles ? ns_per_cycle : 1.0);
  timespec resolution{};
  if (read.clock_id >= 0 && ::clock_getres(read.clock_id, &resolution) == 0) {
    step.resolution_ns = static_cast<double>(resolution.tv_sec) * 1e9 + static_cast<double>(resolution.tv_nsec);
  }
  return step;
}

/// Looks, whenever a wanted time has passed, how far the counter is from the kernel's clock.
class DriftWatch {
 public:
  DriftWatch(const ClockPlan& plan, const measure::CycleClock& clock)
      : wanted_(plan.drift_s), ns_per_cycle_(clock.ns_per_cycle()), first_(measure::read_clock_pair()) {
    std::ranges::sort(wanted_);
  }

  void look(std::vector<ClockDrift>& drifts) {
    if (drifts.size() == wanted_.size()) return;
    const measure::ClockPair now = measure::read_clock_pair();
    const auto elapsed_ns = static_cast<double>(now.ns - first_.ns);
    const double wanted = wanted_[drifts.size()];
    if (elapsed_ns < wanted * 1e9) return;
    const auto counted = static_cast<double>(now.cycle - first_.cycle);
    const auto width = static_cast<double>(now.width + first_.width) / 2;
    const double ahead_ns = counted * ns_per_cycle_ - elapsed_ns;
    drifts.push_back({.span_s = elapsed_ns * 1e-9,
                      .wanted_s = wanted,
                      .residual_ns = ahead_ns,
                      .residual_ppm = ahead_ns / elapsed_ns * 1e6,
                      .uncertainty_ppm = width * ns_per_cycle_ / elapsed_ns * 1e6});
  }

 private:
  std::vector<double> wanted_;
  double ns_per_cycle_;
  measure::ClockPair first_;
};

/// The work of the measuring thread.
class Study {
 public:
  Study(const ClockPlan& plan, ClockStudy& study, std::atomic<double>& done, const StopFlag& stop)
      : plan_(plan), study_(study), done_(done), stop_(stop), begin_(std::chrono::steady_clock::now()) {}

  void run() {
    const measure::CycleClock clock = measure::CycleClock::calibrate();
    study_.ns_per_cycle = clock.ns_per_cycle();
    study_.quantum_ns = clock.quantum_ns();
    DriftWatch watch(plan_, clock);
    const std::vector<Job> jobs = plan_jobs(plan_, study_.samples);
    for (const ClockRead& read : clock_reads_optimised()) {
      if (read.now != nullptr && is_wanted(plan_, read))
        study_.steps.push_back(look_for_step(read, study_.ns_per_cycle));
    }
    study_.is_complete = run_rounds(jobs, watch);
    if (study_.is_complete && plan_.is_reference) {
      run_slices(plan_, false, stop_, study_.slices);
      const CoreSpinner spinner(plan_.cpu, std::chrono::minutes{2});
      run_slices(plan_, true, stop_, study_.slices);
    }
    while (study_.drifts.size() < plan_.drift_s.size() && !is_over()) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      watch.look(study_.drifts);
    }
  }

 private:
  [[nodiscard]] bool is_over() const {
    const double elapsed = Seconds(std::chrono::steady_clock::now() - begin_).count();
    return stop_.is_set() || (plan_.time_limit_s && elapsed > *plan_.time_limit_s);
  }

  /// False: broken off.
  bool run_rounds(const std::vector<Job>& jobs, DriftWatch& watch) {
    for (std::size_t round = 0; round < plan_.rounds; ++round) {
      std::optional<CoreSpinner> spinner;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (is_over()) return false;
        ClockSample& sample = study_.samples[jobs[i].sample];
        if (sample.is_loaded && !spinner) spinner.emplace(plan_.cpu, std::chrono::minutes{2});
        run_loop(*jobs[i].read, sample, plan_, study_.ns_per_cycle);
        watch.look(study_.drifts);
        done_.store((static_cast<double>(round) + static_cast<double>(i + 1) / static_cast<double>(jobs.size())) /
                    static_cast<double>(plan_.rounds));
      }
    }
    return true;
  }

  const ClockPlan& plan_;
  ClockStudy& study_;
  std::atomic<double>& done_;
  const StopFlag& stop_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

std::string_view name_of(Compiled compiled) noexcept {
  return compiled == Compiled::plain ? "-O0" : "-O2";
}

ClockStep step_of(std::string clock, const std::vector<std::int64_t>& differences, double ns_per_unit) {
  ClockStep step{.clock = std::move(clock), .readings = differences.size()};
  std::vector<std::uint64_t> forwards;
  std::uint64_t smallest = 0;
  for (const std::int64_t difference : differences) {
    step.equal += difference == 0 ? 1 : 0;
    step.backwards += difference < 0 ? 1 : 0;
    if (difference < 0) continue;
    forwards.push_back(static_cast<std::uint64_t>(difference));
    if (difference > 0 && (smallest == 0 || forwards.back() < smallest)) smallest = forwards.back();
  }
  if (smallest == 0) return step;
  step.smallest_ns = static_cast<double>(smallest) * ns_per_unit;
  const double lattice = measure::quantum_of(forwards);
  if (lattice > 1) {
    step.quantum_ns = lattice * ns_per_unit;
  } else if (step.equal > forwards.size() / 2) {
    step.quantum_ns = step.smallest_ns;  // it does not move most of the time: what it moves by is its step
  }
  return step;
}

std::expected<ClockStudy, std::string> study_clocks(const ClockPlan& plan, const std::function<bool(double)>& go_on) {
  ClockStudy study;
  std::atomic<double> done{0};
  const auto outcome = run_on_cores(
      {plan.cpu}, {}, [&](std::size_t, const StopFlag& stop) { Study(plan, study, done, stop).run(); },
      [&] { return go_on(done.load()); });
  if (!outcome) return std::unexpected(outcome.error());
  study.applied = outcome->applied;
  return study;
}

}  // namespace dojima::instruments
