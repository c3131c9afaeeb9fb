#include "dojima/instruments/studies/clock_outliers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dojima/measure/sample_summary.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// Slices shown of each situation.
constexpr std::size_t k_shown = 10;

const char* load_of(bool is_loaded) {
  return is_loaded ? "loaded" : "idle";
}

std::vector<double> per_call(const std::vector<float>& batches, std::size_t calls) {
  std::vector<double> values;
  values.reserve(batches.size());
  for (const float batch : batches) values.push_back(static_cast<double>(batch) / static_cast<double>(calls));
  return values;
}

evidence::Cell picoseconds(double ns) {
  return std::round(ns * 1e3) / 1e3;
}

evidence::Cell count_or(const std::optional<std::int64_t>& count, const char* reason) {
  return count ? evidence::Cell(static_cast<long long>(*count)) : evidence::Cell(evidence::Unmeasured{reason});
}

/// Medians over the rounds.
struct Settling {
  std::vector<double> first{}, mean{}, deviation{}, max{}, mean_with{}, deviation_with{}, max_with{};
};

Settling settling_of(const ClockSample& sample) {
  Settling all;
  for (std::size_t round = 0; round < std::min(sample.rounds.size(), sample.first.size()); ++round) {
    std::vector<double> values = per_call(sample.rounds[round], sample.calls);
    const measure::SampleSummary without = measure::summarise(values);
    const std::vector<double> first = per_call(sample.first[round], sample.calls);
    if (!first.empty()) all.first.push_back(first.front());
    values.insert(values.end(), first.begin(), first.end());
    const measure::SampleSummary with = measure::summarise(values);
    all.mean.push_back(without.mean), all.deviation.push_back(without.deviation), all.max.push_back(without.max);
    all.mean_with.push_back(with.mean), all.deviation_with.push_back(with.deviation), all.max_with.push_back(with.max);
  }
  return all;
}

std::optional<double> usual_interrupts(const std::vector<const ClockSlice*>& slices) {
  std::vector<double> counts;
  for (const ClockSlice* slice : slices) {
    if (slice->counts.interrupts) counts.push_back(static_cast<double>(*slice->counts.interrupts));
  }
  return counts.empty() ? std::nullopt : std::optional(measure::median(counts));
}

void add_slice(evidence::Table& table, const ClockSlice& slice, std::optional<double> usual) {
  table.add_row({load_of(slice.is_loaded), slice.begin_s * 1e3, picoseconds(slice.largest_ns), slice.elapsed_ns / 1e3,
                 count_or(slice.counts.interrupts, "/proc/interrupts has no such processor"),
                 count_or(slice.counts.steal_ticks, "/proc/stat has no such processor"),
                 static_cast<long long>(slice.counts.faults),
                 static_cast<long long>(slice.counts.voluntary_switches + slice.counts.involuntary_switches),
                 count_or(slice.counts.waited_ns, "the kernel keeps no schedstat"), cause_of(slice.counts, usual)});
}

/// One row for all slices that are not shown: medians.
void add_others(evidence::Table& table, bool is_loaded, const std::vector<const ClockSlice*>& others) {
  if (others.empty()) return;
  const auto middle = [&](auto part) {
    std::vector<double> values;
    for (const ClockSlice* slice : others) values.push_back(static_cast<double>(part(*slice)));
    return measure::median(values);
  };
  table.add_row({load_of(is_loaded), evidence::Unmeasured{"many slices"},
                 picoseconds(middle([](const ClockSlice& one) { return one.largest_ns; })),
                 middle([](const ClockSlice& one) { return one.elapsed_ns; }) / 1e3,
                 middle([](const ClockSlice& one) { return one.counts.interrupts.value_or(0); }),
                 middle([](const ClockSlice& one) { return one.counts.steal_ticks.value_or(0); }),
                 middle([](const ClockSlice& one) { return one.counts.faults; }), middle([](const ClockSlice& one) {
                   return one.counts.voluntary_switches + one.counts.involuntary_switches;
                 }),
                 middle([](const ClockSlice& one) { return one.counts.waited_ns.value_or(0); }),
                 "median of the " + std::to_string(others.size()) + " others"});
}

}  // namespace

std::string cause_of(const KernelCounts& counts, std::optional<double> usual_interrupts) {
  if (counts.involuntary_switches + counts.voluntary_switches > 0) return "another thread ran";
  if (counts.waited_ns.value_or(0) > 0) return "waited for the processor";
  if (counts.steal_ticks.value_or(0) > 0) return "the host took the processor";
  if (counts.faults > 0) return "page fault";
  if (counts.interrupts && static_cast<double>(*counts.interrupts) > usual_interrupts.value_or(0)) return "interrupt";
  return "nothing that the kernel counts";
}

evidence::Table settling_table(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Table table{"settling",
                        "gettimeofday: what the first " + std::to_string(plan.dropped) +
                            " batches, which the article dropped, would have done; ns a call",
                        {{"compiled"},
                         {"load"},
                         {"first_of_run_ns", 2, true, "the very first batch of the first round"},
                         {"first_of_round_ns", 2, true, "the first batch, median over the rounds"},
                         {"average_ns"},
                         {"average_with_ns"},
                         {"deviation_ns"},
                         {"deviation_with_ns"},
                         {"max_ns"},
                         {"max_with_ns"}}};
  for (const ClockSample& sample : study.samples) {
    if (sample.clock != "gettimeofday" || sample.is_single || sample.calls != plan.calls) continue;
    const Settling all = settling_of(sample);
    if (all.first.empty()) continue;
    std::vector<evidence::Cell> row = {name_of(sample.compiled), load_of(sample.is_loaded),
                                       picoseconds(all.first.front())};
    for (const auto* values :
         {&all.first, &all.mean, &all.mean_with, &all.deviation, &all.deviation_with, &all.max, &all.max_with}) {
      row.push_back(picoseconds(measure::median(*values)));
    }
    table.add_row(std::move(row));
  }
  table.notes = {"_with: the dropped batches counted as well. Medians over the rounds."};
  return table;
}

evidence::Table outliers_table(const ClockStudy& study) {
  evidence::Table table{"outliers",
                        "the largest batches of gettimeofday, and what the kernel counted in their slice",
                        {{"load"},
                         {"at_ms", 1, true, "when the slice began"},
                         {"largest_ns", 2, true, "of its batches, a call"},
                         {"slice_us", 0, true, "how long the batches of the slice took"},
                         {"interrupts", 0, true, "of the processor"},
                         {"steal_ticks", 0, true, "of the processor"},
                         {"faults", 0, true, "of the thread"},
                         {"switches", 0, true, "of the thread"},
                         {"waited_ns", 0, true, "the thread could run and did not"},
                         {"cause"}}};
  for (const bool is_loaded : {false, true}) {
    std::vector<const ClockSlice*> slices;
    for (const ClockSlice& slice : study.slices) {
      if (slice.is_loaded == is_loaded) slices.push_back(&slice);
    }
    std::ranges::sort(slices, {},
                      [](const ClockSlice* slice) { return std::pair(-slice->largest_ns, slice->begin_s); });
    const std::size_t shown = std::min(k_shown, slices.size() / 2);
    const std::vector<const ClockSlice*> others(slices.begin() + static_cast<std::ptrdiff_t>(shown), slices.end());
    const std::optional<double> usual = usual_interrupts(others);
    for (std::size_t i = 0; i < shown; ++i) add_slice(table, *slices[i], usual);
    add_others(table, is_loaded, others);
  }
  table.notes = {
      "Counted from just before a slice of 50 batches to just after it; reading the counts is in there too, and is the "
      "same for all. Ticks of stolen time are accounted in hundredths of a second, so most steals show in no slice."};
  return table;
}

}  // namespace dojima::instruments
