#pragma once

// Reads and checks what a server says of the session and of recovery. For any dialect that has tables
// (codec_tables.hpp). Stateless, no allocation.

#include <charconv>
#include <system_error>

#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/venue_day.hpp"

namespace dojima::mit {

template <class D>
class SessionReplyReader {
  using LogonReply = typename D::LogonReply;
  using Logout = typename D::Logout;
  using Reject = typename D::Reject;
  using SystemStatus = typename D::SystemStatus;
  using MissedMessageRequestAck = typename D::MissedMessageRequestAck;
  using MissedMessageReport = typename D::MissedMessageReport;

 public:
  static void read_logon_reply(Bytes message, Outbound& reply) {
    mit::LogonReply& read = begin(reply, Outbound::Kind::logon_reply, reply.logon_reply);
    read.code = load(message, LogonReply::reject_code);
    const Text<30> text = load(message, LogonReply::password_expiry_day_count);
    read.days = days_in(text.view());
    read.venue_day = venue_day_in(text.view());
  }

  static Fault check_reject(Bytes message) {
    return Rules(message).ascii(Reject::reject_reason).ascii(Reject::client_order_id).fault();
  }

  static void read_reject(Bytes message, Outbound& reply) {
    mit::Reject& read = begin(reply, Outbound::Kind::reject, reply.reject);
    read.code = load(message, Reject::reject_code);
    read.reason = load(message, Reject::reject_reason);
    read.type = load(message, Reject::rejected_message_type);
    read.client_order_id = load(message, Reject::client_order_id);
  }

  static void read_logout_reply(Bytes message, Outbound& reply) {
    begin(reply, Outbound::Kind::logout, reply.logout).reason = load(message, Logout::reason);
  }

  static void read_system_status(Bytes message, Outbound& reply) {
    mit::SystemStatus& read = begin(reply, Outbound::Kind::system_status, reply.system_status);
    read.partition = load(message, SystemStatus::app_id);
    read.status = load(message, SystemStatus::app_status);
  }

  static Fault check_missed_ack(Bytes message) {
    return Rules(message).one_of(MissedMessageRequestAck::response_type, {0, 1, 2, 3}).fault();
  }
  static void read_missed_ack(Bytes message, Outbound& reply) {
    begin(reply, Outbound::Kind::missed_ack, reply.missed_ack).response =
        static_cast<Recovery>(load(message, MissedMessageRequestAck::response_type));
  }

  static Fault check_missed_report(Bytes message) {
    return Rules(message).one_of(MissedMessageReport::response_type, {0, 1, 3}).fault();
  }
  static void read_missed_report(Bytes message, Outbound& reply) {
    begin(reply, Outbound::Kind::missed_report, reply.missed_report).response =
        static_cast<Recovery>(load(message, MissedMessageReport::response_type));
  }

  static Fault check_logout(Bytes message) { return Rules(message).ascii(Logout::reason).fault(); }

 private:
  /// The text is for people; a client that cannot read it can still trade.
  [[nodiscard]] static std::int32_t days_in(std::string_view digits) noexcept {
    std::int32_t days = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), days);
    const bool is_whole = error == std::errc{} && end == digits.data() + digits.size() && days >= 0;
    return is_whole ? days : mit::LogonReply::k_days_not_stated;
  }
};

}  // namespace dojima::mit
