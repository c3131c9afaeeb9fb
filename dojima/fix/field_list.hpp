#pragma once

// Fields whose tags are known when the program is compiled, written in one pass: room is asked for once, tags and the
// separators in front of them are constants of one store each, and the place and the sums stay in registers until all
// is written. The values may be anything; what is out of the ordinary (no room, an empty text, a separator in a text)
// makes the writer write them one by one, which reports what is wrong. Used through Writer::fields; no allocation.
//
//   writer.fields(field<tag::k_cl_ord_id>("1"), field<tag::k_side>('1'), field<tag::k_price>(market::Price{100}));

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/stamp_text.hpp"
#include "dojima/fix/codec/summed_text.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// A whole number by its sign and magnitude: any 64 bits, signed or not.
struct Whole {
  std::uint64_t magnitude = 0;
  bool is_negative = false;
};

template <std::integral T>
[[nodiscard, gnu::always_inline]] constexpr Whole whole_of(T value) noexcept {
  if constexpr (std::signed_integral<T>) {
    const auto wide = static_cast<std::uint64_t>(std::int64_t{value});
    return {value < 0 ? 0 - wide : wide, value < 0};
  } else {
    return {value, false};
  }
}

/// Digits of a tag and `=` in the lowest bytes of one word.
struct TagText {
  std::uint64_t bytes;
  std::size_t size;
};

[[nodiscard, gnu::always_inline]] constexpr TagText tag_text_of(Tag tag) noexcept {
  const auto digit = [](unsigned value, unsigned place) noexcept {
    return std::uint64_t{'0' + value % 10} << 8 * place;
  };
  const auto equals = [](unsigned place) noexcept { return std::uint64_t{'='} << 8 * place; };
  if (tag < 10) return {digit(tag, 0) | equals(1), 2};
  if (tag < 100) return {digit(tag / 10u, 0) | digit(tag, 1) | equals(2), 3};
  if (tag < 1000) return {digit(tag / 100u, 0) | digit(tag / 10u, 1) | digit(tag, 2) | equals(3), 4};
  if (tag < 10'000)
    return {digit(tag / 1000u, 0) | digit(tag / 100u, 1) | digit(tag / 10u, 2) | digit(tag, 3) | equals(4), 5};
  return {digit(tag / 10'000u, 0) | digit(tag / 1000u, 1) | digit(tag / 100u, 2) | digit(tag / 10u, 3) | digit(tag, 4) |
              equals(5),
          6};
}

/// A text of so many characters, of which none is the separator: an identifier of the writer's own making. Only a
/// reference.
template <std::size_t k_size>
  requires(k_size > 8 && k_size <= 16)
struct SureText {
  const char* characters;
  [[nodiscard]] std::string_view view() const noexcept { return {characters, k_size}; }
};

/// The characters that a value usually has at most: room for them is asked for at once. Longer ones ask again.
template <class Form>
inline constexpr std::size_t k_usual_size = 8;  // of numbers
template <>
inline constexpr std::size_t k_usual_size<std::string_view> = 16;
template <std::size_t k_size>
inline constexpr std::size_t k_usual_size<SureText<k_size>> = k_size;
template <>
inline constexpr std::size_t k_usual_size<char> = 1;
template <>
inline constexpr std::size_t k_usual_size<market::Price> = 17;
template <>
inline constexpr std::size_t k_usual_size<time::Time> = time::k_timestamp_max;
/// The most characters of a number.
inline constexpr std::size_t k_whole_max = 20;

/// One field of a list; its value in the form in which it is written.
template <Tag k_tag_of, class Form>
struct ListedField {
  static_assert(k_tag_of != 0);
  static constexpr Tag k_tag = k_tag_of;
  static constexpr std::size_t k_usual = tag_text_of(k_tag).size + k_usual_size<Form> + 1;
  Form value;
};

template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::string_view> field(
    std::string_view value) noexcept {
  return {value};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::string_view> field(const char* value) noexcept {
  return {value};
}
template <Tag k_tag, std::size_t k_size>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, SureText<k_size>> field(
    SureText<k_size> value) noexcept {
  return {value};
}
template <Tag k_tag, std::same_as<char> T>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, char> field(T value) noexcept {
  return {value};
}
template <Tag k_tag, std::same_as<bool> T>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, char> field(T value) noexcept {
  return {value ? 'Y' : 'N'};
}
template <Tag k_tag, std::signed_integral T>
  requires(!std::same_as<T, char>)
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::int64_t> field(T value) noexcept {
  return {value};
}
template <Tag k_tag, std::unsigned_integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::uint64_t> field(T value) noexcept {
  return {value};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::int64_t> field(market::Quantity value) noexcept {
  return {value.lots};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, std::uint64_t> field(market::Sequence value) noexcept {
  return {value.value};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, market::Price> field(market::Price value) noexcept {
  return {value};
}
/// A UTCTimestamp with the message's decimals.
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, time::Time> field(time::Time value) noexcept {
  return {value};
}

/// Any number and any price, as the plain ways make them, summed.
[[nodiscard, gnu::cold]] Written put_any_whole(char* at, Whole value) noexcept;
[[nodiscard, gnu::cold]] Written put_slow_price(char* at, market::Price value) noexcept;

/// Writes forward where room is known, and sums what it writes.
class Pen {
 public:
  /// Writes from `at` on; `spare` characters more than the usual ones have room.
  Pen(char* at, std::size_t spare) noexcept : at_(at), spare_(spare) {}

  /// Up to eight characters of a word with zeros above them.
  [[gnu::always_inline]] void word(std::uint64_t bytes, std::size_t size) noexcept {
    store_word(at_, bytes);
    sums_.add(lanes_of(bytes));
    at_ += size;
  }
  /// Characters whose sum is known, sixteen at a time: as many can be read behind them.
  [[gnu::always_inline]] void summed(const char* text, std::size_t size, std::uint32_t sum) noexcept {
    for (std::size_t done = 0;;) {
      std::memcpy(at_ + done, text + done, k_touched);
      done += k_touched;
      if (done >= size) break;
    }
    at_ += size;
    sum_ += sum;
  }

  /// A field behind a separator, or the first one of a list; the separator behind the value comes with the next one.
  template <bool is_first, Tag k_tag, class Form>
  [[gnu::always_inline]] void put(ListedField<k_tag, Form> field, const StampText& stamp) noexcept {
    constexpr TagText k_text = tag_text_of(k_tag);
    constexpr TagText k_lead = is_first ? k_text : TagText{k_text.bytes << 8 | 1, k_text.size + 1};
    sum_ += sum_of(k_lead.bytes);
    if constexpr (std::same_as<Form, char>) {
      const auto character = static_cast<unsigned char>(field.value);
      if (character == 1) [[unlikely]] {
        is_good_ = false;
      }
      store_word(at_, k_lead.bytes | std::uint64_t{character} << 8 * k_lead.size);
      at_ += k_lead.size + 1;
      sum_ += character;
    } else {
      store_word(at_, k_lead.bytes);
      at_ += k_lead.size;
      if constexpr (std::same_as<Form, time::Time>)
        close(field.value == stamp.time ? put_stamp(at_, stamp) : put_any_stamp(at_, field.value, stamp));
      else
        value(field.value);
    }
  }

  /// A SendingTime or a part of one that was made before.
  [[gnu::always_inline]] void stamp(const StampText& text) noexcept { close(put_stamp(at_, text)); }

  /// The last separator.
  [[gnu::always_inline]] void end() noexcept {
    *at_++ = '\x01';
    ++sum_;
  }

  [[nodiscard]] char* at() const noexcept { return at_; }
  [[nodiscard]] std::uint32_t sum() const noexcept { return sum_ + digits_ * '0'; }
  [[nodiscard]] const ByteSums& sums() const noexcept { return sums_; }
  /// False: one by one, the fields show what is wrong.
  [[nodiscard, gnu::always_inline]] bool is_good() const noexcept { return is_good_ && !is_any(separators_); }

 private:
  [[gnu::always_inline]] void close(const Written& written) noexcept {
    at_ = written.end;
    sums_.add(written.lanes);
    digits_ += written.digits;
    sum_ += written.sum;
  }
  /// Whether there is room for so much more than usual.
  [[nodiscard]] bool take_spare(std::size_t size) noexcept {
    is_good_ = is_good_ && size <= spare_;
    if (is_good_) spare_ -= size;
    return is_good_;
  }
  [[gnu::always_inline]] void value(std::string_view text) noexcept {
    constexpr std::size_t k_usual = k_usual_size<std::string_view>;
    if (text.size() - 1 >= k_usual) [[unlikely]] {
      if (text.empty()) is_good_ = false;
      if (text.empty() || !take_spare(text.size() - k_usual)) return;
      const LongText copied = copy_long_text(at_, text.data(), text.size());
      at_ += text.size();
      sum_ += copied.sum;
      is_good_ = is_good_ && !copied.has_separator;
      return;
    }
    const CopiedText copied = copy_text(at_, text.data(), text.size());
    separators_ |= copied.separators;
    close(copied.text);
  }
  template <std::size_t k_size>
  [[gnu::always_inline]] void value(SureText<k_size> text) noexcept {
    DOJIMA_CHECK_SLOW(text.view().find('\x01') == std::string_view::npos, "a sure text has no separator", text.view());
    constexpr std::size_t k_last = k_size - 8;
    const std::uint64_t first = load_word(text.characters), last = load_word(text.characters + k_last);
    store_word(at_, first);
    store_word(at_ + k_last, last);
    close({.end = at_ + k_size, .lanes = lanes_of(first, last >> 8 * (16 - k_size))});
  }
  template <std::integral T>
  [[gnu::always_inline]] void value(T number) noexcept {
    if (static_cast<std::uint64_t>(number) >= k_eight_digits_end) [[unlikely]] {  // negative ones among them
      if (take_spare(k_whole_max - k_usual_size<T>)) close(put_any_whole(at_, whole_of(number)));
      return;
    }
    close(put_short_number(at_, static_cast<std::uint64_t>(number)));
  }
  [[gnu::always_inline]] void value(market::Price price) noexcept {
    constexpr std::uint64_t k_end = k_eight_digits_end * std::uint64_t{market::k_price_scale};
    const auto units = static_cast<std::uint64_t>(price.units);
    if (units >= k_end) [[unlikely]] {  // negative ones among them
      if (take_spare(market::k_price_text_max - k_usual_size<market::Price>)) close(put_slow_price(at_, price));
      return;
    }
    close(put_short_price(at_, false, units));
  }

  char* at_;
  ByteSums sums_;
  Lanes separators_{};
  std::size_t spare_;
  std::uint32_t sum_ = 0, digits_ = 0;
  bool is_good_ = true;
};

}  // namespace dojima::fix
