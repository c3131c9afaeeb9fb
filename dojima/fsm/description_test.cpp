#include "dojima/fsm/description.hpp"

#include <gtest/gtest.h>

#include "dojima/fsm/market_test.hpp"

namespace dojima::fsm {
namespace {

using test::Market;

bool ask() {
  return true;
}

/// States and events that need quoting, and nothing total about it.
struct Odd {
  enum class State : std::uint8_t { first = 3, second = 9 };
  using Event = char;
  static constexpr std::string_view name = "odd";
  static constexpr State initial = State::first;
  static std::string state_text(State state) { return state == State::first ? "first \"one\"" : "second | two"; }
  static std::string event_text(char event) { return std::string("'") + event + "'"; }
  static constexpr std::array events{'D', 'F', 'G'};
  using rows = Rows<Row<State::first, one_of('D', 'F'), State::second, no_action, &ask>,
                    Row<State::second, match_all, State::first>, Row<State::second, 'D', keep_state>>;
};

TEST(Names, are_those_of_enumerators_functions_and_members) {
  EXPECT_EQ(name_of_value<test::MarketState::halted>(), "halted");
  EXPECT_EQ(name_of_value<&test::Supervisor::on_start>(), "on_start");
  EXPECT_EQ(name_of_value<&test::Supervisor::is_authorised>(), "is_authorised");
  EXPECT_EQ(name_of_value<&ask>(), "ask");
  EXPECT_EQ(name_of_value<std::uint16_t{300}>(), "300");
  EXPECT_EQ(name_of_value<static_cast<test::MarketState>(77)>(), "77");
}

TEST(Diagrams, mermaid) {
  EXPECT_EQ(mermaid(describe<Market>()), R"(stateDiagram-v2
  state "any state" as any_state
  [*] --> closed
  closed --> open: start [is_authorised] / on_start
  closed --> closed: start
  closed --> halted: halt / on_halt
  open --> halted: halt / on_halt
  open --> closed: stop
  halted --> closed: resume
  any_state --> any_state: any event / on_unexpected
)");
  EXPECT_EQ(mermaid(describe<Odd>()), R"(stateDiagram-v2
  state "first 'one'" as state_0
  state "second | two" as state_1
  [*] --> state_0
  state_0 --> state_1: 'D', 'F' [ask]
  state_1 --> state_0: any event
  state_1 --> state_1: 'D'
)");
}

TEST(Diagrams, dot) {
  EXPECT_EQ(dot(describe<Market>()), R"(digraph "market" {
  rankdir=LR;
  node [shape=box, style=rounded];
  start [shape=point, label=""];
  closed [label="closed"];
  open [label="open"];
  halted [label="halted"];
  any_state [label="any state", style="rounded,dashed"];
  start -> closed;
  closed -> open [label="start [is_authorised] / on_start"];
  closed -> closed [label="start"];
  closed -> halted [label="halt / on_halt"];
  open -> halted [label="halt / on_halt"];
  open -> closed [label="stop"];
  halted -> closed [label="resume"];
  any_state -> any_state [label="any event / on_unexpected"];
}
)");
}

TEST(Diagrams, plantuml) {
  EXPECT_EQ(plantuml(describe<Market>()), R"(@startuml
title market
state "any state" as any_state
[*] --> closed
closed --> open : start [is_authorised] / on_start
closed --> closed : start
closed --> halted : halt / on_halt
open --> halted : halt / on_halt
open --> closed : stop
halted --> closed : resume
any_state --> any_state : any event / on_unexpected
@enduml
)");
}

TEST(Diagrams, markdown_with_what_is_proved) {
  EXPECT_EQ(markdown(describe<Odd>()), R"(| # | state | event | guard | next state | action |
|---:|---|---|---|---|---|
| 0 | first "one" | 'D', 'F' | ask | second \| two |  |
| 1 | second \| two | *any* |  | first "one" |  |
| 2 | second \| two | 'D' |  | *same* |  |

Proved by the compiler: unreachable states: none. Rows that can never fire: 2. Unhandled pairs: first "one" + 'G'. Guards without an else: first "one" + 'D'; first "one" + 'F'. Unknown values of state or event are reported as unhandled.
)");
}

TEST(Diagrams, hashes_say_how_events_are_found_and_what_the_talk_would_have_found) {
  EXPECT_EQ(explain_hashes(describe<Odd>()), R"(states of odd
strategy     direct
keys         2
slots        256
first        0
tries        1

events of odd
strategy     direct
keys         3
slots        256
first        0
tries        1
one event at a time: compared one by one, there are so few

the same events under (key ^ seed) % denominator
strategy     xor_modulo
keys         3
slots        3
seed         1
denominator  3
tries        2
exhaustive   yes
)");
}

TEST(Coverage, lists_the_rows_that_were_never_exercised) {
  RowHits hits(Table<Market>::k_rows);
  for (std::uint16_t row = 0; row < 4; ++row) hits.count(row);
  EXPECT_EQ(coverage_report(describe<Market>(), hits), R"(market: 4 of 6 rows exercised
  never: row 4: halted + resume -> closed
  never: row 5: any state + any event -> same state / on_unexpected
)");
}

}  // namespace
}  // namespace dojima::fsm
