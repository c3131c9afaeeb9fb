#pragma once

// Decimal digits eight at a time, as one 64-bit word whose lowest byte is the first character (SWAR): what prices,
// numbers and timestamps of text protocols are made of. Pure functions, no branch on the value, no allocation.
//
//   store_word(at, eight_digits(20'260'720));       // "20260720"
//   if (are_digits(load_word(at) ^ k_eight_zeros)) number_of(load_word(at) ^ k_eight_zeros);   // 20260720

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dojima {

/// "00000000"
inline constexpr std::uint64_t k_eight_zeros = 0x3030303030303030;

[[nodiscard]] inline std::uint64_t load_word(const char* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline void store_word(char* at, std::uint64_t word) noexcept {
  std::memcpy(at, &word, sizeof word);
}

/// Four numbers below 100, each in 16 bits, as two characters each.
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t digit_pairs(std::uint64_t pairs) noexcept {
  const std::uint64_t tens = ((pairs * 103) >> 10) & 0x000f000f000f000f;
  return (tens | (pairs - 10 * tens) << 8) + k_eight_zeros;
}

/// The eight characters of a number below 10^8, zeros in front: divisions by multiplying, all digits at once.
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t eight_digits(std::uint32_t value) noexcept {
  const std::uint64_t fours = value / 10'000 | std::uint64_t{value % 10'000} << 32;
  const std::uint64_t hundreds = ((fours * 10'486) >> 20) & 0x0000007f0000007f;
  return digit_pairs(hundreds | (fours - 100 * hundreds) << 16);
}

/// Whether all eight characters, each with '0' taken off by xor, are digits.
[[nodiscard]] constexpr bool are_digits(std::uint64_t values) noexcept {
  return (((values + 0x7676767676767676) | values) & 0x8080808080808080) == 0;
}

/// The number in eight digits with '0' taken off.
[[nodiscard]] constexpr std::uint32_t number_of(std::uint64_t digits) noexcept {
  const std::uint64_t pairs = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  const std::uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffff;
  return static_cast<std::uint32_t>((fours & 0xffff) * 10'000 + (fours >> 32));
}

/// The most characters that put_number may touch.
inline constexpr std::size_t k_number_room = 24;

/// Writes a number without zeros in front; gives its end. Touches up to k_number_room characters.
inline char* put_number(char* at, std::uint64_t value) noexcept {
  constexpr std::uint32_t k_hundred_million = 100'000'000;
  if (value >= k_hundred_million) [[unlikely]] {
    at = put_number(at, value / k_hundred_million);
    store_word(at, eight_digits(static_cast<std::uint32_t>(value % k_hundred_million)));
    return at + 8;
  }
  const std::uint64_t digits = eight_digits(static_cast<std::uint32_t>(value));
  // The last digit stays, also when it is a zero.
  const auto zeros = static_cast<unsigned>(std::countr_zero((digits - k_eight_zeros) | std::uint64_t{1} << 56)) / 8;
  store_word(at, digits >> 8 * zeros);
  return at + (8 - zeros);
}

}  // namespace dojima
