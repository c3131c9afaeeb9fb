#pragma once

// A member's end of a session as a transition table: what client_session.cpp runs on, what the diagrams in
// docs/machines show and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).

#include <array>
#include <string_view>
#include <type_traits>

#include "dojima/fsm/row.hpp"
#include "dojima/mit/client_session.hpp"

namespace dojima::mit {

/// What an event brings; rows take the part that they need.
struct ClientSession::Input {
  Time now;
  const Outbound* reply = nullptr;  ///< a message that was understood
  const Error* error = nullptr;     ///< why it was not
  std::string_view text{};          ///< for our Logout
  link::CloseReason reason{};       ///< of the connection's end

  friend Time machine_cast(std::type_identity<Time>, const Input& input) { return input.now; }
  friend const Logout& machine_cast(std::type_identity<Logout>, const Input& input) { return input.reply->logout; }
  friend const LogonReply& machine_cast(std::type_identity<LogonReply>, const Input& input) {
    return input.reply->logon_reply;
  }
};

struct ClientSession::Machine {
  using State = ClientSession::State;
  using Event = ClientSession::Event;
  using Session = ClientSession;

  static constexpr std::string_view name = "mit-client-session";
  static constexpr std::string_view purpose = "A member's end of a MIT203 real-time session";
  static constexpr State initial = State::idle;
  static constexpr std::array states{State::idle, State::waiting, State::active, State::leaving, State::closing};
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;

  // clang-format off
  using rows = fsm::Rows<
      // The Logon is sent; the venue says yes, no, or nothing.
      fsm::Row<State::idle,    Event::opened,        State::waiting,  &Session::begin_logon>,
      fsm::Row<State::waiting, Event::stuck,         State::closing,  &Session::close_without_logon>,
      fsm::Row<State::waiting, Event::logon_reply,   State::active,   &Session::begin_session, &Session::is_accepted>,
      fsm::Row<State::waiting, Event::logon_reply,   State::closing,  &Session::end_refused>,
      fsm::Row<State::waiting, Event::reject,        State::closing,  &Session::end_rejected>,
      fsm::Row<State::waiting, Event::logout_by_us,  State::closing,  &Session::close_with_text>,
      fsm::Row<State::waiting, Event::watch_due,     State::closing,  &Session::give_up_logon>,
      // Logged on.
      fsm::Row<State::active,  Event::heartbeat_due, fsm::keep_state, &Session::send_heartbeat>,
      fsm::Row<State::active,  Event::writable,      fsm::keep_state, &Session::pass_writable>,
      fsm::Row<State::active,  Event::logout,        State::closing,  &Session::answer_logout>,
      fsm::Row<State::active,  Event::logout_by_us,  State::leaving,  &Session::begin_logout>,
      fsm::Row<State::active,  Event::watch_due,     fsm::keep_state, &Session::keep_watching,  &Session::is_unread>,
      fsm::Row<State::active,  Event::watch_due,     State::closing,  &Session::drop_silent_venue>,
      // We said Logout; reports that are on the way are still taken.
      fsm::Row<State::leaving, Event::watch_due,     State::closing,  &Session::give_up_logout>,
      fsm::Row<fsm::one_of(State::waiting, State::leaving),
                               Event::logout,        State::closing,  &Session::close_with_reason>,
      fsm::Row<fsm::one_of(State::active, State::leaving),
                               Event::logon_reply,   fsm::keep_state, &Session::report_second_reply>,
      fsm::Row<fsm::one_of(State::active, State::leaving),
                               Event::reject,        fsm::keep_state, &Session::pass_reject>,
      // Whatever the venue says while there is a connection.
      fsm::Row<fsm::one_of(State::waiting, State::active, State::leaving),
                               Event::report,        fsm::keep_state, &Session::take_report>,
      fsm::Row<fsm::one_of(State::waiting, State::active, State::leaving),
                               Event::system_status, fsm::keep_state, &Session::pass_system_status>,
      fsm::Row<fsm::one_of(State::waiting, State::active, State::leaving),
                               Event::unreadable,    fsm::keep_state, &Session::pass_trouble>,
      fsm::Row<fsm::one_of(State::waiting, State::active, State::leaving),
                               fsm::one_of(Event::heartbeat, Event::nothing), fsm::keep_state>,
      fsm::Row<fsm::one_of(State::waiting, State::active, State::leaving),
                               Event::out_of_step,   State::closing,  &Session::drop_broken_stream>,
      fsm::Row<fsm::match_all, Event::closed,        State::idle,     &Session::end_connection>,
      // Late timers, room in a connection that is ending, a logout of what is over: nothing to do.
      fsm::Row<fsm::match_all, fsm::match_all,       fsm::keep_state>>;
  // clang-format on
};

}  // namespace dojima::mit
