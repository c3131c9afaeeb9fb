#pragma once

// Formula and simulation of one queue side by side, as tables and a chart of an artefact: means with what kind of
// statement each formula makes, quantiles of the wait up to p99.99, and how often a wait is exceeded. Times are in
// seconds. Pure.
//
//   add_comparison(artefact, {.formula = station, .kind = "exact", .seen = &simulated, .scale = 1});

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/experiments.hpp"
#include "dojima/queueing/law.hpp"

namespace dojima::queueing {

/// One figure: by formula, by simulation, or by both.
struct FigureRow {
  std::string figure;
  std::optional<double> formula{};
  std::string kind = "exact";  ///< what the formula is: exact, a bound, an approximation
  std::optional<Estimate> seen{};
};

struct Comparison {
  std::optional<Station> formula{};
  std::string kind = "exact";       ///< of the means
  std::string tail_kind = "exact";  ///< of the distribution of the wait
  const Simulated* seen = nullptr;  ///< none: not simulated
  std::vector<FigureRow> more{};    ///< below the means
  double scale = 1;                 ///< a time of about the size of the service: for the number of digits
};

inline constexpr double k_shares[] = {0.5, 0.9, 0.99, 0.999, 0.9999};

/// The table "means", "quantiles" where there is a distribution, and the chart "wait".
void add_comparison(evidence::Artefact& artefact, const Comparison& comparison);

/// A table of such rows.
[[nodiscard]] evidence::Table figure_table(std::string name, std::string title, std::span<const FigureRow> rows,
                                           double scale);

/// "exponential", "constant", "erlang:4", "hyperexponential:4" with this mean.
[[nodiscard]] Answer<Law> parse_law(const std::string& text, double mean);

}  // namespace dojima::queueing
