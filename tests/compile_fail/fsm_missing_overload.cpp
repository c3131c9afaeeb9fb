// expect: this row's handlers have no function for this message: add one that takes (context, message)
// expect: Enter
#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;

enum class State : unsigned char { open, closed };
enum class Event : unsigned char { request };

struct NewOrder {};
struct Cancel {};
struct Book {};

struct Enter {
  void process(Book&, const NewOrder&) const {}
#ifdef CORRECTED
  void process(Book&, const Cancel&) const {}
#endif
};

struct Orders {
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::open;
  using rows = fsm::Rows<fsm::Row<State::open, Event::request, fsm::keep_state, fsm::processed_by<Enter>>>;
};

void request(fsm::Machine<Orders, Book>& orders) {
  orders.process(Event::request, NewOrder{});
  orders.process(Event::request, Cancel{});
}
