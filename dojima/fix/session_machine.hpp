#pragma once

// A FIX session as a transition table: what session.cpp and session_in.cpp run on, what the diagram in docs/machines
// shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).
//
// The session's own message types are events under the code that MsgType(35) has; all others are application messages
// and fall to the row that hands them on. Before a message becomes an event of a session that is logged on, its header
// was checked and its number held against the one that is due (Input::place).

#include <array>
#include <cstdint>
#include <string_view>

#include "dojima/fix/frame.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fsm/row.hpp"

namespace dojima::fix {

/// What an event brings; rows take the part that they need.
struct Session::Input {
  /// Where a message stands in the sequence.
  enum class Place : std::uint8_t {
    none,   ///< the event is no message, or nobody has looked at its number yet
    low,    ///< its number was used before
    early,  ///< numbers are missing before it
    due,
  };

  Place place = Place::none;
  market::Sequence sequence{};
  const Frame* frame = nullptr;
  const Result<void>* read = nullptr;  ///< whether the message's fields could be read
  const Error* error = nullptr;        ///< what was wrong
  std::string_view text{};             ///< for our Logout, or why we close
  bool is_reset = false;               ///< of a Logon: both numbers begin anew
  link::CloseReason reason{};          ///< of the connection's end
  Time time{};                         ///< a timer's
};

struct Session::Machine {
  using State = Session::State;
  using Event = Session::Event;

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
      fsm::Row<State::disconnected,   Event::opened,           State::awaiting_logon, &Session::begin_as_initiator, &Session::is_initiator>,
      fsm::Row<State::disconnected,   Event::opened,           State::awaiting_logon, &Session::begin_connection>,
      // The first message decides.
      fsm::Row<State::awaiting_logon, Event::arrived,          fsm::keep_state,       &Session::receive_logon>,
      fsm::Row<State::awaiting_logon, Event::logon_accepted,   State::logged_on,      &Session::begin_session>,
      fsm::Row<State::awaiting_logon, fsm::one_of(Event::logon_refused, Event::garbled),
                                                               State::closing,        &Session::refuse>,
      fsm::Row<State::awaiting_logon, Event::state_due,        State::closing,        &Session::give_up_logon>,
      fsm::Row<State::awaiting_logon, Event::must_end,         State::closing,        &Session::end_unopened>,
      fsm::Row<State::awaiting_logon, Event::logout_asked,     State::closing,        &Session::close_with_text>,
      // Messages whose number was used before, or comes too early. A Logout counts at once.
      fsm::Row<live,                  Event::arrived,          fsm::keep_state,       &Session::receive_live>,
      fsm::Row<live,                  Event::garbled,          fsm::keep_state,       &Session::report_trouble>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &Session::receive_low,         &Session::is_low>,
      fsm::Row<State::logged_on,      Event::logout,           State::closing,        &Session::answer_logout>,
      fsm::Row<State::logout_sent,    Event::logout,           State::closing,        &Session::take_logout>,
      fsm::Row<live,                  Event::resend_request,   fsm::keep_state,       &Session::serve_early_request, &Session::is_early>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &Session::keep_for_later,      &Session::is_early>,
      // Messages that are due.
      fsm::Row<live,                  Event::heartbeat,        fsm::keep_state,       &Session::count_message>,
      fsm::Row<State::logged_on,      Event::test_request,     fsm::keep_state,       &Session::answer_test_request>,
      fsm::Row<State::logout_sent,    Event::test_request,     fsm::keep_state,       &Session::count_message>,
      fsm::Row<live,                  Event::resend_request,   fsm::keep_state,       &Session::serve_request>,
      fsm::Row<live,                  Event::reject,           fsm::keep_state,       &Session::pass_reject>,
      fsm::Row<live,                  Event::sequence_reset,   fsm::keep_state,       &Session::fill_gap>,
      fsm::Row<live,                  Event::logon,            fsm::keep_state,       &Session::end_second_logon>,
      fsm::Row<live,                  fsm::match_all,          fsm::keep_state,       &Session::pass_message,        &Session::is_due>,
      // Time, and our own side.
      fsm::Row<State::logged_on,      Event::heartbeat_due,    fsm::keep_state,       &Session::send_heartbeat>,
      fsm::Row<State::logged_on,      Event::silence_due,      State::closing,        &Session::drop_silent_peer,    &Session::is_test_request_sent>,
      fsm::Row<State::logged_on,      Event::silence_due,      fsm::keep_state,       &Session::send_test_request>,
      fsm::Row<State::logged_on,      Event::logout_asked,     State::logout_sent,    &Session::begin_logout>,
      fsm::Row<State::logout_sent,    Event::state_due,        State::closing,        &Session::give_up_logout>,
      fsm::Row<live,                  Event::must_end,         State::closing,        &Session::end_with_logout>,
      // As long as there is a connection.
      fsm::Row<open,                  Event::writable,         fsm::keep_state,       &Session::transmit_more>,
      fsm::Row<open,                  Event::deaf,             State::closing,        &Session::drop_deaf_peer>,
      fsm::Row<open,                  Event::disconnect_asked, State::closing,        &Session::close_with_text>,
      fsm::Row<fsm::match_all,        Event::closed,           State::disconnected,   &Session::end_connection>,
      // Late timers, room in a connection that is ending, a logout of what is over: nothing to do.
      fsm::Row<fsm::match_all,        fsm::match_all,          fsm::keep_state>>;
  // clang-format on
};

}  // namespace dojima::fix
