#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/engines/generated_machine_test.hpp"

namespace dojima::fsm {
namespace {

TEST(Engines, agree_where_states_and_events_are_sparse) {
  EXPECT_EQ((disagreement<test::Generated<4, 9, 12, 30, 1'000'003, 7'919>>()), "");
}

}  // namespace
}  // namespace dojima::fsm
