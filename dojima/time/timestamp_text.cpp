#include "dojima/time/timestamp_text.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::time {
namespace {

using namespace std::chrono;

void put_digits(char* at, unsigned value, unsigned width) noexcept {
  for (unsigned place = width; place-- > 0; value /= 10) at[place] = static_cast<char>('0' + value % 10);
}

/// The number in `width` digits at `offset`, or -1.
int read_digits(std::string_view text, std::size_t offset, unsigned width) noexcept {
  int value = 0;
  for (std::size_t at = offset; at < offset + width; ++at) {
    if (text[at] < '0' || text[at] > '9') return -1;
    value = value * 10 + (text[at] - '0');
  }
  return value;
}

struct Part {
  unsigned offset, width;
  int low, high;
  const char* expected;
};

}  // namespace

std::string_view format_timestamp(Time time, unsigned decimals, std::span<char> text) noexcept {
  DOJIMA_ASSERT(decimals == 0 || decimals == 3 || decimals == 6 || decimals == 9, "0, 3, 6 or 9 decimals");
  const std::size_t size = decimals == 0 ? 17 : 18 + decimals;
  DOJIMA_ASSERT(text.size() >= size, "room for the timestamp");
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(time) - day};
  char* at = text.data();
  put_digits(at, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_digits(at + 4, static_cast<unsigned>(date.month()), 2);
  put_digits(at + 6, static_cast<unsigned>(date.day()), 2);
  at[8] = '-';
  put_digits(at + 9, static_cast<unsigned>(clock.hours().count()), 2);
  at[11] = ':';
  put_digits(at + 12, static_cast<unsigned>(clock.minutes().count()), 2);
  at[14] = ':';
  put_digits(at + 15, static_cast<unsigned>(clock.seconds().count()), 2);
  if (decimals != 0) {
    at[17] = '.';
    auto fraction = static_cast<unsigned>((time - floor<seconds>(time)).count());
    for (unsigned place = decimals; place < 9; ++place) fraction /= 10;
    put_digits(at + 18, fraction, decimals);
  }
  return {text.data(), size};
}

Result<Time> parse_timestamp(std::string_view text) noexcept {
  constexpr const char* k_shape = "YYYYMMDD-HH:MM:SS with 0, 3, 6 or 9 decimals";
  const std::size_t decimals = text.size() > 17 ? text.size() - 18 : 0;
  const bool is_length_good = text.size() == 17 || (text.size() > 18 && decimals % 3 == 0 && decimals <= 9);
  if (!is_length_good) return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(text.size()), k_shape);
  for (const auto& [offset, mark] : {std::pair{8u, '-'}, {11u, ':'}, {14u, ':'}, {17u, '.'}}) {
    if (offset < text.size() && text[offset] != mark)
      return fail(ErrorCode::malformed, 0, offset, text[offset], k_shape);
  }
  constexpr Part k_parts[] = {{0, 4, 1970, 2261, "a year from 1970 to 2261"}, {4, 2, 1, 12, "a month from 01 to 12"},
                              {6, 2, 1, 31, "a day of that month"},           {9, 2, 0, 23, "an hour from 00 to 23"},
                              {12, 2, 0, 59, "a minute from 00 to 59"},       {15, 2, 0, 60, "a second from 00 to 60"}};
  int values[6];
  for (std::size_t i = 0; i < 6; ++i) {
    const Part& part = k_parts[i];
    values[i] = read_digits(text, part.offset, part.width);
    if (values[i] < 0) return fail(ErrorCode::malformed, 0, part.offset, 0, k_shape);
    if (values[i] < part.low || values[i] > part.high)
      return fail(ErrorCode::out_of_range, 0, part.offset, values[i], part.expected);
  }
  const year_month_day date{year{values[0]}, month{static_cast<unsigned>(values[1])},
                            day{static_cast<unsigned>(values[2])}};
  if (!date.ok()) return fail(ErrorCode::out_of_range, 0, 6, values[2], "a day of that month");
  int fraction = 0;
  if (decimals != 0) {
    fraction = read_digits(text, 18, static_cast<unsigned>(decimals));
    if (fraction < 0) return fail(ErrorCode::malformed, 0, 18, 0, k_shape);
    for (std::size_t place = decimals; place < 9; ++place) fraction *= 10;
  }
  return Time{sys_days{date}} + hours{values[3]} + minutes{values[4]} + seconds{values[5]} + nanoseconds{fraction};
}

}  // namespace dojima::time
