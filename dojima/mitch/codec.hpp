#pragma once

// Reads, checks and writes the messages of MIT303 by their tables. `decode` reads one message that must be exactly one
// of `Message` and refuses any value that its tables do not know; `read` takes the bytes as they are; `encode` writes
// one and refuses what the wire cannot carry. Reserved fields are written as nulls or spaces and ignored when read.
// Stateless: any thread, no allocation, O(length of the message).
//
//   Result<AddOrder> order = decode<AddOrder>(bytes);
//   dispatch(bytes, [](const auto& message) { ... });   // any type

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/mitch/messages/administrative_messages.hpp"
#include "dojima/mitch/messages/application_messages.hpp"

namespace dojima::mitch {

using ApplicationMessages =
    MessageList<Time, SystemEvent, SymbolDirectory, SymbolStatus, AddOrder, AddAttributedOrder, OrderDeleted,
                OrderModified, OrderBookClear, OrderExecuted, OrderExecutedWithPriceSize, Trade, AuctionTrade,
                AuctionInfo, Statistics, TopOfBook>;
using AdministrativeMessages = MessageList<LoginRequest, LoginResponse, ReplayRequest, ReplayResponse, LogoutRequest,
                                           SnapshotRequest, SnapshotResponse, SnapshotComplete>;

/// The table of a message as its record gives it.
template <class Message>
inline constexpr auto k_table = Message::table();

namespace detail {

/// Members have a field, reserved places are the field.
template <class Row>
[[nodiscard]] constexpr FieldInfo info_of(const Row& row) noexcept {
  if constexpr (requires { row.field; }) {
    return row.field.info();
  } else {
    return row.info();
  }
}

template <class Message>
[[nodiscard]] constexpr auto rows_of() noexcept {
  return k_table<Message>.apply(
      [](const auto&... row) { return std::array<FieldInfo, sizeof...(row)>{info_of(row)...}; });
}

/// Characters that a text may hold: 32 to 126.
[[nodiscard]] constexpr bool is_printable(char c) noexcept {
  return c >= ' ' && c <= '~';
}

template <std::size_t Width>
[[nodiscard]] constexpr std::unexpected<Error> fault(ErrorCode code, SpacedTextField<Width> field,
                                                     const char* expected) noexcept {
  return fail(code, field.offset, field.offset, 0, expected);
}

}  // namespace detail

/// The rows of a message, in wire order, from the byte behind its type.
template <class Message>
inline constexpr auto k_rows = detail::rows_of<Message>();

template <class Message>
[[nodiscard]] constexpr MessageLayout layout_of() noexcept {
  static_assert(tiles(k_message_header_size, Message::k_size, k_rows<Message>, true), "the fields tile the message");
  return {Message::k_type, Message::k_size, Message::k_name, k_rows<Message>};
}

namespace detail {

template <class... Messages>
[[nodiscard]] constexpr auto layouts_of(MessageList<Messages...>) noexcept {
  return std::array<MessageLayout, sizeof...(Messages)>{layout_of<Messages>()...};
}

/// Checks row `Row` of `message`, which has the length of `Message`.
template <class Message, std::size_t Row>
[[nodiscard]] Result<void> check_row(Bytes message) noexcept {
  static constexpr auto k_row = field_at<Row>(k_table<Message>);
  if constexpr (requires { k_row.field; }) {
    static constexpr FieldInfo k_info = k_row.field.info();
    if constexpr (k_info.type == Wire::spaced_text) {
      bool is_text = true;
      for (const char c : as_text(message.subspan(k_info.offset, k_info.width))) is_text = is_text && is_printable(c);
      if (!is_text) [[unlikely]]
        return fault(ErrorCode::malformed, k_row.field, "characters 32 to 126");
    } else if constexpr (k_info.type != Wire::bits && !k_info.meanings.empty()) {
      static constexpr ByteSet k_allowed = k_info.values;
      const auto byte = load_little<std::uint8_t>(message, k_info.offset);
      if (!k_allowed.has(byte)) [[unlikely]]
        return fail(ErrorCode::out_of_range, k_info.offset, k_info.offset, byte, "a value of the field's table");
    }
  }
  return {};
}

template <class Message, std::size_t Row>
inline void read_row(Bytes message, Message& record) noexcept {
  static constexpr auto k_row = field_at<Row>(k_table<Message>);
  if constexpr (requires { k_row.field; }) {
    auto& member = record.*k_row.member;
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(member)>, market::Price>) {
      member.units = load(message, k_row.field);
    } else {
      member = load(message, k_row.field);
    }
  }
}

/// What `member` would be as text of the wire: printable, and without a space at its end, which could not be read back.
template <std::size_t Width>
[[nodiscard]] constexpr bool is_carried(const Text<Width>& text) noexcept {
  std::size_t size = 0;
  while (size < Width && text.chars[size] != '\0') {
    if (!is_printable(text.chars[size])) return false;
    ++size;
  }
  for (std::size_t at = size; at < Width; ++at)
    if (text.chars[at] != '\0') return false;
  return size == 0 || text.chars[size - 1] != ' ';
}

template <class Message, std::size_t Row>
[[nodiscard]] Result<void> write_row(const Message& record, Room room) noexcept {
  static constexpr auto k_row = field_at<Row>(k_table<Message>);
  static constexpr FieldInfo k_info = info_of(k_row);
  if constexpr (requires { k_row.field; }) {
    const auto& member = record.*k_row.member;
    if constexpr (k_info.type == Wire::signed_price) {
      if (member.units == std::numeric_limits<std::int64_t>::min()) [[unlikely]]
        return fail(ErrorCode::out_of_range, k_info.offset, k_info.offset, member.units, "a price with a magnitude");
      store(room, k_row.field, member.units);
    } else if constexpr (k_info.type == Wire::spaced_text) {
      if (!is_carried(member)) [[unlikely]]
        return fault(ErrorCode::malformed, k_row.field, "characters 32 to 126, none of them a space at the end");
      store(room, k_row.field, member);
    } else {
      if constexpr (k_info.type != Wire::bits && !k_info.meanings.empty()) {
        static constexpr ByteSet k_allowed = k_info.values;
        if (!k_allowed.has(static_cast<std::uint8_t>(member))) [[unlikely]]
          return fail(ErrorCode::out_of_range, k_info.offset, k_info.offset, static_cast<std::uint8_t>(member),
                      "a value of the field's table");
      }
      store(room, k_row.field, member);
    }
  } else {
    std::memset(room.data() + k_info.offset, k_info.type == Wire::spaced_text ? ' ' : 0, k_info.width);
  }
  return {};
}

/// Stores row `Row`, whatever its value is.
template <class Message, std::size_t Row>
inline void store_row(const Message& record, Room room) noexcept {
  static constexpr auto k_row = field_at<Row>(k_table<Message>);
  static constexpr FieldInfo k_info = info_of(k_row);
  if constexpr (!requires { k_row.field; }) {
    std::memset(room.data() + k_info.offset, k_info.type == Wire::spaced_text ? ' ' : 0, k_info.width);
  } else if constexpr (k_info.type == Wire::signed_price) {
    store(room, k_row.field, (record.*k_row.member).units);
  } else {
    store(room, k_row.field, record.*k_row.member);
  }
}

template <class Message>
using RowNumbers = std::make_index_sequence<std::remove_const_t<decltype(k_table<Message>)>::k_size>;

}  // namespace detail

/// Every message of a kind, in the order of the lists above.
inline constexpr auto k_application_layouts = detail::layouts_of(ApplicationMessages{});
inline constexpr auto k_administrative_layouts = detail::layouts_of(AdministrativeMessages{});

/// The table of the message type, or null: unknown, withdrawn. `is_administrative` where that is wanted.
[[nodiscard]] constexpr const MessageLayout* find_layout(char type) noexcept {
  for (const MessageLayout& layout : k_application_layouts)
    if (layout.type == type) return &layout;
  for (const MessageLayout& layout : k_administrative_layouts)
    if (layout.type == type) return &layout;
  return nullptr;
}

[[nodiscard]] constexpr bool is_administrative(char type) noexcept {
  for (const MessageLayout& layout : k_administrative_layouts)
    if (layout.type == type) return true;
  return false;
}

/// The fields of `message`, whatever they hold. The caller knows that it has the length of `Message`.
template <class Message>
[[nodiscard]] inline Message read(Bytes message) noexcept {
  DOJIMA_ASSERT(message.size() >= Message::k_size, "a whole message", message.size(), Message::k_type);
  Message record;
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    (detail::read_row<Message, Row>(message, record), ...);
  }(detail::RowNumbers<Message>{});
  return record;
}

/// Whether the bytes are exactly one `Message`: `malformed` for another length or type and for text that is none,
/// `out_of_range` for a value that the field's table does not have. Error::offset is the field's. Bits without a
/// meaning are none of an error.
template <class Message>
[[nodiscard]] Result<void> check(Bytes message) noexcept {
  if (message.size() != Message::k_size || load_little<std::uint8_t>(message, 0) != Message::k_size)
    return fail(ErrorCode::malformed, 0, 0, message.empty() ? 0 : std::to_integer<std::int64_t>(message[0]),
                "the length of the message type");
  if (load_little<char>(message, 1) != Message::k_type)
    return fail(ErrorCode::malformed, 1, 1, std::to_integer<std::int64_t>(message[1]), "the message type");
  Result<void> result;
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    static_cast<void>(((result = detail::check_row<Message, Row>(message)).has_value() && ...));
  }(detail::RowNumbers<Message>{});
  return result;
}

/// check(), then read().
template <class Message>
[[nodiscard]] Result<Message> decode(Bytes message) noexcept {
  if (const Result<void> checked = check<Message>(message); !checked) return std::unexpected(checked.error());
  return read<Message>(message);
}

/// Writes `record` and returns its length. `no_room` when the room is too small; `out_of_range` and `malformed` for a
/// value that the wire cannot carry: none of its table, a text with characters beyond 32 to 126 or with a space at its
/// end, the one price without a magnitude. The room then holds nothing of use.
template <class Message>
[[nodiscard]] Result<std::size_t> encode(const Message& record, Room room) noexcept {
  if (room.size() < Message::k_size)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(room.size()), "room for the message");
  store_little(room, 0, static_cast<std::uint8_t>(Message::k_size));
  store_little(room, 1, Message::k_type);
  Result<void> result;
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    static_cast<void>(((result = detail::write_row<Message, Row>(record, room)).has_value() && ...));
  }(detail::RowNumbers<Message>{});
  if (!result) return std::unexpected(result.error());
  return Message::k_size;
}

/// encode() of a record that was decoded, or checked otherwise, before: its values are taken as they are. The room has
/// at least the length of the message.
template <class Message>
inline void write(const Message& record, Room room) noexcept {
  store_little(room, 0, static_cast<std::uint8_t>(Message::k_size));
  store_little(room, 1, Message::k_type);
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    (detail::store_row<Message, Row>(record, room), ...);
  }(detail::RowNumbers<Message>{});
}

namespace detail {

template <class Visitor, class... Messages>
[[nodiscard]] Result<void> dispatch_in(MessageList<Messages...>, Bytes message, Visitor& visitor) {
  if (message.size() < k_message_header_size)
    return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(message.size()), "the length of a message");
  const char type = load_little<char>(message, 1);
  Result<void> result =
      fail(ErrorCode::unknown, 1, 1, static_cast<unsigned char>(type), "a message type of the protocol");
  const auto visit_as = [&]<class Message>() {
    Result<Message> record = decode<Message>(message);
    if (record) {
      visitor(std::as_const(*record));
      result = {};
    } else {
      result = std::unexpected(record.error());
    }
    return true;
  };
  static_cast<void>(((type == Messages::k_type && visit_as.template operator()<Messages>()) || ...));
  return result;
}

}  // namespace detail

/// Decodes one message of any type of the list and calls `visitor(const Message&)`. `unknown` for a type that the list
/// does not have; errors of decode().
template <class List = ApplicationMessages, class Visitor>
[[nodiscard]] Result<void> dispatch(Bytes message, Visitor&& visitor) {
  return detail::dispatch_in(List{}, message, visitor);
}

}  // namespace dojima::mitch
