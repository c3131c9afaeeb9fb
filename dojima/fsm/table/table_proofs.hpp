#pragma once

// What a table proves about itself from its grid alone, whatever its guards say. For table.hpp.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/row.hpp"
#include "dojima/fsm/table/chain_grid.hpp"
#include "dojima/fsm/table/row_checks.hpp"
#include "dojima/fsm/table/rows_read.hpp"

namespace dojima::fsm {

/// A state and an event, as the proofs list them.
template <class State, class Event>
struct Occurrence {
  State state;
  Event event;

  friend constexpr bool operator==(const Occurrence&, const Occurrence&) = default;
};

namespace detail {

template <class Definition>
class TableProofs {
  using State = typename Definition::State;
  using Event = typename Definition::Event;
  using States = KeyLookup<StateKeys<Definition>>;
  using Events = KeyLookup<EventKeys<Definition>>;
  static constexpr std::size_t k_rows = k_row_count<Definition>;
  static constexpr std::size_t k_states = States::k_size;
  static constexpr std::size_t k_events = Events::k_size;
  static constexpr auto& states = StateKeys<Definition>::keys;
  static constexpr auto& events = EventKeys<Definition>::keys;

  [[nodiscard]] static constexpr bool is_chain_closed(std::size_t chain) { return grid<Definition>.is_closed[chain]; }

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
    enter(States::index(Definition::initial));
    if constexpr (requires { Definition::entries; })
      for (const State state : Definition::entries) enter(States::index(state));
    for (std::size_t at = 0; at < queued; ++at) {
      for (std::size_t e = 0; e <= k_events; ++e) {
        for (const std::uint16_t row : rows_of_chain<Definition>(chain_of<Definition>(queue[at], e))) {
          if (rows_read<Definition>.fact[row].keeps_state) continue;
          const std::size_t next = index_of_code<States>(rows_read<Definition>.fact[row].next);
          if (next == k_states) continue;  // refused by Listed, whose message is the one to read
          enter(next);
        }
      }
    }
    for (const std::uint16_t row : grid<Definition>.chain_rows) result.row[row] = true;
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
      for (std::size_t e = 0; e < k_events; ++e) count += is_wanted(chain_of<Definition>(s, e)) ? 1U : 0U;
    return count;
  }
  template <std::size_t Count, class IsWanted>
  static consteval std::array<Occurrence<State, Event>, Count> list_pairs(IsWanted is_wanted) {
    std::array<Occurrence<State, Event>, Count> result{};
    std::size_t at = 0;
    for (std::size_t s = 0; s < k_states; ++s)
      for (std::size_t e = 0; e < k_events; ++e)
        if (is_wanted(chain_of<Definition>(s, e))) result[at++] = {states[s], events[e]};
    return result;
  }
  static constexpr auto k_is_empty = [](std::size_t chain) { return chain == 0; };
  static constexpr auto k_is_open = [](std::size_t chain) { return chain != 0 && !is_chain_closed(chain); };

  static constexpr bool k_totality_is_demanded = [] {
    if constexpr (requires { Definition::is_total; })
      return static_cast<bool>(Definition::is_total);
    else
      return false;
  }();

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
        if (!is_chain_closed(chain_of<Definition>(s, e))) return false;
    return true;
  }();

  /// A row that comes twice, or with Definition::is_total a value that no row answers, does not compile.
  static consteval bool check() {
    constexpr RowPair twice = grown<Definition>.duplicate;
    bool is_good = true;
    if constexpr (twice.first != k_no_row) is_good = row_is_unique<Definition, twice.first, twice.second>();
    if constexpr (k_totality_is_demanded && !is_total) {
      constexpr std::size_t at = [] {
        std::size_t cell = 0;
        while (is_chain_closed(chain_of<Definition>(cell / (k_events + 1), cell % (k_events + 1)))) ++cell;
        return cell;
      }();
      constexpr std::size_t s = at / (k_events + 1);
      constexpr std::size_t e = at % (k_events + 1);
      if constexpr (s < k_states && e < k_events)
        is_good = pair_is_handled<Definition, states[s], events[e]>();
      else if constexpr (s < k_states)
        is_good = pair_is_handled<Definition, states[s], match_all>();
      else
        is_good = pair_is_handled<Definition, match_all, match_all>();
    }
    return is_good;
  }
};

}  // namespace detail
}  // namespace dojima::fsm
