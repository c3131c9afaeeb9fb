#pragma once

// The twelve characters of an order or execution id as two words, for callers that hand them on at once: a text that
// was written two characters at a time is not read in one piece before all of it has come to the cache. As
// write_order_id() and write_execution_id() (identifiers.hpp) write them. Likewise the ten of a trade number.
// O(1), no allocation.
//
//   const OrderIdWords words = order_id_words(23057063777141547);   // "001hbIXL" and "E8st"

#include <cstdint>
#include <cstring>

#include "dojima/mit/identifiers.hpp"

namespace dojima::mit {

/// The lowest byte is the first character.
struct OrderIdWords {
  std::uint64_t first = 0;
  std::uint32_t last = 0;
};

namespace detail {

[[nodiscard, gnu::always_inline]] inline std::uint32_t two_digits(std::uint64_t number) noexcept {
  std::uint16_t digits;
  std::memcpy(&digits, &k_base62_pairs[number], sizeof digits);
  return digits;
}

/// Of a number below 62^4, as write_four_digits().
[[nodiscard, gnu::always_inline]] inline std::uint32_t four_digits(std::uint64_t number) noexcept {
  constexpr unsigned k_shift = 40;
  constexpr std::uint64_t k_inverse = ((std::uint64_t{1} << k_shift) + k_digit_pairs - 1) / k_digit_pairs;
  const std::uint64_t first = number * k_inverse >> k_shift;
  return two_digits(first) | two_digits(number - first * k_digit_pairs) << 16U;
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline OrderIdWords order_id_words(std::uint64_t number) noexcept {
  const std::uint64_t upper = number / detail::k_four_digits;
  return {.first = detail::four_digits(upper / detail::k_four_digits) |
                   std::uint64_t{detail::four_digits(upper % detail::k_four_digits)} << 32U,
          .last = detail::four_digits(number % detail::k_four_digits)};
}

/// The ten characters of a trade number as format_base36() gives them: eight, and two in the low bytes of `last`.
struct TradeIdWords {
  static constexpr std::uint64_t k_wrong = ~std::uint64_t{0};
  std::uint64_t first = 0;
  std::uint64_t last = k_wrong;
  /// False: the number has more than ten.
  [[nodiscard]] bool is_right() const noexcept { return last != k_wrong; }
};
[[nodiscard]] TradeIdWords trade_id_words(std::uint64_t number) noexcept;

/// In less time where the id is one of a partition that has a small count.
[[nodiscard, gnu::always_inline]] inline OrderIdWords execution_id_words(std::uint64_t number) noexcept {
  const detail::PartitionDigits& begin = detail::k_partition_digits[number >> detail::k_partition_shift];
  const std::uint64_t rest = (number & ((std::uint64_t{1} << detail::k_partition_shift) - 1)) + begin.rest;
  if (rest >= detail::k_six_digits) [[unlikely]]
    return order_id_words(number);
  constexpr std::uint64_t k_six_characters = (std::uint64_t{1} << 48U) - 1;
  std::uint64_t first;
  std::memcpy(&first, begin.digits.data(), sizeof first);
  return {.first = (first & k_six_characters) | std::uint64_t{detail::two_digits(rest / detail::k_four_digits)} << 48U,
          .last = detail::four_digits(rest % detail::k_four_digits)};
}

}  // namespace dojima::mit
