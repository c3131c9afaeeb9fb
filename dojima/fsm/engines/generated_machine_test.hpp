#pragma once

// Machines of any size for tests: rows drawn by a fixed hash from their number, guards, match-alls and one_of among
// them.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/fsm/perfect_hash.hpp"
#include "dojima/fsm/row.hpp"

namespace dojima::fsm::test {

struct Notes {
  std::uint64_t sum = 0;
  bool answer = false;
};

template <std::size_t Number>
void note(Notes& notes) {
  notes.sum = notes.sum * 31 + Number;
}
template <std::size_t Number>
bool ask(const Notes& notes) {
  return notes.answer || Number % 5 == 0;
}

[[nodiscard]] constexpr std::uint64_t drawn(std::uint64_t seed, std::uint64_t row, std::uint64_t column) {
  return multiplier(seed * 1'000'003 + row * 101 + column) >> 13U;
}

/// States 0 .. States-1 with codes `StateStride` apart, events likewise; of `Kinds` rows about one is for any state,
/// one for any event and one for several of each.
template <std::uint64_t Seed, std::size_t States, std::size_t Events, std::size_t RowCount,
          std::uint32_t StateStride = 1, std::uint32_t EventStride = 1, std::uint64_t Kinds = 7>
struct Generated {
  using State = std::uint32_t;
  using Event = std::uint32_t;
  static constexpr State initial = 0;

  static constexpr State state(std::uint64_t n) { return static_cast<State>(n % States) * StateStride; }
  static constexpr Event event(std::uint64_t n) { return static_cast<Event>(n % Events) * EventStride; }

  static constexpr auto states = [] {
    std::array<State, States> all{};
    for (std::size_t i = 0; i < States; ++i) all[i] = state(i);
    return all;
  }();

  template <std::size_t Number>
  static consteval auto row() {
    constexpr std::uint64_t kind = drawn(Seed, Number, 0) % Kinds;
    constexpr State start = state(drawn(Seed, Number, 1));
    constexpr Event on = event(drawn(Seed, Number, 2));
    constexpr State next = state(drawn(Seed, Number, 3));
    // A guard of its own for each row, so that no two rows are the same.
    if constexpr (kind == 0)
      return Row<match_all, on, next, &note<Number>, &ask<Number>>{};
    else if constexpr (kind == 1)
      return Row<start, match_all, keep_state, &note<Number>, &ask<Number>>{};
    else if constexpr (kind == 2)
      return Row<one_of(start, state(start / StateStride + 1)), one_of(on, event(on / EventStride + 1)), next,
                 no_action, &ask<Number>>{};
    else
      return Row<start, on, next, &note<Number>, &ask<Number>>{};
  }
  template <std::size_t... Numbers>
  static consteval auto all_rows(std::index_sequence<Numbers...>) {
    return Rows<decltype(row<Numbers>())..., Row<match_all, event(1), keep_state, &note<RowCount>>>{};
  }
  using rows = decltype(all_rows(std::make_index_sequence<RowCount>{}));
};

}  // namespace dojima::fsm::test
