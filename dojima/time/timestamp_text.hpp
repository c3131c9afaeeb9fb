#pragma once

// FIX UTCTimestamp text, both ways: `YYYYMMDD-HH:MM:SS` with 0, 3, 6 or 9 decimals, read with 12 as well. Parsing is
// exact and validated (calendar, ranges; a leap second `:60` is accepted and becomes the first instant of the next
// minute); formatting never produces one. No allocation. Years 1970 to 2261, the range of `Time`.
//
//   char text[k_timestamp_max]; auto view = format_timestamp(now, 3, text);  // "20260720-12:00:00.123"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/time/time.hpp"

namespace dojima::time {

/// The longest text: 17 characters, a point and nine decimals.
inline constexpr std::size_t k_timestamp_max = 27;

/// Writes `time` with `decimals` (0, 3, 6 or 9) sub-second digits, cutting what is finer. `text` must have room for
/// 17 characters, plus a point and the decimals. Returns the part written.
std::string_view format_timestamp(Time time, unsigned decimals, std::span<char> text) noexcept;

/// The text in words, each with its first character in the lowest byte, as they are stored at 0, 9, 17 and 19; a `-` is
/// at 8.
struct TimestampWords {
  std::uint64_t date = 0;      ///< "20260720"
  std::uint64_t clock = 0;     ///< "12:00:00"
  std::uint64_t fraction = 0;  ///< ".123" or up to seven decimals, zeros behind them; 0: none
  std::uint64_t last = 0;      ///< the third to the ninth decimal, and the second one in front; 0: fewer than nine
};
[[nodiscard]] TimestampWords timestamp_words(Time time, unsigned decimals) noexcept;
/// Another time of the same second, so many nanoseconds (below 10^9) behind its beginning.
void put_fraction(TimestampWords& words, std::uint32_t nanoseconds, unsigned decimals) noexcept;

/// Reads a timestamp with 0, 3, 6, 9 or 12 decimals; what is finer than a nanosecond is cut off. `malformed` for
/// another shape, `out_of_range` for a date or time that does not exist or lies outside 1970-2261; `offset` names the
/// character.
[[nodiscard]] Result<Time> parse_timestamp(std::string_view text) noexcept;

/// The date of the timestamp read last. Of timestamps of one day only the first one needs its date looked up.
struct ReadDate {
  std::uint64_t text = 0;  ///< its eight characters, the first one lowest; 0: none was read
  Time begin{};            ///< of that day
};

/// As above; for timestamps that mostly are of the same day as the one before. `last` is brought up to date.
[[nodiscard]] Result<Time> parse_timestamp(std::string_view text, ReadDate& last) noexcept;
/// Whether parse_timestamp would read it.
[[nodiscard]] bool is_timestamp(std::string_view text, ReadDate& last) noexcept;

}  // namespace dojima::time
