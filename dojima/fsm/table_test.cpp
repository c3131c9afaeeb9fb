#include "dojima/fsm/table.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <type_traits>

#include "dojima/fsm/engines/generated_machine_test.hpp"
#include "dojima/fsm/market_test.hpp"

namespace dojima::fsm {
namespace {

using test::Market;
using test::MarketEvent;
using test::MarketState;

bool yes() {
  return true;
}
bool maybe() {
  return true;
}

TEST(Table, proves_that_a_whole_machine_has_no_gaps) {
  using Machine = Table<Market>;
  static_assert(Machine::unreachable.empty());
  static_assert(Machine::shadowed.empty());
  static_assert(Machine::unhandled.empty());
  static_assert(Machine::guarded_without_else.empty());
  static_assert(Machine::is_total);
  static_assert(Machine::k_states == 3 && Machine::k_events == 4 && Machine::k_rows == 6);
}

struct Gappy {
  using State = MarketState;
  using Event = MarketEvent;
  static constexpr State initial = State::closed;
  static constexpr std::array states{State::closed, State::open, State::halted};
  static constexpr std::array events{Event::start, Event::stop, Event::halt};
  using rows =
      Rows<Row<State::closed, Event::start, State::open, no_action, &yes>, Row<State::open, match_all, State::closed>,
           Row<State::open, Event::stop, State::closed>, Row<State::halted, Event::start, State::closed>>;
};

/// The owner may find the market halted.
struct GappyWithEntry : Gappy {
  static constexpr std::array entries{MarketState::halted};
};
static_assert(Table<GappyWithEntry>::unreachable.empty());

TEST(Table, lists_what_is_missing_as_constants) {
  using Machine = Table<Gappy>;
  static_assert(Machine::unreachable == std::array{MarketState::halted});
  static_assert(Machine::shadowed == std::array<std::uint16_t, 1>{2});
  static_assert(Machine::guarded_without_else ==
                std::array<Occurrence<MarketState, MarketEvent>, 1>{{{MarketState::closed, MarketEvent::start}}});
  static_assert(Machine::unhandled ==
                std::array<Occurrence<MarketState, MarketEvent>, 4>{{{MarketState::closed, MarketEvent::stop},
                                                                     {MarketState::closed, MarketEvent::halt},
                                                                     {MarketState::halted, MarketEvent::stop},
                                                                     {MarketState::halted, MarketEvent::halt}}});
  static_assert(!Machine::is_total);
}

template <std::uint8_t... Codes>
struct Coded {
  using State = MarketState;
  using Event = std::uint8_t;
  static constexpr State initial = State::closed;
  using rows = Rows<Row<State::closed, Codes, State::closed>...>;
};

TEST(Table, finds_every_event_and_no_other_whether_it_compares_them_or_looks_them_up) {
  using Few = Table<Coded<'0', '3', '5', '8', '9', 'B', 'j', 'q'>>;
  using Many = Table<Coded<'0', '3', '5', '8', '9', 'B', 'j', 'q', 'r'>>;
  using InARow = Table<Coded<7, 8, 9>>;
  static_assert(Few::k_are_events_compared && !Many::k_are_events_compared && !InARow::k_are_events_compared);
  const auto check = []<class Machine>(std::type_identity<Machine>) {
    for (unsigned code = 0; code < 256; ++code) {
      const auto found = std::ranges::find(Machine::events, code);
      EXPECT_EQ(Machine::event_index(static_cast<std::uint8_t>(code)), found - Machine::events.begin()) << code;
      EXPECT_EQ(Machine::event_index_to_jump(static_cast<std::uint8_t>(code)), found - Machine::events.begin()) << code;
    }
  };
  check(std::type_identity<Few>{});
  check(std::type_identity<Many>{});
  check(std::type_identity<InARow>{});
}

struct Guards {
  using State = MarketState;
  using Event = MarketEvent;
  static constexpr State initial = State::closed;
  using rows = Rows<Row<State::closed, Event::start, State::open, no_action, &yes>,
                    Row<match_all, Event::start, State::closed, no_action, &maybe>,
                    Row<State::closed, match_all, keep_state>, Row<match_all, Event::start, State::halted>,
                    Row<State::open, Event::stop, State::halted>, Row<State::halted, Event::stop, State::open>>;
};

TEST(Table, tries_the_rows_of_a_cell_in_their_order_up_to_the_first_without_a_guard) {
  using Machine = Table<Guards>;
  const auto rows = [](MarketState state, MarketEvent event) {
    const auto chain = Machine::chain_rows(Machine::chain(Machine::state_index(state), Machine::event_index(event)));
    return std::vector<std::uint16_t>(chain.begin(), chain.end());
  };
  using List = std::vector<std::uint16_t>;
  EXPECT_EQ(rows(MarketState::closed, MarketEvent::start), (List{0, 1, 2}));
  EXPECT_EQ(rows(MarketState::closed, MarketEvent::stop), (List{2}));
  EXPECT_EQ(rows(MarketState::closed, MarketEvent::resume), (List{2})) << "an event that no row names";
  EXPECT_EQ(rows(MarketState::open, MarketEvent::start), (List{1, 3}));
  EXPECT_EQ(rows(MarketState::open, MarketEvent::resume), (List{}));
  EXPECT_EQ(rows(MarketState{200}, MarketEvent::start), (List{1, 3})) << "a state that the machine does not have";
}

TEST(Table, gives_cells_with_the_same_rows_the_same_chain) {
  using Machine = Table<Market>;
  // No row, guarded start, plain start, halt, stop, resume, anything else; start when closed is the guarded one.
  EXPECT_EQ(Machine::k_chains, 6U);
  EXPECT_EQ(Machine::chain(0, 2), Machine::chain(1, 2));
  EXPECT_EQ(Machine::chain(1, 0), Machine::chain(3, 4));
}

TEST(Table, takes_sparse_states_and_events_through_a_hash) {
  using Machine = Table<test::Generated<3, 20, 30, 100, 1'000'003, 7'919>>;
  EXPECT_NE(Machine::States::plan().strategy, Strategy::consecutive);
  EXPECT_EQ(Machine::k_states, 20U);
  for (std::size_t s = 0; s < Machine::k_states; ++s) EXPECT_EQ(Machine::state_index(Machine::states[s]), s);
  EXPECT_EQ(Machine::state_index(1), Machine::k_states);
}

TEST(Table, agrees_with_a_plain_reading_of_the_rows_for_a_large_generated_machine) {
  // The grid is made in one pass over covered cells; here each cell is looked at on its own.
  using Machine = Table<test::Generated<7, 24, 40, 120>>;
  const auto& cells = detail::rows_read<Machine::Definition>.cell;
  for (std::size_t s = 0; s <= Machine::k_states; ++s) {
    for (std::size_t e = 0; e <= Machine::k_events; ++e) {
      std::vector<std::uint16_t> expected;
      for (const detail::Cell& cell : cells) {
        const bool is_start = cell.is_any_start || (s < Machine::k_states && cell.start == Machine::states[s]);
        const bool is_event = cell.is_any_event || (e < Machine::k_events && cell.event == Machine::events[e]);
        if (!is_start || !is_event) continue;
        expected.push_back(cell.row);
        if (!Machine::is_guarded(cell.row)) break;
      }
      const auto chain = Machine::chain_rows(Machine::chain(s, e));
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), chain.begin(), chain.end())) << s << ", " << e;
      ASSERT_EQ(Machine::is_closed(Machine::chain(s, e)), !expected.empty() && !Machine::is_guarded(expected.back()));
    }
  }
}

}  // namespace
}  // namespace dojima::fsm
