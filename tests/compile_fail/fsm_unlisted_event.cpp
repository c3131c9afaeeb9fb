// expect: row RowNumber waits for an Event that `events` of the machine does not list
// expect: RowNumber = 1; auto Event = Event::pull || event_is_listed<Door, 1UL, Event::pull>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { push, pull };

struct Door {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
#ifdef CORRECTED
  static constexpr std::array events{Event::push, Event::pull};
#else
  static constexpr std::array events{Event::push};
#endif
  using rows =
      fsm::Rows<fsm::Row<State::closed, Event::push, State::open>, fsm::Row<State::open, Event::pull, State::closed>>;
};

static_assert(fsm::Table<Door>::k_states == 2);
