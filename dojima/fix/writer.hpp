#pragma once

// Writes one message forward into memory that somebody else owns: header, then fields in the order of the calls, then
// `finish` sets BodyLength and CheckSum, which was counted as the fields were written. Trouble (no room, a value that
// cannot be in a field) is remembered and given by `finish`; nothing is ever written outside the room. No allocation.
// Field calls chain.
//
//   Writer writer(room, {.type = type::k_heartbeat, .sender = "A", .target = "B", .sequence = {7}, .sending_time =
//   now}); const Result<Bytes> message = writer.field(tag::k_test_req_id, "TEST").finish();

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/codec/message_body.hpp"
#include "dojima/fix/codec/stamp_text.hpp"
#include "dojima/fix/codec/summed_text.hpp"
#include "dojima/fix/field_list.hpp"
#include "dojima/fix/rendered_fields.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/value.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// Who writes and who is written to; empty parts are left out.
struct HeaderNames {
  std::string_view sender;           ///< SenderCompID(49)
  std::string_view sender_sub;       ///< SenderSubID(50)
  std::string_view sender_location;  ///< SenderLocationID(142)
  std::string_view target;           ///< TargetCompID(56)
  std::string_view target_sub;       ///< TargetSubID(57)
  std::string_view target_location;  ///< TargetLocationID(143)
};

/// The part of a header that is the same in every message of a session, rendered once. Allocates when it is made.
class HeaderTemplate {
 public:
  HeaderTemplate(std::string_view sender, std::string_view target)
      : HeaderTemplate(HeaderNames{.sender = sender, .target = target}) {}
  explicit HeaderTemplate(const HeaderNames& names);

 private:
  friend class Writer;
  /// Text with zeros behind it, so that it can be copied in sixteens.
  struct Part {
    explicit Part(std::string_view words);
    std::string text;
    std::size_t size = 0;
    std::uint32_t sum = 0;
  };
  Part sender_;  // `|49=...|50=...|52=`, behind MsgSeqNum
  Part target_;  // `|56=...|57=...|142=...|143=...|`, behind SendingTime
};

/// What every message begins with. Fields are written as 8, 9, 35, 34, 43, 49, 50, 52, 56, 57, 122, 142, 143, 369;
/// those of a duplicate only when `is_poss_dup`, the others where they are not empty.
struct Header {
  std::string_view begin_string = "FIX.4.4";
  MsgType type = MsgType::none;
  std::string_view sender;
  std::string_view target;
  market::Sequence sequence;
  time::Time sending_time;
  unsigned decimals = 3;  ///< of all timestamps of the message: 0, 3, 6 or 9
  bool is_poss_dup = false;
  time::Time orig_sending_time;
  const HeaderTemplate* rendered = nullptr;  ///< of the same names; null: none is there
  const StampText* stamp = nullptr;          ///< of sending_time with those decimals; null: none is there
  std::string_view sender_sub{}, sender_location{}, target_sub{}, target_location{};
  market::Sequence last_processed{};  ///< LastMsgSeqNumProcessed(369)
  bool has_last_processed = false;
};

class Writer {
 public:
  /// A writer without room: every use is an error.
  Writer() noexcept = default;
  /// Begins a message in `room`, which must outlive the writer.
  Writer(Room room, const Header& header) noexcept;
  /// Begins a message without a header: the caller's first field is MsgType(35). For tools that write messages anew.
  Writer(Room room, std::string_view begin_string) noexcept;

  /// Text of at least one character, without the separator (SOH, 0x01).
  [[gnu::always_inline]] Writer& field(Tag tag, std::string_view value) noexcept {
    if (!body_.put(tag, value)) [[unlikely]]
      slow_text(tag, value);
    return *this;
  }
  Writer& field(Tag tag, const char* value) noexcept { return field(tag, std::string_view(value)); }
  template <std::same_as<char> T>
  [[gnu::always_inline]] Writer& field(Tag tag, T value) noexcept {
    if (!body_.put(tag, value)) [[unlikely]]
      slow_character(tag, value);
    return *this;
  }
  template <std::same_as<bool> T>
  Writer& field(Tag tag, T value) noexcept {
    return field(tag, value ? 'Y' : 'N');
  }
  template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>)
  [[gnu::always_inline]] Writer& field(Tag tag, T value) noexcept {
    if (!body_.put(tag, whole_of(value))) [[unlikely]]
      slow_number(tag, whole_of(value));
    return *this;
  }
  [[gnu::always_inline]] Writer& field(Tag tag, market::Price value) noexcept {
    if (!body_.put(tag, value)) [[unlikely]]
      slow_price(tag, value);
    return *this;
  }
  Writer& field(Tag tag, market::Quantity value) noexcept { return field(tag, value.lots); }
  Writer& field(Tag tag, market::Sequence value) noexcept { return field(tag, value.value); }
  /// A UTCTimestamp with the message's decimals.
  Writer& field(Tag tag, time::Time value) noexcept {
    stamp(tag, value);
    return *this;
  }
  Writer& field(Tag tag, const Decimal& value) noexcept;
  /// Fields whose tags are known when the program is compiled, in one pass (field_list.hpp): as if written one by one.
  template <class First, class... Rest>
  [[gnu::always_inline]] Writer& fields(First first, Rest... rest) noexcept {
    if (!body_.put_all(stamp_, first, rest...)) [[unlikely]]
      one_by_one(first, rest...);
    return *this;
  }
  /// Whatever it holds; text that is data needs `data`.
  template <std::same_as<Value> T>
  Writer& field(Tag tag, const T& value) noexcept {
    variant(tag, value);
    return *this;
  }
  /// A data field behind its length: any bytes, separators included; none at all is an error.
  Writer& data(Tag length, Tag tag, Bytes value) noexcept;
  /// A field of the user's own whose tag is above 65535 and not above k_tag_max.
  Writer& large(std::uint32_t tag, std::string_view value) noexcept;
  /// Fields as they are on the wire, each with its separator. For resending what was written before.
  Writer& raw(Bytes fields) noexcept;

  /// Where the next field goes: for keep().
  [[nodiscard]] std::size_t mark() const noexcept { return body_.end(); }
  /// Keeps the fields written since a mark of this message. False, and nothing is kept: there are none, they are longer
  /// than RenderedFields::k_most, or there was trouble.
  bool keep(std::size_t mark, RenderedFields& fields) const noexcept;
  /// Fields that were kept from this or another message. Nothing of empty ones.
  Writer& again(const RenderedFields& fields) noexcept;

  /// Whether all went well so far.
  [[nodiscard]] bool is_good() const noexcept { return error_.code == ErrorCode::none; }
  [[nodiscard]] MsgType msg_type() const noexcept { return type_; }
  [[nodiscard]] market::Sequence sequence() const noexcept { return sequence_; }
  [[nodiscard]] time::Time sending_time() const noexcept { return stamp_.time; }
  /// Bytes of the header, up to the first field that was added. Valid after finish().
  [[nodiscard]] std::size_t header_size() const noexcept { return fields_begin_ - begin_; }

  /// Sets BodyLength and CheckSum. The message is in the room, up to 5 bytes behind its beginning. Errors: the
  /// first trouble there was (`no_room`, `malformed` with the tag), `wrong_state` when it was finished before.
  [[nodiscard]] Result<Bytes> finish() noexcept;

 private:
  friend class Outbox;

  /// A list with something out of the ordinary, from its beginning.
  template <class... Fields>
  [[gnu::noinline, gnu::cold]] void one_by_one(Fields... list) noexcept {
    (slow_field(Fields::k_tag, list.value), ...);
  }
  void slow_field(Tag tag, std::string_view value) noexcept { slow_text(tag, value); }
  template <std::size_t k_size>
  void slow_field(Tag tag, SureText<k_size> value) noexcept {
    slow_text(tag, value.view());
  }
  void slow_field(Tag tag, char value) noexcept { slow_character(tag, value); }
  void slow_field(Tag tag, std::int64_t value) noexcept { slow_number(tag, whole_of(value)); }
  void slow_field(Tag tag, std::uint64_t value) noexcept { slow_number(tag, whole_of(value)); }
  void slow_field(Tag tag, market::Price value) noexcept { slow_price(tag, value); }
  void slow_field(Tag tag, time::Time value) noexcept { stamp(tag, value); }

  void variant(Tag tag, const Value& value) noexcept;
  void stamp(Tag tag, time::Time value) noexcept;
  void known(Tag tag, std::string_view value) noexcept;
  // What fields seldom need. They do not give the writer back: a caller that always knows which one it is finds it in
  // the same place for every field.
  [[gnu::cold]] void slow_text(Tag tag, std::string_view value) noexcept;
  [[gnu::cold]] void slow_character(Tag tag, char value) noexcept;
  [[gnu::cold]] void slow_number(Tag tag, Whole value) noexcept;
  [[gnu::cold]] void slow_price(Tag tag, market::Price value) noexcept;
  [[gnu::cold]] void trouble(ErrorCode code, Tag tag, const char* expected) noexcept;
  [[gnu::cold]] void refuse(Tag tag) noexcept;
  void begin(std::string_view begin_string) noexcept;
  void put_header(const Header& header) noexcept;
  void put_name(Tag tag, std::string_view name) noexcept;
  [[nodiscard]] bool put_rendered(const Header& header) noexcept;

  MessageBody body_;
  std::size_t begin_ = 0;         // of the message in the room, known when it is finished
  std::size_t body_begin_ = 0;    // of `35=`
  std::size_t fields_begin_ = 0;  // behind the header
  std::string_view begin_string_;
  market::Sequence sequence_;
  Error error_{.code = ErrorCode::wrong_state, .expected = "a writer with room"};
  std::uint32_t ticket_ = 0;  // an outbox's number for the message it has open
  MsgType type_ = MsgType::none;
  StampText stamp_;  // of SendingTime
};

}  // namespace dojima::fix
