// The transition tables of both sessions: every engine in every cell and guard outcome, and what the tables prove.

#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/row_coverage_test.hpp"
#include "dojima/mit/client_session_machine.hpp"
#include "dojima/mit/server_session_machine.hpp"

namespace dojima::mit {
namespace {

const auto* const coverage =
    testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<ClientSession::Machine, ServerSession::Machine>);

template <class Machine>
void expect_no_gaps() {
  using Table = fsm::Table<Machine>;
  static_assert(Table::unreachable.empty());
  static_assert(Table::shadowed.empty());
  static_assert(Table::unhandled.empty());
  static_assert(Table::guarded_without_else.empty());
  static_assert(Table::is_total);
}

TEST(SessionMachines, have_no_dead_rows_no_lost_states_and_an_answer_to_everything) {
  expect_no_gaps<ClientSession::Machine>();
  expect_no_gaps<ServerSession::Machine>();
}

TEST(ClientSessionMachine, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<ClientSession::Machine>(&cases), "");
  EXPECT_GT(cases, 100U);
}

TEST(ServerSessionMachine, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<ServerSession::Machine>(&cases), "");
  EXPECT_GT(cases, 120U);
}

}  // namespace
}  // namespace dojima::mit
