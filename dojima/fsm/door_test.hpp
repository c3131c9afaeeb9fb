#pragma once

// The machine of the examples: a door that closes, opens and locks.

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dojima/fsm/machine.hpp"

namespace dojima::fsm::test {

enum class DoorState : std::uint8_t { closed, open, locked };
enum class DoorEvent : std::uint8_t { push, pull, lock, unlock };

struct Hand {
  int strength = 0;
};
/// What a hand has between its fingers.
struct Key {
  int teeth = 0;
};
inline Key machine_cast(std::type_identity<Key>, const Hand& hand) {
  return {hand.strength * 2};
}

struct Keeper {
  int pushes = 0;
  int teeth = 0;
  std::vector<Occurrence<DoorState, DoorEvent>> odd{};

  void on_push(const Hand& hand) { pushes += hand.strength; }
  [[nodiscard]] bool is_strong(const Hand& hand) const { return hand.strength > 3; }
  void on_lock(const Key& key) noexcept { teeth = key.teeth; }
  void on_odd(const Occurrence<DoorState, DoorEvent>& what) { odd.push_back(what); }
};

struct Door {
  using State = DoorState;
  using Event = DoorEvent;
  static constexpr std::string_view name = "door";
  static constexpr State initial = State::closed;
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;
  using rows = Rows<Row<State::closed, Event::push, State::open, &Keeper::on_push, &Keeper::is_strong>,
                    Row<State::closed, Event::push, keep_state>,
                    Row<one_of(State::closed, State::open), Event::lock, State::locked, &Keeper::on_lock>,
                    Row<State::open, Event::pull, State::closed>, Row<State::locked, Event::unlock, State::closed>,
                    Row<match_all, match_all, keep_state, &Keeper::on_odd>>;
};

}  // namespace dojima::fsm::test
