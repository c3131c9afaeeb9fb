#pragma once

// Reads and checks what a server sends, for any dialect that has tables (codec_tables.hpp): which message it is.
// execution_report_reader.hpp, answer_reader.hpp and session_reply_reader.hpp have what is in it. Instantiated once per
// dialect, in its own source. Stateless, no allocation.

#include "dojima/mit/codec/answer_reader.hpp"
#include "dojima/mit/codec/execution_report_reader.hpp"
#include "dojima/mit/codec/session_reply_reader.hpp"

namespace dojima::mit {

template <class D>
class ReplyReader {
  using LogonReply = typename D::LogonReply;
  using Logout = typename D::Logout;
  using Heartbeat = typename D::Heartbeat;
  using Reject = typename D::Reject;
  using SystemStatus = typename D::SystemStatus;
  using MissedMessageRequestAck = typename D::MissedMessageRequestAck;
  using MissedMessageReport = typename D::MissedMessageReport;
  using ExecutionReport = typename D::ExecutionReport;
  using OrderCancelReject = typename D::OrderCancelReject;
  using OrderMassCancelReport = typename D::OrderMassCancelReport;
  using BusinessReject = typename D::BusinessReject;
  using Executions = ExecutionReportReader<D>;
  using Answers = AnswerReader<D>;
  using Session = SessionReplyReader<D>;
  static constexpr std::size_t k_longest = longest_of(D::k_layouts);

 public:
  /// As Dialect::decode_reply.
  static Result<void> decode_reply(Bytes message, Outbound& reply) {
    reply.kind = Outbound::Kind::none;
    const Result<char> type = type_of(message, k_longest);
    if (!type) return std::unexpected(type.error());
    const Fault fault = decode_any_reply(message, *type, reply);
    if (fault.is_none()) return {};
    reply.kind = Outbound::Kind::none;
    return std::unexpected(fault.error);
  }

  /// As Dialect::read_reply.
  static void read_reply(Bytes message, Outbound& reply) {
    switch (load_little<char>(message, k_type_offset)) {
      case ExecutionReport::k_type:
        return Executions::read(message, reply);
      case OrderCancelReject::k_type:
        return Answers::read_cancel_reject(message, reply);
      case BusinessReject::k_type:
        return Answers::read_business_reject(message, reply);
      case OrderMassCancelReport::k_type:
        return Answers::read_mass_cancel_report(message, reply);
      case Reject::k_type:
        return Session::read_reject(message, reply);
      case LogonReply::k_type:
        return Session::read_logon_reply(message, reply);
      case Logout::k_type:
        return Session::read_logout_reply(message, reply);
      case SystemStatus::k_type:
        return Session::read_system_status(message, reply);
      case MissedMessageRequestAck::k_type:
        return Session::read_missed_ack(message, reply);
      case MissedMessageReport::k_type:
        return Session::read_missed_report(message, reply);
      case Heartbeat::k_type:
        reply.kind = Outbound::Kind::heartbeat;
        return;
      default:
        reply.kind = Outbound::Kind::none;
    }
  }

 private:
  static Fault check_nothing(Bytes) { return {}; }

  template <class Message>
  static Fault decode_reply_as(Bytes message, Outbound& reply, Fault (*check)(Bytes), void (*read)(Bytes, Outbound&)) {
    Fault fault = check_size<Message>(message);
    if (fault.is_none()) fault = check(message);
    if (fault.is_none()) read(message, reply);
    return fault;
  }

  static Fault decode_any_reply(Bytes message, char type, Outbound& reply) {
    switch (type) {
      case ExecutionReport::k_type:
        return decode_reply_as<ExecutionReport>(message, reply, Executions::check, Executions::read);
      case OrderCancelReject::k_type:
        return decode_reply_as<OrderCancelReject>(message, reply, Answers::check_cancel_reject,
                                                  Answers::read_cancel_reject);
      case BusinessReject::k_type:
        return decode_reply_as<BusinessReject>(message, reply, Answers::check_business_reject,
                                               Answers::read_business_reject);
      case OrderMassCancelReport::k_type:
        return decode_reply_as<OrderMassCancelReport>(message, reply, Answers::check_mass_cancel_report,
                                                      Answers::read_mass_cancel_report);
      case Reject::k_type:
        return decode_reply_as<Reject>(message, reply, Session::check_reject, Session::read_reject);
      case LogonReply::k_type:
        return decode_reply_as<LogonReply>(message, reply, check_nothing, Session::read_logon_reply);
      case Logout::k_type:
        return decode_reply_as<Logout>(message, reply, Session::check_logout, Session::read_logout_reply);
      case SystemStatus::k_type:
        return decode_reply_as<SystemStatus>(message, reply, check_nothing, Session::read_system_status);
      case MissedMessageRequestAck::k_type:
        return decode_reply_as<MissedMessageRequestAck>(message, reply, Session::check_missed_ack,
                                                        Session::read_missed_ack);
      case MissedMessageReport::k_type:
        return decode_reply_as<MissedMessageReport>(message, reply, Session::check_missed_report,
                                                    Session::read_missed_report);
      case Heartbeat::k_type:
        reply.kind = Outbound::Kind::heartbeat;
        return check_size<Heartbeat>(message);
      default:
        return unknown_type(type);
    }
  }
};

}  // namespace dojima::mit
