// What a report says of an artefact first: verdict, badges and the figures that matter most.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "dojima/evidence/report/subject.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::evidence::page {

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

const MergedHistogram* main_of(const std::vector<MergedHistogram>& merged) {
  if (merged.empty()) return nullptr;
  const auto total =
      std::ranges::find_if(merged, [](const MergedHistogram& one) { return one.of.role == Role::total; });
  return total != merged.end() ? &*total : &merged.front();
}

std::string label_of(const MergedHistogram& merged) {
  return merged.arm.empty() ? merged.of.name : merged.of.name + ", " + merged.arm;
}

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

namespace {

std::string percent_text(double share, int decimals = 1) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::fabs(share * 100));
  return std::string(text) + "\u00a0%";
}

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

}  // namespace

std::string spoken(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

bool is_headline(const Document& figure, const Subject& subject) {
  const auto& comparison = subject.artefact->comparison();
  if (comparison) return figure.at("name").as_text() == comparison->figure;
  return figure.at("unit").as_text().find("/s") != std::string_view::npos;
}

namespace {

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

}  // namespace

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

}  // namespace dojima::evidence::page
