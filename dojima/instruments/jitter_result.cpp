#include "dojima/instruments/jitter_result.hpp"

#include <algorithm>
#include <cmath>

namespace dojima::instruments {
namespace {

double seconds_of(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

std::string cpu_name(const JitterCore& core) {
  return "cpu " + std::to_string(core.trace.cpu);
}

/// The columns of sysjitter, which traders compare machines by, and what a table of a page can hold of them.
evidence::Table jitter_table(const JitterRecording& recording, bool is_spin) {
  evidence::Table table{"jitter",
                        "how often and for how long the processor was away",
                        {{"cpu"},
                         {"threshold_ns"},
                         {"recorded_s", 3},
                         {"gaps"},
                         {"gaps_per_s", 1},
                         {"lost_percent", 4},
                         {"p50_ns"},
                         {"p99_ns"},
                         {"p99_9_ns"},
                         {"max_ns"},
                         {"from_2_us"},
                         {"from_10_us"},
                         {"from_1_ms"},
                         {"dropped", 0, false}}};
  for (const JitterCore& core : recording.cores) {
    const GapStatistics gaps = gap_statistics(core.trace);
    const auto value = [&gaps](std::uint64_t ns) {
      return gaps.count == 0 ? evidence::Cell(evidence::Unmeasured{"no gap"}) : evidence::Cell(ns);
    };
    const evidence::Cell lost = is_spin ? evidence::Cell(100 * gaps.lost_share)
                                        : evidence::Cell(evidence::Unmeasured{"a thread that sleeps loses no time"});
    table.add_row({core.trace.cpu, core.trace.threshold_ns, seconds_of(core.trace.span_ns), gaps.count, gaps.per_second,
                   lost, value(gaps.median_ns), value(gaps.p99_ns), value(gaps.p999_ns), value(gaps.max_ns),
                   count_from(core.trace, 2'000), count_from(core.trace, 10'000), count_from(core.trace, 1'000'000),
                   core.trace.dropped});
  }
  return table;
}

evidence::Table period_table(const JitterRecording& recording) {
  evidence::Table table{"periods",
                        "rhythms in which gaps come",
                        {{"cpu"},
                         {"period_ms", 4},
                         {"hertz", 3},
                         {"gaps"},
                         {"cycles_hit_percent", 1},
                         {"coherence", 3, true, "1: exactly in step, 0: at random"},
                         {"median_gap_ns"},
                         {"likely_cause"}}};
  for (const JitterCore& core : recording.cores) {
    for (const Period& period : periods_of(core.trace)) {
      const std::string cause = likely_cause(period);
      table.add_row({core.trace.cpu, period.seconds * 1e3, 1 / period.seconds, period.gaps, 100 * period.cycles_hit,
                     period.coherence, period.median_ns, cause.empty() ? "not known" : cause});
    }
  }
  if (table.rows.empty()) table.notes.emplace_back("No rhythm stands out.");
  return table;
}

/// The longest gaps of a recording in the order of time.
std::vector<Gap> longest(const GapTrace& trace, std::size_t most) {
  std::vector<Gap> gaps = trace.gaps;
  std::ranges::sort(gaps, [](const Gap& a, const Gap& b) {
    return a.duration_ns != b.duration_ns ? a.duration_ns > b.duration_ns : a.at_ns < b.at_ns;
  });
  if (gaps.size() > most) gaps.resize(most);
  std::ranges::sort(gaps, {}, &Gap::at_ns);
  return gaps;
}

evidence::Table largest_table(const JitterRecording& recording) {
  evidence::Table table{"largest", "the ten longest gaps of each processor", {{"cpu"}, {"at_s", 6}, {"duration_ns"}}};
  for (const JitterCore& core : recording.cores) {
    for (const Gap& gap : longest(core.trace, 10)) {
      table.add_row({core.trace.cpu, seconds_of(gap.at_ns), gap.duration_ns});
    }
  }
  return table;
}

evidence::Table overhead_table(const JitterPlan& plan, const JitterRecording& recording) {
  evidence::Table table{"overhead", "what the instrument itself costs", {{"cpu"}, {"what"}, {"ns", 2}}};
  for (const JitterCore& core : recording.cores) {
    if (plan.mode == JitterMode::spin) {
      table.add_row({core.trace.cpu, "an undisturbed turn of the loop: shorter gaps cannot be seen", core.turn_ns});
    } else {
      table.add_row({core.trace.cpu, "the soonest wake-up: nothing is ever sooner", core.durations.min()});
    }
    table.add_row({core.trace.cpu, "the step of the clock", recording.quantum_ns});
  }
  return table;
}

evidence::Chart timeline(const JitterRecording& recording) {
  constexpr std::size_t k_dots = 600;
  evidence::Chart chart{
      .name = "gaps",
      .title = "Gaps over time",
      .caption =
          "Rows on one level are of one cause, equal distances are a rhythm. At most the 600 longest of "
          "each processor.",
      .kind = evidence::ChartKind::dots,
      .x = {"time since the start", "s"},
      .y = {"gap", "ns", true}};
  for (const JitterCore& core : recording.cores) {
    evidence::ChartCurve curve{cpu_name(core), {}};
    for (const Gap& gap : longest(core.trace, k_dots)) {
      curve.points.push_back({seconds_of(gap.at_ns), static_cast<double>(gap.duration_ns)});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

evidence::Chart spectrum(const JitterRecording& recording) {
  constexpr std::size_t k_points = 250;
  evidence::Chart chart{.name = "spectrum",
                        .title = "Spectrum of the gaps",
                        .caption =
                            "In which rhythm gaps begin: a peak and its multiples are a train of gaps, chance is 1 "
                            "everywhere. Each point is the strongest of its neighbourhood.",
                        .x = {"frequency", "Hz"},
                        .y = {"power", "", true}};
  for (const JitterCore& core : recording.cores) {
    std::vector<double> beginnings;
    for (const Gap& gap : core.trace.gaps) beginnings.push_back(seconds_of(gap.at_ns));
    evidence::ChartCurve curve{cpu_name(core), {}};
    for (const SpectrumPoint& point : thinned(spectrum_of(beginnings, seconds_of(core.trace.span_ns)), k_points)) {
      // What a chart shows needs no more digits; an artefact keeps them all.
      curve.points.push_back({std::round(point.hertz * 1e3) / 1e3, std::round(point.power * 1e3) / 1e3});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

void add_parameters(evidence::Artefact& artefact, const JitterPlan& plan) {
  evidence::Document cpus = evidence::Document::array();
  for (const int cpu : plan.cpus) cpus.push(cpu);
  const bool is_spin = plan.mode == JitterMode::spin;
  artefact.set_parameter("cpus", std::move(cpus)).set_parameter("mode", is_spin ? "spin" : "sleep");
  artefact.set_parameter("fifo_priority",
                         plan.policy.fifo_priority ? evidence::Document(*plan.policy.fifo_priority) : 0);
  artefact.set_parameter("seconds", std::chrono::duration<double>(plan.duration).count());
  artefact.set_parameter("threshold_ns", plan.threshold_ns);
  if (!is_spin) artefact.set_parameter("sleep_interval_ns", plan.sleep_interval.count());
}

}  // namespace

void add_jitter(evidence::Artefact& artefact, const JitterPlan& plan, const JitterRecording& recording,
                const RealTimeBudget& budget) {
  const bool is_spin = plan.mode == JitterMode::spin;
  add_parameters(artefact, plan);
  artefact.add_table(jitter_table(recording, is_spin)).add_table(period_table(recording));
  artefact.add_table(largest_table(recording)).add_table(overhead_table(plan, recording));
  artefact.add_chart(timeline(recording)).add_chart(spectrum(recording));
  for (const JitterCore& core : recording.cores) {
    evidence::RunRecord& run = artefact.begin_run({.arm = recording.cores.size() > 1 ? cpu_name(core) : std::string()});
    if (is_spin) run.add_figure("lost_share", "", gap_statistics(core.trace).lost_share);
    run.add_histogram({is_spin ? "gap" : "lateness", evidence::Role::total}, core.durations.view());
    if (core.missed > 0) {
      artefact.add_quality(
          evidence::Quality::contended,
          cpu_name(core) + ": " + std::to_string(core.missed) +
              " moments had passed before the thread could ask for them; they count as late as they were",
          "tables.jitter");
    }
    if (const auto seen = throttling_of(core.trace, budget)) {
      artefact.add_quality(evidence::Quality::throttled,
                           cpu_name(core) + ": " + std::to_string(seen->gaps) + " gaps, about " +
                               std::to_string(seen->median_duration_ns / 1'000) + " us every " +
                               std::to_string(seen->median_distance_ns / 1'000'000) +
                               " ms: the kernel's budget of real-time threads",
                           "tables.jitter");
    }
  }
}

std::string gap_list(const JitterRecording& recording) {
  std::string text = "cpu,at_ns,duration_ns\n";
  for (const JitterCore& core : recording.cores) {
    const std::string cpu = std::to_string(core.trace.cpu) + ',';
    for (const Gap& gap : core.trace.gaps) {
      text += cpu + std::to_string(gap.at_ns) + ',' + std::to_string(gap.duration_ns) + '\n';
    }
  }
  return text;
}

}  // namespace dojima::instruments
