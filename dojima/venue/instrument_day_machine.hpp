#pragma once

// The trading day of an instrument as a transition table: what instrument_day.cpp runs on, what the diagram in
// docs/machines shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).

#include <array>
#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/venue/instrument_day.hpp"

namespace dojima::venue {

struct InstrumentDay::Machine {
  using State = market::DayPhase;
  using Event = market::DayEvent;
  using Day = InstrumentDay;

  static constexpr std::string_view name = "venue-day";
  static constexpr std::string_view purpose = "The trading day of an instrument: timetable, auctions, bands and halts";
  static constexpr State initial = State::no_day;
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;

  static constexpr auto calls =
      fsm::one_of(State::opening_call, State::opening_extension, State::intraday_call, State::intraday_extension,
                  State::reopening_call, State::reopening_extension, State::closing_call, State::closing_extension);

  // clang-format off
  using rows = fsm::Rows<
      // A day begins where the last one ended, or where there was none.
      fsm::Row<fsm::one_of(State::no_day, State::end_of_day), Event::begin, State::start_of_day, &Day::begin_day>,
      fsm::Row<State::start_of_day,        Event::due,            State::opening_call,        &Day::call_opening>,
      // A call ends by its time, unless its price lies outside the static band.
      fsm::Row<State::opening_call,        Event::due,            State::opening_extension,   &Day::extend,       &Day::is_price_outside>,
      fsm::Row<State::opening_extension,   Event::due,            fsm::keep_state,            &Day::extend,       &Day::is_price_outside>,
      fsm::Row<fsm::one_of(State::opening_call, State::opening_extension),
                                           Event::due,            State::regular,             &Day::trade>,
      fsm::Row<State::regular,             Event::due,            State::intraday_call,       &Day::call_intraday, &Day::is_intraday_due>,
      fsm::Row<State::regular,             Event::due,            State::closing_call,        &Day::call_closing>,
      fsm::Row<State::intraday_call,       Event::due,            State::intraday_extension,  &Day::extend,       &Day::is_price_outside>,
      fsm::Row<State::intraday_extension,  Event::due,            fsm::keep_state,            &Day::extend,       &Day::is_price_outside>,
      fsm::Row<fsm::one_of(State::intraday_call, State::intraday_extension),
                                           Event::due,            State::regular,             &Day::trade>,
      // Circuit breakers.
      fsm::Row<State::regular,             Event::beyond_dynamic, State::reopening_call,      &Day::call_reopening>,
      fsm::Row<State::regular,             Event::beyond_static,  State::volatility_halt,     &Day::halt>,
      fsm::Row<State::volatility_halt,     Event::due,            State::reopening_call,      &Day::call_reopening>,
      // What lasts until the closing call goes on as that, without an uncross of its own.
      fsm::Row<fsm::one_of(State::reopening_call, State::reopening_extension),
                                           Event::due,            State::closing_call,        &Day::call_closing, &Day::is_closing_due>,
      fsm::Row<State::reopening_call,      Event::due,            State::reopening_extension, &Day::extend,       &Day::is_price_outside>,
      fsm::Row<State::reopening_extension, Event::due,            fsm::keep_state,            &Day::extend,       &Day::is_price_outside>,
      fsm::Row<fsm::one_of(State::reopening_call, State::reopening_extension),
                                           Event::due,            State::regular,             &Day::trade>,
      // The end of the day.
      fsm::Row<State::closing_call,        Event::due,            State::closing_extension,   &Day::extend,       &Day::is_price_outside>,
      fsm::Row<State::closing_extension,   Event::due,            fsm::keep_state,            &Day::extend,       &Day::is_price_outside>,
      fsm::Row<fsm::one_of(State::closing_call, State::closing_extension),
                                           Event::due,            State::closing_price_cross, &Day::cross>,
      fsm::Row<State::closing_price_cross, Event::due,            State::post_close,          &Day::close>,
      fsm::Row<fsm::one_of(State::post_close, State::halted),
                                           Event::due,            State::end_of_day,          &Day::end_day>,
      // The operator.
      fsm::Row<calls,                      Event::halt,           State::halted,              &Day::stop>,
      fsm::Row<fsm::one_of(State::regular, State::volatility_halt, State::closing_price_cross),
                                           Event::halt,           State::halted,              &Day::stop>,
      fsm::Row<State::halted,              Event::resume,         State::closing_call,        &Day::call_closing, &Day::is_closing_due>,
      fsm::Row<State::halted,              Event::resume,         State::reopening_call,      &Day::call_reopening>,
      // A second instrument of the segment has done it already, or nothing is open that could be halted.
      fsm::Row<fsm::match_all,             fsm::match_all,        fsm::keep_state>>;
  // clang-format on
};

}  // namespace dojima::venue
