// The transition table of an order's life: every engine in every cell and guard outcome, and what the table proves.

#include "dojima/venue/order_life_machine.hpp"

#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/row_coverage_test.hpp"

namespace dojima::venue {
namespace {

using Table = fsm::Table<OrderLife>;
using State = OrderLife::State;
using Event = OrderLife::Event;

const auto* const coverage = ::testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<OrderLife>);

TEST(OrderLife, has_no_dead_rows_and_no_lost_states) {
  static_assert(Table::unreachable.empty());
  static_assert(Table::shadowed.empty());
  static_assert(Table::guarded_without_else.empty());
}

TEST(OrderLife, ends_for_good) {
  for (const auto& [state, event] : Table::unhandled) {
    const bool is_over =
        state == State::filled || state == State::cancelled || state == State::expired || state == State::rejected;
    EXPECT_TRUE(is_over || state == State::entering || event == Event::accepted);
  }
  for (const State state : {State::filled, State::cancelled, State::expired, State::rejected})
    for (std::size_t event = 0; event <= Table::k_events; ++event)
      EXPECT_TRUE(Table::chain_rows(Table::chain(Table::state_index(state), event)).empty());
}

TEST(OrderLife, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<OrderLife>(&cases), "");
  EXPECT_GT(cases, 60U);
}

}  // namespace
}  // namespace dojima::venue
