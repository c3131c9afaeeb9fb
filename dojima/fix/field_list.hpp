#pragma once

// Fields whose tags are known when the program is compiled, written in one pass: room is asked for once, tags and the
// separators in front of them are constants of one store each, and the place and the sums stay in registers until all
// is written. The values may be anything; what is out of the ordinary (no room, an empty text, a separator in a text)
// makes the writer write them one by one, which tells what is wrong. Used through Writer::fields; no allocation.
//
//   writer.fields(field<tag::k_cl_ord_id>("1"), field<tag::k_side>('1'), field<tag::k_price>(market::Price{100}));

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/digits.hpp"
#include "dojima/fix/stamp_text.hpp"
#include "dojima/fix/summed_text.hpp"
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

/// One field of a list; its value in the form in which it is written.
template <Tag k_tag_of, class Form>
struct ListedField {
  static_assert(k_tag_of != 0);
  static constexpr Tag k_tag = k_tag_of;
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
template <Tag k_tag, std::same_as<char> T>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, char> field(T value) noexcept {
  return {value};
}
template <Tag k_tag, std::same_as<bool> T>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, char> field(T value) noexcept {
  return {value ? 'Y' : 'N'};
}
template <Tag k_tag, std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, Whole> field(T value) noexcept {
  return {whole_of(value)};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, Whole> field(market::Quantity value) noexcept {
  return {whole_of(value.lots)};
}
template <Tag k_tag>
[[nodiscard, gnu::always_inline]] constexpr ListedField<k_tag, Whole> field(market::Sequence value) noexcept {
  return {whole_of(value.value)};
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

/// The most characters that a value has.
inline constexpr std::size_t k_whole_max = 20, k_stamp_max = 27;
[[nodiscard, gnu::always_inline]] constexpr std::size_t most_of(std::string_view value) noexcept {
  return value.size();
}
[[nodiscard]] constexpr std::size_t most_of(char) noexcept {
  return 1;
}
[[nodiscard]] constexpr std::size_t most_of(const Whole&) noexcept {
  return k_whole_max;
}
[[nodiscard]] constexpr std::size_t most_of(market::Price) noexcept {
  return market::k_price_text_max;
}
[[nodiscard]] constexpr std::size_t most_of(time::Time) noexcept {
  return k_stamp_max;
}

/// Any number and any price, as the plain ways make them, summed.
[[nodiscard, gnu::cold]] Written put_any_whole(char* at, Whole value) noexcept;
[[nodiscard, gnu::cold]] Written put_any_price(char* at, market::Price value) noexcept;

/// Writes forward where room is known, and sums what it writes.
class Pen {
 public:
  explicit Pen(char* at) noexcept : at_(at) {}

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
      store_word(at_, k_lead.bytes | std::uint64_t{character} << 8 * k_lead.size);
      at_ += k_lead.size + 1;
      sum_ += character;
    } else {
      store_word(at_, k_lead.bytes);
      at_ += k_lead.size;
      if constexpr (std::same_as<Form, time::Time>)
        close(field.value == stamp.time ? put_stamp(at_, stamp) : put_any_stamp(at_, field.value, stamp.decimals));
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
  [[nodiscard]] std::uint32_t sum() const noexcept { return sum_; }
  [[nodiscard]] const ByteSums& sums() const noexcept { return sums_; }
  [[nodiscard, gnu::always_inline]] bool has_separator() const noexcept { return is_any(separators_); }

 private:
  [[gnu::always_inline]] void close(const Written& written) noexcept {
    at_ = written.end;
    sums_.add(written.lanes);
    sum_ += written.sum;
  }
  [[gnu::always_inline]] void value(std::string_view text) noexcept {
    const CopiedText copied = copy_text(at_, text.data(), text.size());
    separators_ |= copied.separators;
    close(copied.text);
  }
  [[gnu::always_inline]] void value(const Whole& number) noexcept {
    if (number.magnitude >= k_eight_digits_end || number.is_negative) [[unlikely]] {
      close(put_any_whole(at_, number));
      return;
    }
    close(put_short_number(at_, number.magnitude));
  }
  [[gnu::always_inline]] void value(market::Price price) noexcept {
    constexpr std::uint64_t k_end = k_eight_digits_end * std::uint64_t{market::k_price_scale};
    const auto units = static_cast<std::uint64_t>(price.units);
    if (units >= k_end) [[unlikely]] {  // negative ones among them
      close(put_any_price(at_, price));
      return;
    }
    close(put_short_price(at_, false, units));
  }

  char* at_;
  ByteSums sums_;
  Lanes separators_{};
  std::uint32_t sum_ = 0;
};

}  // namespace dojima::fix
