#pragma once

// The machine of the examples: a market that closes, opens and is halted.

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dojima/fsm/machine.hpp"

namespace dojima::fsm::test {

enum class MarketState : std::uint8_t { closed, open, halted };
enum class MarketEvent : std::uint8_t { start, stop, halt, resume };

struct Command {
  int priority = 0;
};
/// What the action of a halt takes of a command.
struct Reason {
  int code = 0;
};
inline Reason machine_cast(std::type_identity<Reason>, const Command& command) {
  return {command.priority * 2};
}

struct Supervisor {
  int starts = 0;
  int code = 0;
  std::vector<Occurrence<MarketState, MarketEvent>> unexpected{};

  void on_start(const Command& command) { starts += command.priority; }
  [[nodiscard]] bool is_authorised(const Command& command) const { return command.priority > 3; }
  void on_halt(const Reason& reason) noexcept { code = reason.code; }
  void on_unexpected(const Occurrence<MarketState, MarketEvent>& what) { unexpected.push_back(what); }
};

struct Market {
  using State = MarketState;
  using Event = MarketEvent;
  static constexpr std::string_view name = "market";
  static constexpr State initial = State::closed;
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;
  using rows = Rows<Row<State::closed, Event::start, State::open, &Supervisor::on_start, &Supervisor::is_authorised>,
                    Row<State::closed, Event::start, keep_state>,
                    Row<one_of(State::closed, State::open), Event::halt, State::halted, &Supervisor::on_halt>,
                    Row<State::open, Event::stop, State::closed>, Row<State::halted, Event::resume, State::closed>,
                    Row<match_all, match_all, keep_state, &Supervisor::on_unexpected>>;
};

}  // namespace dojima::fsm::test
