#pragma once

// The twelve characters of an order id on the wire as numbers, all at once, without a look-up for each: in the bytes of
// words, or in a vector where the build's processors have SSSE3. Both say the same of every field. Only for
// identifiers.cpp and its tests. Stateless, no allocation.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dojima/mit/identifiers.hpp"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

namespace dojima::mit {

/// The number of the first eight digits and that of the last four; nothing where a character is none of base 62.
struct OrderIdNumbers {
  std::uint64_t first = 0;
  std::uint32_t last = 0;
  bool is_right = false;
};

namespace order_id_by_words {

inline constexpr std::uint64_t k_ones = 0x0101'0101'0101'0101, k_high_bits = k_ones * 0x80;

struct EightDigits {
  std::uint64_t digits;  // one in each byte, where none is wrong; the first character is the lowest byte
  std::uint64_t wrong;   // the highest bit of each byte that is none
};

[[nodiscard]] inline EightDigits eight_digits(std::span<const std::byte, 8> text) noexcept {
  std::uint64_t word;
  std::memcpy(&word, text.data(), sizeof word);
  const std::uint64_t low = word & ~k_high_bits;
  // The highest bit of each byte that is this character or one behind it.
  const auto from = [&](char least) { return low + (0x80 - static_cast<std::uint64_t>(least)) * k_ones; };
  const std::uint64_t upper = from('A'), lower = from('a');
  const std::uint64_t right = (from('0') & ~from('9' + 1)) | (upper & ~from('Z' + 1)) | (lower & ~from('z' + 1));
  constexpr unsigned k_to_upper = 'A' - '0' - 10, k_to_lower = 'a' - 'A' - 26;
  const std::uint64_t digits = low - std::uint64_t{'0'} * k_ones - ((upper & k_high_bits) >> 7U) * k_to_upper -
                               ((lower & k_high_bits) >> 7U) * k_to_lower;
  return {.digits = digits, .wrong = (~right | word) & k_high_bits};
}

/// The numbers of the first and the last four digits, in the lower and the upper half.
[[nodiscard]] inline std::uint64_t groups_of(std::uint64_t digits) noexcept {
  constexpr std::uint64_t k_bytes = 0x00ff'00ff'00ff'00ff, k_words = 0x0000'ffff'0000'ffff;
  const std::uint64_t pairs = (digits & k_bytes) * 62 + (digits >> 8U & k_bytes);
  return (pairs & k_words) * detail::k_digit_pairs + (pairs >> 16U & k_words);
}

[[nodiscard]] inline bool is_right(std::span<const std::byte, k_order_id_width> field) noexcept {
  return (eight_digits(field.first<8>()).wrong | eight_digits(field.last<8>()).wrong) == 0;
}

[[nodiscard]] inline OrderIdNumbers read(std::span<const std::byte, k_order_id_width> field) noexcept {
  const EightDigits first = eight_digits(field.first<8>()), last = eight_digits(field.last<8>());
  const std::uint64_t groups = groups_of(first.digits);
  return {.first = (groups & 0xffff'ffff) * detail::k_four_digits + (groups >> 32U),
          .last = static_cast<std::uint32_t>(groups_of(last.digits) >> 32U),
          .is_right = (first.wrong | last.wrong) == 0};
}

}  // namespace order_id_by_words

#if defined(__SSSE3__)
namespace order_id_by_vectors {

/// The characters in the first twelve lanes, nulls behind them.
[[nodiscard, gnu::always_inline]] inline __m128i characters_of(
    std::span<const std::byte, k_order_id_width> field) noexcept {
  std::uint32_t last;
  std::memcpy(&last, field.data() + 8, sizeof last);
  return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(field.data())),
                            _mm_cvtsi32_si128(static_cast<int>(last)));
}

/// The upper half of each character.
[[nodiscard, gnu::always_inline]] inline __m128i rows_of(__m128i characters) noexcept {
  return _mm_and_si128(_mm_srli_epi16(characters, 4), _mm_set1_epi8(0x0f));
}

/// Whether each of the twelve is a digit: the row of the character and its place in the row have a kind in common.
/// Kinds: 1 is '0' to '9', 2 is what begins behind '@' and '`', 4 is what ends with 'Z' and 'z'.
[[nodiscard, gnu::always_inline]] inline bool are_digits(__m128i characters, __m128i rows) noexcept {
  const __m128i of_rows = _mm_setr_epi8(0, 0, 0, 1, 2, 4, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i of_places = _mm_setr_epi8(5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 2, 2, 2, 2, 2);
  const __m128i kinds = _mm_and_si128(_mm_shuffle_epi8(of_rows, rows), _mm_shuffle_epi8(of_places, characters));
  return (_mm_movemask_epi8(_mm_cmpeq_epi8(kinds, _mm_setzero_si128())) & 0xfff) == 0;
}

[[nodiscard]] inline bool is_right(std::span<const std::byte, k_order_id_width> field) noexcept {
  const __m128i characters = characters_of(field);
  return are_digits(characters, rows_of(characters));
}

[[nodiscard]] inline OrderIdNumbers read(std::span<const std::byte, k_order_id_width> field) noexcept {
  const __m128i characters = characters_of(field), rows = rows_of(characters);
  const __m128i zeros = _mm_setr_epi8(0, 0, 0, '0', 'A' - 10, 'A' - 10, 'a' - 36, 'a' - 36, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i digits = _mm_sub_epi8(characters, _mm_shuffle_epi8(zeros, rows));
  const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x013e));             // times 62 and 1
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001'0000 | 62 * 62));  // times 62^2 and 1
  std::uint64_t first;
  _mm_storel_epi64(reinterpret_cast<__m128i*>(&first), fours);
  return {.first = (first & 0xffff'ffff) * detail::k_four_digits + (first >> 32U),
          .last = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(fours, 8))),
          .is_right = are_digits(characters, rows)};
}

}  // namespace order_id_by_vectors
namespace order_id_text = order_id_by_vectors;
#else
namespace order_id_text = order_id_by_words;
#endif

}  // namespace dojima::mit
