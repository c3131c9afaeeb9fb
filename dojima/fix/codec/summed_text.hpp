#pragma once

// Text written together with the sum of its characters, which CheckSum(10) asks for: what is written has just been in
// a register, where its sum costs a few instructions; a message that is read again at once waits for its own stores.
// Pure functions, no allocation. All of them may touch up to k_touched characters behind what they write. A build for
// one processor that has AVX-512 (BW, VL, VBMI, IFMA) copies texts by masks and makes eight digits with two
// multiplications; every other one does it with words.
//
//   const Written price = put_short_price(at, false, 1'250'000'000);   // "12.5", its end, its characters to be summed

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/written.hpp"
#include "dojima/market/price.hpp"

#if defined(DOJIMA_FIX_HAS_AVX512)
#include "dojima/fix/codec/summed_text_avx512.hpp"
#endif

namespace dojima::fix {

/// The high bit of characters that are the separator; above the first one there may be false ones.
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t separators_in(std::uint64_t word) noexcept {
  constexpr std::uint64_t k_ones = 0x0101010101010101, k_highs = 0x8080808080808080;
  const std::uint64_t difference = word ^ k_ones;
  return (difference - k_ones) & ~difference & k_highs;
}

/// Up to eight characters as a word, zeros above them.
[[nodiscard, gnu::always_inline]] inline std::uint64_t short_word(const char* from, std::size_t size) noexcept {
  if (size >= 4) {
    std::uint32_t low, high;
    std::memcpy(&low, from, 4);
    std::memcpy(&high, from + size - 4, 4);
    return low | std::uint64_t{high} << 8 * (size - 4);
  }
  const auto at = [from](std::size_t place) noexcept {
    return std::uint64_t{static_cast<unsigned char>(from[place])} << 8 * place;
  };
  return at(0) | at(size / 2) | at(size - 1);
}

/// Copies more than sixteen characters: no loop where the compiler would widen it for a text of two words.
struct LongText {
  std::uint32_t sum;
  bool has_separator;
};
[[nodiscard]] LongText copy_long_text(char* to, const char* from, std::size_t size) noexcept;

/// Copies at least one character. One result at the end, here and below: what every branch makes for itself is put
/// together in memory, and reading it there waits.
[[nodiscard, gnu::always_inline]] inline CopiedText copy_text(char* to, const char* from, std::size_t size) noexcept {
#if defined(DOJIMA_FIX_HAS_AVX512)
  if (size <= 16) [[likely]] {
    return avx512::copy_short_text(to, from, size);
  }
  const LongText copied = copy_long_text(to, from, size);
  return {{to + size, Lanes{}, 0, copied.sum}, lanes_of(copied.has_separator ? 1 : 0)};
#else
  std::uint64_t first = 0, second = 0, separators = 0;
  std::uint32_t sum = 0;
  if (size <= 8) {
    first = short_word(from, size);
    separators = separators_in(first);
    store_word(to, first);
  } else if (size <= 16) {
    first = load_word(from);
    const std::uint64_t last = load_word(from + size - 8);
    separators = separators_in(first) | separators_in(last);
    store_word(to, first);
    store_word(to + size - 8, last);
    second = last >> 8 * (16 - size);  // without those that are among the first
  } else {
    const LongText copied = copy_long_text(to, from, size);
    sum = copied.sum;
    separators = copied.has_separator ? 1 : 0;
  }
  return {{to + size, lanes_of(first, second), 0, sum}, lanes_of(separators)};
#endif
}

/// The eight digits of a number below 10^8 as numbers, the first one lowest: as lanes and as one word.
struct ShortDigits {
  Lanes lanes;
  std::uint64_t word;
};
[[nodiscard, gnu::always_inline]] inline ShortDigits short_digits(std::uint64_t value) noexcept {
#if defined(DOJIMA_FIX_HAS_AVX512)
  const Lanes lanes = avx512::eight_digits(value);
  return {lanes, reinterpret_cast<LaneWords>(lanes)[0]};
#else
  const std::uint64_t word = eight_digits(static_cast<std::uint32_t>(value)) - k_eight_zeros;
  return {lanes_of(word), word};
#endif
}

/// Numbers from this on have more than eight digits.
inline constexpr std::uint64_t k_eight_digits_end = 100'000'000;

/// A number below k_eight_digits_end without zeros in front.
[[nodiscard, gnu::always_inline]] inline Written put_short_number(char* at, std::uint64_t value) noexcept {
  const ShortDigits digits = short_digits(value);
  // The last digit stays, also when it is a zero.
  const auto zeros = static_cast<unsigned>(std::countr_zero(digits.word | std::uint64_t{1} << 56)) / 8;
  store_word(at, (digits.word + k_eight_zeros) >> 8 * zeros);
  return {at + (8 - zeros), digits.lanes, 8 - zeros, 0};
}

/// The shortest exact text of a price whose magnitude has at most eight digits in front of the point, as
/// market::format_price makes it.
[[nodiscard, gnu::always_inline]] inline Written put_short_price(char* at, bool is_negative,
                                                                 std::uint64_t magnitude) noexcept {
  constexpr auto k_scale = static_cast<std::uint64_t>(market::k_price_scale);
  std::uint32_t sum = 0;
  if (is_negative) {
    *at++ = '-';
    sum = '-';
  }
  const std::uint64_t whole = magnitude / k_scale, fraction = magnitude - whole * k_scale;
  Written written = put_short_number(at, whole);
  if (fraction != 0) [[likely]] {
    // All eight decimals, then without the zeros at the end.
    const ShortDigits decimals = short_digits(fraction);
    const auto zeros = static_cast<unsigned>(std::countl_zero(decimals.word)) / 8;
    *written.end = '.';
    store_word(written.end + 1, decimals.word + k_eight_zeros);
    written.end += 9 - zeros;
    written.lanes += decimals.lanes;
    written.digits += 8 - zeros;
    sum += '.';
  }
  written.sum = sum;
  return written;
}

}  // namespace dojima::fix
