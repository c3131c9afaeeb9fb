#include "dojima/instruments/sharing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "dojima/instruments/studies/overlap.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr std::size_t k_page = 4'096;
constexpr double k_least_overlap = 0.5;

struct PageDelete {
  void operator()(std::byte* memory) const noexcept { ::operator delete[](memory, std::align_val_t{k_page}); }
};
using Pages = std::unique_ptr<std::byte[], PageDelete>;

/// Zeroed memory that begins with a cache line.
Pages make_pages(std::size_t size) {
  Pages pages(new (std::align_val_t{k_page}) std::byte[size]);
  std::fill_n(pages.get(), size, std::byte{0});
  return pages;
}

/// Increments a word of its own, or one that others increment too, and stamps every chunk. A load and a store, as a
/// counter that nobody else writes is incremented; that increments of a common word get lost is no concern here.
std::size_t increment(std::atomic_ref<std::uint64_t> word, std::size_t chunk, std::vector<std::uint64_t>& stamps,
                      std::uint64_t length, const StopFlag& stop) noexcept {
  const std::uint64_t until = measure::cycles() + length;
  std::size_t used = 0;
  while (used < stamps.size()) {
    const std::uint64_t now = measure::cycles();
    stamps[used++] = now;
    if (now >= until || stop.is_set()) break;
    for (std::size_t i = 0; i < chunk; ++i) {
      word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  return used;
}

std::expected<SharingRound, std::string> measure_round(const SharingPlan& plan, std::size_t distance,
                                                       std::uint64_t length, CoreOutcome& outcome) {
  SharingRound round{distance, {}};
  round.stamps.assign(plan.cpus.size(), std::vector<std::uint64_t>(plan.chunks + 1));
  const Pages pages = make_pages(std::max(k_page, plan.cpus.size() * distance + sizeof(std::uint64_t)));
  auto done = run_on_cores(
      plan.cpus, {},
      [&](std::size_t index, const StopFlag& stop) {
        auto* word = reinterpret_cast<std::uint64_t*>(pages.get() + index * distance);
        round.stamps[index].resize(
            increment(std::atomic_ref<std::uint64_t>(*word), plan.chunk, round.stamps[index], length, stop));
      },
      [] { return true; });
  if (!done) return std::unexpected(done.error());
  outcome = std::move(*done);
  return round;
}

std::string name_of_distance(std::size_t distance) {
  return distance == 0 ? "one word" : std::to_string(distance) + " bytes";
}

/// What is known of one distance from all its rounds.
struct Case {
  std::vector<double> ns_per_increment;
  double overlapped_s = 0;
  double least_share = 1;
  std::vector<double> shares;
};

Case case_of(const SharingPlan& plan, const SharingResult& result, std::size_t distance, double ns_per_cycle) {
  Case all;
  for (const SharingRound& round : result.rounds) {
    if (round.distance != distance) continue;
    const SharingFigures figures = figures_of(round, plan.chunk, ns_per_cycle);
    if (!std::isnan(figures.ns_per_increment)) all.ns_per_increment.push_back(figures.ns_per_increment);
    all.overlapped_s += figures.overlapped_s;
    all.shares.push_back(figures.overlapped_share);
  }
  return all;
}

}  // namespace

std::expected<SharingResult, std::string> measure_sharing(const SharingPlan& plan, const measure::CycleClock& clock,
                                                          const std::function<bool(std::size_t done)>& go_on) {
  const auto length = static_cast<std::uint64_t>(static_cast<double>(plan.round_length.count()) / clock.ns_per_cycle());
  SharingResult result;
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < plan.distances.size() && go_on(result.rounds.size()); ++i) {
      // Every other round the other way around, so that no distance always follows the same one.
      const std::size_t at = round % 2 == 0 ? i : plan.distances.size() - 1 - i;
      auto measured = measure_round(plan, plan.distances[at], length, result.outcome);
      if (!measured) return std::unexpected(measured.error());
      result.rounds.push_back(std::move(*measured));
    }
  }
  return result;
}

SharingFigures figures_of(const SharingRound& round, std::size_t chunk, double ns_per_cycle) {
  std::vector<RunInterval> common;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& stamps : round.stamps) {
    std::vector<RunInterval> running = running_intervals(stamps);
    least = std::min(least, total_length(running));
    common = &stamps == &round.stamps.front() ? std::move(running) : common_intervals(common, running);
  }
  const std::uint64_t overlapped = total_length(common);
  std::vector<double> costs;
  for (const auto& stamps : round.stamps) {
    for (const std::uint64_t length : chunks_within(stamps, common)) {
      costs.push_back(static_cast<double>(length) * ns_per_cycle / static_cast<double>(chunk));
    }
  }
  SharingFigures figures;
  figures.ns_per_increment = measure::median(costs);
  figures.overlapped_s = static_cast<double>(overlapped) * ns_per_cycle * 1e-9;
  figures.overlapped_share =
      least == 0 || round.stamps.empty() ? 0 : static_cast<double>(overlapped) / static_cast<double>(least);
  return figures;
}

void add_sharing(evidence::Artefact& artefact, const SharingPlan& plan, const SharingResult& result,
                 const measure::CycleClock& clock) {
  evidence::Document cpus = evidence::Document::array();
  for (const int cpu : plan.cpus) cpus.push(cpu);
  artefact.set_parameter("cpus", std::move(cpus)).set_parameter("rounds", plan.rounds);
  artefact.set_parameter("chunk", plan.chunk)
      .set_parameter("round_ms", static_cast<double>(plan.round_length.count()) * 1e-6);
  evidence::Table table{
      "sharing",
      "an increment of a counter of one's own, by how far the next thread's counter is away",
      {{"distance_bytes"},
       {"what"},
       {"ns_per_increment", 2, true, "median of rounds"},
       {"ratio", 2, true, "to the largest distance"},
       {"overlapped_ms", 1, true, "in which all threads ran, all rounds together"},
       {"overlapped_percent", 1, true, "median of rounds; of the time in which the thread that ran least ran"}}};
  const Case apart = case_of(plan, result, plan.distances.back(), clock.ns_per_cycle());
  for (const std::size_t distance : plan.distances) {
    const Case one = case_of(plan, result, distance, clock.ns_per_cycle());
    if (one.shares.empty()) continue;
    const double share = measure::median(one.shares);
    const evidence::Unmeasured never{"the threads never ran at the same time"};
    const char* what = distance == 0   ? "one counter for all"
                       : distance < 64 ? "in one cache line"
                                       : "in lines of their own";
    const bool is_measured = !one.ns_per_increment.empty();
    table.add_row({distance, what,
                   is_measured ? evidence::Cell(measure::median(one.ns_per_increment)) : evidence::Cell(never),
                   is_measured && !apart.ns_per_increment.empty()
                       ? evidence::Cell(measure::median(one.ns_per_increment) / measure::median(apart.ns_per_increment))
                       : evidence::Cell(never),
                   one.overlapped_s * 1e3, 100 * share});
    char detail[120];
    std::snprintf(detail, sizeof detail, "%.1f ms, %.0f %% of the time in which they ran", one.overlapped_s * 1e3,
                  100 * share);
    artefact.add_check("the threads overlapped: " + name_of_distance(distance), share >= k_least_overlap, detail);
  }
  artefact.add_table(std::move(table));
  evidence::Table overhead{"overhead", "what the instrument itself costs", {{"what"}, {"ns", 3}}};
  const double stamp = clock.reading_ns();
  overhead.add_row({"a stamp", stamp});
  overhead.add_row({"a stamp's share of an increment", stamp / static_cast<double>(plan.chunk)});
  artefact.add_table(std::move(overhead));
  artefact.add_rule({"sharing", "overlapped_percent", evidence::Rule::shown, 0});
  for (const SharingRound& round : result.rounds) {
    const SharingFigures figures = figures_of(round, plan.chunk, clock.ns_per_cycle());
    evidence::RunRecord& run = artefact.begin_run({.arm = name_of_distance(round.distance)});
    if (!std::isnan(figures.ns_per_increment)) run.add_figure("ns_per_increment", "ns", figures.ns_per_increment);
    run.add_figure("overlapped_share", "", figures.overlapped_share);
  }
}

}  // namespace dojima::instruments
