#pragma once

// The venue's end of a session as a transition table: what server_session.cpp runs on, what the diagrams in
// docs/machines show and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).

#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/mit/server_session.hpp"

namespace dojima::mit {

struct ServerSession::Machine {
  using State = ServerSession::State;
  using Event = ServerSession::Event;
  using Session = ServerSession;

  static constexpr std::string_view name = "mit-server-session";
  static constexpr std::string_view purpose = "The venue's end of a MIT203 real-time session";
  static constexpr State initial = State::idle;
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;

  static constexpr auto before_logon = fsm::one_of(State::waiting, State::delayed);
  static constexpr auto connected = fsm::one_of(State::waiting, State::delayed, State::active);

  // clang-format off
  using rows = fsm::Rows<
      // A connection before its logon. Whatever it says is answered; Logout and time end it.
      fsm::Row<State::idle,    Event::opened,        State::waiting,  &Session::begin_connection>,
      fsm::Row<State::waiting, Event::logon,         fsm::keep_state, &Session::take_logon>,
      fsm::Row<State::waiting, Event::logon_delayed, State::delayed,  &Session::hold_logon>,
      fsm::Row<State::delayed, Event::watch_due,     State::waiting,  &Session::ask_for_logon>,
      fsm::Row<State::delayed, Event::logon,         fsm::keep_state, &Session::refuse_second_logon>,
      fsm::Row<State::waiting, Event::logon_accepted, State::active,  &Session::begin_session>,
      fsm::Row<State::waiting, Event::logon_refused, State::closing,  &Session::close_by_us>,
      fsm::Row<before_logon,   fsm::one_of(Event::nothing, Event::heartbeat, Event::new_order, Event::replace,
                                           Event::cancel, Event::mass_cancel, Event::quote),
                                                     fsm::keep_state, &Session::refuse_before_logon>,
      fsm::Row<State::waiting, Event::watch_due,     State::closing,  &Session::close_by_us>,
      fsm::Row<before_logon,   Event::logout_by_us,  State::closing,  &Session::close_by_us>,
      // Logged on.
      fsm::Row<State::active,  Event::new_order,     fsm::keep_state, &Session::pass_new_order>,
      fsm::Row<State::active,  Event::replace,       fsm::keep_state, &Session::pass_replace>,
      fsm::Row<State::active,  Event::cancel,        fsm::keep_state, &Session::pass_cancel>,
      fsm::Row<State::active,  Event::mass_cancel,   fsm::keep_state, &Session::pass_mass_cancel>,
      fsm::Row<State::active,  Event::quote,         fsm::keep_state, &Session::pass_quote>,
      fsm::Row<State::active,  Event::logon,         fsm::keep_state, &Session::refuse_second_logon>,
      fsm::Row<State::active,  fsm::one_of(Event::heartbeat, Event::nothing),
                                                     fsm::keep_state>,
      fsm::Row<State::active,  Event::heartbeat_due, fsm::keep_state, &Session::send_heartbeat>,
      fsm::Row<State::active,  Event::writable,      fsm::keep_state, &Session::pass_writable>,
      fsm::Row<State::active,  Event::watch_due,     State::closing,  &Session::drop_deaf_peer,   &Session::is_deaf>,
      fsm::Row<State::active,  Event::watch_due,     fsm::keep_state, &Session::keep_watching,    &Session::is_unread>,
      fsm::Row<State::active,  Event::watch_due,     State::closing,  &Session::drop_silent_peer>,
      fsm::Row<State::active,  Event::logout_by_us,  State::ended,    &Session::begin_forced_logout>,
      // Before and after the logon alike.
      fsm::Row<connected, Event::logout,      State::ended,    &Session::answer_logout>,
      fsm::Row<connected, Event::unreadable,  fsm::keep_state, &Session::refuse>,
      fsm::Row<connected, Event::too_fast,    fsm::keep_state, &Session::refuse>,
      fsm::Row<connected, Event::out_of_step, fsm::keep_state, &Session::refuse>,
      fsm::Row<connected, Event::expelled,    State::ended,    &Session::expel>,
      fsm::Row<connected, Event::deaf,        State::closing,  &Session::drop_deaf_peer>,
      // Logout was said by one side: the peer may close by itself for a while.
      fsm::Row<State::ended,   Event::watch_due,     fsm::keep_state, &Session::announce_forced_end, &Session::is_end_due>,
      fsm::Row<State::ended,   Event::watch_due,     State::closing,  &Session::close_by_us>,
      fsm::Row<State::ended,   Event::closed,        State::idle,     &Session::end_forced>,
      fsm::Row<fsm::one_of(State::idle, State::waiting, State::delayed, State::active, State::closing),
                               Event::closed,        State::idle,     &Session::end_broken>,
      // Late timers, a handler that closes in its own callback, room in a connection that is ending: nothing to do.
      fsm::Row<fsm::match_all, fsm::match_all,       fsm::keep_state>>;
  // clang-format on
};

}  // namespace dojima::mit
