#include "dojima/mit/codec/check.hpp"

#include <string_view>

#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {
namespace {

[[nodiscard]] Fault fault_of(const FieldInfo& field, std::int64_t got, const char* expected,
                             ErrorCode kind = ErrorCode::out_of_range, std::int32_t code = code::k_value_invalid) {
  return {code, field.name, {kind, field.offset, field.offset, got, expected}};
}

[[nodiscard]] bool is_ascii(Bytes text) noexcept {
  std::size_t at = 0;
  std::uint64_t all = 0;
  for (; at + sizeof all <= text.size(); at += sizeof all) all |= load_little<std::uint64_t>(text, at);
  for (; at < text.size(); ++at) all |= std::to_integer<std::uint64_t>(text[at]);
  return (all & 0x8080'8080'8080'8080) == 0;
}

[[nodiscard]] bool is_identifier(Bytes text) noexcept {
  for (const std::byte c : text)
    if (!k_identifier_characters[std::to_integer<std::size_t>(c)]) return false;
  return true;
}

[[nodiscard]] Fault check_text(const FieldInfo& field, Bytes text) noexcept {
  const bool is_absent = text[0] == std::byte{0};
  switch (field.rule) {
    case FieldRule::identifier:
    case FieldRule::present_identifier:
      if (!is_identifier(text))
        return fault_of(field, 0, "characters 32 to 126 without # / ; \\", ErrorCode::malformed);
      break;
    case FieldRule::base62:
      if (!is_ascii(text) || !read_order_id(text.first<k_order_id_width>()))
        return fault_of(field, 0, "an order id in base 62", ErrorCode::malformed);
      break;
    default:
      if (!is_ascii(text)) return fault_of(field, 0, "characters 0 to 127", ErrorCode::malformed);
  }
  const bool is_wanted = field.rule == FieldRule::present || field.rule == FieldRule::present_identifier;
  if (is_wanted && is_absent) return fault_of(field, 0, "a value", ErrorCode::missing, code::k_value_missing);
  return {};
}

/// Whether a number keeps the rule of its field, and what it says.
struct NumberRule {
  bool holds = true;
  const char* expected = "";
};

[[nodiscard]] NumberRule number_rule(FieldRule rule, std::int64_t number, std::int64_t fraction_ns) noexcept {
  switch (rule) {
    case FieldRule::positive:
      return {number >= 1, "1 or more"};
    case FieldRule::not_negative:
      return {number >= 0, "0 or more"};
    case FieldRule::zero:
      return {number == 0, "0"};
    case FieldRule::instant:
      return {static_cast<std::int64_t>(static_cast<std::uint64_t>(number) >> 32) < k_second / fraction_ns,
              "a fraction below one second"};
    case FieldRule::milliseconds:
      return {number < 1'000, "0 to 999"};
    case FieldRule::client_code:
      return {number != 3, "0, 1, 2 or a short code from 4"};
    case FieldRule::decision_code:
      return {number == 0 || number >= 4, "0 or a short code from 4"};
    case FieldRule::executing_code:
      return {number >= 3, "3 or a short code from 4"};
    default:
      return {};
  }
}

[[nodiscard]] Fault check_number(const FieldInfo& field, Bytes message, std::int64_t fraction_ns) noexcept {
  if (field.width == 1 && !field.values.has(load_byte(message, field)))
    return fault_of(field, load_number(message, field), "a value of the field's table");
  if (field.rule == FieldRule::none) return {};
  const std::int64_t number = load_number(message, field);
  const NumberRule rule = number_rule(field.rule, number, fraction_ns);
  return rule.holds ? Fault{} : fault_of(field, number, rule.expected);
}

[[nodiscard]] Fault check_fields(const MessageLayout& layout, Bytes message, std::int64_t fraction_ns) noexcept {
  for (const FieldInfo& field : layout.fields) {
    if (field.is_reserved) continue;
    const Fault fault = field.type == Wire::text ? check_text(field, message.subspan(field.offset, field.width))
                                                 : check_number(field, message, fraction_ns);
    if (!fault.is_none()) [[unlikely]]
      return fault;
  }
  return {};
}

/// The id that a Reject repeats, when it could be read: the first one of the message in front of the fault.
[[nodiscard]] Text<20> id_in(const MessageLayout& layout, Bytes message, const Fault& fault) noexcept {
  const std::string_view wanted = layout.type == 'b' || layout.type == 'f' ? "RFQID" : "ClientOrderID";
  for (const FieldInfo& field : layout.fields) {
    if (field.offset >= fault.error.offset) break;
    if (field.name != wanted) continue;
    const std::string_view chars = as_text(message.subspan(field.offset, field.width));
    return Text<20>::cut(chars.substr(0, chars.find('\0')));
  }
  return {};
}

/// By the table of its type; null: there is none.
[[nodiscard]] Fault check_as(const MessageLayout* layout, Bytes message, std::int64_t fraction_ns) noexcept {
  if (layout == nullptr) return unknown_type(load_little<char>(message, k_type_offset));
  if (message.size() != layout->size) return wrong_length(message);
  return check_fields(*layout, message, fraction_ns);
}

/// Types with rules about several fields, which their codec knows.
constexpr std::string_view k_conditional = "DGq";

}  // namespace

const MessageLayout* find_layout(const Dialect& dialect, char type) noexcept {
  const std::uint8_t row = dialect.rows[static_cast<unsigned char>(type)];
  return row < dialect.layouts.size() ? &dialect.layouts[row] : nullptr;
}

Result<void> check_message(const Dialect& dialect, Bytes message, Reject& refusal) {
  if (!is_framed(message, dialect.longest)) [[unlikely]] {
    const Result<char> type = type_of(message, dialect.longest);
    if (!type) {
      refusal = {.code = code::k_value_invalid, .reason = header_field(type.error())};
      return std::unexpected(type.error());
    }
  }
  const char type = load_little<char>(message, k_type_offset);
  const MessageLayout* layout = find_layout(dialect, type);
  if (layout != nullptr && message.size() == layout->size && k_conditional.find(type) != std::string_view::npos) {
    Inbound request;
    return dialect.decode_request(message, request, refusal);
  }
  const Fault fault = check_as(layout, message, dialect.fraction_ns);
  if (fault.is_none()) [[likely]]
    return {};
  refusal = {.code = fault.code, .reason = Text<30>::cut(fault.name), .type = type};
  if (layout != nullptr && fault.error.offset > k_type_offset) refusal.client_order_id = id_in(*layout, message, fault);
  return std::unexpected(fault.error);
}

}  // namespace dojima::mit
