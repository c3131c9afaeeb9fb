#pragma once

// Writes one message field by field and looks at every value on the way: what a field cannot hold is an error that
// names it. Only for the codec. No allocation.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "dojima/base/characters.hpp"
#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::mit {

/// Fills one message field by field and keeps the first value that it could not carry. Takes neutral values, so every
/// narrowing is checked in one place.
template <class Message>
class Composer {
 public:
  explicit Composer(Room room) noexcept : room_(room) {
    if (room.size() < Message::k_size) {
      error_ = {ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(room.size()), "room for the message"};
      return;
    }
    store_header<Message>(room);
  }

  /// A number, when the field can hold it.
  template <class T, Wire Type>
  Composer& put(NumberField<T, Type> field, std::int64_t value) noexcept {
    if (!std::in_range<T>(value))
      return refuse(field.offset, ErrorCode::out_of_range, value, "a number that the field can hold");
    return write(field, static_cast<T>(value));
  }

  /// A sequence number; those beyond 63 bits fit no field either.
  Composer& put(Int32Field field, market::Sequence sequence) noexcept {
    constexpr std::uint64_t k_most = std::numeric_limits<std::int64_t>::max();
    return put(field, static_cast<std::int64_t>(std::min(sequence.value, k_most)));
  }

  Composer& put(UInt64Field field, std::uint64_t value) noexcept { return write(field, value); }
  Composer& put(AlphaField field, char value) noexcept { return write(field, value); }

  template <std::size_t Width>
  Composer& put(TextField<Width> field, const Text<Width>& text) noexcept {
    if (!has_high_bit(text)) [[likely]]
      return write(field, text);
    const auto wrong = std::ranges::find_if(text.chars, [](char c) { return static_cast<signed char>(c) < 0; });
    return refuse(field.offset, ErrorCode::malformed, static_cast<unsigned char>(*wrong), "characters 0 to 127");
  }

  /// Base 62 with leading zeros; null for no id.
  Composer& put_id(TextField<k_order_id_width> field, std::uint64_t id) noexcept {
    if (id == 0 || !is_intact()) return *this;
    Text<k_order_id_width> text;
    write_order_id(id, text.chars.data());
    return write(field, text);
  }

  /// Whole seconds since 1970; a time of 0 is none.
  Composer& put_seconds(UInt32Field field, time::Time at) noexcept {
    const std::int64_t nanoseconds = time::nanoseconds_of(at);
    if (nanoseconds % k_second != 0)
      return refuse(field.offset, ErrorCode::too_precise, nanoseconds % k_second, "whole seconds");
    return put(field, nanoseconds / k_second);
  }

  /// Seconds in the low word, what is left in units of the dialect in the high one: a clock is read as finely as it
  /// shows, so what is finer is left out.
  Composer& put_instant(UInt64Field field, time::Time at, std::int64_t fraction_ns) noexcept {
    const std::int64_t nanoseconds = time::nanoseconds_of(at);
    if (nanoseconds < 0 || nanoseconds / k_second > std::numeric_limits<std::uint32_t>::max())
      return refuse(field.offset, ErrorCode::out_of_range, nanoseconds, "a time from 1970 to 2106");
    const auto seconds = static_cast<std::uint64_t>(nanoseconds / k_second);
    return write(field, seconds | static_cast<std::uint64_t>(nanoseconds % k_second / fraction_ns) << 32);
  }

  template <class Field>
  Composer& require(bool is_carried, Field field, std::int64_t value, const char* expected) noexcept {
    return is_carried ? *this : refuse(field.offset, ErrorCode::not_supported, value, expected);
  }

  [[nodiscard]] Result<std::size_t> size() const noexcept {
    if (!is_intact()) return std::unexpected(error_);
    return Message::k_size;
  }

 private:
  template <std::size_t Width>
  [[nodiscard]] static bool has_high_bit(const Text<Width>& text) noexcept {
    if constexpr (Width >= 8)
      return any_of<Width>(reinterpret_cast<const std::byte*>(text.chars.data()),
                           [](Sixteen c) { return c & std::uint8_t{0x80}; });
    else
      return std::ranges::any_of(text.chars, [](char c) { return static_cast<signed char>(c) < 0; });
  }
  template <class Field, class T>
  Composer& write(Field field, const T& value) noexcept {
    if (is_intact()) store(room_, field, value);
    return *this;
  }

  Composer& refuse(std::uint16_t offset, ErrorCode code, std::int64_t value, const char* expected) noexcept {
    if (is_intact()) error_ = {code, offset, offset, value, expected};
    return *this;
  }

  [[nodiscard]] bool is_intact() const noexcept { return error_.code == ErrorCode::none; }

  Room room_;
  Error error_;
};

}  // namespace dojima::mit
