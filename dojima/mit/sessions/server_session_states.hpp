#pragma once

// States of the venue's end of a session, what happens to it, and what that brings: the words of its transition table
// (server_session_machine.hpp).

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dojima/mit/messages.hpp"
#include "dojima/time/time.hpp"

namespace dojima::mit {

struct ServerSessionStates {
  enum class State : std::uint8_t {
    idle,     // no connection
    waiting,  // connected, no logon yet
    delayed,  // a logon came and has to wait
    active,   // logged on
    ended,    // Logout was said; what comes in is dropped until the connection closes
    closing,  // close was called
  };

  /// The first ones are the kinds of a request, so that one becomes the other without a table.
  enum class Event : std::uint8_t {
    nothing = std::to_underlying(Inbound::Kind::none),
    heartbeat = std::to_underlying(Inbound::Kind::heartbeat),
    logon = std::to_underlying(Inbound::Kind::logon),
    logout = std::to_underlying(Inbound::Kind::logout),
    new_order = std::to_underlying(Inbound::Kind::new_order),
    replace = std::to_underlying(Inbound::Kind::replace),
    cancel = std::to_underlying(Inbound::Kind::cancel),
    mass_cancel = std::to_underlying(Inbound::Kind::mass_cancel),
    quote = std::to_underlying(Inbound::Kind::quote),
    unreadable,      // a whole message that failed validation
    out_of_step,     // bytes that are no messages
    too_fast,        // one message more than the throttle allows
    expelled,        // too often too fast, or out of step: we end it
    deaf,            // what must be sent to the peer does not fit its connection
    logon_delayed,   // it has to wait
    logon_accepted,  // the handler's answer, which has been sent
    logon_refused,
    logout_by_us,  // by our own side
    opened,
    writable,
    closed,
    heartbeat_due,
    watch_due,
  };

  /// What an event brings; rows take the part that they need.
  struct Input {
    time::Time now;
    Inbound* request = nullptr;       ///< of a message that was understood
    const Reject* refusal = nullptr;  ///< the answer that it deserves, where it is known already
    const LogonReply* reply = nullptr;
    time::Duration delay{};   ///< of a logon
    std::string_view text{};  ///< for our Logout
    char type = '\0';         ///< of the message as on the wire

    friend time::Time machine_cast(std::type_identity<time::Time>, const Input& input) { return input.now; }
  };
};

}  // namespace dojima::mit
