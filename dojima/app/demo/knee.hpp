#pragma once

// Where the demo's road has enough: the demo once for each of rising rates, until it no longer answers as fast as
// requests fall due; then between the last good rate and the first bad one, and at twice the knee, where nothing may
// get lost. Each run is a market of its own, so that none inherits the books of another.
//
//   const auto result = find_knee({.settings = settings}, stops, [](const KneeStep& step) { show(step); });

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/app/demo/run.hpp"
#include "dojima/evidence/artefact.hpp"

namespace dojima::app::demo {

struct KneeSettings {
  Settings settings{};             ///< of each run; `rate` is where they begin. Over sockets
  double factor = 1.5;             ///< from one rate to the next; above 1
  double kept = 0.97;              ///< a rate is met where so much of it was answered; below 1
  std::uint32_t halvings = 3;      ///< between the last rate that was met and the first that was not
  std::uint64_t most = 2'000'000;  ///< no run has a higher rate
  double overload = 2;             ///< the last run has so many times the knee; 0: there is none
};

/// One run.
struct KneeStep {
  std::uint64_t rate = 0;      ///< requests a second that fell due
  double answered = 0;         ///< a second, until the last ones were, in the middle
  std::uint64_t requests = 0;  ///< that were answered
  std::uint64_t p50_ns = 0;    ///< of the whole way, from when it was due; 0: nothing was measured
  std::uint64_t p99_ns = 0;    ///< 0: too few requests for it
  std::vector<ThreadLoad> threads;
  MemoryUse memory{};
  bool is_met = false;       ///< it was answered as fast as it fell due
  bool is_overload = false;  ///< the last run
  bool is_ok = false;        ///< every check of the demo
  std::string trouble;       ///< the first check that failed; empty: none
};

struct KneeResult {
  KneeSettings settings;
  std::vector<KneeStep> steps;  ///< in the order of the runs
  bool is_interrupted = false;

  /// The highest rate that was met; 0: none was.
  [[nodiscard]] std::uint64_t knee() const noexcept;
  /// Of the overload, what was answered a second as a part of the knee; 0: there was none.
  [[nodiscard]] double kept_in_overload() const noexcept;
  /// Every check of every run.
  [[nodiscard]] bool is_ok() const noexcept;
};

/// The run that follows these.
struct NextRate {
  std::uint64_t rate = 0;  ///< 0: there is none, all is known
  bool is_overload = false;
  friend bool operator==(const NextRate&, const NextRate&) = default;
};
[[nodiscard]] NextRate next_rate(const KneeSettings& settings, const std::vector<KneeStep>& steps);

/// The step that a run was. `settings` say when a rate is met.
[[nodiscard]] KneeStep step_of(const KneeSettings& settings, const DemoResult& result);

/// Error: a run could not begin, and why. `show` is called behind each run. Throws std::invalid_argument for settings
/// that make no sense.
[[nodiscard]] std::expected<KneeResult, std::string> find_knee(const KneeSettings& settings, const Stops& stops,
                                                               const std::function<void(const KneeStep&)>& show);

/// The table's header and a line of it.
[[nodiscard]] std::string knee_header(const Settings& settings);
[[nodiscard]] std::string text_of(const KneeStep& step);
/// What came of it, below the lines.
[[nodiscard]] std::string text_of(const KneeResult& result);
[[nodiscard]] evidence::Artefact artefact_of(const KneeResult& result);

}  // namespace dojima::app::demo
