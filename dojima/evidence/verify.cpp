#include "dojima/evidence/verify.hpp"

#include <algorithm>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/privacy.hpp"

namespace dojima::evidence {
namespace {

/// Long values are named by their beginning.
std::string shown(const Document& value) {
  std::string text = value.canonical();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

void collect(const Document& found, const Document& expected, const std::string& place, std::size_t limit,
             std::vector<std::string>& all) {
  if (found == expected || all.size() >= limit) return;
  if (found.is_object() && expected.is_object()) {
    for (const auto& [key, value] : expected.members()) {
      if (found.has(key)) {
        collect(found.at(key), value, place + "." + key, limit, all);
      } else if (all.size() < limit) {
        all.push_back(place + "." + key + ": missing, should be " + shown(value));
      }
    }
    for (const auto& [key, value] : found.members()) {
      if (!expected.has(key) && all.size() < limit) all.push_back(place + "." + key + ": should not be there");
    }
    return;
  }
  if (found.is_array() && expected.is_array() && found.elements().size() == expected.elements().size()) {
    for (std::size_t i = 0; i < found.elements().size(); ++i) {
      collect(found.elements()[i], expected.elements()[i], place + "[" + std::to_string(i) + "]", limit, all);
    }
    return;
  }
  all.push_back(place + ": " + shown(found) + " is there, " + shown(expected) + " is right");
}

/// Where the text leaves the form it would have been written in: a reordered key, 1.50 for 1.5, a key given twice.
void check_form(std::string_view text, const Document& document, Verification& found) {
  const std::string tokens = without_white_space(text);
  const std::string canonical = document.canonical();
  if (tokens == canonical) return;
  const auto [place, right] = std::ranges::mismatch(tokens, canonical);
  const auto at = static_cast<std::size_t>(place - tokens.begin());
  const std::size_t begin = at < 20 ? 0 : at - 20;
  found.findings.push_back("not in canonical form: near '" + tokens.substr(begin, 40) + "' should be '" +
                           canonical.substr(begin, 40) + "'");
}

void check_id(const Document& document, Verification& found) {
  const std::string right = id_of(document);
  if (found.id == right) return;
  found.findings.push_back("id: " + (found.id.empty() ? std::string("missing") : found.id) +
                           " is there, the rest of the file hashes to " + right);
}

void check_computed(const Document& document, const Artefact& artefact, Verification& found) {
  constexpr std::size_t k_all = 1000;
  constexpr std::size_t k_shown = 4;
  const double quantum_ns = artefact.evidence().at("clock").at("quantum_ns").as_number();
  auto all = differences(document.at("summary"), summary_of(artefact.runs(), quantum_ns), "summary", k_all);
  if (artefact.comparison()) {
    const auto more = differences(document.at("comparison"), document_of(*artefact.comparison()), "comparison", k_all);
    all.insert(all.end(), more.begin(), more.end());
  }
  for (std::size_t i = 0; i < std::min(all.size(), k_shown); ++i) found.findings.push_back(all[i] + " by the runs");
  if (all.size() > k_shown) {
    found.findings.push_back("summary: " + std::to_string(all.size() - k_shown) + " more places differ from the runs");
  }
}

/// Every null of the evidence and of the tables has a note with a reason.
void check_gaps(const Document& evidence, const std::string& place, const std::vector<QualityNote>& notes,
                Verification& found) {
  for (const auto& [key, value] : evidence.members()) {
    const std::string field = place.empty() ? key : place + "." + key;
    if (value.is_object()) check_gaps(value, field, notes, found);
    if (!value.is_null()) continue;
    // One note speaks for both readings of the host's state.
    const std::string other = field.starts_with("before.") ? "after." + field.substr(7) : field;
    const bool is_explained = std::ranges::any_of(notes, [&](const QualityNote& note) {
      return !note.reason.empty() && (note.field == field || note.field == other);
    });
    if (!is_explained) found.findings.push_back("evidence." + field + ": null, and evidence.quality does not say why");
  }
}

void check_gaps(const std::vector<Table>& tables, Verification& found) {
  for (const Table& table : tables) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto* gap = std::get_if<Unmeasured>(&table.rows[row][i].value());
        if (gap != nullptr && gap->reason.empty()) {
          found.findings.push_back("tables." + table.name + "[" + std::to_string(row) + "]." + table.columns[i].name +
                                   ": null, and evidence.quality does not say why");
        }
      }
    }
  }
}

}  // namespace

std::vector<std::string> differences(const Document& found, const Document& expected, const std::string& place,
                                     std::size_t limit) {
  std::vector<std::string> all;
  collect(found, expected, place, limit, all);
  return all;
}

Verification verify(std::string_view text) {
  Verification found;
  const auto document = parse_document(text);
  if (!document) {
    found.findings.push_back("no JSON: " + document.error());
    return found;
  }
  found.id = std::string(document->at("id").as_text());
  check_form(text, *document, found);
  check_id(*document, found);
  for (const std::string& place : places_with_paths(*document)) {
    found.findings.push_back(place + ": holds an absolute path of the machine that made it");
  }
  const auto artefact = Artefact::from(*document);
  if (!artefact) {
    found.findings.push_back(artefact.error());
    return found;
  }
  check_computed(*document, *artefact, found);
  check_gaps(artefact->evidence(), {}, artefact->quality(), found);
  check_gaps(artefact->tables(), found);
  return found;
}

}  // namespace dojima::evidence
