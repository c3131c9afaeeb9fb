#pragma once

// The subcommands of `dojima queue`, and what they share: how many requests are simulated, and how formula and
// simulation are shown side by side.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/cli/lab/instrument.hpp"
#include "dojima/queueing/presentation.hpp"

namespace dojima::cli {

class Command;

struct QueueOptions {
  InstrumentOptions instrument;
  double arrival = 0;
  double service = 0;
  std::uint32_t servers = 1;
  std::string law = "exponential";
  std::size_t jobs = 1'000'000;
  std::uint64_t seed = 1;

  void add_arrival(Command command);
  void add_service(Command command);
  void add_servers(Command command);
  /// --jobs, --seed, --json, --report and so on.
  void add_run(Command command);
  [[nodiscard]] bool is_simulated() const noexcept { return jobs > 0; }
  /// Whether the rates can be simulated, or that no simulation is wanted.
  [[nodiscard]] queueing::Answer<double> checked(double first_mean, double second_mean) const;
  /// Ticks to a second of a network's simulation; 1 when none is wanted.
  [[nodiscard]] queueing::Answer<double> network_scale(const std::vector<double>& means, double gap) const;
  [[nodiscard]] queueing::Run run() const noexcept;
};

/// Says why there is no answer: an overload is one (k_failed), parameters that make no sense are wrong (k_usage).
[[nodiscard]] int refuse(const queueing::Refusal& refusal);

/// Shows what `fill` puts into the artefact of `dojima queue NAME`; it says nothing, or why there is no answer.
using FillArtefact = std::function<queueing::Answer<bool>(evidence::Artefact&)>;
[[nodiscard]] int show_queue(const std::string& name, const QueueOptions& options, const FillArtefact& fill);

/// Adds the comparison, beside what `simulate` (a queueing::Simulated, without arguments) gives if a simulation is
/// wanted and gaps and services of these means can be simulated.
template <class Simulate>
[[nodiscard]] queueing::Answer<bool> add_compared(const QueueOptions& options, double gap, double service,
                                                  queueing::Comparison& comparison, Simulate simulate,
                                                  evidence::Artefact& artefact) {
  if (const auto right = options.checked(gap, service); !right) return std::unexpected(right.error());
  std::optional<queueing::Simulated> seen;
  if (options.is_simulated()) comparison.seen = &seen.emplace(simulate());
  queueing::add_comparison(artefact, comparison);
  return true;
}

/// mm1, mmc, mmck, mminf, finite
void add_queue_markov(Command queue, int& status);
/// mg1, md1, gim1, mmpp, simulate
void add_queue_general(Command queue, int& status);
/// hawkes
void add_queue_hawkes(Command queue, int& status);
/// erlang-b, erlang-c
void add_queue_erlang(Command queue, int& status);
/// fit
void add_queue_fit(Command queue, int& status);
/// predict, compare, whatif
void add_queue_forecast(Command queue, int& status);
/// claims
void add_queue_claims(Command queue, int& status);
/// fill, calibrate
void add_queue_fill(Command queue, int& status);
/// priority, interrupted, jackson, closed
void add_queue_systems(Command queue, int& status);

}  // namespace dojima::cli
