// expect: row SecondRow repeats start, event and guard of row FirstRow
// expect: FirstRow = 0; long unsigned int SecondRow = 1 || row_is_unique<Market, 0UL, 1UL>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

bool ask() {
  return true;
}
bool ask_again() {
  return false;
}

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
#ifdef CORRECTED
  static constexpr auto second_guard = &ask_again;
#else
  static constexpr auto second_guard = &ask;
#endif
  using rows = fsm::Rows<fsm::Row<State::closed, Event::start, State::open, fsm::no_action, &ask>,
                         fsm::Row<State::closed, Event::start, State::closed, fsm::no_action, second_guard>,
                         fsm::Row<State::open, fsm::match_all, State::closed>>;
};

static_assert(fsm::Table<Market>::k_states == 2);
