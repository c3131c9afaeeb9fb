// expect: row RowNumber leads to a State that the machine does not have
// expect: RowNumber = 1; auto State = State::broken || next_state_is_listed<Market, 1UL, State::broken>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
#ifdef CORRECTED
  static constexpr State target = State::closed;
#else
  static constexpr State target = State::broken;
#endif
  using rows =
      fsm::Rows<fsm::Row<State::closed, Event::start, State::open>, fsm::Row<State::open, Event::stop, target>>;
};

static_assert(fsm::Table<Market>::k_states == 2);
