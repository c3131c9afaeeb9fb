// How an artefact becomes a JSON object and is read back. The order of keys is the canonical one (document.hpp).

#include <algorithm>
#include <array>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/privacy.hpp"
#include "dojima/evidence/sha256.hpp"

namespace dojima::evidence {
namespace {

// ---------------------------------------------------------------------------------------------------------- writing

template <class Range, class ToDocument>
Document array_of(const Range& range, ToDocument to_document) {
  Document array = Document::array();
  for (const auto& element : range) array.push(to_document(element));
  return array;
}

std::string field_of(const std::string& table, std::size_t row, const std::string& column) {
  return "tables." + table + "[" + std::to_string(row) + "]." + column;
}

Document to_document(const Cell& cell) {
  if (cell.integer() != nullptr) return *cell.integer();
  if (cell.real() != nullptr) return *cell.real();
  if (cell.text() != nullptr) return *cell.text();
  if (const bool* yes = std::get_if<bool>(&cell.value())) return *yes;
  return nullptr;
}

Document to_document(const Table& table) {
  Document rows = Document::array();
  for (const auto& cells : table.rows) {
    Document row = Document::object();
    for (std::size_t i = 0; i < cells.size(); ++i) row.set(table.columns[i].name, to_document(cells[i]));
    rows.push(std::move(row));
  }
  Document meanings = Document::object();
  for (const Column& column : table.columns) {
    if (!column.meaning.empty()) meanings.set(column.name, column.meaning);
  }
  Document document;
  document.set("name", table.name).set("title", table.title).set("rows", std::move(rows));
  document.set("columns", array_of(table.columns, [](const Column& column) { return Document(column.name); }));
  document.set("decimals", array_of(table.columns, [](const Column& column) { return Document(column.decimals); }));
  if (!table.row_decimals.empty())
    document.set("row_decimals", array_of(table.row_decimals, [](int decimals) { return Document(decimals); }));
  document.set("meanings", std::move(meanings));
  document.set("notes", array_of(table.notes, [](const std::string& note) { return Document(note); }));
  return document;
}

Document to_document(const HistogramRecord& record) {
  const measure::StoredHistogram& histogram = record.histogram;
  // A negative number stands for that many empty cells; those after the last count are left out.
  Document counts = Document::array();
  std::int64_t empty = 0;
  for (const std::uint64_t count : histogram.counts) {
    if (count == 0) {
      ++empty;
      continue;
    }
    if (empty > 0) counts.push(-empty);
    counts.push(count);
    empty = 0;
  }
  Document document;
  document.set("name", record.of.name).set("role", name_of(record.of.role)).set("unit", record.of.unit);
  document.set("kind", "loglinear").set("precision_bits", histogram.layout.precision_bits);
  document.set("range_bits", histogram.layout.range_bits).set("unit_bits", histogram.layout.unit_bits);
  document.set("n", histogram.view().count()).set("overflow", histogram.overflow);
  document.set("min", histogram.min).set("max", histogram.max);
  document.set("counts", std::move(counts));
  return document;
}

Document to_document(const RunRecord& run, std::size_t index) {
  Document document;
  document.set("index", index).set("arm", run.arm).set("start_s", run.start_s);
  document.set("dropped_warmup", run.dropped_warmup);
  document.set("figures", array_of(run.figures, [](const Figure& figure) {
                 return Document::object().set("name", figure.name).set("unit", figure.unit).set("value", figure.value);
               }));
  document.set("histograms",
               array_of(run.histograms, [](const HistogramRecord& record) { return to_document(record); }));
  return document;
}

Document to_document(const Series& series) {
  Document document;
  document.set("name", series.name).set("kind", name_of(series.kind)).set("unit", series.unit);
  document.set("columns", array_of(series.columns, [](const std::string& name) { return Document(name); }));
  document.set("rows", array_of(series.rows, [](const std::vector<double>& row) {
                 return array_of(row, [](double value) { return Document(value); });
               }));
  return document;
}

Document to_document(const QualityNote& note) {
  return Document::object().set("label", name_of(note.quality)).set("reason", note.reason).set("field", note.field);
}

Document to_document(const ColumnRule& rule) {
  return Document::object()
      .set("table", rule.table)
      .set("column", rule.column)
      .set("rule", name_of(rule.rule))
      .set("tolerance", rule.tolerance);
}

/// The notes of quality with those of cells without a value; "ok" is there alone or not at all.
Document quality_of(const std::vector<QualityNote>& notes, const std::vector<Table>& tables) {
  Document array = Document::array();
  for (const QualityNote& note : notes) {
    if (note.quality != Quality::ok) array.push(to_document(note));
  }
  for (const Table& table : tables) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (const auto* gap = std::get_if<Unmeasured>(&table.rows[row][i].value())) {
          array.push(
              to_document({Quality::unavailable, gap->reason, field_of(table.name, row, table.columns[i].name)}));
        }
      }
    }
  }
  const bool is_trusted = std::ranges::all_of(array.elements(), [](const Document& note) {
    return note.at("label").as_text() == name_of(Quality::unavailable);
  });
  if (is_trusted) array.push(to_document({Quality::ok, "nothing disturbed the run as far as it could be seen", {}}));
  return array;
}

// ---------------------------------------------------------------------------------------------------------- reading

/// Thrown and caught in this file: what is wrong, and where.
struct Malformed {
  std::string what;
};

[[noreturn]] void refuse(const std::string& place, std::string_view expected) {
  throw Malformed{place + ": expected " + std::string(expected)};
}

const Document& array_at(const Document& parent, std::string_view key, const std::string& place) {
  const Document& value = parent.at(key);
  if (!value.is_array()) refuse(place + std::string(key), "an array");
  return value;
}

std::string text_at(const Document& parent, std::string_view key, const std::string& place) {
  if (!parent.at(key).is_text()) refuse(place + std::string(key), "a text");
  return std::string(parent.at(key).as_text());
}

double number_at(const Document& parent, std::string_view key, const std::string& place) {
  if (!parent.at(key).is_number()) refuse(place + std::string(key), "a number");
  return parent.at(key).as_number();
}

std::uint64_t count_from(const Document& value, const std::string& place) {
  if (!value.is_whole() || value.as_whole() < 0) refuse(place, "a whole number, 0 or above");
  return static_cast<std::uint64_t>(value.as_whole());
}

std::uint64_t count_at(const Document& parent, std::string_view key, const std::string& place) {
  return count_from(parent.at(key), place + std::string(key));
}

template <class Enum>
Enum named(const Document& parent, std::string_view key, const std::string& place, std::span<const Enum> all) {
  const std::string text = text_at(parent, key, place);
  for (const Enum one : all) {
    if (name_of(one) == text) return one;
  }
  std::string names;
  for (const Enum one : all) names += (names.empty() ? "" : ", ") + std::string(name_of(one));
  refuse(place + std::string(key), "one of " + names);
}

std::vector<std::string> texts_at(const Document& parent, std::string_view key, const std::string& place) {
  std::vector<std::string> texts;
  for (const Document& element : array_at(parent, key, place).elements()) {
    if (!element.is_text()) refuse(place + std::string(key), "texts");
    texts.emplace_back(element.as_text());
  }
  return texts;
}

measure::HistogramLayout layout_from(const Document& document, const std::string& place) {
  const std::uint64_t precision = count_at(document, "precision_bits", place);
  const std::uint64_t range = count_at(document, "range_bits", place);
  const std::uint64_t unit = count_at(document, "unit_bits", place);
  if (precision < 1 || precision > 17 || range > 63 || unit > 32 || range <= precision + unit) {
    refuse(place + "precision_bits", "1 to 17, below range_bits, which is at most 63");
  }
  return {static_cast<unsigned>(precision), static_cast<unsigned>(range), static_cast<unsigned>(unit)};
}

/// Fills the cells from counts and, as negative numbers, runs of empty cells. Returns the sum of the counts.
std::uint64_t read_counts(const Document& numbers, measure::StoredHistogram& histogram, const std::string& place) {
  std::uint64_t total = 0;
  bool after_gap = false;
  for (const Document& element : numbers.elements()) {
    const std::int64_t number = element.as_whole();
    if (number == 0) refuse(place, "whole numbers other than 0");
    const bool is_gap = number < 0;
    if (is_gap && after_gap) refuse(place, "one number for cells that are empty together");
    after_gap = is_gap;
    const std::size_t room = histogram.layout.counters() - histogram.counts.size();
    // Negated as an unsigned number: the most negative one has no positive twin.
    const std::uint64_t size = is_gap ? -static_cast<std::uint64_t>(number) : 1;
    if (size > room) refuse(place, "no more cells than the layout has");
    if (is_gap) {
      histogram.counts.resize(histogram.counts.size() + size);
      continue;
    }
    const auto count = static_cast<std::uint64_t>(number);
    if (total + count > static_cast<std::uint64_t>(INT64_MAX)) refuse(place, "fewer than 2^63 values");
    total += count;
    histogram.counts.push_back(count);
  }
  if (after_gap) refuse(place, "a count at the end");
  return total;
}

measure::StoredHistogram histogram_from(const Document& document, const std::string& place) {
  if (text_at(document, "kind", place) != "loglinear") refuse(place + "kind", "\"loglinear\"");
  measure::StoredHistogram histogram;
  histogram.layout = layout_from(document, place);
  const std::uint64_t total = read_counts(array_at(document, "counts", place), histogram, place + "counts");
  if (count_at(document, "n", place) != total) {
    refuse(place + "n", std::to_string(total) + ", the sum of the counts, not " + document.at("n").canonical());
  }
  histogram.min = count_at(document, "min", place);
  histogram.max = count_at(document, "max", place);
  histogram.overflow = count_at(document, "overflow", place);
  if (histogram.overflow > total) refuse(place + "overflow", "at most n");
  if (total == 0) return histogram;
  const auto in_cell = [&](std::uint64_t value, std::size_t index) {
    return histogram.layout.index_of(std::min(value, histogram.layout.largest())) == index;
  };
  const auto first = std::ranges::find_if(histogram.counts, [](std::uint64_t count) { return count != 0; });
  if (!in_cell(histogram.min, static_cast<std::size_t>(first - histogram.counts.begin()))) {
    refuse(place + "min", "a value of the first cell with a count");
  }
  if (!in_cell(histogram.max, histogram.counts.size() - 1))
    refuse(place + "max", "a value of the last cell with a count");
  if (histogram.min > histogram.max) refuse(place + "min", "at most max");
  return histogram;
}

RunRecord run_from(const Document& document, const std::string& place) {
  static constexpr std::array k_roles = {Role::stage, Role::total, Role::other};
  RunRecord run;
  run.arm = text_at(document, "arm", place);
  run.start_s = number_at(document, "start_s", place);
  run.dropped_warmup = count_at(document, "dropped_warmup", place);
  for (const Document& figure : array_at(document, "figures", place).elements()) {
    const std::string at = place + "figures.";
    run.add_figure(text_at(figure, "name", at), text_at(figure, "unit", at), number_at(figure, "value", at));
  }
  for (const Document& histogram : array_at(document, "histograms", place).elements()) {
    const std::string name = text_at(histogram, "name", place + "histograms.");
    std::string at = place;
    at.append("histograms.").append(name).append(".");
    run.histograms.push_back({{name, named<Role>(histogram, "role", at, k_roles), text_at(histogram, "unit", at)},
                              histogram_from(histogram, at)});
  }
  return run;
}

std::vector<RunRecord> runs_from(const Document& document) {
  std::vector<RunRecord> runs;
  std::vector<HistogramRecord> first_of_name;
  // A short text may name a counter far out; what is allocated for all of them together stays below 128 MiB.
  constexpr std::size_t k_counters = std::size_t{1} << 24;
  std::size_t counters = 0;
  for (const Document& run : array_at(document, "runs", "").elements()) {
    const std::string place = "runs[" + std::to_string(runs.size()) + "].";
    runs.push_back(run_from(run, place));
    for (const HistogramRecord& record : runs.back().histograms) {
      counters += record.histogram.counts.size();
      if (counters > k_counters) refuse(place + "histograms", "fewer counters in all");
      const auto known = std::ranges::find_if(
          first_of_name, [&](const HistogramRecord& other) { return other.of.name == record.of.name; });
      if (known == first_of_name.end()) {
        first_of_name.push_back({record.of, {}});
        first_of_name.back().histogram.layout = record.histogram.layout;
      } else if (known->of != record.of || known->histogram.layout != record.histogram.layout) {
        refuse(place + "histograms." + record.of.name, "the role, unit and layout it has in the first run");
      }
    }
  }
  return runs;
}

Series series_from(const Document& document, const std::string& place) {
  static constexpr std::array k_kinds = {SeriesKind::latency, SeriesKind::throughput};
  Series series;
  series.name = text_at(document, "name", place);
  series.kind = named<SeriesKind>(document, "kind", place, k_kinds);
  series.unit = text_at(document, "unit", place);
  series.columns = texts_at(document, "columns", place);
  for (const Document& row : array_at(document, "rows", place).elements()) {
    std::vector<double> values;
    for (const Document& value : row.elements()) {
      if (!value.is_number()) refuse(place + "rows", "numbers");
      values.push_back(value.as_number());
    }
    if (values.size() != series.columns.size() + 1) refuse(place + "rows", "rows of the time and one value a column");
    series.rows.push_back(std::move(values));
  }
  return series;
}

/// Takes the note on `field` out of the notes; a null that nobody explains has no reason.
std::string take_reason(std::vector<QualityNote>& notes, const std::string& field) {
  const auto is_on_field = [&](const QualityNote& note) {
    return note.quality == Quality::unavailable && note.field == field;
  };
  const auto found = std::ranges::find_if(notes, is_on_field);
  if (found == notes.end()) return {};
  std::string reason = std::move(found->reason);
  notes.erase(found);
  if (std::ranges::any_of(notes, is_on_field)) refuse("evidence.quality", "one reason for " + field);
  return reason;
}

Cell cell_from(const Document& value, const std::string& field, std::vector<QualityNote>& notes) {
  if (value.is_null()) return Unmeasured{take_reason(notes, field)};
  if (value.is_bool()) return value.as_bool();
  if (value.is_whole()) return static_cast<long long>(value.as_whole());
  if (value.is_number()) return value.as_number();
  if (value.is_text()) return value.as_text();
  refuse(field, "a number, a text, a truth value or null");
}

Table table_from(const Document& document, const std::string& place, std::vector<QualityNote>& notes) {
  Table table;
  table.name = text_at(document, "name", place);
  table.title = std::string(document.at("title").as_text());
  const auto& decimals = document.at("decimals").elements();
  for (const std::string& name : texts_at(document, "columns", place)) {
    const std::size_t i = table.columns.size();
    Column column{name};
    if (i < decimals.size())
      column.decimals = static_cast<int>(std::clamp<std::int64_t>(decimals[i].as_whole(2), 0, 9));
    column.meaning = std::string(document.at("meanings").at(name).as_text());
    table.columns.push_back(std::move(column));
  }
  for (const Document& row : array_at(document, "rows", place).elements()) {
    std::vector<Cell> cells;
    for (const Column& column : table.columns) {
      if (!row.has(column.name)) refuse(place + "rows", "a value for the column " + column.name);
      cells.push_back(cell_from(row.at(column.name), field_of(table.name, table.rows.size(), column.name), notes));
    }
    table.add_row(std::move(cells));
  }
  for (const Document& note : document.at("notes").elements()) table.notes.emplace_back(note.as_text());
  for (const Document& of_row : document.at("row_decimals").elements())
    table.row_decimals.push_back(static_cast<int>(std::clamp<std::int64_t>(of_row.as_whole(-1), -1, 9)));
  return table;
}

QualityNote note_from(const Document& document) {
  static constexpr std::array k_all = {Quality::ok,        Quality::quantised,   Quality::contended,
                                       Quality::throttled, Quality::virtualised, Quality::unavailable};
  const std::string place = "evidence.quality.";
  return {named<Quality>(document, "label", place, k_all), text_at(document, "reason", place),
          std::string(document.at("field").as_text())};
}

ColumnRule rule_from(const Document& document) {
  static constexpr std::array k_all = {Rule::equal, Rule::within, Rule::shown};
  const std::string place = "rules.";
  return {text_at(document, "table", place), text_at(document, "column", place),
          named<Rule>(document, "rule", place, k_all), number_at(document, "tolerance", place)};
}

ComparisonRecord comparison_from(const Document& document, const std::vector<RunRecord>& runs) {
  const std::string place = "comparison.rule.";
  const Document& from = document.at("rule");
  ComparisonRecord comparison;
  comparison.figure = text_at(document, "figure", "comparison.");
  measure::ComparisonRule& rule = comparison.rule;
  rule.significance = number_at(from, "significance", place);
  rule.confidence = number_at(from, "confidence", place);
  rule.least_effect = number_at(from, "least_effect", place);
  rule.margin = number_at(from, "margin", place);
  rule.min_pairs = count_at(from, "min_pairs", place);
  rule.resamples = count_at(from, "resamples", place);
  rule.seed = count_at(from, "seed", place);
  rule.higher_is_better = from.at("higher_is_better").as_bool();
  if (rule.resamples < 1 || rule.resamples > 100'000) refuse(place + "resamples", "1 to 100000");
  if (rule.confidence <= 0 || rule.confidence >= 1) refuse(place + "confidence", "a share between 0 and 1");
  for (const char* arm : {"A", "B"}) {
    const std::vector<double> values = figure_values(runs, arm, comparison.figure);
    const bool are_positive = std::ranges::all_of(values, [](double value) { return value > 0; });
    if (values.empty() || !are_positive) refuse("comparison.figure", "a figure of both arms, positive in every run");
  }
  comparison.result = compare_arms_of(runs, comparison.figure, rule);
  return comparison;
}

double quantum_of(const Document& evidence) {
  return evidence.at("clock").at("quantum_ns").as_number();
}

}  // namespace

Artefact& Artefact::set_evidence(Document evidence) {
  for (const Document& note : evidence.at("quality").elements()) quality_.push_back(note_from(note));
  evidence.remove("quality");
  evidence_ = std::move(evidence);
  return *this;
}

Document Artefact::document() const {
  Document document;
  document.set("schema", k_schema).set("command", command_).set("parameters", parameters_);
  document.set("tables", array_of(tables_, [](const Table& table) { return to_document(table); }));
  document.set("checks", array_of(checks_, [](const Check& check) {
                 return Document::object().set("name", check.name).set("ok", check.ok).set("detail", check.detail);
               }));
  document.set("rules", array_of(rules_, [](const ColumnRule& rule) { return to_document(rule); }));
  document.set("series", array_of(series_, [](const Series& series) { return to_document(series); }));
  // Only where there are some: artefacts from before there were charts keep their bytes.
  if (!charts_.empty())
    document.set("charts", array_of(charts_, [](const Chart& chart) { return document_of(chart); }));
  Document runs = Document::array();
  for (const RunRecord& run : runs_) runs.push(to_document(run, runs.elements().size()));
  document.set("runs", std::move(runs));
  document.set("summary", summary_of(runs_, quantum_of(evidence_)));
  if (comparison_) document.set("comparison", document_of(*comparison_));
  Document evidence = evidence_;
  evidence.set("quality", quality_of(quality_, tables_));
  document.set("evidence", std::move(evidence));
  document = document_without_paths(document);
  document.set("id", id_of(document));
  return document;
}

std::expected<Artefact, std::string> Artefact::from(const Document& document) {
  try {
    if (text_at(document, "schema", "") != k_schema) refuse("schema", "\"" + std::string(k_schema) + "\"");
    Artefact artefact(text_at(document, "command", ""));
    if (!document.at("parameters").is_object()) refuse("parameters", "an object");
    artefact.parameters_ = document.at("parameters");
    if (!document.at("evidence").is_object()) refuse("evidence", "an object");
    artefact.set_evidence(document.at("evidence"));
    for (const Document& table : array_at(document, "tables", "").elements()) {
      const std::string place = "tables[" + std::to_string(artefact.tables_.size()) + "].";
      artefact.tables_.push_back(table_from(table, place, artefact.quality_));
    }
    for (const Document& check : array_at(document, "checks", "").elements()) {
      if (!check.at("ok").is_bool()) refuse("checks.ok", "true or false");
      artefact.add_check(text_at(check, "name", "checks."), check.at("ok").as_bool(),
                         std::string(check.at("detail").as_text()));
    }
    for (const Document& rule : document.at("rules").elements()) artefact.rules_.push_back(rule_from(rule));
    for (const Document& series : document.at("series").elements()) {
      artefact.series_.push_back(series_from(series, "series."));
    }
    for (const Document& one : document.at("charts").elements()) {
      auto chart = chart_from(one);
      if (!chart) throw Malformed{chart.error()};
      artefact.add_chart(std::move(*chart));
    }
    if (document.has("runs")) artefact.runs_ = runs_from(document);
    if (document.has("comparison")) artefact.comparison_ = comparison_from(document.at("comparison"), artefact.runs_);
    return artefact;
  } catch (const Malformed& malformed) {
    return std::unexpected(malformed.what);
  }
}

std::string id_of(Document artefact) {
  artefact.remove("id");
  return sha256_hex(artefact.canonical());
}

}  // namespace dojima::evidence
