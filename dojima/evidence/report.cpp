#include "dojima/evidence/report.hpp"

#include "dojima/base/assert.hpp"
#include "dojima/evidence/report/plots.hpp"
#include "dojima/evidence/report/subject.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence {

using page::Subject;

namespace {

/// The main distributions of several artefacts, one over the other.
std::string side_by_side(const std::vector<Subject>& subjects) {
  std::vector<Curve> curves;
  HtmlTable table{page::percentile_head(), {}};
  std::string unit;
  for (const Subject& subject : subjects) {
    const MergedHistogram* main = page::main_of(subject.merged);
    if (main == nullptr || curves.size() == page::k_colours || (!unit.empty() && main->of.unit != unit)) continue;
    unit = main->of.unit;
    const std::string label = subject.id.substr(0, 8) + " " + page::label_of(*main);
    curves.push_back({label, "c" + std::to_string(curves.size()), main->histogram.view()});
    for (const Document& one : subject.summary.at("distributions").elements()) {
      if (one.at("name").as_text() != main->of.name || one.at("arm").as_text() != main->arm) continue;
      std::vector<std::string> row = {escaped(label)};
      const std::vector<std::string> cells = page::percentile_cells(one);
      row.insert(row.end(), cells.begin(), cells.end());
      table.rows.push_back(std::move(row));
    }
  }
  if (curves.size() < 2) return {};
  return "<h2>Side by side</h2>" + to_html(table) + page::k_percentile_note + "<div class=\"plots\">" +
         percentile_spectrum("all-spectrum", unit, curves) + exceedance("all-ccdf", unit, curves) +
         cumulative("all-ecdf", unit, curves) + "</div>";
}

}  // namespace

std::string report(const std::vector<Artefact>& artefacts) {
  DOJIMA_ASSERT(!artefacts.empty(), "something to report");
  std::vector<Subject> subjects;
  for (const Artefact& artefact : artefacts) subjects.push_back(page::subject_of(artefact, subjects.size()));
  const bool is_one = subjects.size() == 1;
  const std::string title = is_one ? artefacts[0].command() : std::to_string(subjects.size()) + " runs side by side";
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>" +
      escaped(title) + "</title><style>\n" + report_style() +
      "</style></head>\n<body><header><p class=\"over\">Dojima \u00b7 measurement report</p>";
  if (is_one) {
    html += page::heading(subjects[0], "h1") + "</header>\n<main>" + page::sections_of(subjects[0]);
  } else {
    std::vector<LabelledArtefact> labelled;
    for (const Subject& subject : subjects) {
      labelled.push_back({subject.id.substr(0, 8) + " " + subject.artefact->command(), subject.artefact});
    }
    html += "<h1>" + escaped(title) + "</h1></header>\n<main>" + side_by_side(subjects);
    html += figures_side_by_side(labelled);
    for (const Subject& subject : subjects)
      html += "\n<article>" + page::heading(subject, "h2") + page::sections_of(subject) + "</article>";
  }
  html += "</main>\n<footer><p>Made from ";
  for (const Subject& subject : subjects) {
    html += (&subject == &subjects.front() ? "" : ", ") + ("<code>" + subject.id.substr(0, 12) + "</code>");
  }
  return html + "; the same artefact always gives this very page.</p></footer></body></html>\n";
}

}  // namespace dojima::evidence
