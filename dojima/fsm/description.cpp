#include "dojima/fsm/description.hpp"

#include <algorithm>

#include "dojima/fsm/hash_search.hpp"

namespace dojima::fsm {
namespace {

[[nodiscard]] std::string joined(const std::vector<std::string>& texts, std::string_view any,
                                 std::string_view separator) {
  if (texts.empty()) return std::string(any);
  std::string text;
  for (const std::string& one : texts) {
    if (!text.empty()) text += separator;
    text += one;
  }
  return text;
}

/// "logon [is_good] / on_logon"
[[nodiscard]] std::string arrow_text(const RowDescription& row) {
  std::string text = joined(row.event, "any event", ", ");
  if (!row.guard.empty()) text += " [" + row.guard + "]";
  if (!row.action.empty()) text += " / " + row.action;
  return text;
}

[[nodiscard]] bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Diagram languages want plain identifiers; a state with another name is called by its position.
[[nodiscard]] std::string state_id(const Description& machine, std::string_view state) {
  if (is_word(state)) return std::string(state);
  const auto at = std::find(machine.states.begin(), machine.states.end(), state);
  return "state_" + std::to_string(at - machine.states.begin());
}

[[nodiscard]] std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// One arrow of a diagram: rows for several states or for any state become several.
struct Arrow {
  std::string from;
  std::string to;
  std::string text;
};

constexpr std::string_view k_any_state = "any_state";

[[nodiscard]] std::vector<Arrow> arrows(const Description& machine) {
  std::vector<Arrow> result;
  for (const RowDescription& row : machine.rows) {
    const std::vector<std::string> starts = row.start.empty() ? std::vector<std::string>{""} : row.start;
    for (const std::string& start : starts) {
      const std::string from = start.empty() ? std::string(k_any_state) : state_id(machine, start);
      result.push_back({from, row.next.empty() ? from : state_id(machine, row.next), arrow_text(row)});
    }
  }
  return result;
}

/// Mermaid and PlantUML know no way to write a double quote inside of two.
[[nodiscard]] std::string unquoted(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return text;
}

[[nodiscard]] bool has_any_state(const Description& machine) {
  return std::any_of(machine.rows.begin(), machine.rows.end(),
                     [](const RowDescription& row) { return row.start.empty(); });
}

void append_pairs(std::string& text, const std::vector<PairDescription>& pairs) {
  if (pairs.empty()) {
    text += "none";
    return;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i != 0) text += "; ";
    text += pairs[i].first + " + " + pairs[i].second;
  }
}

/// Where the machine may begin.
[[nodiscard]] std::vector<std::string> first_states(const Description& machine) {
  std::vector<std::string> states{machine.initial};
  states.insert(states.end(), machine.entries.begin(), machine.entries.end());
  return states;
}

}  // namespace

std::string row_text(const RowDescription& row) {
  std::string text = joined(row.start, "any state", ", ") + " + " + joined(row.event, "any event", ", ");
  if (!row.guard.empty()) text += " [" + row.guard + "]";
  text += " -> " + (row.next.empty() ? std::string("same state") : row.next);
  if (!row.action.empty()) text += " / " + row.action;
  return text;
}

std::string mermaid(const Description& machine) {
  std::string text = "stateDiagram-v2\n";
  for (const std::string& state : machine.states)
    if (!is_word(state)) text += "  state \"" + unquoted(state) + "\" as " + state_id(machine, state) + "\n";
  if (has_any_state(machine)) text += "  state \"any state\" as " + std::string(k_any_state) + "\n";
  for (const std::string& state : first_states(machine)) text += "  [*] --> " + state_id(machine, state) + "\n";
  for (const Arrow& arrow : arrows(machine)) text += "  " + arrow.from + " --> " + arrow.to + ": " + arrow.text + "\n";
  return text;
}

std::string dot(const Description& machine) {
  std::string text = "digraph \"" + escaped(machine.name, "\"\\") +
                     "\" {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n  start [shape=point, label=\"\"];\n";
  for (const std::string& state : machine.states)
    text += "  " + state_id(machine, state) + " [label=\"" + escaped(state, "\"\\") + "\"];\n";
  if (has_any_state(machine)) text += "  any_state [label=\"any state\", style=\"rounded,dashed\"];\n";
  for (const std::string& state : first_states(machine)) text += "  start -> " + state_id(machine, state) + ";\n";
  for (const Arrow& arrow : arrows(machine))
    text += "  " + arrow.from + " -> " + arrow.to + " [label=\"" + escaped(arrow.text, "\"\\") + "\"];\n";
  text += "}\n";
  return text;
}

std::string plantuml(const Description& machine) {
  std::string text = "@startuml\ntitle " + machine.name + "\n";
  for (const std::string& state : machine.states)
    if (!is_word(state)) text += "state \"" + unquoted(state) + "\" as " + state_id(machine, state) + "\n";
  if (has_any_state(machine)) text += "state \"any state\" as " + std::string(k_any_state) + "\n";
  for (const std::string& state : first_states(machine)) text += "[*] --> " + state_id(machine, state) + "\n";
  for (const Arrow& arrow : arrows(machine)) text += arrow.from + " --> " + arrow.to + " : " + arrow.text + "\n";
  text += "@enduml\n";
  return text;
}

std::string markdown(const Description& machine) {
  std::string text = "| # | state | event | guard | next state | action |\n|---:|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < machine.rows.size(); ++i) {
    const RowDescription& row = machine.rows[i];
    const auto cell = [&](std::string_view content) { text += " " + escaped(content, "|") + " |"; };
    text += "|";
    cell(std::to_string(i));
    cell(joined(row.start, "*any*", ", "));
    cell(joined(row.event, "*any*", ", "));
    cell(row.guard);
    cell(row.next.empty() ? "*same*" : row.next);
    cell(row.action);
    text += "\n";
  }
  if (!machine.entries.empty()) text += "\nThe owner also begins in: " + joined(machine.entries, "", ", ") + ".\n";
  text += "\nProved by the compiler: unreachable states: " + joined(machine.unreachable, "none", ", ");
  text += ". Rows that can never fire: ";
  if (machine.shadowed.empty()) text += "none";
  for (std::size_t i = 0; i < machine.shadowed.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(machine.shadowed[i]);
  text += ". Unhandled pairs: ";
  append_pairs(text, machine.unhandled);
  text += ". Guards without an else: ";
  append_pairs(text, machine.guarded_without_else);
  text += machine.is_total ? ". Every value of state and event is answered, unknown ones included.\n"
                           : ". Unknown values of state or event are reported as unhandled.\n";
  return text;
}

std::string explain_hashes(const Description& machine) {
  std::string text = "states of " + machine.name + "\n" + explain(machine.state_plan);
  text += "\nevents of " + machine.name + "\n" + explain(machine.event_plan);
  if (machine.are_events_compared) text += "one event at a time: compared one by one, there are so few\n";
  text += "\nthe same events under (key ^ seed) % denominator\n";
  constexpr std::uint64_t k_highest_code = 0xf'ffff;  // 20 bits: a million seeds for each denominator
  const bool is_searchable =
      !machine.event_codes.empty() && std::all_of(machine.event_codes.begin(), machine.event_codes.end(),
                                                  [](std::uint64_t code) { return code <= k_highest_code; });
  if (is_searchable) {
    Result<HashSearch> search = HashSearch::begin(machine.event_codes);
    while (search->status() == HashSearch::Status::searching) search->run(1, 256);
    text += explain(search->plan());
  } else {
    text += "not searched: codes above 20 bits have more seeds than this report waits for; see dojima fsm search\n";
  }
  return text;
}

std::string coverage_report(const Description& machine, const RowHits& hits) {
  const std::vector<std::uint16_t> missing = hits.never_hit();
  std::string text = machine.name + ": " + std::to_string(hits.rows() - missing.size()) + " of " +
                     std::to_string(hits.rows()) + " rows exercised\n";
  for (const std::uint16_t row : missing)
    text += "  never: row " + std::to_string(row) + ": " + row_text(machine.rows[row]) + "\n";
  return text;
}

}  // namespace dojima::fsm
