// expect: no row without a guard answers Event in State
// expect: auto State = State::closed; auto Event = Event::stop || pair_is_handled<Market, State::closed, Event::stop>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
  static constexpr bool is_total = true;
  using rows =
      fsm::Rows<fsm::Row<State::closed, Event::start, State::open>, fsm::Row<State::open, Event::stop, State::closed>
#ifdef CORRECTED
                ,
                fsm::Row<fsm::match_all, fsm::match_all, fsm::keep_state>
#endif
                >;
};

static_assert(fsm::Table<Market>::k_states == 2);
