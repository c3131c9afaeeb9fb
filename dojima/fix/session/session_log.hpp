#pragma once

// A session's part of a message log: nothing, where there is none. Used by SessionCore and Outbox; no allocation after
// construction.

#include <cstdint>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/session.hpp"

namespace dojima::fix {

class SessionLog {
 public:
  /// Null: nothing is written.
  SessionLog(MessageLog* log, const SessionName& name)
      : log_(log), number_(log == nullptr ? 0 : log->add_session(name)) {}

  void incoming(Bytes message, Time now) noexcept { write(LogEntry::incoming, message, now); }
  void outgoing(Bytes message, Time now) noexcept { write(LogEntry::outgoing, message, now); }
  void event(std::string_view text, Time now) noexcept { write(LogEntry::event, as_bytes(text), now); }
  [[nodiscard]] bool is_written() const noexcept { return log_ != nullptr; }

 private:
  void write(LogEntry entry, Bytes bytes, Time now) noexcept {
    if (log_ != nullptr) log_->write(number_, entry, bytes, now);
  }

  MessageLog* log_;
  std::uint32_t number_;
};

/// Writes down the calls of a handler and passes them on.
class LoggedHandler final : public Handler {
 public:
  /// Both outlive it; the core gives the log and the time of what comes without one.
  LoggedHandler(Handler& user, SessionCore& core) noexcept : user_(user), core_(core) {}

  LogonDecision on_logon_request(Session& session, const MessageView& logon, Time now) override;
  void on_logon(Session& session, Time now) override;
  void on_logout(Session& session, std::string_view reason, Time now) override;
  void on_message(Session& session, const MessageView& message, Time now) override;
  void on_reject(Session& session, const MessageView& reject, Time now) override;
  void on_closed(Session& session, link::CloseReason reason, Time now) override;
  void on_unblocked(Session& session, Time now) override { user_.on_unblocked(session, now); }
  void on_trouble(Session& session, const Error& error) override;

 private:
  Handler& user_;
  SessionCore& core_;
};

}  // namespace dojima::fix
