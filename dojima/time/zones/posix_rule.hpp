#pragma once

// A time zone's rule in the form of the environment variable TZ (POSIX), as the files of the IANA database end with it:
// `GMT0BST,M3.5.0/1,M10.5.0` is offset 0, and an hour more from the last Sunday of March, 1:00, to the last of October,
// 2:00. The clock of a change may go from -167 to 167 hours (RFC 8536, section 3.3.1). Pure.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/time/zone_rules.hpp"

namespace dojima::time {

struct PosixRule {
  /// The day and the clock of a change, of every year.
  struct Day {
    enum class Kind : std::uint8_t {
      month_week_weekday,  ///< the week-th weekday of a month, 5: the last
      without_leap_day,    ///< day 1 to 365, 29 February is not counted
      with_leap_day        ///< day 0 to 365
    };
    Kind kind = Kind::month_week_weekday;
    std::uint8_t month = 1, week = 1, weekday = 0;  ///< weekday 0: Sunday
    std::uint16_t day = 0;
    std::chrono::seconds clock{7200};  ///< since midnight by the clocks before the change

    [[nodiscard]] LocalTime of(std::int32_t year) const noexcept;
  };
  struct Daylight {
    std::chrono::seconds offset{0};
    Day begin, end;
  };

  std::chrono::seconds offset{0};  ///< local time less UTC, without daylight saving
  std::optional<Daylight> daylight;

  /// `malformed` for anything else; `offset` of the error names the character.
  [[nodiscard]] static Result<PosixRule> parse(std::string_view text) noexcept;

  /// The changes of a year, as it is counted by local time: to daylight saving, and from it. Only with `daylight`.
  [[nodiscard]] std::array<ZoneRules::Change, 2> changes(std::int32_t year) const noexcept;
};

}  // namespace dojima::time
