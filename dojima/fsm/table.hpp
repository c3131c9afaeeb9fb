#pragma once

// A transition table, worked out by the compiler: plain constexpr loops over arrays, no template recursion, default
// compiler limits. From the rows (row.hpp) of a machine's definition it makes a grid of (states + 1) x (events + 1)
// cells, the last line and column being "any other value", and for each cell the chain of rows to try; equal chains are
// one. What the table can prove about itself is beside it as constants.
//
//   struct Market {
//     using State = MarketState;                           // an enumeration or integer, as Event
//     using Event = MarketEvent;
//     static constexpr std::string_view name = "market";
//     static constexpr State initial = State::closed;
//     using rows = fsm::Rows<...>;
//     // Optional:
//     static constexpr std::array states{...};    // all states; else those that start a row, and initial
//     static constexpr std::array events{...};    // all events; else those that a row names
//     static constexpr std::array entries{...};   // states that the owner sets by itself, besides initial
//     static constexpr bool is_total = true;      // every state must answer every event, unknown ones too
//   };
//   using Table = fsm::Table<Market>;
//   static_assert(Table::unreachable.empty() && Table::shadowed.empty() && Table::unhandled.empty());
//
// Does not compile: a row twice; a start, event or next that is none of the listed ones; with is_total, a cell without
// an unguarded row. The diagnostic names the row, the state and the event.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/row.hpp"

namespace dojima::fsm {

/// No row fired.
inline constexpr std::uint16_t k_no_row = 0xffff;

/// A state and an event, as the proofs list them.
template <class State, class Event>
struct Occurrence {
  State state;
  Event event;

  friend constexpr bool operator==(const Occurrence&, const Occurrence&) = default;
};

namespace detail {

template <class Definition>
inline constexpr std::size_t k_row_count = Definition::rows::k_size;

/// One row for one start and one event.
struct Cell {
  std::uint64_t start = 0;
  std::uint64_t event = 0;
  std::uint16_t row = 0;
  bool is_any_start = false;
  bool is_any_event = false;
};

/// What happens to one row.
struct RowFacts {
  std::uint64_t next = 0;
  bool keeps_state = false;
  bool is_guarded = false;
  const void* guard = nullptr;  // equal for equal guards
};

template <auto Guard>
inline constexpr char guard_identity = 0;

template <class Value>
struct IsOneOf : std::false_type {};
template <class Value, std::size_t Count>
struct IsOneOf<OneOf<Value, Count>> : std::true_type {};

/// How many values a start or event matches.
template <auto Value>
constexpr std::size_t count_of() {
  if constexpr (IsOneOf<std::remove_cv_t<decltype(Value)>>::value)
    return std::size(Value.values);
  else
    return 1;
}

template <auto Value>
constexpr std::uint64_t code_at(std::size_t at) {
  using Type = std::remove_cv_t<decltype(Value)>;
  if constexpr (IsOneOf<Type>::value)
    return code_of(Value.values[at]);
  else if constexpr (std::is_same_v<Type, MatchAll>)
    return 0;
  else
    return code_of(Value);
}

template <auto Value>
inline constexpr bool is_any = std::is_same_v<std::remove_cv_t<decltype(Value)>, MatchAll>;

template <class Value>
struct ValueType {
  using type = Value;
};
template <class Value, std::size_t Count>
struct ValueType<OneOf<Value, Count>> {
  using type = Value;
};

template <auto Value, class Type, class Special>
inline constexpr bool is_value_of = std::is_same_v<typename ValueType<std::remove_cv_t<decltype(Value)>>::type, Type> ||
                                    std::is_same_v<std::remove_cv_t<decltype(Value)>, Special>;

/// All that is read from the row types, as arrays.
template <class Definition, class... AllRows>
consteval auto read_rows(const Rows<AllRows...>*) {
  static_assert(are_all({is_value_of<AllRows::start, typename Definition::State, MatchAll>...}),
                "the start of a row is a State of the machine, one_of several, or match_all");
  static_assert(are_all({is_value_of<AllRows::event, typename Definition::Event, MatchAll>...}),
                "the event of a row is an Event of the machine, one_of several, or match_all");
  static_assert(are_all({(std::is_same_v<std::remove_cv_t<decltype(AllRows::next)>, typename Definition::State> ||
                          AllRows::keeps_state)...}),
                "the next state of a row is a State of the machine or keep_state");
  constexpr std::size_t cells = [] {
    std::size_t sum = 0;
    for (const std::size_t count : {std::size_t{0}, count_of<AllRows::start>() * count_of<AllRows::event>()...})
      sum += count;
    return sum;
  }();
  struct {
    std::array<Cell, cells> cell{};
    std::array<RowFacts, sizeof...(AllRows)> fact{};
  } result;
  std::size_t at = 0;
  std::uint16_t row = 0;
  const auto read = [&]<class OneRow>(std::type_identity<OneRow>) {
    for (std::size_t s = 0; s < count_of<OneRow::start>(); ++s) {
      for (std::size_t e = 0; e < count_of<OneRow::event>(); ++e)
        result.cell[at++] = {code_at<OneRow::start>(s), code_at<OneRow::event>(e), row, is_any<OneRow::start>,
                             is_any<OneRow::event>};
    }
    RowFacts& facts = result.fact[row++];
    facts.keeps_state = OneRow::keeps_state;
    facts.is_guarded = OneRow::has_guard;
    facts.guard = &guard_identity<OneRow::guard>;
    if constexpr (!OneRow::keeps_state) facts.next = code_of(OneRow::next);
  };
  in_order({(read(std::type_identity<AllRows>{}), 0)...});
  return result;
}

template <class Definition>
inline constexpr auto rows_read = read_rows<Definition>(static_cast<const typename Definition::rows*>(nullptr));

/// A growing sorted set of codes in an array.
template <std::size_t Capacity>
struct CodeSet {
  std::array<std::uint64_t, Capacity> codes{};
  std::size_t size = 0;

  constexpr void insert(std::uint64_t code) {
    std::size_t low = 0;
    for (std::size_t high = size; low < high;) {
      const std::size_t middle = (low + high) / 2;
      if (codes[middle] < code)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < size && codes[low] == code) return;
    for (std::size_t at = size++; at > low; --at) codes[at] = codes[at - 1];
    codes[low] = code;
  }
};

template <class Definition>
inline constexpr auto state_codes = [] {
  if constexpr (requires { Definition::states; }) {
    CodeSet<std::size(Definition::states)> set;
    for (const auto state : Definition::states) set.insert(code_of(state));
    return set;
  } else {
    CodeSet<rows_read<Definition>.cell.size() + 1> set;
    set.insert(code_of(Definition::initial));
    for (const Cell& cell : rows_read<Definition>.cell)
      if (!cell.is_any_start) set.insert(cell.start);
    return set;
  }
}();

template <class Definition>
inline constexpr auto event_codes = [] {
  if constexpr (requires { Definition::events; }) {
    CodeSet<std::size(Definition::events)> set;
    for (const auto event : Definition::events) set.insert(code_of(event));
    return set;
  } else {
    CodeSet<rows_read<Definition>.cell.size()> set;
    for (const Cell& cell : rows_read<Definition>.cell)
      if (!cell.is_any_event) set.insert(cell.event);
    return set;
  }
}();

/// In ascending order of their codes, so that an enumeration that counts from 0 is its own index.
template <class Definition>
struct StateKeys {
  static constexpr auto keys = [] {
    std::array<typename Definition::State, state_codes<Definition>.size> result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<typename Definition::State>(state_codes<Definition>.codes[i]);
    return result;
  }();
};

template <class Definition>
struct EventKeys {
  static constexpr auto keys = [] {
    std::array<typename Definition::Event, event_codes<Definition>.size> result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<typename Definition::Event>(event_codes<Definition>.codes[i]);
    return result;
  }();
};

// ------------------------------------------------------------------------------------- checks that name what is wrong

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

// ------------------------------------------------------------------------------------------------------- the grid

/// A chain under construction: the rows of `parent`, then `row`.
struct Node {
  std::uint16_t parent = 0;
  std::uint16_t row = k_no_row;
  bool is_closed = false;  // ends in a row without a guard
};

struct RowPair {
  std::uint16_t first = k_no_row;
  std::uint16_t second = k_no_row;
};

template <std::size_t Cells, std::size_t Nodes>
struct Grown {
  std::array<std::uint16_t, Cells> at{};  // the node of each cell
  std::array<Node, Nodes> node{};
  std::size_t nodes = 1;  // node 0: no row
  RowPair duplicate;
};

/// How many (row, cell) pairs there are at most: the bound for the nodes.
template <class Definition>
consteval std::size_t append_bound(std::size_t states, std::size_t events) {
  std::size_t sum = 1;
  for (const Cell& cell : rows_read<Definition>.cell)
    sum += (cell.is_any_start ? states + 1 : 1) * (cell.is_any_event ? events + 1 : 1);
  return sum;
}

/// Appends each row to the chains of the cells that it covers and that no earlier row closed. Cells with the same chain
/// before have the same chain after, so a row makes one new node for each old one: O(rows + covered cells).
template <class Definition>
inline constexpr auto grown = [] {
  using States = KeyLookup<StateKeys<Definition>>;
  using Events = KeyLookup<EventKeys<Definition>>;
  constexpr std::size_t states = States::k_size;
  constexpr std::size_t events = Events::k_size;
  constexpr std::size_t bound = append_bound<Definition>(states, events);
  constexpr auto& read = rows_read<Definition>;
  Grown<(states + 1) * (events + 1), bound> grid;
  std::array<std::uint16_t, bound> moved{};      // this row's new node for an old one ...
  std::array<std::uint16_t, bound> moved_for{};  // ... valid when this says row + 1

  // What a row matches; rows with the same answer and the same guard are duplicates.
  std::array<std::uint8_t, k_row_count<Definition>> generality{};
  for (const Cell& cell : read.cell)
    generality[cell.row] = static_cast<std::uint8_t>((cell.is_any_start ? 1U : 0U) | (cell.is_any_event ? 2U : 0U));

  for (const Cell& cell : read.cell) {
    const RowFacts& facts = read.fact[cell.row];
    const std::size_t first_state = cell.is_any_start ? 0 : index_of_code<States>(cell.start);
    const std::size_t last_state = cell.is_any_start ? states : first_state;
    const std::size_t first_event = cell.is_any_event ? 0 : index_of_code<Events>(cell.event);
    const std::size_t last_event = cell.is_any_event ? events : first_event;
    for (std::size_t s = first_state; s <= last_state; ++s) {
      for (std::size_t e = first_event; e <= last_event; ++e) {
        std::uint16_t& at = grid.at[s * (events + 1) + e];
        if (grid.duplicate.first == k_no_row) {
          for (std::uint16_t n = at; n != 0; n = grid.node[n].parent) {
            const std::uint16_t row = grid.node[n].row;
            if (generality[row] == generality[cell.row] && read.fact[row].guard == facts.guard)
              grid.duplicate = {row, cell.row};
          }
        }
        if (grid.node[at].is_closed) continue;
        if (moved_for[at] != cell.row + 1) {
          moved_for[at] = static_cast<std::uint16_t>(cell.row + 1);
          moved[at] = static_cast<std::uint16_t>(grid.nodes);
          grid.node[grid.nodes++] = {at, cell.row, !facts.is_guarded};
        }
        at = moved[at];
      }
    }
  }
  return grid;
}();

struct ChainCount {
  std::size_t chains = 1;  // chain 0 is the empty one
  std::size_t rows = 0;    // of all chains together
};

template <class Definition>
consteval ChainCount count_chains() {
  constexpr auto& grid = grown<Definition>;
  std::array<bool, grid.node.size()> is_counted{};
  is_counted[0] = true;
  ChainCount count;
  for (const std::uint16_t at : grid.at) {
    if (is_counted[at]) continue;
    is_counted[at] = true;
    ++count.chains;
    for (std::uint16_t n = at; n != 0; n = grid.node[n].parent) ++count.rows;
  }
  return count;
}

/// Lines are padded to a power of two, so that an address is a shift and an addition.
template <std::size_t Lines, std::size_t Line, std::size_t Chains, std::size_t ChainRows>
struct Grid {
  static constexpr std::size_t k_line = std::bit_ceil(Line);
  std::array<Narrowest<Chains - 1>, Lines * k_line> chain_at{};
  std::array<std::uint16_t, Chains + 1> chain_begin{};
  std::array<std::uint16_t, ChainRows> chain_rows{};
  std::array<bool, Chains> is_closed{};  // ends in a row without a guard
};

/// Numbers the chains in the order of the cells and lays their rows out one after the other.
template <class Definition>
inline constexpr auto grid = [] {
  constexpr auto& source = grown<Definition>;
  constexpr ChainCount count = count_chains<Definition>();
  constexpr std::size_t line = KeyLookup<EventKeys<Definition>>::k_size + 1;
  Grid<source.at.size() / line, line, count.chains, count.rows> result;
  std::array<std::uint16_t, source.node.size()> number{};
  std::size_t chains = 1;
  std::size_t end = 0;
  for (std::size_t c = 0; c < source.at.size(); ++c) {
    const std::uint16_t at = source.at[c];
    if (at != 0 && number[at] == 0) {
      const std::size_t begin = end;
      for (std::uint16_t n = at; n != 0; n = source.node[n].parent) result.chain_rows[end++] = source.node[n].row;
      for (std::size_t i = begin, j = end; i + 1 < j;) std::swap(result.chain_rows[i++], result.chain_rows[--j]);
      result.is_closed[chains] = source.node[at].is_closed;
      result.chain_begin[chains] = static_cast<std::uint16_t>(begin);
      number[at] = static_cast<std::uint16_t>(chains++);
    }
    result.chain_at[c / line * result.k_line + c % line] = static_cast<Narrowest<count.chains - 1>>(number[at]);
  }
  result.chain_begin[chains] = static_cast<std::uint16_t>(end);
  return result;
}();

}  // namespace detail

template <class Definition_>
class Table {
 public:
  using Definition = Definition_;
  using State = typename Definition::State;
  using Event = typename Definition::Event;
  using Rows = typename Definition::rows;
  using States = KeyLookup<detail::StateKeys<Definition>>;
  using Events = KeyLookup<detail::EventKeys<Definition>>;

  static_assert(Rows::k_size > 0 && Rows::k_size < k_no_row, "a machine has 1 to 65,534 rows");
  static_assert(detail::Listed<Definition>::check());

  static constexpr std::size_t k_rows = Rows::k_size;
  static constexpr std::size_t k_states = States::k_size;
  static constexpr std::size_t k_events = Events::k_size;
  static constexpr std::size_t k_chains = detail::grid<Definition>.is_closed.size();
  /// All states and events in ascending order; a position here is an index below.
  static constexpr auto& states = detail::StateKeys<Definition>::keys;
  static constexpr auto& events = detail::EventKeys<Definition>::keys;
  static constexpr std::size_t k_initial = States::index(Definition::initial);

  /// k_states for a value that is no state of this machine. O(1).
  [[nodiscard]] static constexpr std::size_t state_index(State state) noexcept { return States::index(state); }
  /// k_events for a value that no row names. O(1), without a branch that events could mispredict.
  [[nodiscard]] static constexpr std::size_t event_index(Event event) noexcept { return Events::index(event); }
  /// The same for whoever jumps by it at once: few events with gaps between them are compared one by one, which the
  /// compiler joins with the jump. Looking ahead (drain), the branches of it would be mispredicted twice.
  [[nodiscard]] static constexpr std::size_t event_index_to_jump(Event event) noexcept {
    if constexpr (k_are_events_compared)
      return compared_index(event, std::make_index_sequence<k_events>{});
    else
      return Events::index(event);
  }
  static constexpr bool k_are_events_compared = k_events <= 8 && Events::plan().strategy != Strategy::consecutive;

  /// Which chain of rows a state and an event try; `state` <= k_states, `event` <= k_events. One load.
  [[nodiscard]] static constexpr std::size_t chain(std::size_t state, std::size_t event) noexcept {
    const auto& g = detail::grid<Definition>;
    return g.chain_at[state * g.k_line + event];
  }
  /// The rows of a chain in the order in which they are tried.
  [[nodiscard]] static constexpr std::span<const std::uint16_t> chain_rows(std::size_t chain) noexcept {
    const auto& g = detail::grid<Definition>;
    return std::span<const std::uint16_t>(g.chain_rows)
        .subspan(g.chain_begin[chain], static_cast<std::size_t>(g.chain_begin[chain + 1] - g.chain_begin[chain]));
  }
  /// Whether the chain ends in a row without a guard, so that some row always fires.
  [[nodiscard]] static constexpr bool is_closed(std::size_t chain) noexcept {
    return detail::grid<Definition>.is_closed[chain];
  }
  [[nodiscard]] static constexpr bool is_guarded(std::size_t row) noexcept {
    return detail::rows_read<Definition>.fact[row].is_guarded;
  }
  [[nodiscard]] static constexpr bool keeps_state(std::size_t row) noexcept {
    return detail::rows_read<Definition>.fact[row].keeps_state;
  }
  /// Index of the state that a row leads to; not for rows that keep it.
  [[nodiscard]] static constexpr std::size_t next_index(std::size_t row) noexcept {
    return States::index(static_cast<State>(detail::rows_read<Definition>.fact[row].next));
  }

 private:
  template <std::size_t... Numbers>
  [[gnu::always_inline]] static constexpr std::size_t compared_index(Event event,
                                                                     std::index_sequence<Numbers...>) noexcept {
    std::size_t found = k_events;
    static_cast<void>(((event == events[Numbers] ? (found = Numbers, true) : false) || ...));
    return found;
  }

  struct Reach {
    std::array<bool, k_states> state{};
    std::array<bool, k_rows> row{};  // is the row in any chain at all
  };
  static consteval Reach reach() {
    Reach result;
    std::array<std::size_t, k_states> queue{};
    std::size_t queued = 0;
    const auto enter = [&](std::size_t state) {
      if (!result.state[state]) queue[queued++] = state;
      result.state[state] = true;
    };
    enter(k_initial);
    if constexpr (requires { Definition::entries; })
      for (const State state : Definition::entries) enter(States::index(state));
    for (std::size_t at = 0; at < queued; ++at) {
      for (std::size_t e = 0; e <= k_events; ++e) {
        for (const std::uint16_t row : chain_rows(chain(queue[at], e))) {
          if (keeps_state(row)) continue;
          const std::size_t next = next_index(row);
          if (next == k_states) continue;  // refused by Listed, whose message is the one to read
          enter(next);
        }
      }
    }
    for (const std::uint16_t row : detail::grid<Definition>.chain_rows) result.row[row] = true;
    return result;
  }
  static constexpr Reach k_reach = reach();

  template <std::size_t Size>
  static consteval std::size_t count_false(const std::array<bool, Size>& flags) {
    std::size_t count = 0;
    for (const bool flag : flags) count += flag ? 0U : 1U;
    return count;
  }

  /// Cells of listed states and events for which `is_wanted(chain)`.
  template <class IsWanted>
  static consteval std::size_t count_pairs(IsWanted is_wanted) {
    std::size_t count = 0;
    for (std::size_t s = 0; s < k_states; ++s)
      for (std::size_t e = 0; e < k_events; ++e) count += is_wanted(chain(s, e)) ? 1U : 0U;
    return count;
  }
  template <std::size_t Count, class IsWanted>
  static consteval std::array<Occurrence<State, Event>, Count> list_pairs(IsWanted is_wanted) {
    std::array<Occurrence<State, Event>, Count> result{};
    std::size_t at = 0;
    for (std::size_t s = 0; s < k_states; ++s)
      for (std::size_t e = 0; e < k_events; ++e)
        if (is_wanted(chain(s, e))) result[at++] = {states[s], events[e]};
    return result;
  }
  static constexpr auto k_is_empty = [](std::size_t chain) { return chain == 0; };
  static constexpr auto k_is_open = [](std::size_t chain) { return chain != 0 && !is_closed(chain); };

 public:
  /// States that no sequence of events reaches from `initial` and `entries`, whatever the guards say.
  static constexpr auto unreachable = [] {
    std::array<State, count_false(k_reach.state)> result{};
    std::size_t at = 0;
    for (std::size_t s = 0; s < k_states; ++s)
      if (!k_reach.state[s]) result[at++] = states[s];
    return result;
  }();

  /// Numbers of the rows that can never fire, because earlier rows without a guard take all that they match.
  static constexpr auto shadowed = [] {
    std::array<std::uint16_t, count_false(k_reach.row)> result{};
    std::size_t at = 0;
    for (std::size_t row = 0; row < k_rows; ++row)
      if (!k_reach.row[row]) result[at++] = static_cast<std::uint16_t>(row);
    return result;
  }();

  /// Pairs of listed states and events that no row matches.
  static constexpr auto unhandled = list_pairs<count_pairs(k_is_empty)>(k_is_empty);

  /// Pairs whose rows all have guards: when each says no, nothing happens.
  static constexpr auto guarded_without_else = list_pairs<count_pairs(k_is_open)>(k_is_open);

  /// Whether every value of state and event, listed or not, is answered by a row.
  static constexpr bool is_total = [] {
    for (std::size_t s = 0; s <= k_states; ++s)
      for (std::size_t e = 0; e <= k_events; ++e)
        if (!is_closed(chain(s, e))) return false;
    return true;
  }();

 private:
  static constexpr bool k_totality_is_demanded = [] {
    if constexpr (requires { Definition::is_total; })
      return static_cast<bool>(Definition::is_total);
    else
      return false;
  }();

  static consteval bool check() {
    constexpr detail::RowPair twice = detail::grown<Definition>.duplicate;
    bool is_good = true;
    if constexpr (twice.first != k_no_row) is_good = detail::row_is_unique<Definition, twice.first, twice.second>();
    if constexpr (k_totality_is_demanded && !is_total) {
      constexpr std::size_t at = [] {
        std::size_t cell = 0;
        while (is_closed(chain(cell / (k_events + 1), cell % (k_events + 1)))) ++cell;
        return cell;
      }();
      constexpr std::size_t s = at / (k_events + 1);
      constexpr std::size_t e = at % (k_events + 1);
      if constexpr (s < k_states && e < k_events)
        is_good = detail::pair_is_handled<Definition, states[s], events[e]>();
      else if constexpr (s < k_states)
        is_good = detail::pair_is_handled<Definition, states[s], match_all>();
      else
        is_good = detail::pair_is_handled<Definition, match_all, match_all>();
    }
    return is_good;
  }
  static_assert(check());
};

}  // namespace dojima::fsm
