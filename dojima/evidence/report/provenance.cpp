// Where the figures of a report come from: build, run, machine, and what was not measured.

#include <initializer_list>

#include "dojima/evidence/report/subject.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence::page {

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

namespace {

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

}  // namespace

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

}  // namespace dojima::evidence::page
