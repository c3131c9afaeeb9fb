// expect: row SecondRow repeats start, event and guard of row FirstRow
// expect: FirstRow = 0; long unsigned int SecondRow = 2 || row_is_unique<Market, 0UL, 2UL>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
  using rows =
      fsm::Rows<fsm::Row<State::closed, Event::start, State::open>, fsm::Row<State::open, Event::stop, State::closed>
#ifndef CORRECTED
                ,
                fsm::Row<State::closed, Event::start, State::closed>
#endif
                >;
};

static_assert(fsm::Table<Market>::k_states == 2);
