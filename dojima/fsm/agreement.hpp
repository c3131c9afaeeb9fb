#pragma once

// Holds every engine against RowByRow for one definition: each state, each event, unknown ones included, each outcome
// of the guards that are called; and whole walks through drain(). For tests, of this room and of every room with a
// machine.
//
//   EXPECT_EQ(fsm::disagreement<Market>(), "");
//
// Actions and guards of the definition are not called: guards answer by script, actions are only noted. Allocates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fsm/engines/engine.hpp"
#include "dojima/fsm/engines/engine_goto.hpp"
#include "dojima/fsm/engines/engine_tail.hpp"
#include "dojima/fsm/engines/engine_tuple.hpp"
#include "dojima/fsm/table.hpp"

namespace dojima::fsm {

namespace detail {

/// What an engine did with one event.
struct Trace {
  std::uint16_t row = k_no_row;
  std::uint16_t state = 0;
  std::uint16_t performed = k_no_row;
  std::uint16_t state_at_action = 0;  // the state changes before the action runs

  friend bool operator==(const Trace&, const Trace&) = default;
};

template <class Table>
struct ScriptedCall {
  const std::uint16_t& state;
  std::array<bool, Table::k_rows> answers{};
  Trace trace{};

  template <std::size_t Row>
  bool permits() {
    return answers[Row];
  }
  template <std::size_t Row>
  void perform() {
    trace.performed = Row;
    trace.state_at_action = state;
  }
};

/// A walk whose guards answer by a fixed hash of position and row.
template <class Table>
struct ScriptedFeed {
  const std::uint16_t& state;
  const std::vector<std::uint16_t>& events;
  std::size_t at = 0;
  std::vector<Trace> traces{};
  Trace trace{};

  [[nodiscard]] bool is_done() const { return at == events.size(); }
  [[nodiscard]] std::size_t event(std::size_t ahead) const {
    return at + ahead < events.size() ? events[at + ahead] : 0;
  }
  void next(std::uint16_t row) {
    trace.row = row;
    trace.state = state;
    traces.push_back(trace);
    trace = {};
    ++at;
  }
  template <std::size_t Row>
  bool permits() {
    return (multiplier(at * 131 + Row) >> 17U) % 2 == 0;
  }
  template <std::size_t Row>
  void perform() {
    trace.performed = Row;
    trace.state_at_action = state;
  }
};

template <template <class> class Engine, class Table>
Trace trace_step(std::size_t state, std::size_t event, const std::array<bool, Table::k_rows>& answers) {
  auto index = static_cast<std::uint16_t>(state);
  ScriptedCall<Table> call{index, answers};
  call.trace.row = Engine<Table>::step(index, event, call);
  call.trace.state = index;
  return call.trace;
}

template <template <class> class Engine, class Table>
std::vector<Trace> trace_walk(const std::vector<std::uint16_t>& events) {
  auto index = static_cast<std::uint16_t>(Table::k_initial);
  ScriptedFeed<Table> feed{index, events};
  Engine<Table>::drain(index, feed);
  return feed.traces;
}

template <class Definition>
class Agreement {
 public:
  using Machine = Table<Definition>;

  /// The first disagreement, or nothing. `cases` counts what was compared.
  std::string find(std::size_t& cases) {
    cases = 0;
    for (std::size_t s = 0; s <= Machine::k_states; ++s)
      for (std::size_t e = 0; e <= Machine::k_events; ++e)
        if (std::string what = find_in_cell(s, e, cases); !what.empty()) return what;
    return find_in_walks(cases);
  }

 private:
  using Answers = std::array<bool, Machine::k_rows>;

  static std::string find_in_cell(std::size_t state, std::size_t event, std::size_t& cases) {
    std::vector<std::uint16_t> guarded;
    for (const std::uint16_t row : Machine::chain_rows(Machine::chain(state, event)))
      if (Machine::is_guarded(row)) guarded.push_back(row);
    for (std::uint64_t outcome = 0; outcome < std::uint64_t{1} << guarded.size(); ++outcome) {
      Answers answers{};
      for (std::size_t i = 0; i < guarded.size(); ++i) answers[guarded[i]] = ((outcome >> i) & 1U) != 0;
      ++cases;
      const Trace expected = trace_step<RowByRow, Machine>(state, event, answers);
      for (const auto& [name, trace] : k_steps)
        if (trace(state, event, answers) != expected) return describe(name, state, event, outcome);
    }
    return {};
  }

  static std::string find_in_walks(std::size_t& cases) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      std::vector<std::uint16_t> events(997);
      for (std::size_t i = 0; i < events.size(); ++i)
        events[i] = static_cast<std::uint16_t>((multiplier(seed * 1000 + i) >> 20U) % (Machine::k_events + 1));
      cases += events.size();
      const std::vector<Trace> expected = trace_walk<RowByRow, Machine>(events);
      for (const auto& [name, walk] : k_walks) {
        const std::vector<Trace> found = walk(events);
        for (std::size_t i = 0; i < events.size(); ++i)
          if (i >= found.size() || found[i] != expected[i]) return describe(name, expected[i].state, events[i], seed);
      }
    }
    return {};
  }

  static std::string describe(std::string_view engine, std::size_t state, std::size_t event, std::uint64_t outcome) {
    return std::string(engine) + " differs from RowByRow: state " + std::to_string(state) + ", event " +
           std::to_string(event) + ", outcome " + std::to_string(outcome);
  }

  struct Step {
    std::string_view name;
    Trace (*trace)(std::size_t, std::size_t, const Answers&);
  };
  static constexpr Step k_steps[] = {
      {"NestedSwitch", &trace_step<NestedSwitch, Machine>},   {"FlatSwitch", &trace_step<FlatSwitch, Machine>},
      {"FunctionTable", &trace_step<FunctionTable, Machine>}, {"TailCalls", &trace_step<TailCalls, Machine>},
      {"ComputedGoto", &trace_step<ComputedGoto, Machine>},   {"HashedTuple", &trace_step<HashedTuple, Machine>}};
  struct Walk {
    std::string_view name;
    std::vector<Trace> (*walk)(const std::vector<std::uint16_t>&);
  };
  static constexpr Walk k_walks[] = {
      {"NestedSwitch", &trace_walk<NestedSwitch, Machine>},   {"FlatSwitch", &trace_walk<FlatSwitch, Machine>},
      {"FunctionTable", &trace_walk<FunctionTable, Machine>}, {"TailCalls", &trace_walk<TailCalls, Machine>},
      {"ComputedGoto", &trace_walk<ComputedGoto, Machine>},   {"HashedTuple", &trace_walk<HashedTuple, Machine>}};
};

}  // namespace detail

/// Where some engine does something else than RowByRow; empty: nowhere.
template <class Definition>
[[nodiscard]] std::string disagreement(std::size_t* cases = nullptr) {
  std::size_t compared = 0;
  std::string what = detail::Agreement<Definition>().find(compared);
  if (cases != nullptr) *cases = compared;
  return what;
}

}  // namespace dojima::fsm
