#pragma once

// The engine of computed gotos: the grid says which chain, a table of labels says where its code is. In drain() every
// chain ends in a jump of its own, so the branch predictor has one place per chain to learn. A language extension of
// g++ and clang; elsewhere, and beyond 128 chains, the same as FlatSwitch.

#include <cstddef>
#include <cstdint>

#include "dojima/fsm/engines/engine.hpp"

namespace dojima::fsm {

#if defined(__GNUC__)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define DOJIMA_FSM_LABELS_8(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
// Labels 0 to 127, counted in octal so that they can be put together from digits.
// clang-format off
#define DOJIMA_FSM_LABELS(m)                                              \
  DOJIMA_FSM_LABELS_8(m, 00) DOJIMA_FSM_LABELS_8(m, 01)                   \
  DOJIMA_FSM_LABELS_8(m, 02) DOJIMA_FSM_LABELS_8(m, 03)                   \
  DOJIMA_FSM_LABELS_8(m, 04) DOJIMA_FSM_LABELS_8(m, 05)                   \
  DOJIMA_FSM_LABELS_8(m, 06) DOJIMA_FSM_LABELS_8(m, 07)                   \
  DOJIMA_FSM_LABELS_8(m, 010) DOJIMA_FSM_LABELS_8(m, 011)                 \
  DOJIMA_FSM_LABELS_8(m, 012) DOJIMA_FSM_LABELS_8(m, 013)                 \
  DOJIMA_FSM_LABELS_8(m, 014) DOJIMA_FSM_LABELS_8(m, 015)                 \
  DOJIMA_FSM_LABELS_8(m, 016) DOJIMA_FSM_LABELS_8(m, 017)
// clang-format on
#define DOJIMA_FSM_ADDRESS(n) &&chain_##n,

template <class Table>
struct ComputedGoto {
  static constexpr std::size_t k_labels = 128;
  static constexpr bool k_is_available = Table::k_chains <= k_labels;

  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    if constexpr (!k_is_available) {
      return FlatSwitch<Table>::step(state, event, call);
    } else {
      static const void* const labels[] = {DOJIMA_FSM_LABELS(DOJIMA_FSM_ADDRESS)};
      goto* labels[Table::chain(state, event)];
#define DOJIMA_FSM_RUN(n) \
  chain_##n : if constexpr ((n) < Table::k_chains) return detail::run_chain<Table, (n)>(state, call);
      DOJIMA_FSM_LABELS(DOJIMA_FSM_RUN)
#undef DOJIMA_FSM_RUN
      __builtin_unreachable();
    }
  }

  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    if constexpr (!k_is_available) {
      detail::drain_one_by_one<ComputedGoto>(state, feed);
    } else {
      static const void* const labels[] = {DOJIMA_FSM_LABELS(DOJIMA_FSM_ADDRESS)};
      if (feed.is_done()) return;
      std::size_t event = feed.event(0);
      std::size_t upcoming = feed.event(1);
      goto* labels[Table::chain(state, event)];
#define DOJIMA_FSM_RUN(n)                                  \
  chain_##n : if constexpr ((n) < Table::k_chains) {       \
    feed.next(detail::run_chain<Table, (n)>(state, feed)); \
    if (feed.is_done()) return;                            \
    event = upcoming;                                      \
    upcoming = feed.event(1);                              \
    goto* labels[Table::chain(state, event)];              \
  }
      DOJIMA_FSM_LABELS(DOJIMA_FSM_RUN)
#undef DOJIMA_FSM_RUN
      __builtin_unreachable();
    }
  }
};

#undef DOJIMA_FSM_ADDRESS
#undef DOJIMA_FSM_LABELS
#undef DOJIMA_FSM_LABELS_8
#pragma GCC diagnostic pop

#else

template <class Table>
struct ComputedGoto : FlatSwitch<Table> {
  static constexpr bool k_is_available = false;
};

#endif

}  // namespace dojima::fsm
