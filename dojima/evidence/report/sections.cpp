// The sections of a report about one artefact.

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "dojima/evidence/report/subject.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/evidence/table.hpp"

namespace dojima::evidence::page {

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

namespace {

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

}  // namespace

std::string sections_of(const Subject& subject) {
  // A comparison is made of its runs; in a single run they are a detail.
  const bool is_comparison = subject.artefact->comparison().has_value();
  return (is_comparison ? run_section(subject) : std::string()) + percentile_section(subject) + chart_section(subject) +
         time_section(subject) + distribution_section(subject) +
         (is_comparison ? std::string() : run_section(subject)) + check_section(subject) + table_section(subject) +
         provenance_section(subject);
}

}  // namespace dojima::evidence::page
