#pragma once

// Actions and guards that have a function for each message they may get, chosen by overload resolution: one row of a
// table can then answer many messages.
//
//   struct Enter {                                            // no members: the table holds types only
//     void process(Book&, const NewOrder&) const;
//     void process(Book&, const Replace&, const auto& occurrence) const;
//   };
//   fsm::Row<Order::any, fsm::match_all, fsm::keep_state, fsm::processed_by<Enter>>
//
// or of functions that are there already, the first that takes the message:
//
//   fsm::Row<Order::any, fsm::match_all, fsm::keep_state, fsm::first_of<&Book::on_new, &Book::on_replace>>
//
// A message that no function takes does not compile, and the compiler's line says so.

#include <type_traits>

namespace dojima::fsm {

namespace detail {

template <auto Function, class Context, class... Arguments>
concept CallableWith = requires(Context& context, Arguments&... arguments) {
  requires std::is_member_function_pointer_v<std::remove_cv_t<decltype(Function)>>;
  (context.*Function)(arguments...);
} || requires(Context& context, Arguments&... arguments) {
  requires !std::is_member_function_pointer_v<std::remove_cv_t<decltype(Function)>>;
  Function(context, arguments...);
};

}  // namespace detail

/// Calls `Handler::process(context, ...)`, whichever overload fits. A structural type without members.
template <class Handler>
struct ProcessedBy {
  static_assert(std::is_empty_v<Handler>, "a handler of a table has no members: the context is what it works on");
  using handler_set = Handler;

  template <class Context, class... Arguments>
    requires requires(const Handler& handler, Context& context, Arguments&... arguments) {
      handler.process(context, arguments...);
    }
  constexpr decltype(auto) operator()(Context& context, Arguments&... arguments) const {
    return Handler{}.process(context, arguments...);
  }
};
template <class Handler>
inline constexpr ProcessedBy<Handler> processed_by{};

/// Calls the first of these functions that takes the arguments.
template <auto... Functions>
struct FirstOf {
  using handler_set = FirstOf;

  template <class Context, class... Arguments>
    requires(detail::CallableWith<Functions, Context, Arguments...> || ...)
  constexpr decltype(auto) operator()(Context& context, Arguments&... arguments) const {
    return call<Functions...>(context, arguments...);
  }

 private:
  template <auto Function, auto... Others, class Context, class... Arguments>
  static constexpr decltype(auto) call(Context& context, Arguments&... arguments) {
    if constexpr (!detail::CallableWith<Function, Context, Arguments...>) {
      return call<Others...>(context, arguments...);
    } else if constexpr (std::is_member_function_pointer_v<std::remove_cv_t<decltype(Function)>>) {
      return (context.*Function)(arguments...);
    } else {
      return Function(context, arguments...);
    }
  }
};
template <auto... Functions>
inline constexpr FirstOf<Functions...> first_of{};

}  // namespace dojima::fsm
