#include "dojima/fix/session/admin_messages.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/session/session_config.hpp"

namespace dojima::fix {

void AdminMessages::logon(bool is_reset, std::chrono::seconds heartbeat, Time now) noexcept {
  Writer logon = outbox_.begin(type::k_logon, now);
  logon.field(tag::k_encrypt_method, 0);
  logon.field(tag::k_heart_bt_int, heartbeat.count());
  if (is_reset) logon.field(tag::k_reset_seq_num_flag, true);
  if (config_.begin_string == k_fixt) logon.field(tag::k_default_appl_ver_id, config_.default_appl_ver_id);
  if (config_.role == Role::initiator) {
    if (!config_.username.empty()) logon.field(tag::k_username, config_.username);
    if (!config_.password.empty()) logon.field(tag::k_password, config_.password);
  }
  const auto sent = outbox_.commit(logon);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a Logon fits every session");
}

void AdminMessages::logout(std::string_view text, Time now) noexcept {
  Writer logout = outbox_.begin(type::k_logout, now);
  constexpr std::size_t k_text_max = 128;
  const std::string_view shown = text.substr(0, std::min(text.find('\x01'), k_text_max));
  if (!shown.empty()) logout.field(tag::k_text, shown);
  const auto sent = outbox_.commit(logout);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a Logout fits every session");
}

void AdminMessages::heartbeat(Time now) noexcept {
  Writer heartbeat = outbox_.begin(type::k_heartbeat, now);
  const auto sent = outbox_.commit(heartbeat);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a Heartbeat fits every session");
}

bool AdminMessages::heartbeat_for(std::string_view test_req_id, Time now) noexcept {
  Writer heartbeat = outbox_.begin(type::k_heartbeat, now);
  constexpr std::string_view k_empty_id = "112=\x01";  // where empty values are permitted, it is echoed as it is
  if (test_req_id.empty()) {
    heartbeat.raw(as_bytes(k_empty_id));
  } else {
    heartbeat.field(tag::k_test_req_id, test_req_id);
  }
  return outbox_.commit(heartbeat).has_value();
}

void AdminMessages::test_request(Time now) noexcept {
  Writer request = outbox_.begin(type::k_test_request, now);
  request.field(tag::k_test_req_id, config_.test_request_text);
  const auto sent = outbox_.commit(request);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a TestRequest fits every session");
}

void AdminMessages::resend_request(market::Sequence first, Time now) noexcept {
  Writer request = outbox_.begin(type::k_resend_request, now);
  request.field(tag::k_begin_seq_no, first).field(tag::k_end_seq_no, 0);
  const auto sent = outbox_.commit(request);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a ResendRequest fits every session");
}

Result<market::Sequence> AdminMessages::reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                               std::string_view text, Time now) noexcept {
  constexpr auto k_last_of_fix42 = static_cast<std::uint8_t>(RejectReason::invalid_msg_type);
  constexpr std::size_t k_shown_type_max = 32;  // a type that is refused may have any length
  const auto number = static_cast<std::uint8_t>(reason);
  const std::string_view type = message.find(tag::k_msg_type).value_or(std::string_view{}).substr(0, k_shown_type_max);
  const auto write = [&](Writer& writer) {
    writer.field(tag::k_ref_seq_num, message.msg_seq_num().value_or(market::Sequence{}));
    writer.field(tag::k_text, text.empty() ? text_of(reason) : text);
    if (ref_tag != 0) writer.field(tag::k_ref_tag_id, ref_tag);
    if (!type.empty()) writer.field(tag::k_ref_msg_type, type);
    if (config_.begin_string != "FIX.4.2" || number <= k_last_of_fix42)
      writer.field(tag::k_session_reject_reason, unsigned{number});
    return outbox_.commit(writer);
  };
  Writer routed = outbox_.begin(type::k_reject, now);
  if (const auto kept = write(route_back(routed, message))) return kept;
  // The peer's routing fields may be too long to be repeated; the Reject matters more.
  Writer plain = outbox_.begin(type::k_reject, now);
  return write(plain);
}

}  // namespace dojima::fix
