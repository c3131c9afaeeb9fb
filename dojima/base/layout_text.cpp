#include "dojima/base/layout_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace dojima {
namespace {

constexpr std::int64_t k_price_scale = 100'000'000;
constexpr std::size_t k_price_decimals = 8;

[[nodiscard]] bool is_printable(char c) noexcept {
  return c >= ' ' && c <= '~';
}

[[nodiscard]] std::string hexadecimal(std::uint8_t byte) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  return {'0', 'x', k_digits[byte >> 4], k_digits[byte & 15]};
}

/// A number of 1e-8 as the shortest decimal.
[[nodiscard]] std::string decimal(std::int64_t units) {
  const bool is_negative = units < 0;
  const std::uint64_t magnitude =
      is_negative ? 0 - static_cast<std::uint64_t>(units) : static_cast<std::uint64_t>(units);
  std::string text = (is_negative ? "-" : "") + std::to_string(magnitude / k_price_scale);
  std::string part = std::to_string(magnitude % k_price_scale);
  part.insert(0, k_price_decimals - part.size(), '0');
  while (!part.empty() && part.back() == '0') part.pop_back();
  return part.empty() ? text : text + "." + part;
}

/// The characters of a text field up to its padding, those that cannot be shown as "\x01".
[[nodiscard]] std::string shown(std::string_view chars) {
  std::string text;
  for (const char c : chars) {
    if (is_printable(c) && c != '\\') {
      text += c;
    } else {
      text += c == '\\' ? "\\\\" : "\\" + hexadecimal(static_cast<std::uint8_t>(c)).substr(1);
    }
  }
  return text;
}

[[nodiscard]] std::string_view without_padding(std::string_view chars, Wire type) noexcept {
  if (type == Wire::text) return chars.substr(0, chars.find('\0'));
  const std::size_t last = chars.find_last_not_of(' ');
  return chars.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

void describe_reserved(FieldText& text, Bytes bytes, Wire type) {
  const std::byte idle = type == Wire::spaced_text ? std::byte{' '} : std::byte{0};
  const bool is_idle = std::ranges::all_of(bytes, [idle](std::byte byte) { return byte == idle; });
  text.is_reserved = true;
  if (is_idle) return;
  text.value = shown(as_text(bytes));
  text.trouble = idle == std::byte{0} ? "reserved, and not null" : "reserved, and not spaces";
}

void describe_text(FieldText& text, std::string_view chars, Wire type) {
  const std::string_view content = without_padding(chars, type);
  const bool is_secret = text.name.ends_with("Password") && !content.empty();
  text.value = is_secret ? "(not shown)" : shown(content);
  const bool is_text = type == Wire::text
                           ? std::ranges::all_of(chars, [](char c) { return static_cast<signed char>(c) >= 0; })
                           : std::ranges::all_of(content, is_printable);
  if (!is_text) text.trouble = type == Wire::text ? "characters above 127" : "characters that cannot be printed";
}

void describe_bits(FieldText& text, std::uint8_t bits, Meanings meanings) {
  text.value = std::to_string(bits);
  std::uint8_t known = 0;
  for (const Meaning& meaning : meanings) {
    const auto mask = static_cast<std::uint8_t>(meaning.value);
    known |= mask;
    if ((bits & mask) != 0) text.meaning += (text.meaning.empty() ? "" : ", ") + std::string(meaning.text);
  }
  if ((bits & ~known) != 0) text.trouble = "bits without a meaning";
}

void describe_number(FieldText& text, Bytes message, const FieldInfo& field) {
  const std::int64_t number = load_number(message, field);
  switch (field.type) {
    case Wire::alpha:
      text.value = number == 0 ? "" : describe_character(static_cast<char>(number));
      break;
    case Wire::price:
    case Wire::signed_price:
      text.value = decimal(number);
      break;
    case Wire::uint64:
      text.value = std::to_string(static_cast<std::uint64_t>(number));
      break;
    default:
      text.value = std::to_string(number);
  }
  const auto meaning = std::ranges::find(field.meanings, number, &Meaning::value);
  if (meaning != field.meanings.end()) {
    text.meaning = meaning->text;
  } else if (!field.meanings.empty() && number != 0) {
    text.trouble = "not a value of the field's table";
  }
}

/// What the fields' bytes are marked with, A to Z, then a to z, then again.
[[nodiscard]] char mark_of(std::size_t row) noexcept {
  constexpr std::string_view k_marks = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return k_marks[row % k_marks.size()];
}

[[nodiscard]] std::string padded(std::size_t number, std::size_t width) {
  std::string text = std::to_string(number);
  text.insert(0, width - std::min(width, text.size()), ' ');
  return text;
}

/// Every byte by the mark of its field: sixteen in a line, the reserved ones as dots.
[[nodiscard]] std::string picture(std::string_view marks) {
  constexpr std::size_t k_line = 16;
  std::string text = "```text\n      0 1 2 3 4 5 6 7 8 9 a b c d e f\n";
  for (std::size_t at = 0; at < marks.size(); at += k_line) {
    text += padded(at, 4) + " ";
    for (const char mark : marks.substr(at, k_line)) text += std::string(" ") + mark;
    text += '\n';
  }
  return text + "```\n";
}

[[nodiscard]] std::string values_text(const FieldInfo& field) {
  std::string text;
  for (const Meaning& meaning : field.meanings) {
    if (!text.empty()) text += ", ";
    const std::string value = field.type == Wire::alpha ? describe_character(static_cast<char>(meaning.value))
                                                        : std::to_string(meaning.value);
    text += (value == " " ? "space" : "`" + value + "`") + " " + meaning.text;
  }
  return text;
}

}  // namespace

std::string describe_character(char character) {
  return is_printable(character) ? std::string(1, character) : hexadecimal(static_cast<std::uint8_t>(character));
}

std::string describe_type(const MessageLayout* layout, char type) {
  if (layout != nullptr) return layout->name;
  const std::string hex = hexadecimal(static_cast<std::uint8_t>(type));
  return is_printable(type) ? "unknown type '" + std::string(1, type) + "' (" + hex + ")" : "unknown type " + hex;
}

std::string_view name_of(Wire type) noexcept {
  switch (type) {
    case Wire::alpha:
      return "Alpha";
    case Wire::text:
    case Wire::spaced_text:
      return "String";
    case Wire::int8:
      return "Int8";
    case Wire::uint8:
      return "UInt8";
    case Wire::uint16:
      return "UInt16";
    case Wire::int32:
      return "Int32";
    case Wire::uint32:
      return "UInt32";
    case Wire::uint64:
      return "UInt64";
    case Wire::price:
    case Wire::signed_price:
      return "Price";
    case Wire::bits:
      break;
  }
  return "BitField";
}

std::vector<FieldText> describe_fields(const MessageLayout& layout, Bytes message) {
  std::vector<FieldText> texts;
  for (const FieldInfo& field : layout.fields) {
    FieldText text{.name = field.name};
    const Bytes bytes = message.subspan(field.offset, field.width);
    if (field.is_reserved) {
      describe_reserved(text, bytes, field.type);
    } else if (field.type == Wire::text || field.type == Wire::spaced_text) {
      describe_text(text, as_text(bytes), field.type);
    } else if (field.type == Wire::bits) {
      describe_bits(text, std::to_integer<std::uint8_t>(bytes[0]), field.meanings);
    } else {
      describe_number(text, message, field);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

bool MessageText::is_troubled() const noexcept {
  return !trouble.empty() || std::ranges::any_of(fields, [](const FieldText& field) { return !field.trouble.empty(); });
}

std::string lines_of(const MessageText& message) {
  std::string text = padded(message.offset, 8) + "  " + message.name + ", " + std::to_string(message.size) + " bytes";
  if (!message.note.empty()) text += ", " + message.note;
  text += message.trouble.empty() ? "\n" : "  !! " + message.trouble + "\n";
  for (const FieldText& field : message.fields) {
    if (field.is_reserved && field.trouble.empty()) continue;
    constexpr std::size_t k_name_width = 26;
    text += "          " + field.name + std::string(k_name_width - std::min(k_name_width - 1, field.name.size()), ' ');
    text += field.value;
    if (!field.meaning.empty()) text += "  (" + field.meaning + ")";
    if (!field.trouble.empty()) text += "  !! " + field.trouble;
    text += '\n';
  }
  return text;
}

std::string layout_section(const MessageLayout& layout, std::span<const FieldInfo> header) {
  std::vector<FieldInfo> fields(header.begin(), header.end());
  fields.insert(fields.end(), layout.fields.begin(), layout.fields.end());
  std::string marks(layout.size, '?');
  std::string table = "| Mark | Offset | Bytes | Type | Field | Values |\n|---|---:|---:|---|---|---|\n";
  for (std::size_t row = 0; row < fields.size(); ++row) {
    const FieldInfo& field = fields[row];
    const char mark = field.is_reserved ? '.' : mark_of(row);
    std::fill_n(marks.begin() + static_cast<std::ptrdiff_t>(field.offset), field.width, mark);
    const std::string type = field.is_reserved ? "reserved" : std::string(name_of(field.type));
    const std::string values =
        field.is_reserved ? (field.type == Wire::spaced_text ? "spaces" : "nulls") : values_text(field);
    table += "| `" + std::string(1, mark) + "` | " + std::to_string(field.offset) + " | " +
             std::to_string(field.width) + " | " + type + " | " + field.name + " | " + values + " |\n";
  }
  return "## `" + describe_character(layout.type) + "` " + layout.name + ", " + std::to_string(layout.size) +
         " bytes\n\n" + picture(marks) + "\n" + table;
}

}  // namespace dojima
