#pragma once

// Several FIX sessions on one port: a new connection belongs to nobody until its first message, a Logon, names the
// session by BeginString(8), SenderCompID(49), TargetCompID(56) and, where the session has them, the further names 50,
// 57, 142 and 143; from then on every byte is the session's. Wrong first messages, unknown names, hosts that are not
// allowed, sessions that are connected already and peers that do not speak in time are closed without a message, and an
// observer hears of each, those included that the fabric has no place for. A second connection for a live session is
// refused, but the first one is probed: one that is dead makes room for the next attempt. All links are made at
// construction. One thread.
//
//   SessionAcceptor acceptor(scheduler, {.links = 16});
//   acceptor.add(session);  fabric.listen(address, acceptor);

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/link/host_shares.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::fix {

struct SessionAcceptorOptions {
  /// A connection keeps its link until its end has been reported, a turn of the loop or two after it was closed. So
  /// many links more than sessions and unknown_links let others in meanwhile.
  static constexpr std::size_t k_ending_links = 4;

  std::size_t links = 64;  ///< connections at once, with or without a session, those that end included
  /// Of these, connections that have not named a session yet. Of more the oldest makes room of the host that has most
  /// of them, or of the newcomer's own where no other has more: no host can displace another one's.
  std::size_t unknown_links = 16;
  std::chrono::seconds logon_timeout{10};
  /// How long the peer of a live session has to show that it is alive when a second connection names that session.
  std::chrono::milliseconds probe_timeout{2000};
  std::size_t max_body = 4096;  ///< of the first message
};

/// Why a connection did not become a session.
enum class Refused : std::uint8_t {
  not_fix,            ///< the first bytes are no FIX message
  not_a_logon,        ///< the first message is another one
  unknown_session,    ///< no session has these names
  host_not_allowed,   ///< the session is not for this host
  already_connected,  ///< the session is live
  too_late,           ///< no Logon within logon_timeout
  made_room,          ///< too many connections without a session: this was the oldest of the host with most
  no_room,            ///< all links are in use
  logon,              ///< the session refused the Logon: `error` says why
};

/// Static text, e.g. "unknown session".
[[nodiscard]] std::string_view text_of(Refused reason) noexcept;

/// A connection that was refused. Views die when the observer returns; names are empty where none were read.
struct RefusedConnection {
  const link::Address& peer;
  Refused reason{};
  std::string_view begin_string{}, sender_comp_id{}, target_comp_id{};  ///< as the peer wrote them
  Error error{};                                                        ///< of `logon`, and of bytes that are not FIX
  std::string_view text{};  ///< of `logon` why, of `unknown_session` what is known of the peer's name, as a sentence
};

/// What the owner of a port decides and hears. Called from the loop, never from inside a call of the acceptor but
/// on_accept.
class AcceptorObserver {
 public:
  virtual void on_refused(const RefusedConnection& refused, Time now) = 0;
  /// A Logon names no session that was added. The session it is to be, made from a template and added by the callee, or
  /// null: refuse it. The view dies on return.
  virtual Session* on_unknown_session(const MessageView& /*logon*/, const link::Address& /*peer*/, Time /*now*/) {
    return nullptr;
  }

 protected:
  ~AcceptorObserver() = default;
};

class SessionAcceptor final : public link::Acceptor {
 public:
  /// The scheduler must have room for one timer a link; it and the observer must outlive the acceptor. Throws
  /// std::bad_alloc.
  SessionAcceptor(sched::Scheduler& scheduler, SessionAcceptorOptions options, AcceptorObserver* observer = nullptr);
  ~SessionAcceptor();

  SessionAcceptor(const SessionAcceptor&) = delete;
  SessionAcceptor& operator=(const SessionAcceptor&) = delete;

  /// Makes a session of role acceptor known, which must outlive this object's use. False: one of the same names is
  /// there. O(sessions); allocates.
  bool add(Session& session);

  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;
  /// Reports it; of the connections without a session one makes room for the next one.
  void on_turned_away(const link::Address& peer) override;

  /// Connections in use, and those of them without a session.
  [[nodiscard]] std::size_t links() const noexcept { return used_; }
  [[nodiscard]] std::size_t unknown_links() const noexcept { return unknown_; }

 private:
  class Link;

  /// The session whose names the message has; null: there is none. O(log sessions).
  [[nodiscard]] Session* session_of(const MessageView& logon) const noexcept;
  /// Of a Logon without a session, what is known of its SenderCompID, in `room`; empty: nothing.
  [[nodiscard]] std::string_view known_of(const MessageView& logon, std::span<char> room) const noexcept;
  void report(const RefusedConnection& refused, Time now);
  /// Of the connections without a session one makes room, for one from this peer (host_shares.hpp). O(links).
  void make_room_for(const link::Address& peer, Time now);

  SessionAcceptorOptions options_;
  sched::Scheduler& scheduler_;
  AcceptorObserver* observer_;
  std::vector<Session*> sessions_;  // sorted by BeginString and CompIDs
  std::vector<std::unique_ptr<Link>> links_;
  link::HostShares shares_;
  std::vector<Link*> waiting_;  // in hand
  MessageView view_;            // of a first message
  std::size_t used_ = 0;
  std::size_t unknown_ = 0;
  std::uint64_t accepted_ = 0;  // connections so far: the age of a link
};

}  // namespace dojima::fix
