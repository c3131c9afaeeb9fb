#pragma once

// Reads and checks what a client says of the session and of recovery. For any dialect that has tables
// (codec_tables.hpp). Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

template <class D>
class SessionRequestReader {
  using Logon = typename D::Logon;
  using Logout = typename D::Logout;
  using MissedMessageRequest = typename D::MissedMessageRequest;

 public:
  static Fault check_logout(Bytes message) { return Rules(message).ascii(Logout::reason).fault(); }

  static void read_logout(Bytes message, Inbound& request) {
    begin(request, Inbound::Kind::logout, request.logout).reason = load(message, Logout::reason);
  }

  static Fault check_missed_messages(Bytes message) {
    using M = MissedMessageRequest;
    return Rules(message).at_least(M::app_id, 1).at_least(M::last_msg_seq_num, 1).fault();
  }

  static void read_missed_messages(Bytes message, Inbound& request) {
    using M = MissedMessageRequest;
    mit::MissedMessageRequest& read = begin(request, Inbound::Kind::missed_messages, request.missed_messages);
    read.partition = static_cast<std::uint8_t>(load(message, M::app_id));
    read.last.value = static_cast<std::uint64_t>(load(message, M::last_msg_seq_num));
  }

  static Fault check_logon(Bytes message) {
    using M = Logon;
    return Rules(message)
        .ascii(M::user_name)
        .present(M::user_name)
        .ascii(M::password)
        .present(M::password)
        .ascii(M::new_password)
        .one_of(M::message_version, {1})
        .fault();
  }

  static void read_logon(Bytes message, Inbound& request) {
    using M = Logon;
    mit::Logon& logon = begin(request, Inbound::Kind::logon, request.logon);
    logon.user = load(message, M::user_name);
    logon.password = load(message, M::password);
    logon.new_password = load(message, M::new_password);
  }
};

}  // namespace dojima::mit
