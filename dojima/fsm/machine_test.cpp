#include "dojima/fsm/machine.hpp"

#include <gtest/gtest.h>
#include <span>

#include "dojima/fsm/door_test.hpp"
#include "dojima/fsm/engine_goto.hpp"
#include "dojima/fsm/engine_tail.hpp"
#include "dojima/fsm/engine_tuple.hpp"

namespace dojima::fsm {
namespace {

using test::Door;
using test::DoorEvent;
using test::DoorState;
using test::Hand;
using test::Keeper;

TEST(Machine, says_from_where_to_where_and_by_which_row_it_went) {
  Keeper keeper;
  Machine<Door, Keeper> door(keeper);
  const auto weak = door.process(DoorEvent::push, Hand{2});
  EXPECT_EQ(weak.row, 1U);
  EXPECT_EQ(weak.to, DoorState::closed);
  EXPECT_EQ(keeper.pushes, 0);

  const auto strong = door.process(DoorEvent::push, Hand{5});
  EXPECT_TRUE(strong.is_handled());
  EXPECT_EQ(strong.row, 0U);
  EXPECT_EQ(strong.from, DoorState::closed);
  EXPECT_EQ(strong.to, DoorState::open);
  EXPECT_EQ(keeper.pushes, 5);
}

TEST(Machine, gives_an_action_the_message_type_that_it_asks_for) {
  Keeper keeper;
  Machine<Door, Keeper> door(keeper);
  door.process(DoorEvent::lock, Hand{4});
  EXPECT_EQ(keeper.teeth, 8);
}

TEST(Machine, tells_the_row_for_everything_else_which_state_and_event_it_was) {
  Keeper keeper;
  Machine<Door, Keeper> door(keeper);
  door.process(DoorEvent::unlock, Hand{});
  door.process(static_cast<DoorEvent>(200), Hand{});
  ASSERT_EQ(keeper.odd.size(), 2U);
  EXPECT_EQ(keeper.odd[0], (Occurrence<DoorState, DoorEvent>{DoorState::closed, DoorEvent::unlock}));
  EXPECT_EQ(keeper.odd[1].event, static_cast<DoorEvent>(200));
}

TEST(Machine, answers_every_value_of_state_and_event_byte_with_a_row) {
  Keeper keeper;
  for (unsigned s = 0; s < 256; ++s) {
    for (unsigned e = 0; e < 256; ++e) {
      DoorState state = static_cast<DoorState>(s);
      const auto outcome = process<Door>(state, static_cast<DoorEvent>(e), keeper, Hand{1});
      ASSERT_TRUE(outcome.is_handled());
      if (s > 2 || e > 3) {
        ASSERT_EQ(outcome.row, 5U);
        ASSERT_EQ(code_of(state), s) << "an unknown state stays what it was";
      }
    }
  }
}

TEST(Machine, changes_a_state_that_stands_in_a_record) {
  Keeper keeper;
  DoorState state = DoorState::closed;
  const auto outcome = process<Door, FunctionTable>(state, DoorEvent::push, keeper, Hand{9});
  EXPECT_EQ(state, DoorState::open);
  EXPECT_EQ(outcome.from, DoorState::closed);
}

struct Sensor {};  // no message that the door's other rows could take
struct Siren {
  int rings = 0;
  void on_trip(const Sensor&) { ++rings; }
  void on_reset(const Hand&) { rings = 0; }
};
struct Alarm {
  using State = DoorState;
  using Event = DoorEvent;
  static constexpr State initial = State::closed;
  using rows = Rows<Row<State::closed, Event::push, State::open, &Siren::on_trip>,
                    Row<State::open, Event::lock, State::closed, &Siren::on_reset>>;
};

TEST(Machine, takes_an_event_known_to_the_compiler_with_a_message_of_its_own) {
  Siren siren;
  Machine<Alarm, Siren> alarm(siren);
  EXPECT_EQ(alarm.process<DoorEvent::push>(Sensor{}).row, 0U);
  EXPECT_EQ(siren.rings, 1);
  EXPECT_FALSE(alarm.process<DoorEvent::push>(Sensor{}).is_handled());
  DoorState state = DoorState::open;
  EXPECT_EQ((process<Alarm, DoorEvent::lock>(state, siren, Hand{})).to, DoorState::closed);
  EXPECT_EQ(siren.rings, 0);
}

struct Echo {
  Machine<struct EchoRows, Echo>* machine = nullptr;
  DoorState* record = nullptr;
  std::vector<DoorState> seen{};
  void on_push();
  void on_lock();
};
struct EchoRows {
  using State = DoorState;
  using Event = DoorEvent;
  static constexpr State initial = State::closed;
  static constexpr std::array states{State::closed, State::open, State::locked};
  using rows = Rows<Row<State::closed, Event::push, State::open, &Echo::on_push>,
                    Row<State::open, Event::lock, State::locked, &Echo::on_lock>>;
};
void Echo::on_push() {
  if (machine != nullptr) {
    seen.push_back(machine->state());
    machine->process(DoorEvent::lock);
  } else {
    seen.push_back(*record);
    process<EchoRows>(*record, DoorEvent::lock, *this);
  }
}
void Echo::on_lock() {
  seen.push_back(machine != nullptr ? machine->state() : *record);
}

TEST(Machine, lets_an_action_feed_it_again_from_the_new_state) {
  Echo echo;
  Machine<EchoRows, Echo> machine(echo);
  echo.machine = &machine;
  const auto outcome = machine.process(DoorEvent::push);
  EXPECT_EQ(outcome.from, DoorState::closed);
  EXPECT_EQ(outcome.to, DoorState::locked);
  EXPECT_EQ(echo.seen, (std::vector{DoorState::open, DoorState::locked}));

  DoorState state = DoorState::closed;
  Echo other;
  other.record = &state;
  EXPECT_EQ(process<EchoRows>(state, DoorEvent::push, other).to, DoorState::locked);
  EXPECT_EQ(state, DoorState::locked);
  EXPECT_EQ(other.seen, echo.seen);
}

TEST(Machine, restores_only_states_that_it_has) {
  Keeper keeper;
  Machine<Door, Keeper> door(keeper);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool is_state = byte <= 2;
    EXPECT_EQ(door.restore(byte), is_state) << byte;
    if (is_state) {
      EXPECT_EQ(door.save(), byte);
    }
  }
  EXPECT_EQ(door.state(), DoorState::locked) << "what was refused changed nothing";
  EXPECT_FALSE(door.restore(256 + 1)) << "a number that the state's type would cut";
}

template <template <class> class Engine>
void expect_drained() {
  struct Item {
    DoorEvent event;
    Hand message;
  };
  Keeper keeper;
  Machine<Door, Keeper, Engine> door(keeper);
  std::vector<Item> items;
  for (int i = 0; i < 1000; ++i)
    items.insert(items.end(), {{DoorEvent::push, {5}}, {DoorEvent::pull, {}}, {DoorEvent::unlock, {}}});
  EXPECT_EQ(door.drain(std::span<const Item>(items)), 0U);
  EXPECT_EQ(keeper.pushes, 5000);
  EXPECT_EQ(keeper.odd.size(), 1000U);
  EXPECT_EQ(keeper.odd.back().state, DoorState::closed);
  EXPECT_EQ(door.drain(std::span<const Item>{}), 0U);

  Siren siren;
  Machine<Alarm, Siren, Engine> alarm(siren);
  struct Both {
    operator const Sensor&() const { return sensor; }
    operator const Hand&() const { return hand; }
    Sensor sensor{};
    Hand hand{};
  };
  struct AlarmItem {
    DoorEvent event;
    Both message;
  };
  const AlarmItem alarm_items[] = {{DoorEvent::push, {}}, {DoorEvent::pull, {}}, {DoorEvent::lock, {}}};
  EXPECT_EQ(alarm.drain(std::span<const AlarmItem>(alarm_items)), 1U) << "no row for pull";
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
  RowHits hits(Table<Door>::k_rows);
  Keeper keeper;
  Machine<Door, Keeper> door(keeper);
  door.process(DoorEvent::push, Hand{5});
  observe<Door>(&hits);
  door.process(DoorEvent::pull, Hand{});
  DoorState state = DoorState::locked;
  process<Door>(state, DoorEvent::unlock, keeper, Hand{});
  observe<Door>(nullptr);
  door.process(DoorEvent::lock, Hand{});
  EXPECT_EQ(hits.hits(3), 1U);
  EXPECT_EQ(hits.hits(4), 1U);
  EXPECT_EQ(hits.never_hit(), (std::vector<std::uint16_t>{0, 1, 2, 5}));
  EXPECT_EQ(hits.unhandled(), 0U);
}

}  // namespace
}  // namespace dojima::fsm
