#pragma once

// What a person wants to look at later: every message of a session as it was on the wire, and what happened to the
// session. The session hands it over; others write it somewhere (app::MessageLogFile).
//
//   Session session(scheduler, {.log = &log, ...}, handler);

#include <cstdint>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/session_name.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

enum class LogEntry : std::uint8_t {
  incoming,  ///< a message that arrived whole, whatever became of it
  outgoing,  ///< a message given to the transport, duplicates and gap fills too
  event,     ///< text: connected, logon, logout with its reason, trouble, closed
};

class MessageLog {
 public:
  /// Makes a session known before its first entry; the names are copied. For start-up: may allocate.
  [[nodiscard]] virtual std::uint32_t add_session(const SessionName& name) = 0;
  /// `bytes` die when the call returns. Must return at once, without waiting and without allocating. Secrets are still
  /// in the messages (masked.hpp).
  virtual void write(std::uint32_t session, LogEntry entry, Bytes bytes, time::Time now) noexcept = 0;

 protected:
  ~MessageLog() = default;
};

}  // namespace dojima::fix
