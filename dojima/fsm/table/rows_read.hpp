#pragma once

// The rows of a machine's definition as arrays, and the states and events that they name. For table.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/row.hpp"

namespace dojima::fsm {

/// No row fired.
inline constexpr std::uint16_t k_no_row = 0xffff;

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

}  // namespace detail
}  // namespace dojima::fsm
