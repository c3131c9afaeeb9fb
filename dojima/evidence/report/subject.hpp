#pragma once

// What the page of a report (evidence/report.hpp) is put together from: one artefact's facts, computed once, and the
// parts of the page that are about it, as HTML. Pure; allocates.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/report/plots.hpp"

namespace dojima::evidence::page {

constexpr std::size_t k_colours = 8;
constexpr std::size_t k_curves = k_colours + 1;  // the whole is drawn in ink

/// What one artefact gives the report, computed once.
struct Subject {
  const Artefact* artefact;
  std::string id;
  std::string prefix;  ///< of the ids in the page
  std::vector<MergedHistogram> merged;
  Document summary;
  std::optional<double> quantum;
};

[[nodiscard]] Subject subject_of(const Artefact& artefact, std::size_t index);
/// The distribution that stands for the whole: the total, else the first; null: there is none.
[[nodiscard]] const MergedHistogram* main_of(const std::vector<MergedHistogram>& merged);
[[nodiscard]] std::string label_of(const MergedHistogram& merged);
/// The curves of one artefact: the arms of its main distribution where there are arms, else all its distributions.
[[nodiscard]] std::vector<Curve> curves_of(const Subject& subject);
/// What is compared, or a rate: these have tiles, the others are in a table.
[[nodiscard]] bool is_headline(const Document& figure, const Subject& subject);
/// A name without its underscores.
[[nodiscard]] std::string spoken(std::string name);
[[nodiscard]] std::string fact_text(const Document& value);

/// Command, verdict, badges and tiles, below a heading of that level ("h1").
[[nodiscard]] std::string heading(const Subject& subject, const char* level);
/// All that follows the heading (sections.cpp).
[[nodiscard]] std::string sections_of(const Subject& subject);
/// Where all of it comes from (provenance.cpp).
[[nodiscard]] std::string provenance_section(const Subject& subject);

/// A table of percentiles: its head, a row's cells from n to max, and the note below it. Values have their interval;
/// those that are not settled yet are in italics.
[[nodiscard]] std::vector<std::string> percentile_head();
[[nodiscard]] std::vector<std::string> percentile_cells(const Document& distribution);
inline constexpr const char* k_percentile_note =
    "<p class=\"more\">Rank rule: the value of rank \u2308p n\u2309. Small print: the 95 % interval of the percentile "
    "by "
    "binomial ranks, which takes the values for independent; within one run they hang together, so between runs expect "
    "more. A dash: fewer than 10 / (1 \u2212 p) values. <span class=\"thin\">Italics</span>: fewer than 100 / (1 "
    "\u2212 p), "
    "not settled yet.</p>";

}  // namespace dojima::evidence::page
