#pragma once

// A FIX session as a transition table: what its actions (session/*_actions.hpp) run on, what the diagram in
// docs/machines shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).
//
// The session's own message types are events under the code that MsgType(35) has; all others are application messages
// and fall to the row that hands them on. Before a message becomes an event of a session that is logged on, its header
// was checked and its number held against the one that is due (SessionInput::place).

#include <array>
#include <string_view>

#include "dojima/fix/session.hpp"
#include "dojima/fix/session/connection_actions.hpp"
#include "dojima/fix/session/live_actions.hpp"
#include "dojima/fix/session/logon_actions.hpp"
#include "dojima/fix/session/session_events.hpp"
#include "dojima/fix/session/time_actions.hpp"
#include "dojima/fsm/row.hpp"

namespace dojima::fix {

struct Session::Machine {
  using State = SessionState;
  using Event = SessionEvent;

  static constexpr std::string_view name = "fix-session";
  static constexpr std::string_view purpose = "A FIX session, initiator or acceptor";
  static constexpr State initial = State::disconnected;
  static constexpr std::array states{State::disconnected, State::awaiting_logon, State::logged_on, State::logout_sent,
                                     State::closing};
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;

  static constexpr auto live = fsm::one_of(State::logged_on, State::logout_sent);
  static constexpr auto open = fsm::one_of(State::awaiting_logon, State::logged_on, State::logout_sent);

  // clang-format off
  using rows = fsm::Rows<
      // A connection begins; the initiator speaks first.
      fsm::Row<State::disconnected,   Event::opened,           State::awaiting_logon, &actions::begin_as_initiator, &actions::is_initiator>,
      fsm::Row<State::disconnected,   Event::opened,           State::awaiting_logon, &actions::begin_connection>,
      // The first message decides.
      fsm::Row<State::awaiting_logon, Event::arrived,          fsm::keep_state,       &actions::receive_logon>,
      fsm::Row<State::awaiting_logon, Event::logon_accepted,   State::logged_on,      &actions::begin_session>,
      fsm::Row<State::awaiting_logon, fsm::one_of(Event::logon_refused, Event::garbled, Event::oversized),
                                                               State::closing,        &actions::refuse>,
      fsm::Row<State::awaiting_logon, Event::state_due,        State::closing,        &actions::give_up_logon>,
      fsm::Row<State::awaiting_logon, Event::must_end,         State::closing,        &actions::end_unopened>,
      fsm::Row<State::awaiting_logon, Event::logout_by_us,     State::closing,        &actions::close_with_text>,
      // Messages whose number was used before, or comes too early. A Logout counts at once.
      fsm::Row<live,                  Event::arrived,          fsm::keep_state,       &actions::receive_live>,
      fsm::Row<live,                  Event::garbled,          fsm::keep_state,       &actions::receive_garbled>,
      fsm::Row<live,                  Event::oversized,        fsm::keep_state,       &actions::end_oversized>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &actions::receive_low,         &actions::is_low>,
      fsm::Row<State::logged_on,      Event::logout,           State::closing,        &actions::answer_logout>,
      fsm::Row<State::logout_sent,    Event::logout,           State::closing,        &actions::take_logout>,
      fsm::Row<live,                  Event::resend_request,   fsm::keep_state,       &actions::serve_early_request, &actions::is_early>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &actions::keep_for_later,      &actions::is_early>,
      // Messages that are due.
      fsm::Row<live,                  Event::heartbeat,        fsm::keep_state,       &actions::count_message>,
      fsm::Row<State::logged_on,      Event::test_request,     fsm::keep_state,       &actions::answer_test_request>,
      fsm::Row<State::logout_sent,    Event::test_request,     fsm::keep_state,       &actions::count_message>,
      fsm::Row<live,                  Event::resend_request,   fsm::keep_state,       &actions::serve_request>,
      fsm::Row<live,                  Event::reject,           fsm::keep_state,       &actions::pass_reject>,
      fsm::Row<live,                  Event::sequence_reset,   fsm::keep_state,       &actions::fill_gap>,
      fsm::Row<live,                  Event::logon,            fsm::keep_state,       &actions::end_second_logon>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &actions::pass_message,        &actions::is_due>,
      // Time, and our own side.
      fsm::Row<State::logged_on,      Event::heartbeat_due,    fsm::keep_state,       &actions::send_heartbeat>,
      fsm::Row<State::logged_on,      Event::silence_due,      State::closing,        &actions::drop_deaf_peer,      &actions::is_deaf>,
      fsm::Row<State::logged_on,      Event::silence_due,      fsm::keep_state,       &actions::keep_watching,       &actions::is_held>,
      fsm::Row<State::logged_on,      Event::silence_due,      State::closing,        &actions::drop_silent_peer,    &actions::is_test_request_sent>,
      fsm::Row<State::logged_on,      Event::silence_due,      fsm::keep_state,       &actions::send_test_request>,
      fsm::Row<State::logged_on,      Event::probe_by_us,      fsm::keep_state,       &actions::probe_peer>,
      fsm::Row<State::logged_on,      Event::logout_by_us,     State::logout_sent,    &actions::begin_logout>,
      fsm::Row<State::logged_on,      Event::reset_by_us,      fsm::keep_state,       &actions::begin_reset>,
      fsm::Row<State::logged_on,      Event::state_due,        State::closing,        &actions::give_up_reset>,
      fsm::Row<State::logout_sent,    Event::state_due,        State::closing,        &actions::give_up_logout>,
      fsm::Row<live,                  Event::must_end,         State::closing,        &actions::end_with_logout>,
      // As long as there is a connection.
      fsm::Row<open,                  Event::writable,         fsm::keep_state,       &actions::transmit_more>,
      fsm::Row<open,                  Event::deaf,             State::closing,        &actions::drop_deaf_peer>,
      fsm::Row<open,                  Event::disconnect_by_us, State::closing,        &actions::close_with_text>,
      // The last messages had their time to become durable.
      fsm::Row<State::closing,        Event::state_due,        fsm::keep_state,       &actions::close_transport>,
      fsm::Row<fsm::match_all,        Event::closed,           State::disconnected,   &actions::end_connection>,
      // Late timers, room in a connection that is ending, a logout of what is over: nothing to do.
      fsm::Row<fsm::match_all,        fsm::match_all,          fsm::keep_state>>;
  // clang-format on
};

}  // namespace dojima::fix
