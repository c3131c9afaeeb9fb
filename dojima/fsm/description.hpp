#pragma once

// A machine as data: names, rows, proofs and hashes, for diagrams, reports and the command line. describe() makes it
// from a definition; the rest is ordinary code in one .cpp. Allocates; not for the way of a message.
//
//   const fsm::Description market = fsm::describe<Market>();
//   std::string text = fsm::mermaid(market);     // also dot, plantuml, markdown, explain_hashes
//
// A definition may say how its states and events are called, with `static std::string state_text(State)` and
// `event_text(Event)`; otherwise the enumerators' names are taken, or the numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/fsm/name.hpp"
#include "dojima/fsm/row_hits.hpp"
#include "dojima/fsm/table.hpp"

namespace dojima::fsm {

struct RowDescription {
  std::vector<std::string> start;  ///< none: any
  std::vector<std::string> event;  ///< none: any
  std::string next;                ///< empty: the state stays
  std::string action;              ///< empty: none
  std::string guard;               ///< empty: none
};

/// A state and an event; an empty name means a value that no row names.
using PairDescription = std::pair<std::string, std::string>;

struct Description {
  std::string name;
  std::string purpose;
  std::string initial;
  std::vector<std::string> entries;  ///< that the owner sets by itself, besides `initial`
  std::vector<std::string> states;
  std::vector<std::string> events;
  std::vector<RowDescription> rows;

  std::vector<std::string> unreachable;
  std::vector<std::uint16_t> shadowed;
  std::vector<PairDescription> unhandled;
  std::vector<PairDescription> guarded_without_else;
  bool is_total = false;
  std::size_t chains = 0;

  std::vector<std::uint64_t> state_codes;  ///< in the order of `states`
  std::vector<std::uint64_t> event_codes;
  HashPlan state_plan;
  HashPlan event_plan;
  bool are_events_compared = false;  ///< one by one, instead of the plan
};

/// The diagram of a state machine for Mermaid ("stateDiagram-v2").
[[nodiscard]] std::string mermaid(const Description& machine);
/// For Graphviz.
[[nodiscard]] std::string dot(const Description& machine);
[[nodiscard]] std::string plantuml(const Description& machine);
/// A page part: the rows as a Markdown table, then what the compiler proved.
[[nodiscard]] std::string markdown(const Description& machine);
/// The hashes of states and events, with the talk's (key ^ seed) % denominator for the same events beside the one in
/// use.
[[nodiscard]] std::string explain_hashes(const Description& machine);
/// "12 of 14 rows exercised" and, for each of the others, its number and text. One line a row.
[[nodiscard]] std::string coverage_report(const Description& machine, const RowHits& hits);
/// A row on one line: "pending + filled [is_full] -> done / on_fill".
[[nodiscard]] std::string row_text(const RowDescription& row);

namespace detail {

template <class Definition, auto Value>
std::string state_text() {
  if constexpr (requires { Definition::state_text(Value); })
    return std::string(Definition::state_text(Value));
  else
    return std::string(name_of_value<Value>());
}
template <class Definition, auto Value>
std::string event_text() {
  if constexpr (requires { Definition::event_text(Value); })
    return std::string(Definition::event_text(Value));
  else
    return std::string(name_of_value<Value>());
}

template <class Definition, class OneRow>
RowDescription describe_row() {
  RowDescription text;
  if constexpr (IsOneOf<std::remove_cv_t<decltype(OneRow::start)>>::value) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      in_order({(text.start.push_back(state_text<Definition, OneRow::start.values[At]>()), 0)...});
    }(std::make_index_sequence<count_of<OneRow::start>()>{});
  } else if constexpr (!is_any<OneRow::start>) {
    text.start.push_back(state_text<Definition, OneRow::start>());
  }
  if constexpr (IsOneOf<std::remove_cv_t<decltype(OneRow::event)>>::value) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      in_order({(text.event.push_back(event_text<Definition, OneRow::event.values[At]>()), 0)...});
    }(std::make_index_sequence<count_of<OneRow::event>()>{});
  } else if constexpr (!is_any<OneRow::event>) {
    text.event.push_back(event_text<Definition, OneRow::event>());
  }
  if constexpr (!OneRow::keeps_state) text.next = state_text<Definition, OneRow::next>();
  if constexpr (OneRow::has_action) text.action = name_of_value<OneRow::action>();
  if constexpr (OneRow::has_guard) text.guard = name_of_value<OneRow::guard>();
  return text;
}

template <class Definition, auto& Values, bool IsState>
std::vector<std::string> describe_values() {
  std::vector<std::string> texts;
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    in_order({(texts.push_back([] {
      if constexpr (IsState)
        return state_text<Definition, Values[At]>();
      else
        return event_text<Definition, Values[At]>();
    }()),
               0)...});
  }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(Values)>>>{});
  return texts;
}

}  // namespace detail

template <class Definition>
[[nodiscard]] Description describe() {
  using Machine = Table<Definition>;
  Description text;
  if constexpr (requires { Definition::name; }) text.name = Definition::name;
  if constexpr (requires { Definition::purpose; }) text.purpose = Definition::purpose;
  text.initial = detail::state_text<Definition, Definition::initial>();
  text.states = detail::describe_values<Definition, Machine::states, true>();
  text.events = detail::describe_values<Definition, Machine::events, false>();
  if constexpr (requires { Definition::entries; })
    for (const auto state : Definition::entries) text.entries.push_back(text.states[Machine::state_index(state)]);
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    detail::in_order(
        {(text.rows.push_back(detail::describe_row<Definition, RowAt<typename Machine::Rows, At>>()), 0)...});
  }(std::make_index_sequence<Machine::k_rows>{});

  const auto pair = [&](const auto& occurrence) {
    return PairDescription{text.states[Machine::state_index(occurrence.state)],
                           text.events[Machine::event_index(occurrence.event)]};
  };
  for (const auto state : Machine::unreachable) text.unreachable.push_back(text.states[Machine::state_index(state)]);
  for (const std::uint16_t row : Machine::shadowed) text.shadowed.push_back(row);
  for (const auto& at : Machine::unhandled) text.unhandled.push_back(pair(at));
  for (const auto& at : Machine::guarded_without_else) text.guarded_without_else.push_back(pair(at));
  text.is_total = Machine::is_total;
  text.chains = Machine::k_chains;

  for (const auto state : Machine::states) text.state_codes.push_back(code_of(state));
  for (const auto event : Machine::events) text.event_codes.push_back(code_of(event));
  text.state_plan = Machine::States::plan();
  text.event_plan = Machine::Events::plan();
  text.are_events_compared = Machine::k_are_events_compared;
  return text;
}

}  // namespace dojima::fsm
