#pragma once

// What MIT203 messages say, apart from any dialect's layout: the session's own records beside the commands and reports
// of `market`. `Inbound` is what a server reads, `Outbound` what a client reads. Plain records of fixed size, no
// allocation; a union member may be read only when `kind` names it.

#include <cstdint>
#include <memory>

#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::mit {

/// `A`
struct Logon {
  Text<25> user;
  Text<25> password;
  Text<25> new_password;  ///< empty: keep
  friend bool operator==(const Logon&, const Logon&) = default;
};

/// Which day of which venue it is. Of the same venue a day with a higher number is a later one.
struct VenueDay {
  std::uint64_t venue = 0;   ///< the same as long as it has what it had reported; 0: not stated
  std::uint64_t number = 0;  ///< days that it has begun before this one; below 10^11
  static constexpr std::uint64_t k_most = 99'999'999'999;

  [[nodiscard]] bool is_said() const noexcept { return venue != 0; }
  friend bool operator==(const VenueDay&, const VenueDay&) = default;
};

/// `B`
struct LogonReply {
  std::int32_t code = 0;                  ///< 0: logged on; else see reject_codes.hpp
  std::int32_t days = k_days_not_stated;  ///< until the password expires
  /// Dojima's own, on the recovery channel: where it is stated, it is in the text that elsewhere states the days.
  VenueDay venue_day{};
  static constexpr std::int32_t k_days_not_stated = -1;
  friend bool operator==(const LogonReply&, const LogonReply&) = default;
};

/// `5`, both ways
struct Logout {
  Text<20> reason;
  friend bool operator==(const Logout&, const Logout&) = default;
};

/// `3`: a request that the session or the validation in front of the venue refused.
struct Reject {
  std::int32_t code = 0;     ///< see reject_codes.hpp
  Text<30> reason;           ///< name of the offending field, as the protocol spells it
  char type = '\0';          ///< of the refused message
  Text<20> client_order_id;  ///< empty when it could not be read
  friend bool operator==(const Reject&, const Reject&) = default;
};

/// `n`: on the real-time channel only 3.
struct SystemStatus {
  std::uint8_t partition = 0;
  std::uint8_t status = 0;
  static constexpr std::uint8_t k_recovery_resumed = 1, k_recovery_unavailable = 2, k_partition_unavailable = 3;
  friend bool operator==(const SystemStatus&, const SystemStatus&) = default;
};

/// `M`, recovery channel: a partition's messages are wanted again, from and including this number.
struct MissedMessageRequest {
  std::uint8_t partition = 0;
  market::Sequence last{};
  friend bool operator==(const MissedMessageRequest&, const MissedMessageRequest&) = default;
};

/// ResponseType of `N` and `P`.
enum class Recovery : std::uint8_t {
  good = 0,               ///< `N`: the messages follow; `P`: these were all
  limit = 1,              ///< `N`: too many requests; `P`: too many messages, ask again from the last one
  unknown_partition = 2,  ///< `N` only
  unavailable = 3,        ///< the partition cannot be recovered now
};

/// `N`: the answer to a request.
struct MissedMessageAck {
  Recovery response = Recovery::good;
  friend bool operator==(const MissedMessageAck&, const MissedMessageAck&) = default;
};

/// `P`: nothing more follows for the request.
struct MissedMessageReport {
  Recovery response = Recovery::good;
  friend bool operator==(const MissedMessageReport&, const MissedMessageReport&) = default;
};

/// `8`, `9`, `j`, `r`. The wire carries a number, `report.reason` its meaning where it has one of ours.
struct Report {
  market::OwnerReport report;
  std::int32_t code = 0;  ///< OrderRejectCode, (Mass)CancelRejectReason or RejectCode as on the wire
};

/// What a server reads.
struct Inbound {
  enum class Kind : std::uint8_t {
    none,
    heartbeat,
    logon,
    logout,
    new_order,
    replace,
    cancel,
    mass_cancel,
    quote,
    missed_messages
  };

  Inbound() noexcept : nothing('\0') {}

  Kind kind = Kind::none;
  union {
    char nothing;
    Logon logon;
    Logout logout;
    market::NewOrder new_order;
    market::Replace replace;
    market::Cancel cancel;
    market::MassCancel mass_cancel;
    market::Quote quote;
    MissedMessageRequest missed_messages;
  };
};

/// What a client reads.
struct Outbound {
  enum class Kind : std::uint8_t {
    none,
    heartbeat,
    logon_reply,
    logout,
    reject,
    report,
    system_status,
    missed_ack,
    missed_report
  };

  Outbound() noexcept : nothing('\0') {}

  Kind kind = Kind::none;
  union {
    char nothing;
    LogonReply logon_reply;
    Logout logout;
    Reject reject;
    Report report;
    SystemStatus system_status;
    MissedMessageAck missed_ack;
    MissedMessageReport missed_report;
  };
};

/// Makes `member` of a message the one that is read, with its default values: `NewOrder& order = begin(message,
/// Inbound::Kind::new_order, message.new_order);`
template <class Message, class Record>
Record& begin(Message& message, typename Message::Kind kind, Record& member) noexcept {
  message.kind = kind;
  return *std::construct_at(&member);
}

}  // namespace dojima::mit
