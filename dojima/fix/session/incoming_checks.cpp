#include "dojima/fix/session/incoming_checks.hpp"

#include "dojima/fix/session/checked_config.hpp"

namespace dojima::fix {

std::unexpected<Error> violation(RejectReason reason, ErrorCode code, Tag tag, const char* expected) noexcept {
  return fail(code, tag, 0, static_cast<std::int64_t>(reason), expected);
}

ReadRules IncomingChecks::read_rules() const noexcept {
  return {.data_fields = &dictionary_.data_fields(), .allows_empty_values = !config_.checks.empty_values};
}

bool IncomingChecks::is_garbled(const Result<void>& read) const noexcept {
  if (read || read.error().field != 0 || read.error().code != ErrorCode::malformed) return false;
  return !config_.checks.separators || reason_of(read.error()) != RejectReason::field_separator_in_value;
}

const Dictionary& IncomingChecks::dictionary_in_fixt(const MessageView& message) const noexcept {
  if (is_admin(message.msg_type())) return config_.dictionary == nullptr ? fixt_1_1() : dictionary_;
  const auto version = message.find(tag::k_appl_ver_id);
  if (!version || version == config_.default_appl_ver_id) return dictionary_;
  const Dictionary* const other = fix::dictionary_of(k_fixt, *version);
  return other == nullptr ? dictionary_ : *other;
}

Result<void> IncomingChecks::check_names(const MessageView& message) const noexcept {
  const auto sender = message.text(tag::k_sender_comp_id);
  const auto target = message.text(tag::k_target_comp_id);
  if (!sender) return std::unexpected(sender.error());
  if (!target) return std::unexpected(target.error());
  if (*sender != config_.target_comp_id)
    return violation(RejectReason::comp_id_problem, ErrorCode::refused, tag::k_sender_comp_id, "the session's peer");
  if (*target != config_.sender_comp_id)
    return violation(RejectReason::comp_id_problem, ErrorCode::refused, tag::k_target_comp_id,
                     "the session's own name");
  return has_further_names_ ? check_further_names(message) : Result<void>{};
}

Result<void> IncomingChecks::check_further_names(const MessageView& message) const noexcept {
  struct Part {
    Tag tag;
    const std::string& own;
  };
  for (const Part& part :
       {Part{tag::k_sender_sub_id, config_.target_sub_id}, Part{tag::k_sender_location_id, config_.target_location_id},
        Part{tag::k_target_sub_id, config_.sender_sub_id},
        Part{tag::k_target_location_id, config_.sender_location_id}}) {
    if (!part.own.empty() && message.find(part.tag) != part.own)
      return violation(RejectReason::comp_id_problem, ErrorCode::refused, part.tag, "the session's further names");
  }
  return {};
}

Result<void> IncomingChecks::check_header(const MessageView& message, Time now) const noexcept {
  if (auto names = check_names(message); !names) return names;
  const auto sent = message.time(tag::k_sending_time, date_);
  if (!sent) return std::unexpected(sent.error());
  const auto distance = *sent > now ? *sent - now : now - *sent;
  if (config_.sending_time_tolerance.count() != 0 && distance > config_.sending_time_tolerance &&
      (*sent > now || distance > config_.sending_time_tolerance + unread_))
    return violation(RejectReason::sending_time_accuracy, ErrorCode::out_of_range, tag::k_sending_time,
                     "a time near now");
  return {};
}

/// SequenceReset is exempt, because many engines send it without the original time.
Result<void> IncomingChecks::check_duplicate(const MessageView& message) const noexcept {
  if (!message.is_set(tag::k_poss_dup_flag) || message.msg_type() == type::k_sequence_reset) return {};
  const auto original = message.time(tag::k_orig_sending_time);
  if (!original) return std::unexpected(original.error());
  const auto sent = message.time(tag::k_sending_time);
  if (sent && *original > *sent)
    return violation(RejectReason::sending_time_accuracy, ErrorCode::out_of_range, tag::k_orig_sending_time,
                     "a time not later than SendingTime");
  return {};
}

bool IncomingChecks::are_credentials_right(const MessageView& logon) const {
  if (config_.role == Role::initiator) return true;
  if (!config_.username.empty() && logon.find(tag::k_username) != config_.username) return false;
  const auto password = logon.find(tag::k_password);
  if (may_change_password()) return password && config_.credentials->is_right(name(), config_.password, *password);
  return password_.empty() || password == password_;
}

bool IncomingChecks::is_agreed(Tag tag) const noexcept {
  if (config_.role == Role::initiator) return false;
  if (tag == tag::k_new_password) return may_change_password();
  const bool has_credentials = !config_.username.empty() || !config_.password.empty();
  return has_credentials && (tag == tag::k_username || tag == tag::k_password);
}

/// What the session demands of a Logon was agreed, also in versions whose dictionary has no such field: Username(553)
/// and Password(554) before FIX 4.3, NewPassword(925) before FIXT 1.1.
Result<void> IncomingChecks::check_logon_content(const MessageView& logon) const noexcept {
  const Dictionary& dictionary = dictionary_of(logon);
  const MessageFacts* const facts = dictionary.message(type::k_logon);
  Checks checks = config_.checks;
  for (const Tag tag : {tag::k_username, tag::k_password, tag::k_new_password}) {
    if (!logon.has(tag) || !is_agreed(tag)) continue;
    if (dictionary.field(tag) == nullptr)
      checks.unknown_tags = false;
    else if (facts != nullptr && facts->shape->find(tag) == nullptr)
      checks.message_tags = false;
  }
  return check_message(logon, dictionary, checks, date_);
}

Result<void> IncomingChecks::check_logon(const MessageView& message, const Result<void>& read, Time now) const {
  if (!read) return read;
  if (message.msg_type() != type::k_logon)
    return fail(ErrorCode::refused, tag::k_msg_type, 0, 0, "Logon as the first message");
  if (message.find(tag::k_begin_string) != config_.begin_string)
    return fail(ErrorCode::refused, tag::k_begin_string, 0, 0, "the session's BeginString");
  if (const auto sequence = message.msg_seq_num(); !sequence) return std::unexpected(sequence.error());
  if (auto header = check_header(message, now); !header) return header;
  if (auto content = check_logon_content(message); !content) return content;
  if (is_fixt_ && config_.checks.versions && message.find(tag::k_default_appl_ver_id) != config_.default_appl_ver_id)
    return violation(RejectReason::application_version, ErrorCode::not_supported, tag::k_default_appl_ver_id,
                     "the session's DefaultApplVerID");
  const auto heartbeat = message.integer(tag::k_heart_bt_int);
  if (!heartbeat || *heartbeat < 0 || *heartbeat > k_heartbeat_seconds_max)
    return fail(ErrorCode::refused, tag::k_heart_bt_int, 0, heartbeat.value_or(-1), "0 to 86400 seconds");
  if (message.integer(tag::k_encrypt_method).value_or(-1) != 0)
    return fail(ErrorCode::refused, tag::k_encrypt_method, 0, 0, "no encryption");
  if (!are_credentials_right(message))
    return fail(ErrorCode::refused, tag::k_password, 0, 0, "the session's Username(553) and Password(554)");
  return {};
}

}  // namespace dojima::fix
