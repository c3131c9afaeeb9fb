#include "dojima/fsm/machine.hpp"

#include <gtest/gtest.h>
#include <span>

#include "dojima/fsm/engines/engine_goto.hpp"
#include "dojima/fsm/engines/engine_tail.hpp"
#include "dojima/fsm/engines/engine_tuple.hpp"
#include "dojima/fsm/market_test.hpp"

namespace dojima::fsm {
namespace {

using test::Command;
using test::Market;
using test::MarketEvent;
using test::MarketState;
using test::Supervisor;

TEST(Machine, says_from_where_to_where_and_by_which_row_it_went) {
  Supervisor supervisor;
  Machine<Market, Supervisor> market(supervisor);
  const auto refused = market.process(MarketEvent::start, Command{2});
  EXPECT_EQ(refused.row, 1U);
  EXPECT_EQ(refused.to, MarketState::closed);
  EXPECT_EQ(supervisor.starts, 0);

  const auto granted = market.process(MarketEvent::start, Command{5});
  EXPECT_TRUE(granted.is_handled());
  EXPECT_EQ(granted.row, 0U);
  EXPECT_EQ(granted.from, MarketState::closed);
  EXPECT_EQ(granted.to, MarketState::open);
  EXPECT_EQ(supervisor.starts, 5);
}

TEST(Machine, gives_an_action_the_message_type_that_it_asks_for) {
  Supervisor supervisor;
  Machine<Market, Supervisor> market(supervisor);
  market.process(MarketEvent::halt, Command{4});
  EXPECT_EQ(supervisor.code, 8);
}

TEST(Machine, gives_the_row_for_everything_else_the_state_and_the_event) {
  Supervisor supervisor;
  Machine<Market, Supervisor> market(supervisor);
  market.process(MarketEvent::resume, Command{});
  market.process(static_cast<MarketEvent>(200), Command{});
  ASSERT_EQ(supervisor.unexpected.size(), 2U);
  EXPECT_EQ(supervisor.unexpected[0], (Occurrence<MarketState, MarketEvent>{MarketState::closed, MarketEvent::resume}));
  EXPECT_EQ(supervisor.unexpected[1].event, static_cast<MarketEvent>(200));
}

TEST(Machine, answers_every_value_of_state_and_event_byte_with_a_row) {
  Supervisor supervisor;
  for (unsigned s = 0; s < 256; ++s) {
    for (unsigned e = 0; e < 256; ++e) {
      MarketState state = static_cast<MarketState>(s);
      const auto outcome = process<Market>(state, static_cast<MarketEvent>(e), supervisor, Command{1});
      ASSERT_TRUE(outcome.is_handled());
      if (s > 2 || e > 3) {
        ASSERT_EQ(outcome.row, 5U);
        ASSERT_EQ(code_of(state), s) << "an unknown state stays what it was";
      }
    }
  }
}

TEST(Machine, changes_a_state_that_lies_in_a_record) {
  Supervisor supervisor;
  MarketState state = MarketState::closed;
  const auto outcome = process<Market, FunctionTable>(state, MarketEvent::start, supervisor, Command{9});
  EXPECT_EQ(state, MarketState::open);
  EXPECT_EQ(outcome.from, MarketState::closed);
}

struct Sensor {};  // no message that the market's other rows could take
struct Siren {
  int rings = 0;
  void on_trip(const Sensor&) { ++rings; }
  void on_reset(const Command&) { rings = 0; }
};
struct Alarm {
  using State = MarketState;
  using Event = MarketEvent;
  static constexpr State initial = State::closed;
  using rows = Rows<Row<State::closed, Event::start, State::open, &Siren::on_trip>,
                    Row<State::open, Event::halt, State::closed, &Siren::on_reset>>;
};

TEST(Machine, takes_an_event_known_to_the_compiler_with_a_message_of_its_own) {
  Siren siren;
  Machine<Alarm, Siren> alarm(siren);
  EXPECT_EQ(alarm.process<MarketEvent::start>(Sensor{}).row, 0U);
  EXPECT_EQ(siren.rings, 1);
  EXPECT_FALSE(alarm.process<MarketEvent::start>(Sensor{}).is_handled());
  MarketState state = MarketState::open;
  EXPECT_EQ((process<Alarm, MarketEvent::halt>(state, siren, Command{})).to, MarketState::closed);
  EXPECT_EQ(siren.rings, 0);
}

struct Echo {
  Machine<struct EchoRows, Echo>* machine = nullptr;
  MarketState* record = nullptr;
  std::vector<MarketState> seen{};
  void on_start();
  void on_halt();
};
struct EchoRows {
  using State = MarketState;
  using Event = MarketEvent;
  static constexpr State initial = State::closed;
  static constexpr std::array states{State::closed, State::open, State::halted};
  using rows = Rows<Row<State::closed, Event::start, State::open, &Echo::on_start>,
                    Row<State::open, Event::halt, State::halted, &Echo::on_halt>>;
};
void Echo::on_start() {
  if (machine != nullptr) {
    seen.push_back(machine->state());
    machine->process(MarketEvent::halt);
  } else {
    seen.push_back(*record);
    process<EchoRows>(*record, MarketEvent::halt, *this);
  }
}
void Echo::on_halt() {
  seen.push_back(machine != nullptr ? machine->state() : *record);
}

TEST(Machine, lets_an_action_feed_it_again_from_the_new_state) {
  Echo echo;
  Machine<EchoRows, Echo> machine(echo);
  echo.machine = &machine;
  const auto outcome = machine.process(MarketEvent::start);
  EXPECT_EQ(outcome.from, MarketState::closed);
  EXPECT_EQ(outcome.to, MarketState::halted);
  EXPECT_EQ(echo.seen, (std::vector{MarketState::open, MarketState::halted}));

  MarketState state = MarketState::closed;
  Echo other;
  other.record = &state;
  EXPECT_EQ(process<EchoRows>(state, MarketEvent::start, other).to, MarketState::halted);
  EXPECT_EQ(state, MarketState::halted);
  EXPECT_EQ(other.seen, echo.seen);
}

TEST(Machine, restores_only_states_that_it_has) {
  Supervisor supervisor;
  Machine<Market, Supervisor> market(supervisor);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool is_state = byte <= 2;
    EXPECT_EQ(market.restore(byte), is_state) << byte;
    if (is_state) {
      EXPECT_EQ(market.save(), byte);
    }
  }
  EXPECT_EQ(market.state(), MarketState::halted) << "what was refused changed nothing";
  EXPECT_FALSE(market.restore(256 + 1)) << "a number that the state's type would cut";
}

template <template <class> class Engine>
void expect_drained() {
  struct Item {
    MarketEvent event;
    Command message;
  };
  Supervisor supervisor;
  Machine<Market, Supervisor, Engine> market(supervisor);
  std::vector<Item> items;
  for (int i = 0; i < 1000; ++i)
    items.insert(items.end(), {{MarketEvent::start, {5}}, {MarketEvent::stop, {}}, {MarketEvent::resume, {}}});
  EXPECT_EQ(market.drain(std::span<const Item>(items)), 0U);
  EXPECT_EQ(supervisor.starts, 5000);
  EXPECT_EQ(supervisor.unexpected.size(), 1000U);
  EXPECT_EQ(supervisor.unexpected.back().state, MarketState::closed);
  EXPECT_EQ(market.drain(std::span<const Item>{}), 0U);

  Siren siren;
  Machine<Alarm, Siren, Engine> alarm(siren);
  struct Both {
    operator const Sensor&() const { return sensor; }
    operator const Command&() const { return command; }
    Sensor sensor{};
    Command command{};
  };
  struct AlarmItem {
    MarketEvent event;
    Both message;
  };
  const AlarmItem alarm_items[] = {{MarketEvent::start, {}}, {MarketEvent::stop, {}}, {MarketEvent::halt, {}}};
  EXPECT_EQ(alarm.drain(std::span<const AlarmItem>(alarm_items)), 1U) << "no row for stop";
}

TEST(Machine, drains_batches_with_every_engine) {
  expect_drained<NestedSwitch>();
  expect_drained<FlatSwitch>();
  expect_drained<FunctionTable>();
  expect_drained<TailCalls>();
  expect_drained<ComputedGoto>();
  expect_drained<HashedTuple>();
  expect_drained<RowByRow>();
}

TEST(RowHits, count_the_rows_of_all_machines_while_someone_observes) {
  RowHits hits(Table<Market>::k_rows);
  Supervisor supervisor;
  Machine<Market, Supervisor> market(supervisor);
  market.process(MarketEvent::start, Command{5});
  observe<Market>(&hits);
  market.process(MarketEvent::stop, Command{});
  MarketState state = MarketState::halted;
  process<Market>(state, MarketEvent::resume, supervisor, Command{});
  observe<Market>(nullptr);
  market.process(MarketEvent::halt, Command{});
  EXPECT_EQ(hits.hits(3), 1U);
  EXPECT_EQ(hits.hits(4), 1U);
  EXPECT_EQ(hits.never_hit(), (std::vector<std::uint16_t>{0, 1, 2, 5}));
  EXPECT_EQ(hits.unhandled(), 0U);
}

}  // namespace
}  // namespace dojima::fsm
