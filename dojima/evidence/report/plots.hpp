#pragma once

// The plots of a report (evidence/report.hpp): each a complete HTML figure of caption, legend, drawing and the table
// that says the same in numbers. Pure; allocates.

#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/chart.hpp"
#include "dojima/measure/histogram.hpp"

namespace dojima::evidence {

/// One distribution in a plot. The histogram outlives it.
struct Curve {
  std::string label;
  std::string style;  ///< a class of the style sheet: "total", "c0" ... "c7"
  measure::HistogramView histogram;
};

/// Every plot needs an id of its own in the page, and curves of one unit that are not empty.
[[nodiscard]] std::string percentile_spectrum(const std::string& id, const std::string& unit,
                                              const std::vector<Curve>& curves);
[[nodiscard]] std::string exceedance(const std::string& id, const std::string& unit, const std::vector<Curve>& curves);
[[nodiscard]] std::string cumulative(const std::string& id, const std::string& unit, const std::vector<Curve>& curves);
/// From the smallest value to the 99th percentile, with the steps of the clock where they are known.
[[nodiscard]] std::string histogram_near(const std::string& id, const std::string& unit, const Curve& curve,
                                         std::optional<double> quantum);
/// All of it, both axes logarithmic.
[[nodiscard]] std::string histogram_whole(const std::string& id, const std::string& unit, const Curve& curve,
                                          std::optional<double> quantum);
[[nodiscard]] std::string over_time(const std::string& id, const Series& series);

struct Stage {
  std::string name;
  measure::HistogramView histogram;
};
/// `total` may be nothing.
[[nodiscard]] std::string waterfall(const std::string& id, const std::string& unit, const std::vector<Stage>& stages,
                                    const std::optional<Stage>& total);

/// Every run a dot, one colour an arm, in the order they ran.
[[nodiscard]] std::string strip(const std::string& id, const std::vector<RunRecord>& runs, const std::string& figure);

struct LabelledArtefact {
  std::string label;
  const Artefact* artefact;
};
/// A table of the figures that at least two artefacts have, with the ratio of the last to the first; empty when there
/// are none.
[[nodiscard]] std::string figures_side_by_side(const std::vector<LabelledArtefact>& artefacts);

/// A table with a heading row; the first column names the row, the others are numbers unless `is_text` says otherwise.
struct HtmlTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  ///< HTML, already escaped
  std::vector<bool> is_text{};                 ///< by column; shorter: numbers
};
[[nodiscard]] std::string to_html(const HtmlTable& table);

/// Caption (HTML), legend where there are several curves, drawing, and the table behind it, in one frame.
[[nodiscard]] std::string figure(const std::string& title, const std::string& caption, const std::vector<Curve>& legend,
                                 const std::string& drawing, const HtmlTable& table);

/// A chart of the artefact (evidence/chart.hpp), which has at least one point (charts.cpp).
[[nodiscard]] std::string chart_figure(const std::string& id, const Chart& chart);

}  // namespace dojima::evidence
