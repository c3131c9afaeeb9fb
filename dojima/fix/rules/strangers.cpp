#include "dojima/fix/rules/strangers.hpp"

#include "dojima/fix/rules/violation.hpp"

namespace dojima::fix {
namespace {

/// The first of its tag in the message.
Result<void> check_again(const MessageView& view, const Checks& checks, std::size_t at) noexcept {
  const Field field = view[at];
  if (!checks.repeated || view.find(field.tag)->data() == field.value.data()) return {};
  return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, field.tag, view.offset_of(at),
                   "the tag once");
}

Result<void> check_large_again(const MessageView& view, const Checks& checks, std::size_t at) noexcept {
  if (!checks.repeated || view.find_number(view.number_of(at))->data() == view[at].value.data()) return {};
  return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, k_large_tag, view.offset_of(at),
                   "the tag once");
}

}  // namespace

Result<void> check_stranger(const MessageView& view, const Checks& checks, const FieldFacts* facts, bool knows_body,
                            bool is_in_group, std::size_t at) noexcept {
  const Tag tag = view[at].tag;
  const std::uint32_t offset = view.offset_of(at);
  if (facts == nullptr && (tag >= k_first_user_tag || tag == k_large_tag)) {
    if (!checks.user_tags && knows_body)
      return violation(RejectReason::invalid_tag_number, ErrorCode::unknown, tag, offset, "a tag of the dictionary");
    if (is_in_group) return {};
    return tag == k_large_tag ? check_large_again(view, checks, at) : check_again(view, checks, at);
  }
  if (facts == nullptr) {
    if (!checks.unknown_tags) return check_again(view, checks, at);
    return violation(RejectReason::invalid_tag_number, ErrorCode::unknown, tag, offset, "a tag of the dictionary");
  }
  if (!knows_body || !checks.message_tags) return {};
  return violation(RejectReason::tag_not_defined_for_message, ErrorCode::unknown, tag, offset,
                   "a tag of this message type");
}

}  // namespace dojima::fix
