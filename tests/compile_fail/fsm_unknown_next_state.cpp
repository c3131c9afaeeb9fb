// expect: row RowNumber leads to a State that the machine does not have
// expect: RowNumber = 1; auto State = State::broken || next_state_is_listed<Door, 1UL, State::broken>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { push, pull };

struct Door {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
#ifdef CORRECTED
  static constexpr State target = State::closed;
#else
  static constexpr State target = State::broken;
#endif
  using rows = fsm::Rows<fsm::Row<State::closed, Event::push, State::open>, fsm::Row<State::open, Event::pull, target>>;
};

static_assert(fsm::Table<Door>::k_states == 2);
