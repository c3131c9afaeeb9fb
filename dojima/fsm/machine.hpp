#pragma once

// A running machine: a state, and an engine over its table. Two ways to use one:
//
//   fsm::Machine<Market, Supervisor> market(supervisor);                   // owns its state
//   const auto result = market.process(MarketEvent::start, Command{12});   // result: from, to, row, is_handled
//
//   // or the state is a plain member of a record:
//   fsm::process<Market>(supervisor.state, MarketEvent::start, supervisor, command);
//
// An action or guard is called with what it can take of, in this order: (context, message, occurrence),
// (context, message), (context, occurrence), (context). `occurrence` is the state and event that came in, unknown
// values included. Where it wants another message type than process() got, `machine_cast(std::type_identity<Wanted>{},
// message)`, found beside the message, makes it; so each row may have a message type of its own. `handler_set.hpp` has
// actions that are sets of overloads, for rows that answer several.
//
// process() costs one look-up of the event (none for an enumeration without gaps) and one jump; nothing allocates. An
// action may feed the same machine again: the state has already changed by then. Not for use from several threads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "dojima/fsm/engines/engine.hpp"
#include "dojima/fsm/handler_set.hpp"
#include "dojima/fsm/row_hits.hpp"
#include "dojima/fsm/table.hpp"

namespace dojima::fsm {

/// For events that bring nothing.
struct NoMessage {};

/// What became of one event.
template <class State>
struct Outcome {
  State from;
  State to;
  std::uint16_t row = k_no_row;

  [[nodiscard]] constexpr bool is_handled() const noexcept { return row != k_no_row; }
};

namespace detail {

/// What a pointer to a function takes after the context.
template <class Function>
struct MessageOf {
  using type = void;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (*)(Context, Message, Rest...)> {
  using type = std::remove_cvref_t<Message>;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (*)(Context, Message, Rest...) noexcept> {
  using type = std::remove_cvref_t<Message>;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (Context::*)(Message, Rest...)> {
  using type = std::remove_cvref_t<Message>;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (Context::*)(Message, Rest...) const> {
  using type = std::remove_cvref_t<Message>;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (Context::*)(Message, Rest...) noexcept> {
  using type = std::remove_cvref_t<Message>;
};
template <class Result, class Context, class Message, class... Rest>
struct MessageOf<Result (Context::*)(Message, Rest...) const noexcept> {
  using type = std::remove_cvref_t<Message>;
};

template <auto Function, class Context, class... Arguments>
concept TakenBy = CallableWith<Function, Context, Arguments...>;

template <auto Function, class Context, class... Arguments>
[[gnu::always_inline]] inline decltype(auto) call_with(Context& context, Arguments&... arguments) {
  if constexpr (std::is_member_function_pointer_v<std::remove_cv_t<decltype(Function)>>)
    return (context.*Function)(arguments...);
  else
    return Function(context, arguments...);
}

template <auto Function, class Context, class Message, class Here>
[[gnu::always_inline]] inline decltype(auto) call(Context& context, const Message& message, const Here& here) {
  using Wanted = typename MessageOf<std::remove_cv_t<decltype(Function)>>::type;
  if constexpr (TakenBy<Function, Context, const Message, const Here>) {
    return call_with<Function>(context, message, here);
  } else if constexpr (TakenBy<Function, Context, const Message>) {
    return call_with<Function>(context, message);
  } else if constexpr (TakenBy<Function, Context, const Here>) {
    return call_with<Function>(context, here);
  } else if constexpr (TakenBy<Function, Context>) {
    return call_with<Function>(context);
  } else if constexpr (requires { machine_cast(std::type_identity<Wanted>{}, message); }) {
    decltype(auto) wanted = machine_cast(std::type_identity<Wanted>{}, message);
    using Given = std::remove_reference_t<decltype(wanted)>;
    if constexpr (TakenBy<Function, Context, Given, const Here>)
      return call_with<Function>(context, wanted, here);
    else
      return call_with<Function>(context, wanted);
  } else if constexpr (requires { typename std::remove_cv_t<decltype(Function)>::handler_set; }) {
    static_assert(TakenBy<Function, Context, const Message>,
                  "this row's handlers have no function for this message: add one that takes (context, message)");
  } else {
    static_assert(TakenBy<Function, Context, const Message>,
                  "an action or guard of this machine takes neither this context and message nor anything that "
                  "machine_cast makes of the message");
  }
}

/// One event with its context and message, as engines ask for it.
template <class Table, class Context, class Message>
struct Call {
  Context& context;
  const Message& message;
  Occurrence<typename Table::State, typename Table::Event> here;

  template <std::size_t Number>
  [[gnu::always_inline]] bool permits() {
    return detail::call<RowAt<typename Table::Rows, Number>::guard>(context, message, here);
  }
  template <std::size_t Number>
  [[gnu::always_inline]] void perform() {
    using OneRow = RowAt<typename Table::Rows, Number>;
    if constexpr (OneRow::has_action) static_cast<void>(detail::call<OneRow::action>(context, message, here));
  }
};

/// For a state that is a member of a record. Engines work on indexes; an action that feeds the machine again must find
/// the record up to date, so it is written between the change of the index and the action.
template <class Table, class Context, class Message>
struct RecordCall : Call<Table, Context, Message> {
  typename Table::State& record;

  template <std::size_t Number>
  [[gnu::always_inline]] void perform() {
    if constexpr (!Table::keeps_state(Number)) record = Table::states[Table::next_index(Number)];
    Call<Table, Context, Message>::template perform<Number>();
  }
};

/// Many events for one machine. The call's message is the one in hand.
template <class Table, class Context, class Item>
struct ItemFeed {
  using State = typename Table::State;
  using Event = typename Table::Event;

  Context& context;
  const std::uint16_t& state;
  const Item* item;
  const Item* end;
  std::uint16_t from;  // the state in which the event in hand came
  std::size_t unhandled = 0;

  [[nodiscard]] bool is_done() const { return item == end; }
  [[nodiscard]] std::size_t event(std::size_t ahead) const {
    return ahead < static_cast<std::size_t>(end - item) ? Table::event_index(item[ahead].event) : 0;
  }
  [[gnu::always_inline]] void next(std::uint16_t row) {
    note_hit<typename Table::Definition>(row);
    unhandled += row == k_no_row ? 1 : 0;
    from = state;
    ++item;
  }
  template <std::size_t Number>
  [[gnu::always_inline]] bool permits() {
    return detail::call<RowAt<typename Table::Rows, Number>::guard>(context, item->message, here());
  }
  template <std::size_t Number>
  [[gnu::always_inline]] void perform() {
    using OneRow = RowAt<typename Table::Rows, Number>;
    if constexpr (OneRow::has_action) static_cast<void>(detail::call<OneRow::action>(context, item->message, here()));
  }

 private:
  [[nodiscard]] Occurrence<State, Event> here() const { return {Table::states[from], item->event}; }
};

}  // namespace detail

/// One event for a state that is a member of a record. A state that the machine does not have is answered by the rows
/// for match_all, and stays unless such a row leads elsewhere.
template <class Definition, template <class> class Engine = DefaultEngine, class Context, class Message = NoMessage>
Outcome<typename Definition::State> process(typename Definition::State& state, typename Definition::Event event,
                                            Context& context, const Message& message = {}) {
  using Machine = Table<Definition>;
  const typename Definition::State from = state;
  auto index = static_cast<std::uint16_t>(Machine::state_index(from));
  detail::RecordCall<Machine, Context, Message> call{{context, message, {from, event}}, state};
  const std::uint16_t row = Engine<Machine>::step(index, Machine::event_index_to_jump(event), call);
  note_hit<Definition>(row);
  return {from, state, row};
}

/// As above for an event that the compiler knows: no look-up, and only the rows of this event need to fit the message.
template <class Definition, auto Event, class Context, class Message = NoMessage>
Outcome<typename Definition::State> process(typename Definition::State& state, Context& context,
                                            const Message& message = {}) {
  using Machine = Table<Definition>;
  constexpr std::size_t event = Machine::event_index(Event);
  const typename Definition::State from = state;
  auto index = static_cast<std::uint16_t>(Machine::state_index(from));
  detail::RecordCall<Machine, Context, Message> call{{context, message, {from, Event}}, state};
  const std::uint16_t row = KnownEvent<Machine, event>::step(index, call);
  note_hit<Definition>(row);
  return {from, state, row};
}

template <class Definition_, class Context, template <class> class Engine = DefaultEngine>
class Machine {
 public:
  using Definition = Definition_;
  using Table = fsm::Table<Definition>;
  using State = typename Table::State;
  using Event = typename Table::Event;

  /// In Definition::initial. The context must outlive the machine.
  explicit Machine(Context& context) noexcept : context_(context) {}

  [[nodiscard]] State state() const noexcept { return Table::states[state_]; }

  /// One event. Throws only what an action throws; the state has changed by then.
  template <class Message = NoMessage>
  Outcome<State> process(Event event, const Message& message = {}) {
    const State from = state();
    detail::Call<Table, Context, Message> call{context_, message, {from, event}};
    const std::uint16_t row = Engine<Table>::step(state_, Table::event_index_to_jump(event), call);
    note_hit<Definition>(row);
    return {from, state(), row};
  }

  /// One event that the compiler knows; only its rows need to fit the message.
  template <auto KnownEventValue, class Message = NoMessage>
  Outcome<State> process(const Message& message = {}) {
    const State from = state();
    detail::Call<Table, Context, Message> call{context_, message, {from, KnownEventValue}};
    const std::uint16_t row = KnownEvent<Table, Table::event_index(KnownEventValue)>::step(state_, call);
    note_hit<Definition>(row);
    return {from, state(), row};
  }

  /// All of `items`, each with an `event` and a `message`, in order; gives how many no row answered. Engines that go
  /// from one event straight to the next do so here. Actions may not feed this machine meanwhile.
  template <class Item>
  std::size_t drain(std::span<const Item> items) {
    detail::ItemFeed<Table, Context, Item> feed{context_, state_, items.data(), items.data() + items.size(), state_};
    Engine<Table>::drain(state_, feed);
    return feed.unhandled;
  }

  /// The state as a number for a journal or snapshot: the code of the enumerator, so rows may come and go.
  [[nodiscard]] std::uint64_t save() const noexcept { return code_of(state()); }
  /// False, and nothing changed: `saved` is no state of this machine.
  [[nodiscard]] bool restore(std::uint64_t saved) noexcept {
    const auto state = static_cast<State>(saved);
    if (code_of(state) != saved) return false;  // too wide for the type
    const std::size_t index = Table::state_index(state);
    if (index == Table::k_states) return false;
    state_ = static_cast<std::uint16_t>(index);
    return true;
  }

 private:
  Context& context_;
  std::uint16_t state_ = static_cast<std::uint16_t>(Table::k_initial);
};

}  // namespace dojima::fsm
