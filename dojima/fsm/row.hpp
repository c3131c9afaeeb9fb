#pragma once

// The words a transition table is written in: Row, Rows, match_all, one_of, keep_state. Types only, no code and no
// memory.
//
//   using rows = fsm::Rows<
//       //       start              event            next               action              guard
//       fsm::Row<Order::pending,    Event::filled,   Order::done,       &Book::on_fill,     &Book::is_full>,
//       fsm::Row<Order::pending,    Event::filled,   fsm::keep_state,   &Book::on_fill>,
//       fsm::Row<fsm::match_all,    Event::reject,   Order::rejected,   &Book::on_reject>,
//       fsm::Row<fsm::match_all,    fsm::match_all,  fsm::keep_state,   &Book::on_unexpected>>;
//
// Rows are tried from the first to the last; a row fires when state and event match and its guard, if it has one, says
// yes. First the state becomes `next`, then the action runs: what the action feeds back into the machine already finds
// the new state.

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace dojima::fsm {

/// Any state, any event; those that no row names included.
struct MatchAll {
  friend constexpr bool operator==(MatchAll, MatchAll) = default;
};
inline constexpr MatchAll match_all{};

/// The state stays as it is.
struct KeepState {};
inline constexpr KeepState keep_state{};

struct NoAction {};
inline constexpr NoAction no_action{};

struct NoGuard {};
inline constexpr NoGuard no_guard{};

/// Several states or events in one row. A structural type, hence the public array.
template <class Value, std::size_t Count>
struct OneOf {
  Value values[Count];
};

template <class Value, class... Values>
[[nodiscard]] consteval OneOf<Value, 1 + sizeof...(Values)> one_of(Value first, Values... rest) {
  static_assert((std::is_same_v<Value, Values> && ...), "one_of takes values of one type");
  return {{first, rest...}};
}

/// One transition. `Action` and `Guard` are pointers to functions, pointers to members of the context, or objects of
/// captureless types; machine.hpp says with which arguments they are called.
template <auto Start, auto Event, auto Next, auto Action = no_action, auto Guard = no_guard>
struct Row {
  static constexpr auto start = Start;
  static constexpr auto event = Event;
  static constexpr auto next = Next;
  static constexpr auto action = Action;
  static constexpr auto guard = Guard;
  static constexpr bool has_action = !std::is_same_v<std::remove_cv_t<decltype(Action)>, NoAction>;
  static constexpr bool has_guard = !std::is_same_v<std::remove_cv_t<decltype(Guard)>, NoGuard>;
  static constexpr bool keeps_state = std::is_same_v<std::remove_cv_t<decltype(Next)>, KeepState>;
};

namespace detail {

// A fold expression nests as deep as it is long, and clang stops at 256: rows and values are walked in braces instead.

/// Whether all are.
[[nodiscard]] consteval bool are_all(std::initializer_list<bool> answers) {
  for (const bool answer : answers)
    if (!answer) return false;
  return true;
}
/// Its arguments, `(action, 0)...` in braces, have been evaluated from the first to the last.
constexpr void in_order(std::initializer_list<int>) noexcept {}

template <std::size_t Number, class OneRow>
struct NumberedRow {
  using type = OneRow;
};

template <class Numbers, class... AllRows>
struct NumberedRows;
template <std::size_t... Numbers, class... AllRows>
struct NumberedRows<std::index_sequence<Numbers...>, AllRows...> : NumberedRow<Numbers, AllRows>... {};

// Overload resolution finds the base with this number, without recursion.
template <std::size_t Number, class OneRow>
NumberedRow<Number, OneRow> numbered_row(const NumberedRow<Number, OneRow>*);

}  // namespace detail

template <class... AllRows>
struct Rows {
  static constexpr std::size_t k_size = sizeof...(AllRows);
  using Numbered = detail::NumberedRows<std::index_sequence_for<AllRows...>, AllRows...>;
};

/// Row `Number` of a Rows.
template <class AllRows, std::size_t Number>
using RowAt =
    typename decltype(detail::numbered_row<Number>(static_cast<const typename AllRows::Numbered*>(nullptr)))::type;

}  // namespace dojima::fsm
