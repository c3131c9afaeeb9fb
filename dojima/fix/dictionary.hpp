#pragma once

// A FIX dictionary ready for use: fields, messages and groups behind perfect hashes, to validate (rules.hpp), to write
// in canonical order (rewrite.hpp) and to print. FIX 4.0 to 4.4 and FIXT 1.1 with FIX 5.0 to 5.0 SP2 are built in;
// others are read from XML at start-up. Made once, then immutable: any thread may read it, no lookup allocates. What it
// gives lives as long as it does; it can be moved only before it is used.
//
//   const Dictionary& fix = fix_4_4();
//   const Shape* order = fix.message(type::k_new_order_single)->shape;
//   const Member* side = order->find(54);          // O(1); null: not in this message

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionaries/data_fields.hpp"
#include "dojima/fix/dictionaries/tag_table.hpp"
#include "dojima/fix/dictionary_model.hpp"
#include "dojima/fix/field_type.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fsm/built_lookup.hpp"

namespace dojima::fix {

class Shape;
struct DictionaryParts;

/// What a dictionary says of a tag wherever it occurs.
class FieldFacts {
 public:
  Tag tag = 0;
  FieldType type = FieldType::string;
  Tag length = 0;  ///< of a data field: the tag of its length; else 0
  bool is_closed = false;
  std::string_view name;
  std::span<const ValueModel> values;

  /// Whether the value is in the enumeration, or there is none. Lists are taken apart. O(value).
  [[nodiscard]] bool allows(std::string_view value) const noexcept;
  /// What a single value means, e.g. "FILLED"; empty: nothing is known of it.
  [[nodiscard]] std::string_view meaning_of(std::string_view value) const noexcept;

 private:
  friend class DictionaryCompiler;
  /// Makes ready what the lookups need. False: a value is listed twice.
  [[nodiscard]] bool index_values();
  [[nodiscard]] const ValueModel* find(std::string_view value) const noexcept;
  std::array<std::uint64_t, 2> single_{};           // characters that are values by themselves
  std::shared_ptr<const fsm::BuiltLookup> lookup_;  // of values, where one has several characters
};

/// A field or group where it may occur: in the messages of one type, or in the entries of one group.
struct Member {
  enum Flag : std::uint8_t {
    k_required = 1,
    k_group = 2,
    k_header = 4,
    k_trailer = 8,
    k_closed = 16,    ///< has an enumeration
    k_framing = 32,   ///< 8, 9, 10 and 35, which are judged before
    k_secured = 64,   ///< SecureData, Signature
    k_version = 128,  ///< ApplVerID, DefaultApplVerID
  };
  Tag tag = 0;
  FieldType type = FieldType::string;
  std::uint8_t flags = 0;
  std::uint16_t field = 0;     ///< Dictionary::fields()
  std::uint16_t group = 0;     ///< Dictionary::shape() of its entries; groups only
  std::uint16_t number = 0;    ///< from 0 in its shape, required members first
  std::uint16_t position = 0;  ///< from 0 in the order of the dictionary
  [[nodiscard]] bool is(Flag flag) const noexcept { return (flags & flag) != 0; }
};

/// What there is to check of a field of a message that is as nearly all are, made ready when the dictionary is: all
/// that check_message looks at for it.
struct FieldPlan {
  enum class Value : std::uint8_t {
    closer,     ///< no member, or one with rules of its own: nothing is known here
    any,        ///< every value that is not empty
    one_of,     ///< a single character of `singles`; others have to be looked up
    character,  ///< any single character
    whole,      ///< digits
    fraction,   ///< digits with a point
    timestamp,  ///< a UTCTimestamp
    other,      ///< a format that is seldom
  };
  Value value = Value::closer;
  std::uint8_t part = 0;      ///< 0 header, 1 body, 2 trailer
  std::uint16_t number = 0;   ///< Member::number
  std::uint64_t singles = 0;  ///< characters from `0` to `o` that the type and the enumeration allow by themselves
  [[nodiscard]] bool has_single(char character) const noexcept {
    const auto place = static_cast<unsigned char>(character - '0');
    return place < 64 && (singles >> place & 1) != 0;
  }
};

/// What may be in a message or in an entry of a group, in order.
class Shape {
 public:
  /// More members than this in one message or group are an error of the dictionary.
  static constexpr std::size_t k_members_max = 2048;

  /// Null: the tag is not allowed here. O(1).
  [[nodiscard]] const Member* find(Tag tag) const noexcept {
    if (tag >= direct_size_) [[unlikely]] {
      return table_.find(tag);
    }
    const std::uint16_t place = direct_[tag];
    return place == 0 ? nullptr : &members_[place - 1U];
  }
  /// Of tags that are large it knows nothing: `closer`. O(1).
  [[nodiscard]] const FieldPlan& plan(Tag tag) const noexcept { return plans_[tag < direct_size_ ? direct_[tag] : 0]; }
  /// In the order of the dictionary: header, body, trailer.
  [[nodiscard]] std::span<const Member> members() const noexcept { return members_; }
  /// Groups: the field that begins every entry.
  [[nodiscard]] Tag first() const noexcept { return members_.empty() ? Tag{0} : members_[0].tag; }
  /// Members with numbers below this are required.
  [[nodiscard]] std::size_t required() const noexcept { return required_; }
  /// The same without those that make the frame (8, 9, 10 and 35), which are judged before.
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_; }

  /// A required component: at least one of its members has to be there.
  struct Alternative {
    Tag first = 0;                       ///< its first field, the one that is named when all are missing
    bool is_instrument = false;          ///< the component is called Instrument
    std::vector<std::uint16_t> numbers;  ///< of all its members
  };
  [[nodiscard]] std::span<const Alternative> alternatives() const noexcept { return alternatives_; }

 private:
  friend class ShapeCompiler;
  /// Tags below are found by their number, the others, which are seldom, through a hash.
  static constexpr Tag k_direct_end = 1024;
  std::vector<std::uint16_t> direct_;  // 1 + the place in members_; 0: no member
  std::size_t direct_size_ = 0;
  std::vector<FieldPlan> plans_;  // the first one of no member, then as members_
  std::vector<Member> members_;
  TagTable<Member> table_;  // of those from direct_size_ on
  std::vector<Alternative> alternatives_;
  std::size_t required_ = 0, awaited_ = 0;
};

struct MessageFacts {
  std::uint32_t tag = 0;  ///< the MsgType, packed
  bool is_admin = false;
  std::string_view name;
  const Shape* shape = nullptr;
  [[nodiscard]] MsgType type() const noexcept { return static_cast<MsgType>(tag); }
};

class Dictionary {
 public:
  /// Compiles one model, or a transport (FIXT) and the application above it: later models win where both define a
  /// field; envelope and session messages are those of the transport, where it has them. Errors: a member or component
  /// without definition, a component inside itself, too many members.
  [[nodiscard]] static std::expected<Dictionary, DictionaryError> compile(std::vector<DictionaryModel> models);

  Dictionary(Dictionary&&) noexcept;
  Dictionary& operator=(Dictionary&&) noexcept;
  ~Dictionary();

  /// BeginString(8), e.g. "FIX.4.4" or "FIXT.1.1".
  [[nodiscard]] std::string_view begin_string() const noexcept;
  /// e.g. "FIX.4.4" or "FIXT.1.1 + FIX.5.0SP2".
  [[nodiscard]] std::string_view name() const noexcept;
  /// The ApplVerID(1128) of its application messages, "9" for FIX 5.0 SP2; empty: it is not a FIXT transport with an
  /// application of a published version.
  [[nodiscard]] std::string_view application_version() const noexcept;

  [[nodiscard]] const FieldFacts* field(Tag tag) const noexcept;
  [[nodiscard]] const FieldFacts* field_named(std::string_view name) const noexcept;  ///< O(fields)
  [[nodiscard]] const MessageFacts* message(MsgType type) const noexcept;
  /// Fields in the order of their tags, messages in that of the dictionary.
  [[nodiscard]] std::span<const FieldFacts> fields() const noexcept;
  [[nodiscard]] std::span<const MessageFacts> messages() const noexcept;
  /// What is in the entries of a group.
  [[nodiscard]] const Shape& shape(const Member& group) const noexcept;
  /// Header and trailer alone: what is known of a message of the user's own.
  [[nodiscard]] const Shape& envelope() const noexcept;
  [[nodiscard]] const DataFields& data_fields() const noexcept;
  [[nodiscard]] std::span<const DictionaryModel> models() const noexcept;

 private:
  friend class DictionaryCompiler;
  explicit Dictionary(std::unique_ptr<DictionaryParts> parts) noexcept;
  std::unique_ptr<DictionaryParts> parts_;
};

/// Built-in dictionaries, made when they are first asked for (0.1 to 30 ms) and kept to the end of the program. Safe
/// from any thread.
[[nodiscard]] const Dictionary& fix_4_0();
[[nodiscard]] const Dictionary& fix_4_1();
[[nodiscard]] const Dictionary& fix_4_2();
[[nodiscard]] const Dictionary& fix_4_3();
[[nodiscard]] const Dictionary& fix_4_4();
[[nodiscard]] const Dictionary& fix_5_0();      ///< FIXT.1.1 with the application messages of FIX 5.0
[[nodiscard]] const Dictionary& fix_5_0_sp1();  ///< FIXT.1.1 with the application messages of FIX 5.0 SP1
[[nodiscard]] const Dictionary& fix_5_0_sp2();  ///< FIXT.1.1 with the application messages of FIX 5.0 SP2
[[nodiscard]] const Dictionary& fixt_1_1();     ///< FIXT.1.1 alone: session messages

/// The built-in dictionary of a BeginString; of "FIXT.1.1" fix_5_0_sp2(). Null: there is none.
[[nodiscard]] const Dictionary* dictionary_of(std::string_view begin_string);
/// The same where FIXT.1.1 carries the application messages of an ApplVerID(1128) or DefaultApplVerID(1137), "2"
/// (FIX 4.0) to "9" (FIX 5.0 SP2); empty: not known. Other BeginStrings say the version themselves. Null: there is
/// none.
[[nodiscard]] const Dictionary* dictionary_of(std::string_view begin_string, std::string_view application_version);

}  // namespace dojima::fix
