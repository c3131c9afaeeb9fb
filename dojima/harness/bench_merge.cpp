#include "dojima/harness/bench_merge.hpp"

#include <algorithm>

namespace dojima::harness {
namespace {

std::string compiler_of(const evidence::Artefact& result) {
  const std::string_view text = result.evidence().at("compiler").as_text();
  return text.empty() ? "unknown compiler" : std::string(text);
}

/// The columns of both by name, those of `into` first.
void join_columns(evidence::Table& into, const evidence::Table& from) {
  for (const evidence::Column& column : from.columns) {
    if (into.column(column.name) != into.columns.size()) continue;
    into.columns.push_back(column);
    for (auto& row : into.rows) row.emplace_back(evidence::Unmeasured{"not in this result"});
  }
}

void append_rows(evidence::Table& into, const evidence::Table& from, const std::string& compiler) {
  join_columns(into, from);
  for (const auto& row : from.rows) {
    std::vector<evidence::Cell> cells(into.columns.size(), evidence::Cell(evidence::Unmeasured{"not in this result"}));
    cells[0] = compiler;
    for (std::size_t at = 0; at < row.size(); ++at) cells[into.column(from.columns[at].name)] = row[at];
    into.add_row(std::move(cells));
  }
  for (const std::string& note : from.notes) {
    if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end()) into.notes.push_back(note);
  }
}

}  // namespace

evidence::Artefact merged(std::span<const evidence::Artefact> results) {
  evidence::Artefact artefact("dojima bench --merge");
  std::vector<evidence::Table> tables;
  evidence::Document ids = evidence::Document::array();
  evidence::Document evidence = evidence::Document::object();
  evidence::Document sources = evidence::Document::array();
  for (const evidence::Artefact& result : results) {
    const std::string compiler = compiler_of(result);
    const std::string id = evidence::id_of(result.document());
    ids.push(id);
    evidence::Document source = evidence::Document::object();
    source.set("id", id).set("compiler", compiler).set("command", result.command());
    sources.push(std::move(source));
    for (const evidence::Table& table : result.tables()) {
      auto found = std::find_if(tables.begin(), tables.end(),
                                [&table](const evidence::Table& t) { return t.name == table.name; });
      if (found == tables.end()) {
        tables.push_back({table.name, table.title, {{"compiler"}}, {}, {}});
        found = std::prev(tables.end());
      }
      append_rows(*found, table, compiler);
    }
    for (const evidence::Check& check : result.checks())
      artefact.add_check(compiler + ": " + check.name, check.ok, check.detail);
    for (const evidence::QualityNote& note : result.quality()) {
      artefact.add_quality(note.quality, compiler + ": " + note.reason, note.field);
    }
  }
  for (evidence::Table& table : tables) artefact.add_table(std::move(table));
  artefact.set_parameter("merged", std::move(ids));
  evidence.set("merged", std::move(sources));
  artefact.set_evidence(std::move(evidence));
  return artefact;
}

}  // namespace dojima::harness
