#pragma once

// Identifiers as text. Order, execution and public order ids are numbers in base 62 (`0-9 A-Z a-z`, most significant
// first), twelve characters with leading zeros on the wire; a client's own numbered ids may be of any width. Trade
// numbers are shown on the FIX side in base 36 with a shifted alphabet (`G-Z 0-9 A-F`), ten characters. Exact both
// ways, O(width), no allocation.
//
//   char text[k_order_id_width];  format_base62(23057063777141547, text);   // "001hbIXLE8st"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"

namespace dojima::mit {

/// OrderID, ExecutionID, PublicOrderID.
inline constexpr std::size_t k_order_id_width = 12;
/// Characters that any 64-bit number fits in base 62.
inline constexpr std::size_t k_base62_max = 11;
/// TVTIC, the trade number as FIX shows it.
inline constexpr std::size_t k_trade_id_width = 10;

/// Fills `text` with `number`, leading zeros first. `too_long` when it needs more characters; `text` is then undefined.
[[nodiscard]] Result<void> format_base62(std::uint64_t number, std::span<char> text) noexcept;

namespace detail {

/// Two digits of base 62, as they lie in memory.
using DigitPair = std::array<char, 2>;
inline constexpr std::uint64_t k_digit_pairs = 62 * 62;
inline constexpr std::uint64_t k_four_digits = k_digit_pairs * k_digit_pairs;
inline constexpr std::uint64_t k_six_digits = k_four_digits * k_digit_pairs;
extern const std::array<DigitPair, k_digit_pairs> k_base62_pairs;

/// The first six digits of a partition's ids with small counts, and what the others begin at.
struct PartitionDigits {
  std::uint64_t rest = 0;
  std::array<char, 8> digits{};  // and two that are written over
};
inline constexpr unsigned k_partition_shift = 60;
extern const std::array<PartitionDigits, 16> k_partition_digits;

[[gnu::always_inline]] inline void write_two_digits(std::uint64_t number, char* text) noexcept {
  std::memcpy(text, &k_base62_pairs[number], sizeof(DigitPair));
}

/// Four digits of a number below 62^4: two by two, the first two by a multiplication with a little more than the
/// inverse of 62^2, which is exact below 2^24.
[[gnu::always_inline]] inline void write_four_digits(std::uint64_t number, char* text) noexcept {
  constexpr unsigned k_shift = 40;
  constexpr std::uint64_t k_inverse = ((std::uint64_t{1} << k_shift) + k_digit_pairs - 1) / k_digit_pairs;
  static_assert(k_four_digits < std::uint64_t{1} << 24);
  const std::uint64_t first = number * k_inverse >> k_shift;
  write_two_digits(first, text);
  write_two_digits(number - first * k_digit_pairs, text + 2);
}

/// Six digits of a number below 62^6.
[[gnu::always_inline]] inline void write_six_digits(std::uint64_t number, char* text) noexcept {
  write_two_digits(number / k_four_digits, text);
  write_four_digits(number % k_four_digits, text + 2);
}

}  // namespace detail

/// Writes the twelve characters of an order or execution id at `text`: format_base62 for a caller that knows the width,
/// two digits at a time from a table. O(1), no branch.
[[gnu::always_inline]] inline void write_order_id(std::uint64_t number, char* text) noexcept {
  const std::uint64_t upper = number / detail::k_four_digits;
  detail::write_four_digits(upper / detail::k_four_digits, text);
  detail::write_four_digits(upper % detail::k_four_digits, text + 4);
  detail::write_four_digits(number % detail::k_four_digits, text + 8);
}

/// The same of an id of a partition that has a small count, as execution ids have: the first half follows from the
/// partition. Any id is fine.
[[gnu::always_inline]] inline void write_execution_id(std::uint64_t number, char* text) noexcept {
  const detail::PartitionDigits& first = detail::k_partition_digits[number >> detail::k_partition_shift];
  const std::uint64_t rest = (number & ((std::uint64_t{1} << detail::k_partition_shift) - 1)) + first.rest;
  if (rest >= detail::k_six_digits) [[unlikely]]
    return write_order_id(number, text);
  std::memcpy(text, first.digits.data(), first.digits.size());  // one word; of the last two there is more to say
  detail::write_six_digits(rest, text + 6);
}

/// Writes `number` without leading zeros (0 is "0"). Returns the part written.
[[nodiscard]] std::string_view format_base62_shortest(std::uint64_t number,
                                                      std::span<char, k_base62_max> text) noexcept;

/// The number of 1 or more characters of base 62. `missing` for no text, `malformed` for another character (`offset`
/// names it), `out_of_range` beyond 64 bits. Leading zeros are allowed.
[[nodiscard]] Result<std::uint64_t> parse_base62(std::string_view text) noexcept;

/// The number in the field of an order id on the wire: as parse_base62 up to the first null, 0 for no text.
[[nodiscard]] Result<std::uint64_t> read_order_id(std::span<const std::byte, k_order_id_width> field) noexcept;

/// The same of a field that is known to be right: 0 for one that is wrong.
[[nodiscard]] std::uint64_t order_id_or_none(std::span<const std::byte, k_order_id_width> field) noexcept;

/// Whether the field holds twelve characters of base 62 that read_order_id takes, without reading the number: of ids
/// that venues give. False says nothing. O(1).
[[nodiscard]] bool is_plain_order_id(std::span<const std::byte, k_order_id_width> field) noexcept;

/// Fills `text` with `number` in the shifted base 36, padded with `G`. `too_long` when it needs more characters.
[[nodiscard]] Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept;

/// As parse_base62, for the shifted base 36.
[[nodiscard]] Result<std::uint64_t> parse_base36(std::string_view text) noexcept;

}  // namespace dojima::mit
