#include "dojima/lab/bench_merge.hpp"

#include <algorithm>

namespace dojima::lab {
namespace {

std::string compiler_of(const Artefact& result) {
  const std::string_view text = result.evidence().at("compiler").as_text();
  return text.empty() ? "unknown compiler" : std::string(text);
}

/// The columns of both by name, those of `into` first.
void join_columns(Table& into, const Table& from) {
  for (const Column& column : from.columns) {
    if (into.column(column.name) != into.columns.size()) continue;
    into.columns.push_back(column);
    for (auto& row : into.rows) row.emplace_back(Unmeasured{"not in this result"});
  }
}

void append_rows(Table& into, const Table& from, const std::string& compiler) {
  join_columns(into, from);
  for (const auto& row : from.rows) {
    std::vector<Cell> cells(into.columns.size(), Cell(Unmeasured{"not in this result"}));
    cells[0] = compiler;
    for (std::size_t at = 0; at < row.size(); ++at) cells[into.column(from.columns[at].name)] = row[at];
    into.add_row(std::move(cells));
  }
  for (const std::string& note : from.notes) {
    if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end()) into.notes.push_back(note);
  }
}

}  // namespace

Artefact merged(std::span<const Artefact> results) {
  Artefact artefact("dojima bench --merge");
  std::vector<Table> tables;
  Document ids = Document::array();
  Document evidence = Document::object();
  Document sources = Document::array();
  for (const Artefact& result : results) {
    const std::string compiler = compiler_of(result);
    const std::string id = id_of(result.document());
    ids.push(id);
    Document source = Document::object();
    source.set("id", id).set("compiler", compiler).set("command", result.command());
    sources.push(std::move(source));
    for (const Table& table : result.tables()) {
      auto found =
          std::find_if(tables.begin(), tables.end(), [&table](const Table& t) { return t.name == table.name; });
      if (found == tables.end()) {
        tables.push_back({table.name, table.title, {{"compiler"}}, {}, {}});
        found = std::prev(tables.end());
      }
      append_rows(*found, table, compiler);
    }
    for (const Check& check : result.checks()) artefact.add_check(compiler + ": " + check.name, check.ok, check.detail);
    for (const QualityNote& note : result.quality()) {
      artefact.add_quality(note.quality, compiler + ": " + note.reason, note.field);
    }
  }
  for (Table& table : tables) artefact.add_table(std::move(table));
  artefact.set_parameter("merged", std::move(ids));
  evidence.set("merged", std::move(sources));
  artefact.set_evidence(std::move(evidence));
  return artefact;
}

}  // namespace dojima::lab
