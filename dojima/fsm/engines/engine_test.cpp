#include "dojima/fsm/engines/engine.hpp"

#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/engines/generated_machine_test.hpp"
#include "dojima/fsm/market_test.hpp"

namespace dojima::fsm {
namespace {

TEST(Engines, agree_in_every_cell_and_guard_outcome_of_the_door) {
  std::size_t cases = 0;
  EXPECT_EQ(disagreement<test::Market>(&cases), "");
  EXPECT_GT(cases, 4U * 5U);
}

TEST(Engines, agree_on_generated_machines) {
  EXPECT_EQ((disagreement<test::Generated<1, 1, 2, 2>>()), "");
  EXPECT_EQ((disagreement<test::Generated<2, 7, 2, 14>>()), "");
  EXPECT_EQ((disagreement<test::Generated<3, 10, 5, 40>>()), "");
}

/// One row taken away from the market: the comparison has to notice.
struct WrongRow {
  template <class Table>
  struct Engine : NestedSwitch<Table> {
    template <class Call>
    static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
      return NestedSwitch<Table>::step(state, event == 1 ? 3 : event, call);
    }
  };
};

TEST(Engines, are_found_out_when_one_of_them_is_wrong) {
  using Machine = Table<test::Market>;
  const auto right = detail::trace_step<RowByRow, Machine>(1, 1, {});
  const auto wrong = detail::trace_step<WrongRow::Engine, Machine>(1, 1, {});
  EXPECT_NE(right, wrong);
}

}  // namespace
}  // namespace dojima::fsm
