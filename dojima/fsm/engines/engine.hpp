#pragma once

// Ways to get from (state, event) to the rows to try, over one table. Every engine has the same two functions and the
// same answers (engine_test.cpp holds them against each other); they differ in what the processor sees.
//
//   static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call);
//       fires at most one row: sets the state, then performs the row's action; gives the row, or k_no_row
//   static void drain(std::uint16_t& state, Feed& feed);
//       all of a feed, for engines that go from one event to the next without returning
//
// `state` and `event` are indexes of the table; the ones past the end mean unknown values. A Call answers for one
// event: `permits<Row>()` asks the row's guard, `perform<Row>()` runs its action. A Feed is a Call that also has
// `bool is_done()`, `std::size_t event(std::size_t ahead)` (0: the event in hand; 1: the one after it, any index where
// there is none) and `void next(std::uint16_t row)`.
//
// drain() looks the next event up before it jumps to the code of the one in hand. A mispredicted jump costs the time
// until it is found out, and that begins with the look-up: done beforehand, it is not waited for.
//
// DefaultEngine is what Machine uses unless another is chosen; docs/fsm.md has the measurements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "dojima/fsm/table.hpp"

namespace dojima::fsm {

namespace detail {

/// Tries the rows [At, End) of the chains' list. The whole of it is inlined where it is used.
template <class Table, std::size_t At, std::size_t End, class Call>
[[gnu::always_inline]] inline std::uint16_t run_rows(std::uint16_t& state, Call& call) {
  if constexpr (At == End) {
    return k_no_row;
  } else {
    constexpr std::uint16_t row = grid<typename Table::Definition>.chain_rows[At];
    if constexpr (Table::is_guarded(row)) {
      if (!call.template permits<row>()) return run_rows<Table, At + 1, End>(state, call);
    }
    if constexpr (!Table::keeps_state(row)) state = static_cast<std::uint16_t>(Table::next_index(row));
    call.template perform<row>();
    return row;
  }
}

template <class Table, std::size_t Chain, class Call>
[[gnu::always_inline]] inline std::uint16_t run_chain(std::uint16_t& state, Call& call) {
  constexpr auto& g = grid<typename Table::Definition>;
  return run_rows<Table, g.chain_begin[Chain], g.chain_begin[Chain + 1]>(state, call);
}

// A switch over 0 .. Count-1 whose cases are template arguments, 256 at a time: each further switch is a branch that
// random values mispredict. Cases that are not needed vanish.
// clang-format off
#define DOJIMA_FSM_CASE(n)                                                                      \
  case (n):                                                                                     \
    if constexpr (Base + (n) < Count) return Visitor::template visit<Base + (n)>(arguments...); \
    break;
#define DOJIMA_FSM_CASES_8(n)                                                                     \
  DOJIMA_FSM_CASE((n)) DOJIMA_FSM_CASE((n) + 1) DOJIMA_FSM_CASE((n) + 2) DOJIMA_FSM_CASE((n) + 3) \
  DOJIMA_FSM_CASE((n) + 4) DOJIMA_FSM_CASE((n) + 5) DOJIMA_FSM_CASE((n) + 6) DOJIMA_FSM_CASE((n) + 7)
#define DOJIMA_FSM_CASES_64(n)                                          \
  DOJIMA_FSM_CASES_8((n)) DOJIMA_FSM_CASES_8((n) + 8)                   \
  DOJIMA_FSM_CASES_8((n) + 16) DOJIMA_FSM_CASES_8((n) + 24)             \
  DOJIMA_FSM_CASES_8((n) + 32) DOJIMA_FSM_CASES_8((n) + 40)             \
  DOJIMA_FSM_CASES_8((n) + 48) DOJIMA_FSM_CASES_8((n) + 56)
// clang-format on

template <class Visitor, std::size_t Count, std::size_t Base = 0, class... Arguments>
[[gnu::always_inline]] inline std::uint16_t switch_over(std::size_t value, Arguments&... arguments) {
  if constexpr (Count == 1) {
    return Visitor::template visit<0>(arguments...);
  } else if constexpr (Count - Base <= 8) {
    switch (value - Base) {
      DOJIMA_FSM_CASES_8(0)
      default:
        break;
    }
    __builtin_unreachable();
  } else if constexpr (Count - Base <= 64) {
    switch (value - Base) {
      DOJIMA_FSM_CASES_64(0)
      default:
        break;
    }
    __builtin_unreachable();
  } else {
    switch (value - Base) {
      DOJIMA_FSM_CASES_64(0)
      DOJIMA_FSM_CASES_64(64)
      DOJIMA_FSM_CASES_64(128)
      DOJIMA_FSM_CASES_64(192)
      default:
        if constexpr (Count - Base > 256) return switch_over<Visitor, Count, Base + 256>(value, arguments...);
        break;
    }
    __builtin_unreachable();
  }
}

#undef DOJIMA_FSM_CASES_64
#undef DOJIMA_FSM_CASES_8
#undef DOJIMA_FSM_CASE

/// The chain that all events of a state share, or k_no_row when they differ.
template <class Table>
consteval std::size_t common_chain(std::size_t state) {
  for (std::size_t e = 1; e <= Table::k_events; ++e)
    if (Table::chain(state, e) != Table::chain(state, 0)) return k_no_row;
  return Table::chain(state, 0);
}

/// Whether every event means the same in all states, unknown ones included: a table of handlers.
template <class Table>
consteval bool are_states_alike() {
  for (std::size_t s = 1; s <= Table::k_states; ++s)
    for (std::size_t e = 0; e <= Table::k_events; ++e)
      if (Table::chain(s, e) != Table::chain(0, e)) return false;
  return true;
}

/// The events of a state.
template <class Table, std::size_t State>
struct EventVisitor {
  template <std::size_t Event, class Call>
  [[gnu::always_inline]] static std::uint16_t visit(std::uint16_t& state, Call& call) {
    return run_chain<Table, Table::chain(State, Event)>(state, call);
  }
};

template <class Table>
struct StateVisitor {
  template <std::size_t State, class Call>
  [[gnu::always_inline]] static std::uint16_t visit(std::uint16_t& state, const std::size_t& event, Call& call) {
    constexpr std::size_t common = common_chain<Table>(State);
    if constexpr (common != k_no_row)
      return run_chain<Table, common>(state, call);
    else
      return switch_over<EventVisitor<Table, State>, Table::k_events + 1>(event, state, call);
  }
};

template <class Table>
struct ChainVisitor {
  template <std::size_t Chain, class Call>
  [[gnu::always_inline]] static std::uint16_t visit(std::uint16_t& state, Call& call) {
    return run_chain<Table, Chain>(state, call);
  }
};

template <class Table>
struct CellVisitor {
  template <std::size_t Cell, class Call>
  [[gnu::always_inline]] static std::uint16_t visit(std::uint16_t& state, Call& call) {
    constexpr std::size_t line = Table::k_events + 1;
    return run_chain<Table, Table::chain(Cell / line, Cell % line)>(state, call);
  }
};

/// Whether nearly every cell has rows of its own, so that code by cell is hardly more than code by chain.
template <class Table>
inline constexpr bool k_is_by_cell =
    (Table::k_states + 1) * (Table::k_events + 1) <= std::min<std::size_t>(2 * Table::k_chains, 256);

/// One event, known to the compiler: the states only.
template <class Table, std::size_t Event>
struct KnownEventVisitor {
  template <std::size_t State, class Call>
  [[gnu::always_inline]] static std::uint16_t visit(std::uint16_t& state, Call& call) {
    return run_chain<Table, Table::chain(State, Event)>(state, call);
  }
};

/// The plain loop, for engines that have nothing better.
template <class Engine, class Feed>
void drain_one_by_one(std::uint16_t& state, Feed& feed) {
  if (feed.is_done()) return;
  for (std::size_t event = feed.event(0); !feed.is_done();) {
    const std::size_t upcoming = feed.event(1);
    feed.next(Engine::step(state, event, feed));
    event = upcoming;
  }
}

}  // namespace detail

/// A switch over the state, in each case a switch over the event, the actions inlined: what one would write by hand.
template <class Table>
struct NestedSwitch {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    if constexpr (detail::are_states_alike<Table>())
      return detail::StateVisitor<Table>::template visit<0>(state, event, call);
    else
      return detail::switch_over<detail::StateVisitor<Table>, Table::k_states + 1>(state, state, event, call);
  }
  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    detail::drain_one_by_one<NestedSwitch>(state, feed);
  }
};

/// One switch. Mostly over the chain, which the grid gives: least code where many cells share their rows. Where nearly
/// every cell has its own, over the cell: that saves waiting for the grid.
template <class Table>
struct FlatSwitch {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    if constexpr (detail::k_is_by_cell<Table>) {
      constexpr std::size_t line = Table::k_events + 1;
      return detail::switch_over<detail::CellVisitor<Table>, (Table::k_states + 1) * line>(state * line + event, state,
                                                                                           call);
    } else {
      return detail::switch_over<detail::ChainVisitor<Table>, Table::k_chains>(Table::chain(state, event), state, call);
    }
  }
  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    detail::drain_one_by_one<FlatSwitch>(state, feed);
  }
};

/// Up to here, two jumps that are predicted one by one cost less than one that is found out late.
inline constexpr std::size_t k_nested_cells_max = 32;

/// By measurement: NestedSwitch for small tables and for tables of handlers, otherwise FlatSwitch.
template <class Table>
using DefaultEngine =
    std::conditional_t<Table::k_states * Table::k_events <= k_nested_cells_max || detail::are_states_alike<Table>(),
                       NestedSwitch<Table>, FlatSwitch<Table>>;

/// The grid says which chain, a table says which function.
template <class Table>
struct FunctionTable {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    return k_functions<Call>[Table::chain(state, event)](state, call);
  }
  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    detail::drain_one_by_one<FunctionTable>(state, feed);
  }

 private:
  template <std::size_t Chain, class Call>
  static std::uint16_t run(std::uint16_t& state, Call& call) {
    return detail::run_chain<Table, Chain>(state, call);
  }
  template <class Call>
  using Function = std::uint16_t (*)(std::uint16_t&, Call&);
  template <class Call>
  static constexpr auto k_functions = []<std::size_t... Chains>(std::index_sequence<Chains...>) {
    return std::array<Function<Call>, sizeof...(Chains)>{&run<Chains, Call>...};
  }(std::make_index_sequence<Table::k_chains>{});
};

/// One row after the other, each compared with state and event, as the definition reads: slow, obvious, and made
/// without the grid. The others are tested against it.
template <class Table>
struct RowByRow {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    return try_rows(std::make_index_sequence<Table::k_rows>{}, state, event, call);
  }
  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    detail::drain_one_by_one<RowByRow>(state, feed);
  }

 private:
  template <auto Wanted, class Value, std::size_t Count>
  static bool matches(const std::array<Value, Count>& values, std::size_t index) {
    using Type = std::remove_cv_t<decltype(Wanted)>;
    if constexpr (std::is_same_v<Type, MatchAll>) {
      return true;
    } else if constexpr (detail::IsOneOf<Type>::value) {
      if (index >= Count) return false;
      for (const Value value : Wanted.values)
        if (values[index] == value) return true;
      return false;
    } else {
      return index < Count && values[index] == Wanted;
    }
  }
  template <std::size_t Number, class Call>
  static bool try_row(std::uint16_t& state, std::size_t event, Call& call, std::uint16_t& fired) {
    using OneRow = RowAt<typename Table::Rows, Number>;
    if (!matches<OneRow::start>(Table::states, state) || !matches<OneRow::event>(Table::events, event)) return false;
    if constexpr (OneRow::has_guard) {
      if (!call.template permits<Number>()) return false;
    }
    if constexpr (!OneRow::keeps_state) {
      for (std::uint16_t s = 0; s < Table::k_states; ++s)
        if (Table::states[s] == OneRow::next) state = s;
    }
    call.template perform<Number>();
    fired = Number;
    return true;
  }
  template <std::size_t... Numbers, class Call>
  static std::uint16_t try_rows(std::index_sequence<Numbers...>, std::uint16_t& state, std::size_t event, Call& call) {
    std::uint16_t fired = k_no_row;
    bool is_done = false;
    detail::in_order({(is_done = is_done || try_row<Numbers>(state, event, call, fired), 0)...});
    return fired;
  }
};

/// The chain for one event that the compiler knows; the same answers as any engine gives for it.
template <class Table, std::size_t Event>
struct KnownEvent {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, Call& call) {
    return detail::switch_over<detail::KnownEventVisitor<Table, Event>, Table::k_states + 1>(state, state, call);
  }
};

}  // namespace dojima::fsm
