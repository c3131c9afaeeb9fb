#pragma once

// What the readers share: rules over the fields of a message, of which the first broken one is kept, and the checks of
// the header. Only for the codec. No allocation.

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>

#include "dojima/base/characters.hpp"
#include "dojima/mit/codec/codec_tables.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {

inline constexpr std::int64_t k_second = 1'000'000'000;

/// The first rule that a message breaks, with the protocol's code for it.
struct Fault {
  std::int32_t code = code::k_success;
  const char* name = nullptr;
  Error error;
  [[nodiscard]] bool is_none() const noexcept { return name == nullptr; }
};

/// Characters of ClientOrderID and Account: null and 32-126 without # / ; \.
consteval std::array<bool, 256> identifier_characters() {
  std::array<bool, 256> allowed{};
  allowed[0] = true;
  for (std::size_t c = 32; c <= 126; ++c) allowed[c] = true;
  for (const char c : {'#', '/', ';', '\\'}) allowed[static_cast<unsigned char>(c)] = false;
  return allowed;
}

inline constexpr std::array<bool, 256> k_identifier_characters = identifier_characters();

/// What a mass cancel request type asks for: whose orders, and which field narrows them down.
struct MassCancelKind {
  std::uint8_t type = 0;  ///< MassCancelRequestType; 0: no such type
  bool is_account = false;
  bool has_instrument = false;
  bool has_segment = false;
  bool has_group = false;
  friend constexpr bool operator==(const MassCancelKind&, const MassCancelKind&) = default;
};

inline constexpr std::array<MassCancelKind, 9> k_mass_cancel_kinds{{
    {.type = 7},
    {.type = 9, .has_instrument = true},
    {.type = 15, .has_segment = true},
    {.type = 56, .has_group = true},
    {.type = 8, .is_account = true},
    {.type = 3, .is_account = true, .has_instrument = true},
    {.type = 4, .is_account = true, .has_segment = true},
    {.type = 58, .is_account = true, .has_group = true},
    {.type = 57, .is_account = true, .has_instrument = true, .has_group = true},
}};

/// Of a type among those that the dialect has.
[[nodiscard]] constexpr MassCancelKind mass_cancel_kind(std::uint8_t type, ValueSet types) noexcept {
  for (const MassCancelKind& kind : k_mass_cancel_kinds)
    if (kind.type == type && types.has(type)) return kind;
  return {};
}

/// A message that has the length of its type, as a length that the compiler knows.
template <class Message>
[[nodiscard]] inline Bytes exactly(Bytes message) noexcept {
  DOJIMA_ASSERT(message.size() >= Message::k_size, "a message has the length of its type", message.size(),
                Message::k_size);
  return {message.data(), Message::k_size};
}

/// Whether an order id is all nulls.
[[nodiscard]] inline bool is_null(Bytes message, TextField<k_order_id_width> field) noexcept {
  return (load_little<std::uint64_t>(message, field.offset) | load_little<std::uint32_t>(message, field.offset + 8u)) ==
         0;
}

/// As Rules::ascii.
template <std::size_t Width>
[[nodiscard]] inline bool is_ascii(Bytes message, TextField<Width> field) noexcept {
  return !any_of<Width>(message.data() + field.offset, [](Sixteen c) { return c & std::uint8_t{0x80}; });
}

/// As Rules::identifier.
template <std::size_t Width>
[[nodiscard]] inline bool is_identifier(Bytes message, TextField<Width> field) noexcept {
  return !any_of<Width>(message.data() + field.offset, [](Sixteen c) {
    const Sixteen above = c - std::uint8_t{' '};  // what is no character lies above 126 - 32
    const auto is_control =
        std::bit_cast<Sixteen>(above > std::uint8_t{126 - ' '}) & std::bit_cast<Sixteen>(c != std::uint8_t{0});
    const auto is_excluded =
        (c == std::uint8_t{'#'}) | (c == std::uint8_t{'/'}) | (c == std::uint8_t{';'}) | (c == std::uint8_t{'\\'});
    return is_control | std::bit_cast<Sixteen>(is_excluded);
  });
}

/// Checks a message field by field. Only the first broken rule counts, so rules are in the order in which the
/// protocol applies them.
class Rules {
 public:
  explicit Rules(Bytes message) noexcept : message_(message) {}

  template <class Field>
  Rules& require(bool holds, Field field, std::int64_t got, const char* expected,
                 std::int32_t code = code::k_value_invalid, ErrorCode kind = ErrorCode::out_of_range) noexcept {
    if (!holds && fault_.is_none()) [[unlikely]]
      fault_ = {code, field.name, {kind, field.offset, field.offset, got, expected}};
    return *this;
  }

  /// Characters 0 to 127, in the whole field.
  template <std::size_t Width>
  Rules& ascii(TextField<Width> field) noexcept {
    std::byte all{0};
    for (const std::byte c : message_.subspan(field.offset, Width)) all |= c;
    return require((all & std::byte{0x80}) == std::byte{0}, field, 0, "characters 0 to 127", code::k_value_invalid,
                   ErrorCode::malformed);
  }

  /// Characters that ClientOrderID and Account may have.
  template <std::size_t Width>
  Rules& identifier(TextField<Width> field) noexcept {
    // Without a branch, so that it is done for many characters at a time.
    std::uint8_t wrong = 0;
    for (std::size_t at = 0; at < Width; ++at) {
      const auto c = std::to_integer<std::uint8_t>(message_[field.offset + at]);
      const bool is_control = c != 0 && c < 32;
      const bool is_excluded = c == '#' || c == '/' || c == ';' || c == '\\' || c > 126;
      wrong |= static_cast<std::uint8_t>(is_control | is_excluded);
    }
    return require(wrong == 0, field, 0, "characters 32 to 126 without # / ; \\", code::k_value_invalid,
                   ErrorCode::malformed);
  }

  template <std::size_t Width>
  Rules& present(TextField<Width> field) noexcept {
    return require(message_[field.offset] != std::byte{0}, field, 0, "a value", code::k_value_missing,
                   ErrorCode::missing);
  }

  /// A number beyond 63 bits counts as a negative one: no neutral value holds it.
  template <class T, Wire Type>
  Rules& at_least(NumberField<T, Type> field, std::int64_t least, std::int32_t code = code::k_value_invalid) noexcept {
    const auto value = static_cast<std::int64_t>(load(message_, field));
    return require(value >= least, field, value, least == 0 ? "0 or more" : "1 or more", code);
  }

  /// A value that the dialect has.
  Rules& one_of(UInt8Field field, ValueSet values) noexcept {
    const std::uint8_t value = load(message_, field);
    return require(values.has(value), field, value, "a value of the field's table");
  }

  template <class T, Wire Type>
  Rules& one_of(NumberField<T, Type> field, std::initializer_list<int> values) noexcept {
    const T value = load(message_, field);
    bool holds = false;
    for (const int allowed : values) holds = holds || value == static_cast<T>(allowed);
    return require(holds, field, value, "a value of the field's table");
  }

  /// A single byte or more that must be zero, though reserved.
  template <class Field>
  Rules& zero(Field field) noexcept {
    bool holds = true;
    const FieldInfo place = field.info();
    for (const std::byte byte : message_.subspan(place.offset, place.width)) holds = holds && byte == std::byte{0};
    return require(holds, field, std::to_integer<std::int64_t>(message_[place.offset]), "0");
  }

  /// No order id, or one in base 62.
  Rules& order_id(TextField<k_order_id_width> field) noexcept {
    // Most requests mean an order by its client order id: nothing but nulls.
    if (is_null(message_, field)) return *this;
    const auto text = message_.subspan(field.offset).first<k_order_id_width>();
    if (is_plain_order_id(text)) [[likely]]
      return *this;
    return ascii(field).require(read_order_id(text).has_value(), field, 0, "an order id in base 62",
                                code::k_value_invalid, ErrorCode::malformed);
  }

  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  Bytes message_;
  Fault fault_;
};

/// Whether an order id is none, as of most requests, which mean an order by its client order id, or one that a venue
/// gives. False says nothing.
[[nodiscard]] inline bool names_order(Bytes message, TextField<k_order_id_width> field) noexcept {
  return is_null(message, field) || is_plain_order_id(message.subspan(field.offset).first<k_order_id_width>());
}

/// A quantity that passed its rule.
template <class T, Wire Type>
[[nodiscard]] inline std::int64_t lots_in(Bytes message, NumberField<T, Type> field) noexcept {
  return static_cast<std::int64_t>(load(message, field));
}

/// A time in whole seconds since 1970.
[[nodiscard]] inline time::Time seconds_in(Bytes message, UInt32Field field) noexcept {
  return time::from_nanoseconds(load(message, field) * k_second);
}

/// Order ids that passed their rule; 0 for none.
[[nodiscard]] inline std::uint64_t id_in(Bytes message, TextField<k_order_id_width> field) noexcept {
  if (is_null(message, field)) return 0;
  return order_id_or_none(message.subspan(field.offset).first<k_order_id_width>());
}

/// A fault of the header: the rest of the message cannot be trusted.
[[nodiscard]] inline Fault header_fault(const char* name, std::size_t offset, std::int64_t got, const char* expected) {
  return {
      code::k_value_invalid,
      name,
      {ErrorCode::malformed, static_cast<std::uint16_t>(offset), static_cast<std::uint32_t>(offset), got, expected}};
}

[[nodiscard]] inline Fault wrong_length(Bytes message) {
  return header_fault("MessageLength", k_length_offset, static_cast<std::int64_t>(message.size()),
                      "the exact length of the message type");
}

/// An enumerator as the wire has it.
template <class Enum>
[[nodiscard]] constexpr std::uint8_t number_of(Enum value) noexcept {
  return static_cast<std::uint8_t>(value);
}

/// ClientID, InvestmentDecisionMaker and ExecutingTrader are short codes from here on; below are reserved values.
inline constexpr std::uint32_t k_first_short_code = 4;

/// The qualifier of party 0, 1 or 2 must say what a short code means.
[[nodiscard]] inline bool is_qualified(std::uint8_t qualifiers, unsigned party, std::uint32_t id) noexcept {
  return id < k_first_short_code || (qualifiers >> (2 * party) & 3) != 0;
}

/// Whether the frame is one of `Message`.
template <class Message>
[[nodiscard]] Fault check_size(Bytes message) {
  if (message.size() == Message::k_size) return {};
  return wrong_length(message);
}

/// The field of the header that an error of type_of() is about.
[[nodiscard]] inline Text<30> header_field(const Error& error) noexcept {
  return Text<30>::cut(error.offset == 0 ? "StartOfMessage" : "MessageLength");
}

[[nodiscard]] inline Fault unknown_type(char type) {
  return header_fault("MessageType", k_type_offset, static_cast<unsigned char>(type), "a message type that is offered");
}

/// Whether the header says what the bytes are; type_of() finds out what is wrong where it does not.
[[nodiscard]] inline bool is_framed(Bytes message, std::size_t longest) noexcept {
  return message.size() >= k_header_size && message.size() <= longest && message[0] == k_start_of_message &&
         load_little<std::uint16_t>(message, k_length_offset) + k_uncounted == message.size();
}

/// The type of a message whose header agrees with its bytes; `longest`: bytes of the dialect's longest message.
[[nodiscard]] inline Result<char> type_of(Bytes message, std::size_t longest) {
  if (is_framed(message, longest)) [[likely]]
    return load_little<char>(message, k_type_offset);
  const Result<Frame> frame = read_frame(message, longest);
  if (!frame) return std::unexpected(frame.error());
  if (frame->size != message.size())
    return fail(ErrorCode::malformed, k_length_offset, k_length_offset, static_cast<std::int64_t>(frame->size),
                "the length of the message");
  return frame->type;
}

/// load() of a text into its place in a record, for requests that come often.
template <std::size_t Width>
[[gnu::always_inline]] inline void load_into(Text<Width>& text, Bytes message, TextField<Width> field) noexcept {
  const std::byte* const place = message.data() + field.offset;
  if (is_padded<Width>(place)) [[likely]]
    std::memcpy(text.chars.data(), place, Width);
  else
    text = load(message, field);
}

/// What an order and a quote alike say of the sender; the account is an order's alone.
template <class M>
[[gnu::always_inline]] inline void read_labels(Bytes message, market::OrderLabels& labels) {
  load_into(labels.client_order_id, message, M::client_order_id);
  load_into(labels.trader, message, M::trader_id);
  labels.clearing = load(message, M::clearing_account);
  labels.mifid = load(message, M::mifid_flags);
  labels.roles = load(message, M::party_role_qualifiers);
  labels.client = load(message, M::client_id);
  labels.decision_maker = load(message, M::investment_decision_maker);
  labels.executing_trader = load(message, M::executing_trader);
}

}  // namespace dojima::mit
