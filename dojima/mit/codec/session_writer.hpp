#pragma once

// Writes messages of the session and of recovery, of both sides, for any dialect that has tables (codec_tables.hpp).
// Instantiated once per dialect, in its own source. Stateless, no allocation.

#include <charconv>

#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/venue_day.hpp"

namespace dojima::mit {

template <class D>
class SessionWriter {
  using Logon = typename D::Logon;
  using LogonReply = typename D::LogonReply;
  using Logout = typename D::Logout;
  using Heartbeat = typename D::Heartbeat;
  using Reject = typename D::Reject;
  using SystemStatus = typename D::SystemStatus;
  using MissedMessageRequest = typename D::MissedMessageRequest;
  using MissedMessageRequestAck = typename D::MissedMessageRequestAck;
  using MissedMessageReport = typename D::MissedMessageReport;

 public:
  static Result<std::size_t> encode_logon(const mit::Logon& logon, Room room) {
    using M = Logon;
    Composer<M> composer(room);
    composer.put(M::user_name, logon.user)
        .put(M::password, logon.password)
        .put(M::new_password, logon.new_password)
        .put(M::message_version, 1);
    return composer.size();
  }

  static Result<std::size_t> encode_logon_reply(const mit::LogonReply& reply, Room room) {
    using M = LogonReply;
    Text<30> days = text_of(reply.venue_day);
    if (reply.days >= 0 && days.is_empty())
      std::to_chars(days.chars.data(), days.chars.data() + days.chars.size(), reply.days);
    Composer<M> composer(room);
    composer.put(M::reject_code, reply.code).put(M::password_expiry_day_count, days);
    return composer.size();
  }

  static Result<std::size_t> encode_logout(const mit::Logout& logout, Room room) {
    Composer<Logout> composer(room);
    composer.put(Logout::reason, logout.reason);
    return composer.size();
  }

  static Result<std::size_t> encode_heartbeat(Room room) { return Composer<Heartbeat>(room).size(); }

  static Result<std::size_t> encode_reject(const mit::Reject& reject, Room room) {
    using M = Reject;
    Composer<M> composer(room);
    composer.put(M::reject_code, reject.code)
        .put(M::reject_reason, reject.reason)
        .put(M::rejected_message_type, reject.type)
        .put(M::client_order_id, reject.client_order_id);
    return composer.size();
  }

  static Result<std::size_t> encode_missed_request(const mit::MissedMessageRequest& request, Room room) {
    using M = MissedMessageRequest;
    Composer<M> composer(room);
    composer.put(M::app_id, request.partition).put(M::last_msg_seq_num, request.last);
    return composer.size();
  }

  static Result<std::size_t> encode_missed_ack(const mit::MissedMessageAck& ack, Room room) {
    Composer<MissedMessageRequestAck> composer(room);
    composer.put(MissedMessageRequestAck::response_type, static_cast<std::int64_t>(ack.response));
    return composer.size();
  }

  static Result<std::size_t> encode_missed_report(const mit::MissedMessageReport& report, Room room) {
    using M = MissedMessageReport;
    Composer<M> composer(room);
    composer
        .require(report.response != Recovery::unknown_partition, M::response_type,
                 static_cast<std::int64_t>(report.response), "a ResponseType of this message")
        .put(M::response_type, static_cast<std::int64_t>(report.response));
    return composer.size();
  }

  static Result<std::size_t> encode_system_status(const mit::SystemStatus& status, Room room) {
    using M = SystemStatus;
    Composer<M> composer(room);
    composer.put(M::app_id, status.partition).put(M::app_status, status.status);
    return composer.size();
  }
};

}  // namespace dojima::mit
