// dojima queue hawkes

#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/queueing/experiments.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using queueing::FigureRow;
using queueing::ModelSampler;

struct HawkesOptions : QueueOptions {
  double branching = 0;
  double memory_s = 0;
  std::optional<std::vector<double>> windows;
};

/// What the words describe, for the formulas.
Answer<queueing::Hawkes> process_of(const HawkesOptions& options) {
  if (!queueing::is_positive(options.arrival) || !queueing::is_positive(options.memory_s))
    return std::unexpected(queueing::impossible("the arrival rate and the memory must be above 0"));
  if (!(options.branching >= 0)) return std::unexpected(queueing::impossible("the branching must be 0 or more"));
  if (options.branching >= 1)
    return std::unexpected(
        queueing::Refusal{queueing::RefusalKind::unstable,
                          fmt::format("branching {:g}: an arrival causes no fewer than one more, so the rate grows "
                                      "without bound",
                                      options.branching)});
  return queueing::Hawkes{.base_rate = options.arrival * (1 - options.branching),
                          .branching = options.branching,
                          .decay = 1 / options.memory_s};
}

/// The same for the simulation, whose model has a mean gap of 10^6 steps.
Answer<flow::ArrivalConfig> model_of(const HawkesOptions& options) {
  const double thousandths = std::round(options.branching * 1000);
  if (std::fabs(thousandths - options.branching * 1000) > 1e-6 || thousandths > 990)
    return std::unexpected(
        queueing::impossible("a simulation takes the branching in thousandths, up to 0.99; --jobs 0 gives the formula "
                             "alone"));
  const double steps = options.memory_s * options.arrival * static_cast<double>(ModelSampler::k_gap);
  if (!(steps >= 1e3 && steps <= 6e10))
    return std::unexpected(
        queueing::impossible("a simulation takes a memory of a thousandth to 60000 mean gaps; --jobs 0 gives the "
                             "formula alone"));
  return flow::ArrivalConfig{.model = flow::ArrivalModel::hawkes,
                             .branching = static_cast<std::uint32_t>(thousandths),
                             .memory = time::Duration{static_cast<std::int64_t>(steps + 0.5)}};
}

std::vector<double> windows_of(const HawkesOptions& options) {
  if (options.windows) return *options.windows;
  const double most = 0.9 * static_cast<double>(options.run().jobs) / queueing::Counts::k_least_windows;
  std::vector<double> windows;
  for (const double gaps : {1.0, 10.0, 100.0, 1000.0})
    if (!options.is_simulated() || gaps <= most) windows.push_back(gaps / options.arrival);
  return windows;
}

Answer<bool> fill_hawkes(const HawkesOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("arrival", options.arrival)
      .set_parameter("branching", options.branching)
      .set_parameter("memory_s", options.memory_s);
  const auto process = process_of(options);
  if (!process) return std::unexpected(process.error());
  const std::vector<double> windows = windows_of(options);
  for (const double window : windows)
    if (!queueing::is_positive(window))
      return std::unexpected(queueing::impossible("a window's length must be above 0"));
  std::vector<queueing::Counts> seen;
  if (options.is_simulated()) {
    const auto model = model_of(options);
    if (!model) return std::unexpected(model.error());
    auto counted = queueing::simulate_counts(*model, options.arrival, windows, options.run());
    if (!counted) return std::unexpected(counted.error());
    seen = std::move(*counted);
  }
  std::vector<FigureRow> rows = {{.figure = "arrivals_per_s", .formula = process->mean_rate()},
                                 {.figure = "of them caused by none", .formula = process->base_rate}};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double mean = process->mean_rate() * windows[i];
    const double dispersion = process->dispersion(windows[i]);
    rows.push_back({.figure = fmt::format("{:g} s: mean count", windows[i]), .formula = mean});
    if (!seen.empty()) rows.back().seen = seen[i].mean;
    rows.push_back({.figure = fmt::format("{:g} s: variance", windows[i]), .formula = mean * dispersion});
    if (!seen.empty())
      rows.back().seen = queueing::Estimate{seen[i].dispersion.value * seen[i].mean.value,
                                            seen[i].dispersion.error * seen[i].mean.value};
    rows.push_back({.figure = fmt::format("{:g} s: variance over mean", windows[i]), .formula = dispersion});
    if (!seen.empty()) rows.back().seen = seen[i].dispersion;
  }
  rows.push_back({.figure = "without end: variance over mean", .formula = process->asymptotic_dispersion()});
  artefact.add_table(queueing::figure_table("counts", "arrivals that excite others, counted in windows", rows, 1));
  return true;
}

}  // namespace

void add_queue_hawkes(Command queue, int& status) {
  Command hawkes = queue.add_command("hawkes", "Arrivals that cause others (Hawkes): moments of their counts");
  auto options = std::make_shared<HawkesOptions>();
  options->add_arrival(hawkes);
  hawkes.add_option("--branching", options->branching, "Arrivals that one causes, on average: 0 to below 1").required();
  hawkes.add_option("--memory", options->memory_s, "Excitement falls to 1/e in this time, in seconds").required();
  hawkes.add_option("--window", options->windows,
                    "Lengths of windows, in seconds; 1, 10, 100 and 1000 mean gaps otherwise");
  options->add_run(hawkes);
  hawkes.footer("example: dojima queue hawkes --arrival 1000 --branching 0.7 --memory 0.01");
  hawkes.on_run([options, &status] {
    status =
        show_queue("hawkes", *options, [&](evidence::Artefact& artefact) { return fill_hawkes(*options, artefact); });
  });
}

}  // namespace dojima::cli
