#pragma once

// Every message of every dialect as the values of its fields, from nothing but its table: what the wire says, with all
// that no neutral value holds. The protocol's own types; what a session reads and writes goes through its codec instead
// (dialect.hpp). Reserved fields are written as nulls and ignored when read. Stateless, no allocation, O(length).
//
//   using Quote = lse_21_2::NewQuote;
//   Fields<Quote> quote;
//   quote.at<&Quote::bid_price>() = 9'950'000'000;
//   encode_fields(lse_21_2::k_dialect, quote, room);  ...  decode_fields<Quote>(lse_21_2::k_dialect, bytes)

#include <cstddef>
#include <utility>

#include "dojima/mit/codec/check.hpp"
#include "dojima/mit/layout.hpp"

namespace dojima::mit {

namespace detail {

/// Reserved places have no value.
struct NoValue {
  friend bool operator==(const NoValue&, const NoValue&) = default;
};

template <class Place>
struct ValueOf {
  using Type = NoValue;
};
template <class Place>
  requires requires { typename Place::Value; }
struct ValueOf<Place> {
  using Type = typename Place::Value;
};

/// One of the values of a message. Values are bases, found by their number: a tuple that costs the compiler little.
template <std::size_t Row, class Value>
struct OneValue {
  Value value{};
  friend bool operator==(const OneValue&, const OneValue&) = default;
};

template <class Rows, class... Values>
struct AllValues;
template <std::size_t... Row, class... Values>
struct AllValues<std::index_sequence<Row...>, Values...> : OneValue<Row, Values>... {
  friend bool operator==(const AllValues&, const AllValues&) = default;
};

template <std::size_t Row, class Value>
[[nodiscard]] constexpr Value& value_at(OneValue<Row, Value>& of) noexcept {
  return of.value;
}
template <std::size_t Row, class Value>
[[nodiscard]] constexpr const Value& value_at(const OneValue<Row, Value>& of) noexcept {
  return of.value;
}

template <class... Places>
[[nodiscard]] consteval auto values_of(const FieldList<Places...>&) {
  return AllValues<std::index_sequence_for<Places...>, typename ValueOf<Places>::Type...>{};
}

template <class Message>
using Numbers = std::make_index_sequence<k_rows<Message>.size()>;

}  // namespace detail

/// The values of a message, in wire order; at first all null.
template <class Message>
struct Fields {
  decltype(detail::values_of(Message::k_places)) values{};

  /// The value of a place: `at<&NewQuote::bid_price>()`.
  template <const auto* Place>
  [[nodiscard]] constexpr auto& at() noexcept {
    return detail::value_at<row_of(Place->offset)>(values);
  }
  template <const auto* Place>
  [[nodiscard]] constexpr const auto& at() const noexcept {
    return detail::value_at<row_of(Place->offset)>(values);
  }
  friend bool operator==(const Fields&, const Fields&) = default;

 private:
  [[nodiscard]] static consteval std::size_t row_of(std::size_t offset) {
    for (std::size_t row = 0; row < k_rows<Message>.size(); ++row)
      if (k_rows<Message>[row].offset == offset) return row;
    throw "a place of another message";
  }
};

/// The fields of a message, whatever they hold. The caller knows that it has the length of `Message`.
template <class Message>
[[nodiscard]] inline Fields<Message> read_fields(Bytes message) noexcept {
  Fields<Message> fields;
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    [[maybe_unused]] const auto read = [message](auto& value, const auto& place) {
      if constexpr (requires { load(message, place); }) value = load(message, place);
    };
    (read(detail::value_at<Row>(fields.values), field_at<Row>(Message::k_places)), ...);
  }(detail::Numbers<Message>{});
  return fields;
}

/// The message, whatever its values are. The room has at least its length.
template <class Message>
inline void write_fields(const Fields<Message>& fields, Room room) noexcept {
  store_header<Message>(room);
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    [[maybe_unused]] const auto write = [room](const auto& value, const auto& place) {
      if constexpr (requires { store(room, place, value); }) store(room, place, value);
    };
    (write(detail::value_at<Row>(fields.values), field_at<Row>(Message::k_places)), ...);
  }(detail::Numbers<Message>{});
}

/// check_message(), then read_fields(). `malformed` for a message of another type.
template <class Message>
[[nodiscard]] Result<Fields<Message>> decode_fields(const Dialect& dialect, Bytes message) noexcept {
  Reject refusal;
  if (const Result<void> checked = check_message(dialect, message, refusal); !checked)
    return std::unexpected(checked.error());
  const char type = load_little<char>(message, k_type_offset);
  if (type != Message::k_type)
    return fail(ErrorCode::malformed, k_type_offset, k_type_offset, static_cast<unsigned char>(type),
                "the message type");
  return read_fields<Message>(message);
}

/// Writes a message that check_message() accepts, and returns its length; its error, or `no_room`, when there is none.
/// The room then holds nothing of use.
template <class Message>
[[nodiscard]] Result<std::size_t> encode_fields(const Dialect& dialect, const Fields<Message>& fields, Room room) {
  if (room.size() < Message::k_size)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(room.size()), "room for the message");
  write_fields(fields, room);
  Reject refusal;
  if (const Result<void> checked = check_message(dialect, room.first(Message::k_size), refusal); !checked)
    return std::unexpected(checked.error());
  return Message::k_size;
}

}  // namespace dojima::mit
