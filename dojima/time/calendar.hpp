#pragma once

// Days and dates of the Gregorian calendar, both ways, by Euclidean affine functions: multiplications and shifts in
// place of divisions (C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms",
// Software: Practice and Experience 2023). Exact for years -32768 to 32767. Pure functions, no branch on the date, no
// allocation.
//
//   date_of(20'654)                 // 2026-07-20
//   days_of({2026, 7, 20})          // 20'654 days since 1970-01-01

#include <cstdint>

namespace dojima::time {

struct Date {
  std::int32_t year = 1970;
  std::uint8_t month = 1;  ///< 1 to 12
  std::uint8_t day = 1;    ///< 1 to 31
  friend constexpr bool operator==(const Date&, const Date&) = default;
};

namespace detail {
inline constexpr std::uint32_t k_eras = 82;  // of 400 years, in front of year 0: all intermediate values are positive
inline constexpr std::uint32_t k_days_of_era = 146'097;
inline constexpr std::uint32_t k_epoch = 719'468 + k_eras * k_days_of_era;  // 1 March 0000 to 1 January 1970
}  // namespace detail

/// The date `days` after 1970-01-01. O(1).
[[nodiscard]] constexpr Date date_of(std::int32_t days) noexcept {
  const std::uint32_t day = static_cast<std::uint32_t>(days) + detail::k_epoch;
  // Century, then the day in it.
  const std::uint32_t quarters = 4 * day + 3;
  const std::uint32_t century = quarters / detail::k_days_of_era;
  const std::uint32_t day_of_century = quarters % detail::k_days_of_era / 4;
  // Year in the century, then the day in it, with March as the first month.
  const std::uint64_t product = std::uint64_t{2'939'745} * (4 * day_of_century + 3);
  const auto year_of_century = static_cast<std::uint32_t>(product >> 32);
  const std::uint32_t day_of_year = static_cast<std::uint32_t>(product) / 2'939'745 / 4;
  const std::uint32_t sum = 2141 * day_of_year + 197'913;
  const bool is_next_year = day_of_year >= 306;  // January and February
  const std::uint32_t year = 100 * century + year_of_century + (is_next_year ? 1 : 0);
  const std::uint32_t month = (sum >> 16) - (is_next_year ? 12 : 0);
  return {static_cast<std::int32_t>(year - 400 * detail::k_eras), static_cast<std::uint8_t>(month),
          static_cast<std::uint8_t>((sum & 0xffff) / 2141 + 1)};
}

/// Days from 1970-01-01 to a date that exists. O(1).
[[nodiscard]] constexpr std::int32_t days_of(Date date) noexcept {
  const bool is_last = date.month <= 2;  // months 13 and 14 of the year before
  const std::uint32_t year = static_cast<std::uint32_t>(date.year) + 400 * detail::k_eras - (is_last ? 1 : 0);
  const std::uint32_t month = is_last ? date.month + 12u : date.month;
  const std::uint32_t century = year / 100;
  const std::uint32_t before = 1461 * year / 4 - century + century / 4 + (979 * month - 2919) / 32;
  return static_cast<std::int32_t>(before + date.day - 1 - detail::k_epoch);
}

[[nodiscard]] constexpr bool is_leap(std::int32_t year) noexcept {
  // Multiples of 100 that 400 divides are those that 16 divides (the same authors).
  return (year % 100 == 0 ? year & 15 : year & 3) == 0;
}

/// 28 to 31; `month` from 1 to 12.
[[nodiscard]] constexpr unsigned days_in_month(std::int32_t year, unsigned month) noexcept {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return 30 | (month ^ (month >> 3));
}

[[nodiscard]] constexpr bool exists(Date date) noexcept {
  return date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= days_in_month(date.year, date.month);
}

}  // namespace dojima::time
