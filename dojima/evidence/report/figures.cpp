// The figures that several artefacts have in common, beside each other: for results that have no distribution, such as
// those of other tools.

#include <algorithm>
#include <cstdio>

#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/report/plots.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::evidence {
namespace {

/// A figure of one arm, by which artefacts are held against each other.
struct FigureName {
  std::string arm;
  std::string name;
  std::string unit;
  friend bool operator==(const FigureName&, const FigureName&) = default;
};

std::vector<FigureName> figures_of(const Artefact& artefact) {
  std::vector<FigureName> names;
  for (const RunRecord& run : artefact.runs()) {
    for (const Figure& figure : run.figures) {
      const FigureName name{run.arm, figure.name, figure.unit};
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::string figures_side_by_side(const std::vector<LabelledArtefact>& artefacts) {
  HtmlTable table{{"figure, median of runs"}, {}};
  for (const LabelledArtefact& one : artefacts) table.head.push_back(escaped(one.label));
  table.head.emplace_back("last / first");
  std::vector<FigureName> names;
  for (const LabelledArtefact& one : artefacts) {
    for (FigureName& name : figures_of(*one.artefact)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  for (const FigureName& name : names) {
    std::vector<std::string> row = {escaped(name.arm.empty() ? name.name : name.name + ", " + name.arm)};
    std::vector<double> medians;
    for (const LabelledArtefact& one : artefacts) {
      const std::vector<FigureName> known = figures_of(*one.artefact);
      const bool has_it = std::ranges::find(known, name) != known.end();
      if (!has_it) {
        row.emplace_back("\u2013");
        continue;
      }
      medians.push_back(measure::median(figure_values(one.artefact->runs(), name.arm, name.name)));
      row.push_back(escaped(value_text(medians.back(), name.unit)));
    }
    if (medians.size() < 2) continue;
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.3f", medians.back() / medians.front());
    row.emplace_back(medians.front() > 0 ? ratio : "\u2013");
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? std::string() : "<h3>Figures side by side</h3>" + to_html(table);
}

}  // namespace dojima::evidence
