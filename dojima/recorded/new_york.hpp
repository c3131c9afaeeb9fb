#pragma once

// Midnight in New York, where the days of NASDAQ's feeds begin, by the daylight saving rules of the United States since
// 1987 (15 U.S.C. 260a). Pure functions, O(1).
//
//   new_york_midnight({2012, 6, 21})   // 2012-06-21 04:00 UTC

#include "dojima/time/calendar.hpp"
#include "dojima/time/time.hpp"

namespace dojima::recorded {

namespace detail {

/// The number-th Sunday of a month, as days since 1970.
[[nodiscard]] constexpr std::int32_t sunday(std::int32_t year, std::uint8_t month, std::int32_t number) noexcept {
  const std::int32_t first = time::days_of({year, month, 1});
  const std::int32_t weekday = (first + 4) % 7;  // 0 is Sunday: 1970-01-01 was a Thursday
  return first + (7 - weekday) % 7 + 7 * (number - 1);
}

}  // namespace detail

/// 00:00 in New York on that date, years 1987 to 2261. Clocks change at two in the night, so the day on which summer
/// time begins starts in winter time, and the other way round.
[[nodiscard]] constexpr time::Time new_york_midnight(time::Date date) noexcept {
  const std::int32_t day = time::days_of(date);
  const bool is_new_rule = date.year >= 2007;
  const std::int32_t last_in_october = detail::sunday(date.year, 11, 1) - 7;
  const std::int32_t begin = is_new_rule ? detail::sunday(date.year, 3, 2) : detail::sunday(date.year, 4, 1);
  const std::int32_t end = is_new_rule ? detail::sunday(date.year, 11, 1) : last_in_october;
  const bool is_summer = day > begin && day <= end;
  return time::Time{std::chrono::days{day} + std::chrono::hours{is_summer ? 4 : 5}};
}

/// The last midnight in New York at or before `time`.
[[nodiscard]] constexpr time::Time new_york_midnight_before(time::Time time) noexcept {
  const auto day = static_cast<std::int32_t>(std::chrono::floor<std::chrono::days>(time).time_since_epoch().count());
  const time::Time midnight = new_york_midnight(time::date_of(day));
  return midnight <= time ? midnight : new_york_midnight(time::date_of(day - 1));
}

}  // namespace dojima::recorded
