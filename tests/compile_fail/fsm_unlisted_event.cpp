// expect: row RowNumber waits for an Event that `events` of the machine does not list
// expect: RowNumber = 1; auto Event = Event::stop || event_is_listed<Market, 1UL, Event::stop>
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
#ifdef CORRECTED
  static constexpr std::array events{Event::start, Event::stop};
#else
  static constexpr std::array events{Event::start};
#endif
  using rows =
      fsm::Rows<fsm::Row<State::closed, Event::start, State::open>, fsm::Row<State::open, Event::stop, State::closed>>;
};

static_assert(fsm::Table<Market>::k_states == 2);
