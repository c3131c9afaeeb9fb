// The transition tables of both directions: every engine in every cell and guard outcome, and what the tables prove.

#include <cstring>
#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/row_coverage_test.hpp"
#include "dojima/gateway/client_to_exchange_machine.hpp"
#include "dojima/gateway/exchange_to_client_machine.hpp"

namespace dojima::gateway {
namespace {

using ToExchange = ClientToExchange::Machine;
using ToClient = ExchangeToClient::Machine;

const auto* const coverage = ::testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<ToExchange, ToClient>);

TEST(ClientToExchange, has_no_dead_rows_and_an_answer_to_everything) {
  using Table = fsm::Table<ToExchange>;
  static_assert(Table::shadowed.empty());
  static_assert(Table::unhandled.empty());
  static_assert(Table::guarded_without_else.empty());
  static_assert(Table::is_total);
  static_assert(Table::unreachable.empty());
}

TEST(ClientToExchange, refuses_every_message_type_that_it_does_not_translate) {
  using Table = fsm::Table<ToExchange>;
  for (std::size_t state = 0; state < Table::k_states; ++state) {
    for (std::uint32_t type = 0; type <= 0xffff; ++type) {
      const auto mass_status = static_cast<std::uint32_t>(fix::type::k_order_mass_status_request);
      const auto user = static_cast<std::uint32_t>(fix::type::k_user_request);
      if (type == mass_status || type == user ||
          (type < 128 && std::strchr("DFGHQSZcgjqx", static_cast<int>(type)) != nullptr && type != 0))
        continue;
      const std::size_t event = Table::event_index(static_cast<ToExchange::Event>(type));
      const auto rows = Table::chain_rows(Table::chain(state, event));
      ASSERT_EQ(rows.size(), 1U) << type;
      ASSERT_EQ(rows.front(), Table::k_rows - 1) << type;
    }
  }
}

TEST(ClientToExchange, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<ToExchange>(&cases), "");
  EXPECT_GT(cases, 80U);
}

TEST(ExchangeToClient, has_no_dead_rows_and_no_lost_states) {
  using Table = fsm::Table<ToClient>;
  static_assert(Table::unreachable.empty());
  static_assert(Table::shadowed.empty());
  static_assert(Table::guarded_without_else.empty());
}

TEST(ExchangeToClient, changes_no_order_that_is_closed_but_a_filled_one_whose_trade_is_busted) {
  using Table = fsm::Table<ToClient>;
  std::size_t changes = 0;
  for (std::size_t state = 0; state < Table::k_states; ++state) {
    if (is_open(Table::states[state])) continue;
    for (std::size_t event = 0; event <= Table::k_events; ++event)
      for (const std::uint16_t row : Table::chain_rows(Table::chain(state, event)))
        if (!Table::keeps_state(row)) {
          ++changes;
          EXPECT_EQ(Table::states[state], OrderState::filled);
          EXPECT_EQ(event, Table::event_index(market::OwnerReportKind::trade_cancelled));
        }
  }
  EXPECT_EQ(changes, 1U);
}

TEST(ExchangeToClient, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<ToClient>(&cases), "");
  EXPECT_GT(cases, 100U);
}

}  // namespace
}  // namespace dojima::gateway
