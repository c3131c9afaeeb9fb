#pragma once

// What a FIX dictionary says, as it was written: fields, components, messages. Read at start-up from our own compact
// text or from QuickFIX-style XML, then compiled (dictionary.hpp). Allocates; nothing here is for a hot path.
//
// The compact text has one fact a line, words apart by one space:
//   dojima-fix-dictionary 1                      the first line
//   version FIX 4 4 0                            type, major, minor, service pack
//   field 54 CHAR Side 1=BUY 2=SELL              number, type, name, the values that are allowed; `...`: and any other
//   field 96 DATA RawData length:95              a data field and the field in front of it that has its length
//   component Parties 453( 448 447 452 )         members in order; `453(` to `)` is a group and what repeats
//   header 8! 9! 35! ...                         `!`: required
//   message D app NewOrderSingle 11! @Parties    MsgType, admin or app, name, members; `@`: a component
//
//   const auto model = parse_dictionary(text);
//   if (!model) show(model.error().line, model.error().text);

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/field_type.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {

/// Why a dictionary cannot be used, and the line of its text where that shows; 0: no line is to blame.
struct DictionaryError {
  std::size_t line = 0;
  std::string text;
};

struct ValueModel {
  std::string value;
  std::string meaning;  ///< e.g. "PARTIALLY_FILLED"
  friend bool operator==(const ValueModel&, const ValueModel&) = default;
};

struct FieldModel {
  Tag tag = 0;
  FieldType type = FieldType::string;
  std::string name;
  Tag length = 0;                    ///< data fields: the field with their length; 0: none is known
  bool is_open = false;              ///< values beyond those listed are allowed
  std::vector<ValueModel> values{};  ///< none: any value of the type
  std::uint32_t line = 0;            ///< where it was written
  friend bool operator==(const FieldModel&, const FieldModel&) = default;
};

/// A field, a repeating group (its NumInGroup field and what repeats) or a reference to a component.
struct MemberModel {
  enum class Kind : std::uint8_t { field, group, component };
  Kind kind = Kind::field;
  bool is_required = false;
  Tag tag = 0;                         ///< field and group
  std::uint32_t line = 0;              ///< where it was written
  std::string component{};             ///< component only
  std::vector<MemberModel> members{};  ///< group only
};

struct ComponentModel {
  std::string name;
  std::vector<MemberModel> members;
};

struct MessageModel {
  std::string type;  ///< MsgType(35), one to four characters
  std::string name;
  bool is_admin = false;
  std::vector<MemberModel> members;
  std::uint32_t line = 0;  ///< where it was written
};

struct DictionaryModel {
  std::string type = "FIX";  ///< or "FIXT"
  unsigned major = 0, minor = 0, service_pack = 0;
  std::vector<FieldModel> fields;
  std::vector<ComponentModel> components;
  std::vector<MemberModel> header, trailer;
  std::vector<MessageModel> messages;

  /// As BeginString(8) has it, e.g. "FIX.4.4".
  [[nodiscard]] std::string begin_string() const;
};

/// Reads the compact text.
[[nodiscard]] std::expected<DictionaryModel, DictionaryError> parse_dictionary(std::string_view text);

/// Reads an XML file in the form that QuickFIX made common: <fix> with <header>, <messages>, <trailer>, <components>
/// and <fields>. Up to FIX 4.1, type CHAR is text of any length. Errors name the line: no XML, an unknown element or
/// type, a name without a field, a number twice.
[[nodiscard]] std::expected<DictionaryModel, DictionaryError> parse_dictionary_xml(std::string_view text);

/// The same facts as XML that other engines read.
[[nodiscard]] std::string to_xml(const DictionaryModel& model);

}  // namespace dojima::fix
