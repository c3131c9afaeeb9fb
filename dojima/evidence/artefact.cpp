#include "dojima/evidence/artefact.hpp"

#include "dojima/base/assert.hpp"
#include "dojima/evidence/artefact_summary.hpp"

namespace dojima::evidence {

std::string_view name_of(Quality quality) noexcept {
  switch (quality) {
    case Quality::ok:
      return "ok";
    case Quality::quantised:
      return "quantised";
    case Quality::contended:
      return "contended";
    case Quality::throttled:
      return "throttled";
    case Quality::virtualised:
      return "virtualised";
    case Quality::unavailable:
      return "unavailable";
  }
  return "unnamed";
}

std::string_view name_of(Role role) noexcept {
  switch (role) {
    case Role::stage:
      return "stage";
    case Role::total:
      return "total";
    case Role::other:
      return "other";
  }
  return "unnamed";
}

std::string_view name_of(Rule rule) noexcept {
  switch (rule) {
    case Rule::equal:
      return "equal";
    case Rule::within:
      return "within";
    case Rule::shown:
      return "shown";
  }
  return "unnamed";
}

std::string_view name_of(SeriesKind kind) noexcept {
  return kind == SeriesKind::latency ? "latency" : "throughput";
}

RunRecord& RunRecord::add_figure(std::string name, std::string unit, double value) {
  figures.push_back({std::move(name), std::move(unit), value});
  return *this;
}

RunRecord& RunRecord::add_histogram(Distribution of, const measure::HistogramView& histogram) {
  histograms.push_back({std::move(of), measure::StoredHistogram(histogram)});
  return *this;
}

Artefact& Artefact::set_parameter(std::string_view name, Document value) {
  parameters_.set(name, std::move(value));
  return *this;
}

Artefact& Artefact::add_check(std::string name, bool ok, std::string detail) {
  checks_.push_back({std::move(name), ok, std::move(detail)});
  return *this;
}

Artefact& Artefact::add_table(Table table) {
  tables_.push_back(std::move(table));
  return *this;
}

Artefact& Artefact::add_rule(ColumnRule rule) {
  rules_.push_back(std::move(rule));
  return *this;
}

Artefact& Artefact::add_series(Series series) {
  for (const auto& row : series.rows) {
    DOJIMA_ASSERT(row.size() == series.columns.size() + 1, "the time and one value a column");
  }
  series_.push_back(std::move(series));
  return *this;
}

Artefact& Artefact::add_chart(Chart chart) {
  charts_.push_back(std::move(chart));
  return *this;
}

Artefact& Artefact::add_quality(Quality quality, std::string reason, std::string field) {
  quality_.push_back({quality, std::move(reason), std::move(field)});
  return *this;
}

Artefact& Artefact::compare_arms(std::string figure, const measure::ComparisonRule& rule) {
  measure::Comparison result = compare_arms_of(runs_, figure, rule);
  comparison_ = ComparisonRecord{std::move(figure), rule, result};
  return *this;
}

RunRecord& Artefact::begin_run(RunRecord run) {
  return runs_.emplace_back(std::move(run));
}

Artefact& Artefact::add_figure(std::string name, std::string unit, double value) {
  if (runs_.empty()) begin_run();
  runs_.back().add_figure(std::move(name), std::move(unit), value);
  return *this;
}

Artefact& Artefact::add_histogram(Distribution of, const measure::HistogramView& histogram) {
  if (runs_.empty()) begin_run();
  runs_.back().add_histogram(std::move(of), histogram);
  return *this;
}

}  // namespace dojima::evidence
