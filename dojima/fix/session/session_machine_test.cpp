// The transition table of the session: every engine in every cell and guard outcome, and what the table proves.

#include "dojima/fix/session_machine.hpp"

#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/row_coverage_test.hpp"

namespace dojima::fix {
namespace {

using Table = fsm::Table<Session::Machine>;

const auto* const coverage = ::testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<Session::Machine>);

TEST(SessionMachine, has_no_dead_rows_no_lost_states_and_an_answer_to_everything) {
  static_assert(Table::unreachable.empty());
  static_assert(Table::shadowed.empty());
  static_assert(Table::unhandled.empty());
  static_assert(Table::guarded_without_else.empty());
  static_assert(Table::is_total);
}

TEST(SessionMachine, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<Session::Machine>(&cases), "");
  EXPECT_GT(cases, 200U);
}

TEST(SessionMachine, takes_every_message_type_that_is_not_its_own_for_one_of_the_application) {
  for (std::uint32_t code = 0; code <= 0xffff; ++code) {
    const bool is_own = is_admin(static_cast<MsgType>(code));
    const std::size_t index = Table::event_index(static_cast<Session::Machine::Event>(code));
    ASSERT_EQ(index != Table::k_events, is_own) << code;
  }
  for (std::uint32_t code = 0x10000; code < k_msg_type_end - 65'521; code += 65'521) {
    ASSERT_EQ(Table::event_index(static_cast<Session::Machine::Event>(code)), Table::k_events) << code;
  }
}

}  // namespace
}  // namespace dojima::fix
