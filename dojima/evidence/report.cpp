#include "dojima/evidence/report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dojima/base/assert.hpp"
#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/report/plots.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::evidence {
namespace {

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

Subject subject_of(const Artefact& artefact, std::size_t index) {
  Subject subject{&artefact, {}, "a" + std::to_string(index) + "-", {}, {}, {}};
  const Document& quantum = artefact.evidence().at("clock").at("quantum_ns");
  if (quantum.is_number() && quantum.as_number() > 0) subject.quantum = quantum.as_number();
  const Document document = artefact.document();
  subject.id = std::string(document.at("id").as_text());
  subject.summary = document.at("summary");
  subject.merged = merged_histograms(artefact.runs());
  std::erase_if(subject.merged, [](const MergedHistogram& one) { return one.histogram.view().count() == 0; });
  return subject;
}

/// The distribution that stands for the whole: the total, else the first.
const MergedHistogram* main_of(const std::vector<MergedHistogram>& merged) {
  if (merged.empty()) return nullptr;
  const auto total =
      std::ranges::find_if(merged, [](const MergedHistogram& one) { return one.of.role == Role::total; });
  return total != merged.end() ? &*total : &merged.front();
}

std::string label_of(const MergedHistogram& merged) {
  return merged.arm.empty() ? merged.of.name : merged.of.name + ", " + merged.arm;
}

/// The curves of one artefact: the arms of its main distribution where there are arms, else all its distributions.
std::vector<Curve> curves_of(const Subject& subject) {
  std::vector<Curve> curves;
  const MergedHistogram* main = main_of(subject.merged);
  if (main == nullptr) return curves;
  const bool has_arms =
      std::ranges::any_of(subject.merged, [&](const MergedHistogram& one) { return one.arm != main->arm; });
  if (!has_arms) curves.push_back({label_of(*main), "total", main->histogram.view()});
  std::size_t colour = 0;
  for (const MergedHistogram& one : subject.merged) {
    if (one.of.unit != main->of.unit || curves.size() == k_curves) continue;
    if (has_arms ? one.of.name != main->of.name : &one == main) continue;
    curves.push_back({label_of(one), "c" + std::to_string(colour++ % k_colours), one.histogram.view()});
  }
  return curves;
}

std::string percent_text(double share, int decimals = 1) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::fabs(share * 100));
  return std::string(text) + "\u00a0%";
}

// ----------------------------------------------------------------------------------------------------------- header

struct VerdictText {
  std::string text;
  const char* style;
};

VerdictText verdict_of(const ComparisonRecord& comparison) {
  const measure::Comparison& result = comparison.result;
  const double effect = result.ratio.estimate - 1;
  const std::string way = effect < 0 ? " lower" : " higher";
  std::string interval;
  {
    char text[96];
    std::snprintf(text, sizeof text, "B / A = %.3f, %g %% interval %.3f to %.3f, %zu pairs", result.ratio.estimate,
                  comparison.rule.confidence * 100, result.ratio.low, result.ratio.high, result.pairs);
    interval = text;
  }
  switch (result.verdict) {
    case measure::Verdict::better:
      return {"B is better than A: " + comparison.figure + " " + percent_text(effect) + way + " (" + interval + ").",
              "good"};
    case measure::Verdict::worse:
      return {"B is worse than A: " + comparison.figure + " " + percent_text(effect) + way + " (" + interval + ").",
              "bad"};
    case measure::Verdict::same:
      return {"A and B are the same in " + comparison.figure + " (" + interval + ").", "good"};
    case measure::Verdict::unstable:
      break;
  }
  return {"Unstable: nothing can be said about " + comparison.figure + " of A and B (" + interval + ").", "warn"};
}

VerdictText verdict_of(const Artefact& artefact) {
  const auto failed = std::ranges::count(artefact.checks(), false, &Check::ok);
  const std::size_t checks = artefact.checks().size();
  if (failed > 0) {
    std::string names;
    for (const Check& check : artefact.checks()) {
      if (!check.ok) names += (names.empty() ? "" : ", ") + check.name;
    }
    return {std::to_string(failed) + " of " + std::to_string(checks) + " checks failed: " + names + ".", "bad"};
  }
  if (artefact.comparison()) return verdict_of(*artefact.comparison());
  if (checks == 0) return {"Recorded; the run made no checks.", "soft"};
  if (checks == 1) return {"The one check passed: " + artefact.checks()[0].name + ".", "good"};
  return {"All " + std::to_string(checks) + " checks passed.", "good"};
}

std::string badges_of(const Artefact& artefact) {
  std::vector<Quality> seen;
  std::size_t gaps = 0;
  std::string reasons;
  for (const QualityNote& note : artefact.quality()) {
    if (note.quality == Quality::unavailable) {
      ++gaps;
      continue;
    }
    if (note.quality == Quality::ok) continue;
    if (std::ranges::find(seen, note.quality) == seen.end()) seen.push_back(note.quality);
    reasons += "<li><b>" + std::string(name_of(note.quality)) + "</b> " + escaped(note.reason) + "</li>";
  }
  std::string html = "<ul class=\"badges\" aria-label=\"quality\">";
  if (seen.empty()) html += "<li class=\"good\">ok</li>";
  for (const Quality quality : seen) html += "<li class=\"warn\">" + std::string(name_of(quality)) + "</li>";
  html += "</ul>";
  if (gaps > 0) {
    reasons += "<li><b>unavailable</b> " + std::to_string(gaps) +
               (gaps == 1 ? " value could not be measured; the" : " values could not be measured; the") +
               " provenance says which and why</li>";
  }
  return reasons.empty() ? html : html + "<ul class=\"reasons\">" + reasons + "</ul>";
}

/// A figure with its unit set smaller.
std::string tile(const std::string& name, const std::string& value, const std::string& small) {
  const std::size_t space = value.find("\u00a0");
  std::string number = escaped(value);
  if (space != std::string::npos) {
    number = escaped(value.substr(0, space)) + "<span class=\"u\">" + escaped(value.substr(space)) + "</span>";
  }
  return "<div><dt>" + escaped(name) + "</dt><dd>" + number +
         (small.empty() ? "" : "<small>" + escaped(small) + "</small>") + "</dd></div>";
}

std::string spoken(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// What is compared, or a rate: the others stand in a table.
bool is_headline(const Document& figure, const Subject& subject) {
  const auto& comparison = subject.artefact->comparison();
  if (comparison) return figure.at("name").as_text() == comparison->figure;
  return figure.at("unit").as_text().find("/s") != std::string_view::npos;
}

std::string tiles_of(const Subject& subject) {
  std::string tiles;
  const MergedHistogram* main = main_of(subject.merged);
  if (main != nullptr && !subject.artefact->comparison()) {
    const measure::HistogramView view = main->histogram.view();
    const std::string& unit = main->of.unit;
    for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}}) {
      if (!measure::percentile_support(view.count(), share).is_printable) continue;
      tiles += tile(name, value_text(static_cast<double>(view.value_at(share)), unit), main->of.name);
    }
    tiles += tile("max", value_text(static_cast<double>(view.max), unit), "of " + count_text(view.count()) + " values");
  }
  std::size_t room = 4;
  for (const Document& figure : subject.summary.at("figures").elements()) {
    if (!is_headline(figure, subject) || room == 0) continue;
    --room;
    const std::string name = spoken(std::string(figure.at("name").as_text()));
    const std::string arm(figure.at("arm").as_text());
    const std::int64_t runs = figure.at("runs").as_whole();
    tiles += tile(arm.empty() ? name : name + ", " + arm,
                  value_text(figure.at("median").as_number(), figure.at("unit").as_text()),
                  runs > 1 ? "median of " + std::to_string(runs) + " runs" : std::string());
  }
  return tiles.empty() ? std::string() : "<dl class=\"tiles\">" + tiles + "</dl>";
}

std::string heading(const Subject& subject, const char* level) {
  const Artefact& artefact = *subject.artefact;
  const VerdictText verdict = verdict_of(artefact);
  const std::string_view created = artefact.evidence().at("created_utc").as_text();
  std::string html = "<" + std::string(level) + ">" + escaped(artefact.command()) + "</" + level + ">";
  html += "<p class=\"soft\">" + (created.empty() ? std::string() : escaped(created) + " \u00b7 ") + "artefact <code>" +
          escaped(subject.id.substr(0, 12)) + "</code></p>";
  html += "<p class=\"verdict " + std::string(verdict.style) + "\">" + escaped(verdict.text) + "</p>";
  return html + badges_of(artefact) + tiles_of(subject);
}

// --------------------------------------------------------------------------------------------------------- sections

/// The row's cells from n to max; values with their interval, those that are not settled yet in italics.
std::vector<std::string> percentile_cells(const Document& distribution) {
  const std::string unit(distribution.at("unit").as_text());
  const auto& percentiles = distribution.at("percentiles").elements();
  const auto shown = [&unit](const Document& value) { return escaped(value_text(value.as_number(), unit)); };
  std::vector<std::string> cells = {count_text(static_cast<std::uint64_t>(distribution.at("n").as_whole())),
                                    shown(distribution.at("min"))};
  for (const double share : k_shares) {
    const auto found =
        std::ranges::find_if(percentiles, [&](const Document& one) { return one.at("share").as_number() == share; });
    if (found == percentiles.end()) {
      cells.emplace_back("\u2013");
      continue;
    }
    const bool is_stable = found->at("is_stable").as_bool();
    const std::string value = shown(found->at("value"));
    cells.push_back((is_stable ? value : "<span class=\"thin\">" + value + "</span>") + "<small>" +
                    shown(found->at("low")) + " \u2013 " + shown(found->at("high")) + "</small>");
  }
  cells.push_back(shown(distribution.at("max")));
  return cells;
}

std::vector<std::string> percentile_head() {
  std::vector<std::string> head = {"distribution", "n", "min"};
  for (const double share : k_shares) {
    std::string text = share_text(share);
    head.push_back("p" + text.substr(0, text.find("\u00a0")));
  }
  head.emplace_back("max");
  return head;
}

constexpr const char* k_percentile_note =
    "<p class=\"more\">Rank rule: the value of rank \u2308p n\u2309. Small print: the 95 % interval of the percentile "
    "by "
    "binomial ranks, which takes the values for independent; within one run they hang together, so between runs expect "
    "more. A dash: fewer than 10 / (1 \u2212 p) values. <span class=\"thin\">Italics</span>: fewer than 100 / (1 "
    "\u2212 p), "
    "not settled yet.</p>";

std::string percentile_section(const Subject& subject) {
  if (subject.merged.empty()) return {};
  HtmlTable table{percentile_head(), {}};
  for (const Document& distribution : subject.summary.at("distributions").elements()) {
    if (distribution.at("n").as_whole() == 0) continue;
    const std::string arm(distribution.at("arm").as_text());
    std::vector<std::string> row = {
        escaped(std::string(distribution.at("name").as_text()) + (arm.empty() ? "" : ", " + arm))};
    const std::vector<std::string> cells = percentile_cells(distribution);
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return "<h2>Percentiles</h2>" + to_html(table) + k_percentile_note;
}

std::string far_out_section(const Subject& subject) {
  const MergedHistogram* main = main_of(subject.merged);
  if (main == nullptr) return {};
  const auto& all = subject.summary.at("distributions").elements();
  const auto found = std::ranges::find_if(all, [&](const Document& one) {
    return one.at("name").as_text() == main->of.name && one.at("arm").as_text() == main->arm;
  });
  if (found == all.end()) return {};
  const Document& beyond = found->at("beyond");
  const auto shown = [&](const Document& limit, const char* key) {
    return escaped(value_text(std::round(limit.at(key).as_number()), main->of.unit));
  };
  HtmlTable table{{"k", "mean + k \u03c3", "values above", "median + k spread", "values above"}, {}};
  const auto& sigma = beyond.at("sigma").elements();
  const auto& robust = beyond.at("robust").elements();
  for (std::size_t i = 0; i < std::min(sigma.size(), robust.size()); ++i) {
    const auto count = [](const Document& limit) {
      return count_text(static_cast<std::uint64_t>(limit.at("count").as_whole()));
    };
    table.rows.push_back({std::to_string(sigma[i].at("k").as_whole()), shown(sigma[i], "above"), count(sigma[i]),
                          shown(robust[i], "above"), count(robust[i])});
  }
  return "<details><summary>Values far out: " + escaped(label_of(*main)) + "</summary>" +
         "<p class=\"more\">The standard deviation \u03c3 grows with a single outlier, and then all columns count the "
         "same "
         "few values. The spread is 1.4826 times the median distance from the median, at least one step of the clock, "
         "and "
         "does not.</p>" +
         to_html(table) + "</details>";
}

std::string distribution_section(const Subject& subject) {
  const std::vector<Curve> curves = curves_of(subject);
  if (curves.empty()) return {};
  const MergedHistogram& main = *main_of(subject.merged);
  const std::string& unit = main.of.unit;
  std::string plots = percentile_spectrum(subject.prefix + "spectrum", unit, curves);
  plots += exceedance(subject.prefix + "ccdf", unit, curves);
  plots += cumulative(subject.prefix + "ecdf", unit, curves);
  // Of a comparison both arms, otherwise the whole.
  const std::size_t shown = subject.artefact->comparison() ? std::min<std::size_t>(2, curves.size()) : 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string suffix = i == 0 ? "" : std::to_string(i);
    const Curve one{curves[i].label, "c" + std::to_string(i), curves[i].histogram};
    plots += histogram_near(subject.prefix + "near" + suffix, unit, one, subject.quantum);
    plots += histogram_whole(subject.prefix + "whole" + suffix, unit, one, subject.quantum);
  }
  std::string note;
  if (curves.size() == k_curves && subject.merged.size() > k_curves) {
    note = "<p class=\"more\">The plots show the first " + std::to_string(k_curves) + " of " +
           std::to_string(subject.merged.size()) + " distributions.</p>";
  }
  return "<h2>Distributions</h2>" + note + "<div class=\"plots\">" + plots + "</div>" + far_out_section(subject);
}

std::string stage_section(const Subject& subject) {
  const MergedHistogram* main = main_of(subject.merged);
  if (main == nullptr) return {};
  std::vector<Stage> stages;
  std::optional<Stage> total;
  for (const MergedHistogram& one : subject.merged) {
    if (one.arm != main->arm || one.of.unit != main->of.unit) continue;
    if (one.of.role == Role::stage) stages.push_back({one.of.name, one.histogram.view()});
    if (one.of.role == Role::total && !total) total = Stage{one.of.name, one.histogram.view()};
  }
  if (stages.size() < 2) return {};
  return waterfall(subject.prefix + "waterfall", main->of.unit, stages, total);
}

std::string time_section(const Subject& subject) {
  std::string plots;
  std::size_t number = 0;
  for (const Series& series : subject.artefact->series()) {
    if (!series.rows.empty() && !series.columns.empty()) {
      plots += over_time(subject.prefix + "time" + std::to_string(number++), series);
    }
  }
  const std::string stages = stage_section(subject);
  if (plots.empty() && stages.empty()) return {};
  return std::string(plots.empty() ? "<h2>Stages</h2>" : "<h2>Course of the run</h2>") + "<div class=\"plots\">" +
         stages + plots + "</div>";
}

std::string chart_section(const Subject& subject) {
  std::string plots;
  std::size_t number = 0;
  for (const Chart& chart : subject.artefact->charts()) {
    if (has_points(chart)) plots += chart_figure(subject.prefix + "chart" + std::to_string(number++), chart);
  }
  return plots.empty() ? plots : "<h2>Charts</h2><div class=\"plots\">" + plots + "</div>";
}

std::string run_section(const Subject& subject) {
  const std::vector<RunRecord>& runs = subject.artefact->runs();
  std::vector<std::string> names;
  if (subject.artefact->comparison()) names.push_back(subject.artefact->comparison()->figure);
  for (const RunRecord& run : runs) {
    for (const Figure& figure : run.figures) {
      if (std::ranges::find(names, figure.name) == names.end()) names.push_back(figure.name);
    }
  }
  std::string plots;
  constexpr std::size_t k_plots = 4;
  std::size_t number = 0;
  for (const std::string& name : names) {
    const auto count = std::ranges::count_if(runs, [&](const RunRecord& run) {
      return std::ranges::find(run.figures, name, &Figure::name) != run.figures.end();
    });
    if (count >= 2 && number < k_plots) plots += strip(subject.prefix + "runs" + std::to_string(number++), runs, name);
  }
  return plots.empty() ? std::string() : "<h2>Runs</h2><div class=\"plots\">" + plots + "</div>";
}

std::string check_section(const Subject& subject) {
  if (subject.artefact->checks().empty()) return {};
  HtmlTable table{{"check", "outcome", "detail"}, {}, {false, true, true}};
  for (const Check& check : subject.artefact->checks()) {
    table.rows.push_back({escaped(check.name),
                          check.ok ? "<span class=\"good\">\u2713 passed</span>" : "<b class=\"bad\">\u2717 failed</b>",
                          escaped(check.detail)});
  }
  return "<h2>Checks</h2>" + to_html(table);
}

std::string fact_text(const Document& value) {
  if (value.is_null()) return "<span class=\"thin\">not measured</span>";
  if (value.is_bool()) return value.as_bool() ? "yes" : "no";
  if (value.is_whole()) {
    const std::int64_t number = value.as_whole();
    return number < 0 ? value.canonical() : count_text(static_cast<std::uint64_t>(number));
  }
  if (value.is_text()) {
    const std::string_view text = value.as_text();
    if (text.empty()) return "none";
    const bool is_digest = text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return is_digest ? "<code>" + std::string(text) + "</code>" : escaped(text);
  }
  if (value.is_array()) {
    std::string text;
    for (const Document& one : value.elements()) text += (text.empty() ? "" : ", ") + fact_text(one);
    return text.empty() ? "none" : text;
  }
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, one] : value.members()) {
      text += (text.empty() ? "" : ", ") + escaped(key) + "\u00a0" + fact_text(one);
    }
    return text.empty() ? "none" : text;
  }
  return escaped(value.canonical());
}

std::string cell_text(const Table& table, std::size_t row, std::size_t column) {
  if (const auto* gap = std::get_if<Unmeasured>(&table.rows[row][column].value())) {
    return "<span class=\"thin\" title=\"" + escaped(gap->reason) + "\">\u2013</span>";
  }
  return escaped(to_text(table, row, column));
}

/// The figures of the runs that have no tile; of several runs the median and what surrounds it.
std::string figure_table(const Subject& subject) {
  HtmlTable table{{"figure", "runs", "median", "95 % interval", "min", "max"}, {}};
  bool is_single = true;
  for (const Document& figure : subject.summary.at("figures").elements()) {
    if (is_headline(figure, subject)) continue;
    const std::string unit(figure.at("unit").as_text());
    const auto shown = [&](const char* key) { return escaped(value_text(figure.at(key).as_number(), unit)); };
    const std::string arm(figure.at("arm").as_text());
    const std::string name = spoken(std::string(figure.at("name").as_text())) + (arm.empty() ? "" : ", " + arm);
    is_single = is_single && figure.at("runs").as_whole() == 1;
    table.rows.push_back({escaped(name), fact_text(figure.at("runs")), shown("median"),
                          shown("low") + " \u2013 " + shown("high"), shown("min"), shown("max")});
  }
  if (table.rows.empty()) return {};
  if (is_single) {
    table.head = {"figure", "value"};
    for (auto& row : table.rows) row = {row[0], row[2]};
  }
  return "<h3>Figures of the run</h3>" + to_html(table);
}

std::string table_section(const Subject& subject) {
  std::string html = figure_table(subject);
  for (const Table& table : subject.artefact->tables()) {
    HtmlTable out{{}, {}};
    std::string gaps;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out.head.push_back(escaped(table.columns[i].name));
      out.is_text.push_back(std::ranges::any_of(table.rows, [i](const auto& row) { return row[i].text() != nullptr; }));
    }
    bool has_unsettled = false;
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
      const auto& cells = table.rows[at];
      std::vector<std::string> row;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        row.push_back(cell_text(table, at, i));
        has_unsettled = has_unsettled || is_unsettled(table, at, i);
        const auto* gap = std::get_if<Unmeasured>(&cells[i].value());
        const std::string reason = gap == nullptr ? "" : table.columns[i].name + ": " + gap->reason;
        if (!reason.empty() && gaps.find(escaped(reason)) == std::string::npos) {
          gaps += "<p class=\"more\">\u2013 " + escaped(reason) + "</p>";
        }
      }
      out.rows.push_back(std::move(row));
    }
    html +=
        "<h3>" + escaped(table.title.empty() ? table.name : table.name + ": " + table.title) + "</h3>" + to_html(out);
    for (const std::string& note : table.notes) html += "<p class=\"more\">" + escaped(note) + "</p>";
    if (has_unsettled) html += std::string("<p class=\"more\">") + k_unsettled_mark + " has not settled</p>";
    html += gaps;
  }
  return html.empty() ? html : "<h2>Tables</h2>" + html;
}

// ------------------------------------------------------------------------------------------------------- provenance

std::string facts(const std::string& title, const Document& object) {
  if (object.members().empty()) return {};
  std::string html = "<div><h3>" + escaped(title) + "</h3><dl class=\"plain\">";
  for (const auto& [key, value] : object.members())
    html += "<dt>" + escaped(spoken(key)) + "</dt><dd>" + fact_text(value) + "</dd>";
  return html + "</dl></div>";
}

Document part_of(const Document& evidence, std::initializer_list<const char*> names) {
  Document part = Document::object();
  for (const char* name : names) {
    if (evidence.has(name)) part.set(name, evidence.at(name));
  }
  return part;
}

std::string state_table(const Document& evidence) {
  const Document& before = evidence.at("before");
  const Document& after = evidence.at("after");
  if (before.members().empty()) return {};
  HtmlTable table{{"counter", "before", "after", "difference"}, {}};
  for (const auto& [key, value] : after.members()) {
    const Document& was = before.at(key);
    const bool is_there = value.is_number() && was.is_number();
    const std::string difference =
        is_there ? escaped(value_text(value.as_number() - was.as_number(), "")) : std::string("\u2013");
    const auto shown = [](const Document& one) {
      return one.is_number() ? escaped(value_text(one.as_number(), "")) : fact_text(one);
    };
    table.rows.push_back({escaped(spoken(key)), shown(was), shown(value), difference});
  }
  return "<h3>State of the host</h3>" + to_html(table);
}

std::string provenance_section(const Subject& subject) {
  const Artefact& artefact = *subject.artefact;
  const Document& evidence = artefact.evidence();
  std::string html = "<h2>Provenance</h2><p>Id <code>" + subject.id +
                     "</code>, the SHA-256 of everything else in the "
                     "artefact. <code>dojima lab verify</code> computes it and the summary again; <code>dojima lab "
                     "reproduce</code> runs the command again.</p><div class=\"facts\">";
  html += facts("Build", part_of(evidence, {"tool_version", "source_digest", "commit", "dirty", "compiler", "flags",
                                            "build_type", "sanitizers", "standard_library", "program_sha256"}));
  std::string words;
  for (const Document& word : evidence.at("argv").elements()) {
    words += (words.empty() ? "" : " ") + std::string(word.as_text());
  }
  html += facts("Run", part_of(evidence, {"created_utc", "elapsed_s", "inputs"})
                           .set("command", words.empty() ? artefact.command() : words));
  html += facts("Parameters", artefact.parameters());
  html += facts("Machine", evidence.at("host"));
  html += facts("In force, read back", evidence.at("applied"));
  html += facts("Clock", evidence.at("clock"));
  html += facts("Capability", evidence.at("capability"));
  html += facts("Doctor", evidence.at("doctor"));
  html += "</div>" + state_table(evidence);
  std::string gaps;
  for (const QualityNote& note : artefact.quality()) {
    if (note.quality != Quality::unavailable) continue;
    gaps += "<li><b>" + escaped(note.field) + "</b> " + escaped(note.reason) + "</li>";
  }
  if (!gaps.empty()) html += "<h3>Not measured, and why</h3><ul class=\"reasons\">" + gaps + "</ul>";
  return html;
}

// ------------------------------------------------------------------------------------------------------------- page

std::string sections_of(const Subject& subject) {
  // A comparison stands on its runs; in a single run they are a detail.
  const bool is_comparison = subject.artefact->comparison().has_value();
  return (is_comparison ? run_section(subject) : std::string()) + percentile_section(subject) + chart_section(subject) +
         time_section(subject) + distribution_section(subject) +
         (is_comparison ? std::string() : run_section(subject)) + check_section(subject) + table_section(subject) +
         provenance_section(subject);
}

/// The main distributions of several artefacts, one over the other.
std::string side_by_side(const std::vector<Subject>& subjects) {
  std::vector<Curve> curves;
  HtmlTable table{percentile_head(), {}};
  std::string unit;
  for (const Subject& subject : subjects) {
    const MergedHistogram* main = main_of(subject.merged);
    if (main == nullptr || curves.size() == k_colours || (!unit.empty() && main->of.unit != unit)) continue;
    unit = main->of.unit;
    const std::string label = subject.id.substr(0, 8) + " " + label_of(*main);
    curves.push_back({label, "c" + std::to_string(curves.size()), main->histogram.view()});
    for (const Document& one : subject.summary.at("distributions").elements()) {
      if (one.at("name").as_text() != main->of.name || one.at("arm").as_text() != main->arm) continue;
      std::vector<std::string> row = {escaped(label)};
      const std::vector<std::string> cells = percentile_cells(one);
      row.insert(row.end(), cells.begin(), cells.end());
      table.rows.push_back(std::move(row));
    }
  }
  if (curves.size() < 2) return {};
  return "<h2>Side by side</h2>" + to_html(table) + k_percentile_note + "<div class=\"plots\">" +
         percentile_spectrum("all-spectrum", unit, curves) + exceedance("all-ccdf", unit, curves) +
         cumulative("all-ecdf", unit, curves) + "</div>";
}

}  // namespace

std::string report(const std::vector<Artefact>& artefacts) {
  DOJIMA_ASSERT(!artefacts.empty(), "something to report");
  std::vector<Subject> subjects;
  for (const Artefact& artefact : artefacts) subjects.push_back(subject_of(artefact, subjects.size()));
  const bool is_one = subjects.size() == 1;
  const std::string title = is_one ? artefacts[0].command() : std::to_string(subjects.size()) + " runs side by side";
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>" +
      escaped(title) + "</title><style>\n" + report_style() +
      "</style></head>\n<body><header><p class=\"over\">Dojima \u00b7 measurement report</p>";
  if (is_one) {
    html += heading(subjects[0], "h1") + "</header>\n<main>" + sections_of(subjects[0]);
  } else {
    std::vector<LabelledArtefact> labelled;
    for (const Subject& subject : subjects) {
      labelled.push_back({subject.id.substr(0, 8) + " " + subject.artefact->command(), subject.artefact});
    }
    html += "<h1>" + escaped(title) + "</h1></header>\n<main>" + side_by_side(subjects);
    html += figures_side_by_side(labelled);
    for (const Subject& subject : subjects)
      html += "\n<article>" + heading(subject, "h2") + sections_of(subject) + "</article>";
  }
  html += "</main>\n<footer><p>Made from ";
  for (const Subject& subject : subjects) {
    html += (&subject == &subjects.front() ? "" : ", ") + ("<code>" + subject.id.substr(0, 12) + "</code>");
  }
  return html + "; the same artefact always gives this very page.</p></footer></body></html>\n";
}

}  // namespace dojima::evidence
