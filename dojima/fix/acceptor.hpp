#pragma once

// Several FIX sessions on one port: a new connection belongs to nobody until its first message, a Logon, names the
// session by BeginString(8), SenderCompID(49) and TargetCompID(56); from then on every byte is the session's. Wrong
// first messages, unknown names, sessions that are connected already and peers that do not speak in time are closed
// without a word. All links are made at construction; more connections than that are refused. One thread.
//
//   SessionAcceptor acceptor(scheduler, {.links = 16});
//   acceptor.add(session);  fabric.listen(address, acceptor);

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::fix {

struct SessionAcceptorOptions {
  std::size_t links = 64;          ///< connections at once, with or without a session
  std::size_t unknown_links = 16;  ///< of these, connections that have not named a session yet
  std::chrono::seconds logon_timeout{10};
  std::size_t max_body = 4096;  ///< of the first message
};

class SessionAcceptor final : public link::Acceptor {
 public:
  /// The scheduler must have room for one timer a link and must outlive the acceptor. Throws std::bad_alloc.
  SessionAcceptor(sched::Scheduler& scheduler, SessionAcceptorOptions options);
  ~SessionAcceptor();

  SessionAcceptor(const SessionAcceptor&) = delete;
  SessionAcceptor& operator=(const SessionAcceptor&) = delete;

  /// Makes a session of role acceptor known, which must outlive this object's use. False: one of the same names is
  /// there. For start-up: allocates.
  bool add(Session& session);

  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  /// Connections in use, and those of them without a session.
  [[nodiscard]] std::size_t links() const noexcept { return used_; }
  [[nodiscard]] std::size_t unknown_links() const noexcept { return unknown_; }

 private:
  class Link;

  [[nodiscard]] Session* session_of(const Frame& frame) noexcept;

  SessionAcceptorOptions options_;
  std::vector<Session*> sessions_;
  std::vector<std::unique_ptr<Link>> links_;
  MessageView view_;  // of a first message
  std::size_t used_ = 0;
  std::size_t unknown_ = 0;
};

}  // namespace dojima::fix
