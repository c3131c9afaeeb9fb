// expect: an action or guard of this machine takes neither this context and message
// expect: on_start
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { start, stop };

struct Supervisor {
#ifdef CORRECTED
  void on_start(int) {}
#else
  void on_start(const char*) {}
#endif
};

struct Market {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
  using rows = fsm::Rows<fsm::Row<State::closed, Event::start, State::open, &Supervisor::on_start>,
                         fsm::Row<State::open, Event::stop, State::closed>>;
};

void start(fsm::Machine<Market, Supervisor>& market) {
  market.process(Event::start, 12);
}
