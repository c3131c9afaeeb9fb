#pragma once

// A drawing that an artefact carries beside its tables: lines, steps, dots or bars over axes with titles and units. For
// what histograms and series do not show by themselves: a published figure beside ours, gaps over time, a spectrum. The
// report draws it and puts the numbers in a table below. A plain value; a few hundred points a curve at the most, since
// they are in the artefact as text.
//
//   artefact.add_chart({.name = "gaps", .title = "Gaps over time", .kind = ChartKind::dots,
//                       .x = {"time since the start", "s"}, .y = {"gap", "ns", true},
//                       .curves = {{"cpu 0", {{0.004, 12'000}, {0.008, 13'000}}}}});

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence {

enum class ChartKind : std::uint8_t {
  lines,
  steps,  ///< a value holds until the next point, as in a cumulative distribution
  dots,
  bars,  ///< one bar a curve in each group; a point's x is the group's index
};
[[nodiscard]] std::string_view name_of(ChartKind kind) noexcept;

struct ChartAxis {
  std::string title;
  std::string unit{};  ///< "ns" is shown in whatever unit fits
  bool is_logarithmic = false;
  friend bool operator==(const ChartAxis&, const ChartAxis&) = default;
};

struct ChartCurve {
  std::string label;
  std::vector<Point> points;
  friend bool operator==(const ChartCurve&, const ChartCurve&) = default;
};

struct Chart {
  std::string name;
  std::string title;
  std::string caption{};
  ChartKind kind = ChartKind::lines;
  ChartAxis x{};  ///< of bars, only the title counts
  ChartAxis y{};
  std::vector<std::string> groups{};  ///< of bars: the text below each group
  std::vector<ChartCurve> curves{};   ///< at most eight are drawn
  friend bool operator==(const Chart&, const Chart&) = default;
};

[[nodiscard]] bool has_points(const Chart& chart) noexcept;

/// One element of the artefact's member `charts`.
[[nodiscard]] Document document_of(const Chart& chart);
/// The error names the member that is missing or of the wrong kind.
[[nodiscard]] std::expected<Chart, std::string> chart_from(const Document& document);

}  // namespace dojima::evidence
