#pragma once

// The words of a session's transition table (session_machine.hpp): its states, what may happen to it, and what each of
// these brings along.

#include <chrono>
#include <cstdint>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

enum class SessionState : std::uint8_t {
  disconnected,    // no transport
  awaiting_logon,  // initiator: ours is sent; acceptor: nothing was received
  logged_on,
  logout_sent,  // ours is sent, the peer's is awaited
  closing,      // nothing is read any more, on_closed follows
};

/// What happens to a session. Message types of its own have the code of their MsgType; whatever else a peer sends is
/// below k_msg_type_end as well, so the events from there on are none that it could name.
enum class SessionEvent : std::uint32_t {
  heartbeat = '0',
  test_request = '1',
  resend_request = '2',
  reject = '3',
  sequence_reset = '4',
  logout = '5',
  logon = 'A',
  opened = k_msg_type_end,
  closed,
  writable,
  garbled,           // bytes that are no message, or a message whose tags are no numbers
  oversized,         // a message that claims to be larger than the session reads
  arrived,           // a message; its number has not been looked at
  logon_accepted,    // by us
  logon_refused,     // by us, or by the peer
  must_end,          // the peer broke a rule that ends a session
  deaf,              // the peer does not read
  logout_by_us,      // by our own side
  disconnect_by_us,  // by our own side
  probe_by_us,       // by our own side: is the peer alive?
  reset_by_us,       // by our own side: both numbers begin anew
  heartbeat_due,
  silence_due,
  state_due,
};

/// What an event brings; rows take the part that they need.
struct SessionInput {
  /// Where a message has its place in the sequence.
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
  std::string_view text{};             ///< for our Logout, or why we close; of garbled: the bytes
  bool is_text_sent = true;            ///< of must_end: our Logout says why
  bool is_reset = false;               ///< of a Logon: the peer wants both numbers to begin anew
  bool is_password_changed = false;    ///< of a Logon: NewPassword(925) was taken
  std::chrono::nanoseconds limit{};    ///< of probe_by_us: the peer's time to answer
  link::CloseReason reason{};          ///< of the connection's end
  Time time{};                         ///< of the connection's end
};

}  // namespace dojima::fix
