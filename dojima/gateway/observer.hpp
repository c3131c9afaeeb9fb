#pragma once

// Who gets notice of what happens to a gateway's sessions; for a log or a screen.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/mit/recovery_client.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {
struct RefusedConnection;
}  // namespace dojima::fix

namespace dojima::gateway {

using time::Time;

/// Days of a venue that are over. Their numbers are those of the venue, as its files of a day have them.
struct EndedDays {
  bool is_missed = false;                    ///< they ended before all of them had come
  std::optional<std::uint64_t> first, last;  ///< none: the venue says no day, or none is known
};

/// `client` is the place in the configuration. Called from the loop; texts die when the function returns.
class Observer {
 public:
  virtual void on_client_up(std::size_t client, Time now) { static_cast<void>(client), static_cast<void>(now); }
  virtual void on_client_down(std::size_t client, std::string_view text, Time now) {
    static_cast<void>(client), static_cast<void>(text), static_cast<void>(now);
  }
  // Of a venue user, by its place among VenueUsers.

  virtual void on_venue_up(std::size_t user, Time now) { static_cast<void>(user), static_cast<void>(now); }
  /// The venue user's connection ended or could not be made; another attempt follows.
  virtual void on_venue_down(std::size_t user, std::string_view text, Time now) {
    static_cast<void>(user), static_cast<void>(text), static_cast<void>(now);
  }
  /// The venue refused the logon with this code; another attempt follows.
  virtual void on_venue_refused(std::size_t user, std::int32_t code, Time now) {
    static_cast<void>(user), static_cast<void>(code), static_cast<void>(now);
  }
  /// The venue took the new password, for its next logon.
  virtual void on_venue_password(std::size_t user, Time now) { static_cast<void>(user), static_cast<void>(now); }
  /// A recovery ended, complete or not; one that is not is tried again, or given up (on_venue_unrecoverable).
  virtual void on_venue_recovery(std::size_t user, const mit::RecoveryOutcome& outcome, Time now) {
    static_cast<void>(user), static_cast<void>(outcome), static_cast<void>(now);
  }
  /// The venue does not have what was missed any more: executions may be missing.
  virtual void on_venue_unrecoverable(std::size_t user, Time now) { static_cast<void>(user), static_cast<void>(now); }
  /// The venue is another one than before, or has lost what it had reported: `orders` open orders are lost.
  virtual void on_other_venue(std::size_t user, std::uint64_t orders, Time now) {
    static_cast<void>(user), static_cast<void>(orders), static_cast<void>(now);
  }
  /// Days of the venue are over: its numbers begin anew. Where reports of them may be missing, on_venue_unrecoverable
  /// follows with the next session, and only the venue's files of these days have them.
  virtual void on_venue_next_day(std::size_t user, const EndedDays& days, Time now) {
    static_cast<void>(user), static_cast<void>(days), static_cast<void>(now);
  }
  /// The venue says of a partition that its service is not available (over the user's session), or that it cannot be
  /// recovered now, and that it can again (over its recovery).
  virtual void on_venue_status(std::size_t user, const mit::SystemStatus& status, Time now) {
    static_cast<void>(user), static_cast<void>(status), static_cast<void>(now);
  }
  /// Something came over its session that could not be used.
  virtual void on_venue_trouble(std::size_t user, const Error& error, Time now) {
    static_cast<void>(user), static_cast<void>(error), static_cast<void>(now);
  }

  // Of clients and others again.

  /// The client does not know a trade that it was sent (DontKnowTrade): for people to settle. The ids and the reason,
  /// DKReason(127), are as the client wrote them.
  virtual void on_unknown_trade(std::size_t client, std::string_view order_id, std::string_view exec_id,
                                std::string_view reason, Time now) {
    static_cast<void>(client), static_cast<void>(order_id), static_cast<void>(exec_id), static_cast<void>(reason),
        static_cast<void>(now);
  }
  /// All open orders of the client, so many, are being cancelled: it went, or its kill switch was set. `cause` is what
  /// the client reads of it.
  virtual void on_cancel_all(std::size_t client, std::string_view cause, std::uint32_t orders, Time now) {
    static_cast<void>(client), static_cast<void>(cause), static_cast<void>(orders), static_cast<void>(now);
  }
  /// `copy` is the place in GatewayConfig::drop_copies.
  virtual void on_drop_copy_up(std::size_t copy, Time now) { static_cast<void>(copy), static_cast<void>(now); }
  virtual void on_drop_copy_down(std::size_t copy, std::string_view text, Time now) {
    static_cast<void>(copy), static_cast<void>(text), static_cast<void>(now);
  }
  /// A connection that did not become a client's session.
  virtual void on_refused(const fix::RefusedConnection& refused, Time now) {
    static_cast<void>(refused), static_cast<void>(now);
  }
  /// Something came that could not be used from the client's FIX session.
  virtual void on_trouble(std::size_t client, const Error& error, Time now) {
    static_cast<void>(client), static_cast<void>(error), static_cast<void>(now);
  }

 protected:
  ~Observer() = default;
};

}  // namespace dojima::gateway
