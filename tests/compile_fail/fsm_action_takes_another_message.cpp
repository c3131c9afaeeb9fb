// expect: an action or guard of this machine takes neither this context and message
// expect: on_push
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { closed, open, broken };
enum class Event : unsigned char { push, pull };

struct Keeper {
#ifdef CORRECTED
  void on_push(int) {}
#else
  void on_push(const char*) {}
#endif
};

struct Door {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::closed;
  using rows = fsm::Rows<fsm::Row<State::closed, Event::push, State::open, &Keeper::on_push>,
                         fsm::Row<State::open, Event::pull, State::closed>>;
};

void push(fsm::Machine<Door, Keeper>& door) {
  door.process(Event::push, 12);
}
