#include "dojima/harness/count_baseline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "dojima/evidence/document.hpp"

namespace dojima::harness {
namespace {

using evidence::Document;

constexpr std::string_view k_schema = "dojima.counts/1";

template <class Value>
const Value* find(const std::vector<std::pair<std::string, Value>>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &std::pair<std::string, Value>::first);
  return found == list.end() ? nullptr : &found->second;
}

std::string rounded(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// The first circumstance that differs, in words; nothing: none does.
std::optional<std::string> difference(const CountBaseline& before, const CountBaseline& after) {
  for (const auto& [name, value] : after.circumstances) {
    const std::string* kept = find(before.circumstances, name);
    if (kept == nullptr || *kept != value)
      return "was counted with " + name + " \"" + (kept == nullptr ? "(not said)" : *kept) + "\", and this is \"" +
             value + "\": such counts do not compare";
  }
  return std::nullopt;
}

/// The counts of `these` that `those` have not, quoted.
std::string names_without(const CountBaseline& these, const CountBaseline& those) {
  std::string names;
  for (const auto& [name, value] : these.counts) {
    if (find(those.counts, name) == nullptr) names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  return names;
}

CountFinding judged(std::string name, double before, double after) {
  CountFinding finding{.name = std::move(name), .before = before, .after = after};
  finding.has_grown = after > before * (1 + k_count_growth) && after > before + k_count_slack;
  if (after == before) return finding;
  char share[48];
  std::snprintf(share, sizeof share, "%+.2f %%", before > 0 ? (after / before - 1) * 100 : 100.0);
  finding.remark = rounded(before) + " -> " + rounded(after) + ", " + share;
  return finding;
}

}  // namespace

std::expected<CountBaseline, std::string> read_baseline(std::string_view text) {
  const auto document = evidence::parse_document(text);
  if (!document) return std::unexpected("is no JSON: " + document.error());
  if (document->at("schema").as_text() != k_schema)
    return std::unexpected("is no baseline of counts: its schema is not \"" + std::string(k_schema) + "\"");
  CountBaseline baseline;
  for (const auto& [name, value] : document->at("circumstances").members()) {
    if (!value.is_text()) return std::unexpected("says nothing of \"" + name + "\": a text was expected");
    baseline.circumstances.emplace_back(name, value.as_text());
  }
  for (const auto& [name, value] : document->at("counts").members()) {
    if (!value.is_number() || value.as_number() < 0)
      return std::unexpected("has no count of \"" + name + "\": a number of at least 0 was expected");
    baseline.counts.emplace_back(name, value.as_number());
  }
  if (baseline.counts.empty()) return std::unexpected("has no counts");
  return baseline;
}

std::string text_of(const CountBaseline& baseline) {
  Document circumstances = Document::object();
  for (const auto& [name, value] : baseline.circumstances) circumstances.set(name, value);
  Document counts = Document::object();
  for (const auto& [name, value] : baseline.counts) counts.set(name, std::round(value * 1000) / 1000);
  Document document = Document::object();
  document.set("schema", k_schema).set("circumstances", std::move(circumstances)).set("counts", std::move(counts));
  return document.pretty();
}

std::expected<void, std::string> fits(const CountBaseline& before, const CountBaseline& planned) {
  if (auto trouble = difference(before, planned)) return std::unexpected(std::move(*trouble));
  const std::string lacking = names_without(planned, before);
  const std::string unknown = names_without(before, planned);
  if (lacking.empty() && unknown.empty()) return {};
  return std::unexpected((lacking.empty() ? "" : "has no count of " + lacking) +
                         (lacking.empty() || unknown.empty() ? "" : " and ") +
                         (unknown.empty() ? "" : "counts " + unknown + ", which there is no more"));
}

std::expected<std::vector<CountFinding>, std::string> compare(const CountBaseline& before, const CountBaseline& after) {
  if (auto trouble = difference(before, after)) return std::unexpected(std::move(*trouble));
  std::vector<CountFinding> findings;
  for (const auto& [name, value] : before.counts) {
    const double* now = find(after.counts, name);
    if (now != nullptr) {
      // What is kept is rounded; hold the same against it.
      findings.push_back(judged(name, value, std::round(*now * 1000) / 1000));
    } else {
      findings.push_back(
          {.name = name, .before = value, .after = 0, .has_grown = true, .remark = "is counted no more"});
    }
  }
  for (const auto& [name, value] : after.counts) {
    if (find(before.counts, name) == nullptr)
      findings.push_back(
          {.name = name, .before = 0, .after = value, .has_grown = true, .remark = "is not in the baseline"});
  }
  return findings;
}

}  // namespace dojima::harness
