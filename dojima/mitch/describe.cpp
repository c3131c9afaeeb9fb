#include "dojima/mitch/describe.hpp"

namespace dojima::mitch {
namespace {

/// The header's rows, as the tables of the messages leave them out.
constexpr UInt8Field k_length_place{0, "Length"};
constexpr AlphaField k_type_place{1, "MessageType"};
constexpr auto k_header_rows = rows(k_length_place, k_type_place);
static_assert(tiles(0, k_message_header_size, k_header_rows));

[[nodiscard]] MessageText describe_message(std::size_t offset, Bytes message, std::string note) {
  const char type = load_little<char>(message, 1);
  const MessageLayout* layout = find_layout(type);
  MessageText text{
      .offset = offset, .size = message.size(), .name = describe_type(layout, type), .note = std::move(note)};
  if (layout == nullptr) {
    text.trouble = "a type that the protocol does not have";
  } else if (layout->size != message.size()) {
    text.trouble = "the type has " + std::to_string(layout->size) + " bytes";
  } else {
    text.fields = describe_fields(*layout, message);
  }
  return text;
}

[[nodiscard]] std::string note_of(const UnitHeader& header, std::size_t message) {
  const std::string group = "group " + describe_character(header.market_data_group);
  if (header.sequence_number == 0) return group + ", not numbered";
  return group + ", number " + std::to_string(std::uint64_t{header.sequence_number} + message);
}

void describe_unit(const Unit& unit, std::size_t offset, UnitsText& text) {
  ++text.units;
  const UnitHeader& header = unit.header();
  if (unit.is_heartbeat())
    text.messages.push_back({.offset = offset,
                             .size = unit.size(),
                             .name = "heartbeat",
                             .note = "group " + describe_character(header.market_data_group) + ", next number " +
                                     std::to_string(header.sequence_number)});
  std::size_t at = offset + UnitHeader::k_size, count = 0;
  for (const Bytes message : unit) {
    text.messages.push_back(describe_message(at, message, note_of(header, count)));
    at += message.size();
    ++count;
  }
}

}  // namespace

UnitsText describe_units(Bytes bytes) {
  UnitsText text;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Result<Unit> unit = read_unit(bytes.subspan(at));
    if (!unit) {
      const Error& error = unit.error();
      text.trouble = error.code == ErrorCode::incomplete
                         ? "the unit at byte " + std::to_string(at) + " is cut off"
                         : "no unit begins at byte " + std::to_string(at) + ": expected " + error.expected +
                               " at its byte " + std::to_string(error.offset);
      break;
    }
    describe_unit(*unit, at, text);
    at += unit->size();
  }
  text.rest = bytes.size() - at;
  return text;
}

std::string layouts_page() {
  const MessageLayout header{.size = UnitHeader::k_size, .name = "UnitHeader", .fields = UnitHeader::k_fields};
  std::string text =
      "# MIT303 (Level 2 MITCH, Issue 11.9): layouts\n\nMade from the tables of the codec by `dojima mitch layouts`. "
      "Offsets count from the first byte of the unit header or of the\nmessage, numbers are little-endian; prices "
      "count "
      "1e-8 as a sign bit and a magnitude. Length counts all bytes, itself\nincluded. In the pictures a dot is a "
      "reserved byte.\n\n";
  std::string unit = layout_section(header, {});
  text += "## Unit header" + unit.substr(unit.find(", "));
  text += "\n# Application messages\n";
  for (const MessageLayout& layout : k_application_layouts) text += "\n" + layout_section(layout, k_header_rows);
  text += "\n# Administrative messages\n";
  for (const MessageLayout& layout : k_administrative_layouts) text += "\n" + layout_section(layout, k_header_rows);
  return text;
}

}  // namespace dojima::mitch
