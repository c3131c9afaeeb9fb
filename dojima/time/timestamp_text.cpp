#include "dojima/time/timestamp_text.hpp"

#include <cstring>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/digits.hpp"
#include "dojima/time/calendar.hpp"

namespace dojima::time {
namespace {

constexpr std::int64_t k_second = 1'000'000'000;
/// The sub-second digits behind the point, as nanoseconds; -1: not all are digits. `decimals` is 3, 6 or 9.
[[nodiscard, gnu::always_inline]] inline std::int64_t read_fraction(const char* at, std::size_t decimals) noexcept {
  if (decimals == 3) {
    // ".123" read as four characters, the point taken off.
    std::uint32_t word;
    std::memcpy(&word, at - 1, 4);
    const std::uint64_t digits = (std::uint64_t{word >> 8} << 40) ^ 0x3030300000000000;
    return are_digits(digits) ? std::int64_t{number_of(digits)} * 1'000'000 : -1;
  }
  if (decimals == 6) {
    // The two characters in front, a second digit and the point, are shifted out.
    const std::uint64_t digits = ((load_word(at - 2) >> 16) << 16) ^ 0x3030303030300000;
    return are_digits(digits) ? std::int64_t{number_of(digits)} * 1'000 : -1;
  }
  const std::uint64_t digits = load_word(at) ^ k_eight_zeros;
  const unsigned last = static_cast<unsigned char>(at[8]) - unsigned{'0'};
  return are_digits(digits) && last <= 9 ? std::int64_t{number_of(digits)} * 10 + last : -1;
}

/// Nanoseconds since midnight in what follows the date of a text of 17, 21, 24 or 27 characters: "-HH:MM:SS" and a
/// fraction; -1: it is wrong. All characters of the clock are held against their largest digits at once.
[[nodiscard, gnu::always_inline]] inline std::int64_t read_clock(const char* at, std::size_t size) noexcept {
  constexpr std::uint64_t k_plain = 0x30303a30303a3030;  // "00:00:00": the colons become zeros
  // 0x7f less the largest digit of each place: what is larger carries into the highest bit.
  constexpr std::uint64_t k_limits = 0x76797f767a7f767d;
  const std::uint64_t digits = load_word(at + 9) ^ k_plain;
  const auto two = [digits](unsigned place) noexcept {
    return static_cast<std::uint32_t>((digits >> 8 * place & 0xf) * 10 + (digits >> 8 * (place + 1) & 0xf));
  };
  const std::uint32_t hour = two(0), second = two(6);
  if ((((digits + k_limits) | digits) & 0x8080808080808080) != 0 || at[8] != '-' || hour > 23 || second > 60)
      [[unlikely]] {
    return -1;
  }
  std::int64_t fraction = 0;
  if (size != 17) fraction = at[17] == '.' ? read_fraction(at + 18, size - 18) : -1;
  return fraction < 0 ? -1 : (hour * 3'600 + two(3) * 60 + second) * k_second + fraction;
}

/// As read_clock for the lengths it takes, where the date is `last`; else -1.
[[nodiscard, gnu::always_inline]] inline std::int64_t read_same_day(std::string_view text,
                                                                    const ReadDate& last) noexcept {
  const std::size_t size = text.size();
  if (size != 21 && size != 17 && size != 24 && size != 27) [[unlikely]] {
    return -1;
  }
  return load_word(text.data()) == last.text ? read_clock(text.data(), size) : -1;
}

/// Another day than the last one, another length, or a mistake.
[[gnu::noinline]] Result<Time> parse_other_day(std::string_view text, ReadDate& last) noexcept {
  const Result<Time> time = parse_timestamp(text);
  if (!time || text.size() > k_timestamp_max) return time;
  // Not the day of `time`: a leap second at midnight belongs to the day before.
  const std::int64_t in_day = read_clock(text.data(), text.size());
  DOJIMA_ASSERT(in_day >= 0, "both ways of reading agree", *time);
  last = {load_word(text.data()), *time - Duration{in_day}};
  return time;
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

/// What is wrong with a text that is no timestamp, and where.
[[nodiscard]] Error trouble_in(std::string_view text) noexcept {
  constexpr const char* k_shape = "YYYYMMDD-HH:MM:SS with 0, 3, 6, 9 or 12 decimals";
  const std::size_t decimals = text.size() > 17 ? text.size() - 18 : 0;
  const bool is_length_good = text.size() == 17 || (text.size() > 18 && decimals % 3 == 0 && decimals <= 12);
  if (!is_length_good) return {ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(text.size()), k_shape};
  for (const auto& [offset, mark] : {std::pair{8u, '-'}, {11u, ':'}, {14u, ':'}, {17u, '.'}}) {
    if (offset < text.size() && text[offset] != mark) return {ErrorCode::malformed, 0, offset, text[offset], k_shape};
  }
  constexpr Part k_parts[] = {{0, 4, 1970, 2261, "a year from 1970 to 2261"}, {4, 2, 1, 12, "a month from 01 to 12"},
                              {6, 2, 1, 31, "a day of that month"},           {9, 2, 0, 23, "an hour from 00 to 23"},
                              {12, 2, 0, 59, "a minute from 00 to 59"},       {15, 2, 0, 60, "a second from 00 to 60"}};
  for (const Part& part : k_parts) {
    const int value = read_digits(text, part.offset, part.width);
    if (value < 0) return {ErrorCode::malformed, 0, part.offset, 0, k_shape};
    if (value < part.low || value > part.high) return {ErrorCode::out_of_range, 0, part.offset, value, part.expected};
  }
  const int day = read_digits(text, 6, 2);
  const auto month = static_cast<unsigned>(read_digits(text, 4, 2));
  if (static_cast<unsigned>(day) > days_in_month(read_digits(text, 0, 4), month))
    return {ErrorCode::out_of_range, 0, 6, day, "a day of that month"};
  return {ErrorCode::malformed, 0, 18, 0, k_shape};
}

}  // namespace

TimestampWords timestamp_words(Time time, unsigned decimals) noexcept {
  // Whole days in front, so that times before 1970 divide as the others do.
  constexpr std::uint64_t k_days = 106'752, k_day = 86'400 * std::uint64_t{k_second};
  const std::uint64_t shifted = static_cast<std::uint64_t>(nanoseconds_of(time)) + k_days * k_day;
  const std::uint64_t seconds = shifted / std::uint64_t{k_second};
  const auto fraction = static_cast<std::uint32_t>(shifted - seconds * std::uint64_t{k_second});
  const auto days = static_cast<std::uint32_t>(seconds / 86'400);
  const auto second_of_day = static_cast<std::uint32_t>(seconds - std::uint64_t{days} * 86'400);
  const Date date = date_of(static_cast<std::int32_t>(days - static_cast<std::uint32_t>(k_days)));
  const auto year = static_cast<std::uint32_t>(date.year);
  const std::uint32_t century = year / 100, minutes = second_of_day / 60, hours = minutes / 60;
  // Hours, minutes and seconds three bytes apart, where their digits go.
  const std::uint64_t parts =
      hours | std::uint64_t{minutes - hours * 60} << 24 | std::uint64_t{second_of_day - minutes * 60} << 48;
  const std::uint64_t tens = ((parts * 103) >> 10) & 0x000f00000f00000f;
  constexpr std::uint64_t k_clock = 0x30303a30303a3030;  // "00:00:00"
  TimestampWords words{.date = digit_pairs(century | std::uint64_t{year - century * 100} << 16 |
                                           std::uint64_t{date.month} << 32 | std::uint64_t{date.day} << 48),
                       .clock = (tens | (parts - 10 * tens) << 8) + k_clock};
  put_fraction(words, fraction, decimals);
  return words;
}

void put_fraction(TimestampWords& words, std::uint32_t nanoseconds, unsigned decimals) noexcept {
  if (decimals == 3) {
    words.fraction = '.' | eight_digits(nanoseconds / 1'000'000) >> 40 << 8;
  } else if (decimals == 6) {
    words.fraction = '.' | eight_digits(nanoseconds / 1'000) >> 16 << 8;
  } else if (decimals == 9) {
    const std::uint32_t tenths = nanoseconds / 10;
    const std::uint64_t eight = eight_digits(tenths);
    words.fraction = '.' | eight << 8;
    words.last = eight >> 8 | std::uint64_t{'0' + (nanoseconds - tenths * 10)} << 56;
  }
}

std::string_view format_timestamp(Time time, unsigned decimals, std::span<char> text) noexcept {
  DOJIMA_ASSERT(decimals == 0 || decimals == 3 || decimals == 6 || decimals == 9, "0, 3, 6 or 9 decimals");
  const std::size_t size = decimals == 0 ? 17 : 18 + decimals;
  DOJIMA_ASSERT(text.size() >= size, "room for the timestamp");
  const TimestampWords words = timestamp_words(time, decimals);
  char* const at = text.data();
  store_word(at, words.date);
  at[8] = '-';
  store_word(at + 9, words.clock);
  if (decimals == 3) {
    std::memcpy(at + 17, &words.fraction, 4);
  } else if (decimals == 6) {
    std::memcpy(at + 17, &words.fraction, 7);
  } else if (decimals == 9) {
    store_word(at + 17, words.fraction);
    store_word(at + 19, words.last);
  }
  return {text.data(), size};
}

Result<Time> parse_timestamp(std::string_view text) noexcept {
  const std::size_t size = text.size();
  const bool has_fraction = size == 21 || size == 24 || size == 27;
  if (size != 17 && !has_fraction) [[unlikely]] {
    // Picoseconds: three digits that a Time does not hold are cut off.
    if (size == 30 && read_digits(text, 27, 3) >= 0) return parse_timestamp(text.substr(0, 27));
    return std::unexpected(trouble_in(text));
  }
  const char* const at = text.data();
  const std::uint64_t date_digits = load_word(at) ^ k_eight_zeros;
  constexpr std::uint64_t k_clock = 0x30303a30303a3030;
  const std::uint64_t clock_digits = load_word(at + 9) ^ k_clock;  // the colons become zeros
  constexpr std::uint64_t k_colons = 0x0000ff0000ff0000;
  std::int64_t fraction = 0;
  if (has_fraction) fraction = at[17] == '.' ? read_fraction(at + 18, size - 18) : -1;
  const auto clock = [&](unsigned place) noexcept {
    return static_cast<std::uint32_t>((clock_digits >> 8 * place & 0xff) * 10 +
                                      (clock_digits >> 8 * (place + 1) & 0xff));
  };
  const std::uint32_t number = number_of(date_digits);
  const std::uint32_t year = number / 10'000, month = number / 100 % 100, day = number % 100;
  const std::uint32_t hour = clock(0), minute = clock(3), second = clock(6);
  const bool is_shaped = are_digits(date_digits) && are_digits(clock_digits) && (clock_digits & k_colons) == 0 &&
                         at[8] == '-' && fraction >= 0;
  if (!is_shaped || year - 1970 > 2261 - 1970 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59 ||
      second > 60 || (day > 28 && day > days_in_month(static_cast<std::int32_t>(year), month))) [[unlikely]] {
    return std::unexpected(trouble_in(text));
  }
  const std::int64_t days =
      days_of({static_cast<std::int32_t>(year), static_cast<std::uint8_t>(month), static_cast<std::uint8_t>(day)});
  const std::uint32_t second_of_day = hour * 3'600 + minute * 60 + second;
  const std::int64_t seconds = days * 86'400 + second_of_day;
  return from_nanoseconds(seconds * k_second + fraction);
}

Result<Time> parse_timestamp(std::string_view text, ReadDate& last) noexcept {
  const std::int64_t in_day = read_same_day(text, last);
  if (in_day >= 0) [[likely]] {
    return last.begin + Duration{in_day};
  }
  return parse_other_day(text, last);
}

bool is_timestamp(std::string_view text, ReadDate& last) noexcept {
  return read_same_day(text, last) >= 0 || parse_other_day(text, last).has_value();
}

}  // namespace dojima::time
