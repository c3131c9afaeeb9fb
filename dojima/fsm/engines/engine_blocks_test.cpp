#include <array>
#include <gtest/gtest.h>
#include <type_traits>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/engines/generated_machine_test.hpp"

namespace dojima::fsm {
namespace {

template <std::size_t States, std::size_t... Numbers>
consteval auto dense_rows(std::index_sequence<Numbers...>) {
  return Rows<Row<std::uint32_t{Numbers / 2}, std::uint32_t{Numbers % 2}, std::uint32_t{(Numbers * 7 + 1) % States},
                  &test::note<Numbers>>...>{};
}

/// A row for every state and event: as many chains as cells.
template <std::size_t States>
struct Dense {
  using State = std::uint32_t;
  using Event = std::uint32_t;
  static constexpr State initial = 0;
  using rows = decltype(dense_rows<States>(std::make_index_sequence<2 * States>{}));
};

TEST(Engines, agree_where_the_switch_is_over_the_cells_and_labels_run_out) {
  using Machine = Table<Dense<66>>;
  static_assert(detail::k_is_by_cell<Machine>);
  static_assert(!ComputedGoto<Machine>::k_is_available);
  EXPECT_EQ(disagreement<Dense<66>>(), "");
}

TEST(Engines, agree_where_a_switch_needs_more_than_one_block) {
  using Machine = Table<Dense<130>>;
  static_assert(Machine::k_chains > 256 && !detail::k_is_by_cell<Machine>);
  EXPECT_EQ(disagreement<Dense<130>>(), "");
}

/// The same in every state.
struct Handlers {
  using State = std::uint8_t;
  using Event = std::uint32_t;
  static constexpr State initial = 0;
  static constexpr std::array<State, 3> states{0, 1, 2};
  using rows =
      Rows<Row<match_all, Event{7}, keep_state, &test::note<0>>, Row<match_all, Event{900}, keep_state, &test::note<1>>,
           Row<match_all, match_all, keep_state, &test::note<2>>>;
};

TEST(Engines, agree_where_all_states_are_alike) {
  static_assert(detail::are_states_alike<Table<Handlers>>());
  static_assert(!detail::are_states_alike<Table<Dense<66>>>());
  EXPECT_EQ(disagreement<Handlers>(), "");
}

TEST(Engines, default_to_one_switch_where_tables_are_large) {
  static_assert(std::is_same_v<DefaultEngine<Table<Dense<16>>>, NestedSwitch<Table<Dense<16>>>>);
  static_assert(std::is_same_v<DefaultEngine<Table<Dense<17>>>, FlatSwitch<Table<Dense<17>>>>);
  static_assert(std::is_same_v<DefaultEngine<Table<Handlers>>, NestedSwitch<Table<Handlers>>>);
}

}  // namespace
}  // namespace dojima::fsm
