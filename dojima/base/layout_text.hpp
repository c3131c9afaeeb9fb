#pragma once

// Messages of fixed-place fields as text, from nothing but their tables: what is in a field and what it means, and the
// table of a message with a picture of its bytes for the documents. Allocates; not for the way of a message.
//
//   for (const FieldText& field : describe_fields(layout, message)) print(field.name, field.value, field.meaning);

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/layout.hpp"

namespace dojima {

/// One field of one message, to be shown.
struct FieldText {
  std::string name;
  std::string value;    ///< a number, a decimal price, a text, a character
  std::string meaning;  ///< from the field's table; empty when it has none
  std::string trouble;  ///< what is wrong with it; empty when nothing is
  bool is_reserved = false;
};

/// One message of a stream, to be shown.
struct MessageText {
  std::size_t offset = 0;  ///< of its first byte in the stream
  std::size_t size = 0;    ///< bytes
  std::string name;        ///< as describe_type
  std::string note;        ///< what comes before it: its number in the feed, say
  std::string trouble;     ///< of the message as a whole; empty when nothing is wrong
  std::vector<FieldText> fields;
  /// Whether it or any of its fields is in trouble.
  [[nodiscard]] bool is_troubled() const noexcept;
};

/// All fields of a message that has at least the length of its table, in wire order. A value that the field's table
/// does not have, bits without a meaning, characters that are none and reserved bytes that are set are marked as
/// trouble.
[[nodiscard]] std::vector<FieldText> describe_fields(const MessageLayout& layout, Bytes message);

/// "NewOrder", or the type byte where there is no table: "unknown type 'Z' (0x5a)".
[[nodiscard]] std::string describe_type(const MessageLayout* layout, char type);

/// The character itself, or "0x01".
[[nodiscard]] std::string describe_character(char character);

/// A type as the specifications write it: "UInt32", "Price", "String".
[[nodiscard]] std::string_view name_of(Wire type) noexcept;

/// The part of a page that shows one message: a heading, a picture in which each byte carries the mark of its field,
/// and the table of the fields. `header` has the rows in front of the first field, which all messages share. Markdown.
[[nodiscard]] std::string layout_section(const MessageLayout& layout, std::span<const FieldInfo> header);

/// The lines that show a message: its place and name, then a line per field; reserved fields only when something is
/// wrong with them. Trouble follows "!!".
[[nodiscard]] std::string lines_of(const MessageText& message);

}  // namespace dojima
