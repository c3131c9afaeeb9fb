#pragma once

// Which rows a table tries for each state and event: a grid of (states + 1) x (events + 1) cells, the last line and
// column being "any other value", and for each cell a chain of rows; equal chains are one. For table.hpp.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/table/row_checks.hpp"
#include "dojima/fsm/table/rows_read.hpp"

namespace dojima::fsm::detail {

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

/// Which chain of rows a state and an event try, by their indices; 0: none. One load.
template <class Definition>
[[nodiscard]] constexpr std::size_t chain_of(std::size_t state, std::size_t event) noexcept {
  const auto& g = grid<Definition>;
  return g.chain_at[state * g.k_line + event];
}
/// The rows of a chain in the order in which they are tried.
template <class Definition>
[[nodiscard]] constexpr std::span<const std::uint16_t> rows_of_chain(std::size_t chain) noexcept {
  const auto& g = grid<Definition>;
  return std::span<const std::uint16_t>(g.chain_rows)
      .subspan(g.chain_begin[chain], static_cast<std::size_t>(g.chain_begin[chain + 1] - g.chain_begin[chain]));
}

}  // namespace dojima::fsm::detail
