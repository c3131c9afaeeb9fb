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
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/row.hpp"
#include "dojima/fsm/table/chain_grid.hpp"
#include "dojima/fsm/table/row_checks.hpp"
#include "dojima/fsm/table/rows_read.hpp"
#include "dojima/fsm/table/table_proofs.hpp"

namespace dojima::fsm {

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
  /// The same for callers that jump by it at once: few events with gaps between them are compared one by one, which the
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
    return detail::chain_of<Definition>(state, event);
  }
  /// The rows of a chain in the order in which they are tried.
  [[nodiscard]] static constexpr std::span<const std::uint16_t> chain_rows(std::size_t chain) noexcept {
    return detail::rows_of_chain<Definition>(chain);
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

  /// States that no sequence of events reaches from `initial` and `entries`, whatever the guards say.
  static constexpr auto& unreachable = detail::TableProofs<Definition>::unreachable;
  /// Numbers of the rows that can never fire, because earlier rows without a guard take all that they match.
  static constexpr auto& shadowed = detail::TableProofs<Definition>::shadowed;
  /// Pairs of listed states and events that no row matches.
  static constexpr auto& unhandled = detail::TableProofs<Definition>::unhandled;
  /// Pairs whose rows all have guards: when each says no, nothing happens.
  static constexpr auto& guarded_without_else = detail::TableProofs<Definition>::guarded_without_else;
  /// Whether every value of state and event, listed or not, is answered by a row.
  static constexpr bool is_total = detail::TableProofs<Definition>::is_total;
  static_assert(detail::TableProofs<Definition>::check());

 private:
  template <std::size_t... Numbers>
  [[gnu::always_inline]] static constexpr std::size_t compared_index(Event event,
                                                                     std::index_sequence<Numbers...>) noexcept {
    std::size_t found = k_events;
    static_cast<void>(((event == events[Numbers] ? (found = Numbers, true) : false) || ...));
    return found;
  }
};

}  // namespace dojima::fsm
