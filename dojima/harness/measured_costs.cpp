#include "dojima/harness/measured_costs.hpp"

#include <algorithm>
#include <cstdio>

namespace dojima::harness {
namespace {

using evidence::Document, evidence::DoctorFinding;

struct Quote {
  std::string_view check;
  std::string_view setting;
};

constexpr Quote k_quotes[] = {{"isolated_cpus", "processor"},       {"real_time_priority", "policy"},
                              {"memory_locking", "lock_memory"},    {"transparent_hugepages", "huge_pages"},
                              {"explicit_hugepages", "huge_pages"}, {"busy_polling", "busy_poll"}};

std::string phrase(const Document& row) {
  const std::string head =
      std::string(row.at("figure").as_text()) + " beside " + std::string(row.at("beside").as_text());
  const std::string_view verdict = row.at("verdict").as_text();
  if (!row.at("ratio").is_number()) return head + " " + std::string(verdict);
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " %.3f (%.3f to %.3f) ", row.at("ratio").as_number(),
                row.at("low").as_number(), row.at("high").as_number());
  return head + numbers + std::string(verdict);
}

std::string phrase(const std::vector<Document>& rows, std::string_view setting) {
  std::string text;
  for (const Document& row : rows) {
    if (row.at("setting").as_text() == setting) text += (text.empty() ? "" : "; ") + phrase(row);
  }
  return text;
}

}  // namespace

std::expected<std::size_t, std::string> quote_measured(const Document& tune, std::vector<DoctorFinding>& findings) {
  const auto& tables = tune.at("tables").elements();
  const auto table = std::ranges::find_if(tables, [](const Document& of) { return of.at("name").as_text() == "tune"; });
  if (table == tables.end()) return std::unexpected("has no table \"tune\": it is no result of dojima lab tune");
  std::size_t quoted = 0;
  for (DoctorFinding& finding : findings) {
    const auto quote = std::ranges::find(k_quotes, std::string_view(finding.check), &Quote::check);
    if (quote == std::end(k_quotes)) continue;
    const std::string measured = phrase(table->at("rows").elements(), quote->setting);
    if (measured.empty()) continue;
    finding.cost = "measured, loop." + std::string(quote->setting) + " on / off: " + measured;
    ++quoted;
  }
  return quoted;
}

}  // namespace dojima::harness
