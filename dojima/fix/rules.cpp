#include "dojima/fix/rules.hpp"

#include <algorithm>

#include "dojima/fix/rule_tables.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

using rules::GroupRule;
using rules::MessageRule;

bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

std::unexpected<Error> violation(RejectReason reason, ErrorCode code, Tag tag, std::uint32_t offset,
                                 const char* expected) noexcept {
  return fail(code, tag, offset, static_cast<std::int64_t>(reason), expected);
}

const MessageRule* rule_of(MsgType type) noexcept {
  const auto found = std::ranges::find(rules::k_messages, type, &MessageRule::type);
  return found == rules::k_messages.end() ? nullptr : &*found;
}

const GroupRule* group_of(Tag count) noexcept {
  const auto found = std::ranges::find(rules::k_groups, count, &GroupRule::count);
  return found == rules::k_groups.end() ? nullptr : &*found;
}

/// Digits with an optional sign, and with at most one point where `point` allows it.
bool is_number(std::string_view text, bool allows_point) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digits = std::ranges::count_if(text, is_digit);
  const auto points = std::ranges::count(text, '.');
  return digits > 0 && points <= (allows_point ? 1 : 0) && static_cast<std::size_t>(digits + points) == text.size();
}

bool has_right_format(std::string_view value, rules::Format format) noexcept {
  switch (format) {
    case rules::Format::text:
      return true;
    case rules::Format::character:
      return value.size() == 1;
    case rules::Format::decimal:
      return is_number(value, true);
    case rules::Format::integer:
      return is_number(value, false);
    case rules::Format::boolean:
      return value == "Y" || value == "N";
    case rules::Format::timestamp:
      return time::parse_timestamp(value).has_value();
  }
  return true;
}

bool has_allowed_value(const Field& field) noexcept {
  const auto found = std::ranges::find(rules::k_values, field.tag, &rules::Values::tag);
  return found == rules::k_values.end() || found->allowed.find(field.value) != std::string_view::npos;
}

/// What can be said of one field alone.
Result<void> check_field(const Field& field, std::uint32_t offset, const MessageRule* rule) noexcept {
  const Tag tag = field.tag;
  if (tag >= rules::k_first_user_tag) return {};
  if (tag > rules::k_last_tag)
    return violation(RejectReason::invalid_tag_number, ErrorCode::unknown, tag, offset, "a tag of FIX 4.4");
  const rules::Traits& traits = rules::traits_of(tag);
  if (rule != nullptr && !traits.is_header && !traits.is_trailer && !rule->allowed.has(tag))
    return violation(RejectReason::tag_not_defined_for_message, ErrorCode::unknown, tag, offset,
                     "a tag of this message type");
  if (!has_right_format(field.value, traits.format))
    return violation(RejectReason::incorrect_format, ErrorCode::malformed, tag, offset, "the format of this tag");
  if (traits.has_values && !has_allowed_value(field))
    return violation(RejectReason::value_incorrect, ErrorCode::out_of_range, tag, offset, "a value of this tag");
  return {};
}

/// Counts the entries of the group whose count stands at `at`. Gives the index behind its last field.
Result<std::size_t> check_group(const MessageView& view, std::size_t at, const GroupRule& group) noexcept {
  std::size_t end = at + 1;
  std::int64_t entries = 0;
  for (; end < view.size() && group.members.has(view[end].tag); ++end) entries += view[end].tag == group.first ? 1 : 0;
  // The format was checked before: digits that do not fit int64 cannot be the number of entries.
  const std::string_view told = view[at].value;
  std::int64_t count = -1;
  if (told.size() <= 4 && !told.starts_with('-')) {
    count = 0;
    for (const char digit : told) count = count * 10 + (digit - '0');
  }
  if (count != entries)
    return violation(RejectReason::group_count_incorrect, ErrorCode::malformed, group.count, view.offset_of(at),
                     "the number of entries that follow");
  if (entries > 0 && view[at + 1].tag != group.first)
    return violation(RejectReason::group_out_of_order, ErrorCode::malformed, view[at + 1].tag, view.offset_of(at + 1),
                     "the field that begins every entry");
  return end;
}

bool is_first_of_its_tag(const MessageView& view, const Field& field) noexcept {
  return view.find(field.tag)->data() == field.value.data();
}

enum class Part : std::uint8_t { header, body, trailer };

Part part_of(Tag tag) noexcept {
  const rules::Traits& traits = rules::traits_of(tag);
  return traits.is_header ? Part::header : traits.is_trailer ? Part::trailer : Part::body;
}

/// Every field for itself, its place, and that only groups repeat it.
Result<void> check_fields(const MessageView& view, const MessageRule* rule) noexcept {
  Part part = Part::header;
  std::size_t group_end = 0;  // fields before this index belong to a group that was counted
  for (std::size_t at = 0; at < view.size(); ++at) {
    const Field field = view[at];
    const std::uint32_t offset = view.offset_of(at);
    if (auto checked = check_field(field, offset, rule); !checked) return checked;
    const Part own = part_of(field.tag);
    if (own < part)
      return violation(RejectReason::tag_out_of_order, ErrorCode::malformed, field.tag, offset,
                       "header, body, trailer in this order");
    part = own;
    const bool is_known = rule != nullptr || own != Part::body;  // elsewhere groups are not told apart
    if (!is_known) continue;
    if (at >= group_end && !is_first_of_its_tag(view, field))
      return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, field.tag, offset, "the tag once");
    if (const GroupRule* group = rules::traits_of(field.tag).is_count ? group_of(field.tag) : nullptr) {
      const auto end = check_group(view, at, *group);
      if (!end) return std::unexpected(end.error());
      group_end = std::max(group_end, *end);
    }
  }
  return {};
}

Result<void> check_required(const MessageView& view, const MessageRule& rule) noexcept {
  for (const Tag tag : rule.required) {
    if (tag == 0) break;
    if (!view.has(tag))
      return violation(RejectReason::required_tag_missing, ErrorCode::missing, tag, 0, "a required tag");
  }
  if (rule.needs_instrument && !view.has(tag::k_symbol) && !view.has(tag::k_security_id))
    return violation(RejectReason::required_tag_missing, ErrorCode::missing, tag::k_symbol, 0,
                     "Symbol(55) or SecurityID(48)");
  return {};
}

}  // namespace

bool is_defined(MsgType type) noexcept {
  const MsgTypeText characters = text_of(type);
  const std::string_view text = characters.view();
  if (text.empty()) return false;
  if (text[0] == 'U') return true;
  if (text.size() == 1) return rules::k_single_types.find(text[0]) != std::string_view::npos;
  return text[1] >= 'A' && ((text[0] == 'A' && text[1] <= 'Z') || (text[0] == 'B' && text[1] <= rules::k_last_of_b));
}

Result<void> check_message(const MessageView& view) noexcept {
  if (!is_defined(view.msg_type()))
    return violation(RejectReason::invalid_msg_type, ErrorCode::unknown, tag::k_msg_type, 0, "a MsgType of FIX 4.4");
  const MessageRule* rule = rule_of(view.msg_type());
  if (auto checked = check_fields(view, rule); !checked) return checked;
  return rule == nullptr ? Result<void>{} : check_required(view, *rule);
}

RejectReason reason_of(const Error& error) noexcept {
  return static_cast<RejectReason>(error.got);
}

Tag missing_conditional(const MessageView& view) noexcept {
  const MsgType type = view.msg_type();
  if (type != type::k_new_order_single && type != type::k_order_cancel_replace_request) return 0;
  const auto order_type = view.find(tag::k_ord_type);
  if ((order_type == "2" || order_type == "4") && !view.has(tag::k_price)) return tag::k_price;
  if ((order_type == "3" || order_type == "4") && !view.has(tag::k_stop_px)) return tag::k_stop_px;
  if (view.find(tag::k_time_in_force) == "6" && !view.has(tag::k_expire_date) && !view.has(tag::k_expire_time))
    return tag::k_expire_date;
  return 0;
}

}  // namespace dojima::fix
