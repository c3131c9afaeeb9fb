#include "dojima/fix/session/admin_messages.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"

namespace dojima::fix {

// The fields are in the order of their tags, which is the canonical one.
void AdminMessages::logon(const Logon& values, Time now) noexcept {
  Writer logon = outbox_.begin(type::k_logon, now);
  logon.field(tag::k_encrypt_method, 0);
  logon.field(tag::k_heart_bt_int, values.heartbeat.count());
  if (values.is_reset && version_.has_reset_flag) logon.field(tag::k_reset_seq_num_flag, true);
  if (config_.announces_max_message_size) logon.field(tag::k_max_message_size, config_.max_body);
  if (config_.role == Role::initiator) {
    if (!config_.username.empty()) logon.field(tag::k_username, config_.username);
    if (!config_.password.empty()) logon.field(tag::k_password, config_.password);
  }
  if (values.next_expected.value != 0) logon.field(tag::k_next_expected_msg_seq_num, values.next_expected);
  if (config_.role == Role::initiator && !config_.new_password.empty())
    logon.field(tag::k_new_password, config_.new_password);
  if (config_.begin_string == k_fixt) {
    logon.field(tag::k_default_appl_ver_id, config_.default_appl_ver_id);
    constexpr int k_password_changed = 1;
    if (values.is_password_changed) logon.field(tag::k_session_status, k_password_changed);
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

void AdminMessages::resend_request(market::Sequence first, market::Sequence last, Time now) noexcept {
  Writer request = outbox_.begin(type::k_resend_request, now);
  request.field(tag::k_begin_seq_no, first);
  request.field(tag::k_end_seq_no, last.value == 0 ? version_.endless : last.value);
  const auto sent = outbox_.commit(request);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a ResendRequest fits every session");
}

Result<market::Sequence> AdminMessages::reject(const MessageView& message, const Rejection& rejection,
                                               Time now) noexcept {
  constexpr std::size_t k_shown_type_max = 32;  // a type that is refused may have any length
  const auto number = static_cast<std::uint8_t>(rejection.reason);
  const std::string_view type = message.find(tag::k_msg_type).value_or(std::string_view{}).substr(0, k_shown_type_max);
  const auto write = [&](Writer& writer) {
    writer.field(tag::k_ref_seq_num, message.msg_seq_num().value_or(market::Sequence{}));
    writer.field(tag::k_text, rejection.text.empty() ? text_of(rejection.reason) : rejection.text);
    if (version_.has_details) {
      if (!rejection.ref_tag.empty()) writer.field(tag::k_ref_tag_id, rejection.ref_tag);
      if (!type.empty()) writer.field(tag::k_ref_msg_type, type);
      if (number <= version_.last_reject_reason) writer.field(tag::k_session_reject_reason, unsigned{number});
    }
    return outbox_.commit(writer);
  };
  const auto begin = [&] {
    Writer writer = outbox_.begin(type::k_reject, now);
    if (!rejection.target_sub_id.empty()) writer.field(tag::k_target_sub_id, rejection.target_sub_id);
    return writer;
  };
  Writer routed = begin();
  if (const auto kept = write(route_back(routed, message))) return kept;
  // The peer's routing fields may be too long to be repeated; the Reject matters more.
  Writer plain = begin();
  return write(plain);
}

void AdminMessages::reject_garbled(market::Sequence sequence, std::string_view text, Time now) noexcept {
  Writer reject = outbox_.begin(type::k_reject, now);
  reject.field(tag::k_ref_seq_num, sequence).field(tag::k_text, text);
  const auto sent = outbox_.commit(reject);
  DOJIMA_ASSERT(sent || outbox_.has_failed(), "a Reject of a garbled message fits every session");
}

}  // namespace dojima::fix
