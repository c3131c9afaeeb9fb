#pragma once

// The engine that never returns between two events of a batch: each chain's function ends in a call of the next
// event's, which the compiler turns into a jump. clang guarantees the jump (musttail). g++ 12 makes it when it
// optimises, but gives no guarantee; there a run ends after 64 events, so that the stack is bounded whatever the
// compiler does. A single step is the same as FunctionTable's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/fsm/engines/engine.hpp"

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::musttail)
#define DOJIMA_FSM_MUSTTAIL [[clang::musttail]]
#endif
#endif

namespace dojima::fsm {

template <class Table>
struct TailCalls {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    return FunctionTable<Table>::step(state, event, call);
  }

  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    while (!feed.is_done()) {
      const std::size_t event = feed.event(0);
      k_functions<Feed>[Table::chain(state, event)](&state, &feed, feed.event(1), k_run);
    }
  }

 private:
  static constexpr std::size_t k_run = 64;

  template <class Feed>
  using Function = void (*)(std::uint16_t*, Feed*, std::size_t, std::size_t);

  /// `upcoming`: the event after the one in hand, already looked up.
  template <std::size_t Chain, class Feed>
  static void run(std::uint16_t* state, Feed* feed, std::size_t upcoming, std::size_t left) {
    feed->next(detail::run_chain<Table, Chain>(*state, *feed));
    if (feed->is_done()) return;
    const std::size_t after = feed->event(1);
#if defined(DOJIMA_FSM_MUSTTAIL)
    DOJIMA_FSM_MUSTTAIL return k_functions<Feed>[Table::chain(*state, upcoming)](state, feed, after, left);
#else
    if (left == 0) return;
    return k_functions<Feed>[Table::chain(*state, upcoming)](state, feed, after, left - 1);
#endif
  }

  template <class Feed>
  static constexpr auto k_functions = []<std::size_t... Chains>(std::index_sequence<Chains...>) {
    return std::array<Function<Feed>, sizeof...(Chains)>{&run<Chains, Feed>...};
  }(std::make_index_sequence<Table::k_chains>{});
};

}  // namespace dojima::fsm

#undef DOJIMA_FSM_MUSTTAIL
