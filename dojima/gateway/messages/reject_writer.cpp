#include "dojima/gateway/messages/reject_writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

#include "dojima/fix/dictionary.hpp"
#include "dojima/gateway/messages/field_names.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] bool publishes(FixVersion version, fix::Tag tag, std::int32_t value) noexcept {
  std::array<char, 16> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const fix::FieldFacts* const field = published_dictionary(version).field(tag);
  return field != nullptr && field->allows({text.data(), static_cast<std::size_t>(end - text.data())});
}

[[nodiscard]] constexpr bool is_suspension_code(std::int32_t code) noexcept {
  return code == mit::code::k_partition_suspended || code == mit::code::k_system_suspended;
}

/// SessionRejectReason(373). Not every version has an "other".
[[nodiscard]] std::optional<std::int32_t> session_reason_of(FixVersion version, std::int32_t code) noexcept {
  constexpr auto k_other = static_cast<std::int32_t>(fix::RejectReason::other);
  for (const std::int32_t reason : {code, k_other})
    if (publishes(version, tag::k_session_reject_reason, reason)) return reason;
  return std::nullopt;
}

/// BusinessRejectReason(380), which is required.
[[nodiscard]] std::int32_t business_reason_of(FixVersion version, std::int32_t code) noexcept {
  constexpr std::int32_t k_throttle_limit_exceeded = 8;  // of 5.0 SP2
  if (is_suspension_code(code)) return static_cast<std::int32_t>(fix::BusinessRejectReason::application_not_available);
  if (code == mit::code::k_rate_exceeded) code = k_throttle_limit_exceeded;
  return publishes(version, tag::k_business_reject_reason, code)
             ? code
             : static_cast<std::int32_t>(fix::BusinessRejectReason::other);
}

}  // namespace

bool is_suspension(const VenueReject& reject) noexcept {
  return reject.by == VenueReject::By::business_reject && is_suspension_code(reject.code);
}

fix::MsgType reject_type_of(const VenueReject& reject) noexcept {
  const bool is_session = reject.by == VenueReject::By::reject && reject.code != mit::code::k_rate_exceeded;
  return is_session ? fix::type::k_reject : fix::type::k_business_message_reject;
}

void write_reject(fix::Writer& writer, FixVersion version, const VenueReject& reject, const RejectedMessage& message,
                  std::string_view text) noexcept {
  const fix::MsgTypeText type = fix::text_of(message.type);
  writer.field(tag::k_ref_seq_num, message.sequence);
  if (reject_type_of(reject) == fix::type::k_reject) {
    const fix::Tag field = fix_tag_of(reject.field, version, message.type, message.time_in_force);
    if (field != 0) writer.field(tag::k_ref_tag_id, field);
    writer.field(tag::k_ref_msg_type, type.view());
    if (const auto reason = session_reason_of(version, reject.code))
      writer.field(tag::k_session_reject_reason, *reason);
  } else {
    writer.field(tag::k_ref_msg_type, type.view());
    if (!message.id.empty()) writer.field(tag::k_business_reject_ref_id, message.id);
    writer.field(tag::k_business_reject_reason, business_reason_of(version, reject.code));
  }
  writer.field(tag::k_text, reject.code == mit::code::k_rate_exceeded ? "Message rate exceeded" : text);
}

}  // namespace dojima::gateway
