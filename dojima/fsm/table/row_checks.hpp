#pragma once

// Checks of a machine's rows that name what is wrong: each message comes with the row, the state and the event in the
// compiler's diagnostic. For table.hpp.

#include <cstddef>
#include <cstdint>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/table/rows_read.hpp"

namespace dojima::fsm::detail {

template <class Definition, std::size_t RowNumber, auto State>
consteval bool start_state_is_listed() {
  static_assert(!sizeof(Definition), "row RowNumber starts in a State that `states` of the machine does not list");
  return true;
}
template <class Definition, std::size_t RowNumber, auto Event>
consteval bool event_is_listed() {
  static_assert(!sizeof(Definition), "row RowNumber waits for an Event that `events` of the machine does not list");
  return true;
}
template <class Definition, std::size_t RowNumber, auto State>
consteval bool next_state_is_listed() {
  static_assert(!sizeof(Definition),
                "row RowNumber leads to a State that the machine does not have: no row starts there; "
                "if it is an end, list it in `states`");
  return true;
}
template <class Definition, std::size_t FirstRow, std::size_t SecondRow>
consteval bool row_is_unique() {
  static_assert(!sizeof(Definition), "row SecondRow repeats start, event and guard of row FirstRow: it can never fire");
  return true;
}
template <class Definition, auto State, auto Event>
consteval bool pair_is_handled() {
  static_assert(
      !sizeof(Definition),
      "is_total: no row without a guard answers Event in State; match_all stands for a value that no row names. "
      "Add the row, or Row<match_all, match_all, keep_state, ...> at the end");
  return true;
}

template <class Lookup>
constexpr std::size_t index_of_code(std::uint64_t code) {
  return Lookup::index(static_cast<typename Lookup::Key>(code));
}

/// The first cell or row that names a state or event which is not listed; their number when all is well.
template <class Definition>
struct Listed {
  using States = KeyLookup<StateKeys<Definition>>;
  using Events = KeyLookup<EventKeys<Definition>>;
  static constexpr auto& cells = rows_read<Definition>.cell;
  static constexpr auto& facts = rows_read<Definition>.fact;

  static consteval std::size_t first_unknown_start() {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].is_any_start && index_of_code<States>(cells[i].start) == States::k_miss) return i;
    return cells.size();
  }
  static consteval std::size_t first_unknown_event() {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].is_any_event && index_of_code<Events>(cells[i].event) == Events::k_miss) return i;
    return cells.size();
  }
  static consteval std::size_t first_unknown_next() {
    for (std::size_t i = 0; i < facts.size(); ++i)
      if (!facts[i].keeps_state && index_of_code<States>(facts[i].next) == States::k_miss) return i;
    return facts.size();
  }

  static consteval bool are_entries_listed() {
    bool are = true;
    if constexpr (requires { Definition::entries; })
      for (const auto state : Definition::entries) are = are && index_of_code<States>(code_of(state)) != States::k_miss;
    return are;
  }

  static consteval bool check() {
    using State = typename Definition::State;
    using Event = typename Definition::Event;
    constexpr std::size_t start = first_unknown_start();
    constexpr std::size_t event = first_unknown_event();
    constexpr std::size_t next = first_unknown_next();
    bool is_good = true;
    if constexpr (start != cells.size())
      is_good = start_state_is_listed<Definition, cells[start].row, static_cast<State>(cells[start].start)>();
    if constexpr (event != cells.size())
      is_good = event_is_listed<Definition, cells[event].row, static_cast<Event>(cells[event].event)>();
    if constexpr (next != facts.size())
      is_good = next_state_is_listed<Definition, next, static_cast<State>(facts[next].next)>();
    static_assert(start != cells.size() || event != cells.size() || next != facts.size() ||
                      index_of_code<States>(code_of(Definition::initial)) != States::k_miss,
                  "`initial` is none of the machine's states");
    static_assert(are_entries_listed(), "one of `entries` is none of the machine's states");
    return is_good;
  }
};

}  // namespace dojima::fsm::detail
