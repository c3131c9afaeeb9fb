#include "dojima/fix/value.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/base/assert.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr int k_digits_max = 18;

char* put_digits(char* at, std::uint64_t value, unsigned width) noexcept {
  for (unsigned place = width; place-- > 0; value /= 10) at[place] = static_cast<char>('0' + value % 10);
  return at + width;
}

/// Digits that has_format has seen.
unsigned digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  unsigned value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value * 10 + static_cast<unsigned>(text[i] - '0');
  return value;
}

std::string_view format_decimal(const Decimal& value, std::span<char> room) noexcept {
  char text[24];
  const bool is_negative = value.mantissa < 0;
  const auto bits = static_cast<std::uint64_t>(value.mantissa);
  const char* end = std::to_chars(text, text + sizeof text, is_negative ? 0 - bits : bits).ptr;
  const auto count = static_cast<std::size_t>(end - text);
  char* at = room.data();
  if (is_negative) *at++ = '-';
  const std::size_t decimals = value.decimals;
  if (count > decimals) {
    at = std::copy<const char*>(text, end - decimals, at);
  } else {
    *at++ = '0';
  }
  if (decimals != 0) {
    *at++ = '.';
    for (std::size_t zeros = count; zeros < decimals; ++zeros) *at++ = '0';
    at = std::copy(end - std::min(count, decimals), end, at);
  }
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

std::string_view format_clock(const ClockTime& value, std::span<char> room) noexcept {
  constexpr std::int64_t k_second = 1'000'000'000, k_day = 86'400 * k_second;
  const std::int64_t nanoseconds = value.since_midnight.count() % k_day;  // a leap second is the next midnight
  const auto seconds = static_cast<std::uint64_t>(nanoseconds / k_second);
  char* at = put_digits(room.data(), seconds / 3600, 2);
  *at++ = ':';
  at = put_digits(at, seconds / 60 % 60, 2);
  *at++ = ':';
  at = put_digits(at, seconds % 60, 2);
  if (value.decimals != 0) {
    *at++ = '.';
    auto fraction = static_cast<std::uint64_t>(nanoseconds % k_second);
    for (unsigned place = value.decimals; place < 9; ++place) fraction /= 10;
    at = put_digits(at, fraction, value.decimals);
  }
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

std::string_view format_date(std::chrono::year_month_day value, std::span<char> room) noexcept {
  char* at = put_digits(room.data(), static_cast<std::uint64_t>(static_cast<int>(value.year())), 4);
  at = put_digits(at, static_cast<unsigned>(value.month()), 2);
  at = put_digits(at, static_cast<unsigned>(value.day()), 2);
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

std::string_view format_month(const MonthYear& value, std::span<char> room) noexcept {
  char* at = put_digits(room.data(), static_cast<std::uint64_t>(static_cast<int>(value.month.year())), 4);
  at = put_digits(at, static_cast<unsigned>(value.month.month()), 2);
  if (value.day != 0) at = put_digits(at, value.day, 2);
  if (value.week != 0) {
    *at++ = 'w';
    *at++ = static_cast<char>('0' + value.week);
  }
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

template <class T>
Result<Value> as_value(const Result<T>& result) noexcept {
  if (!result) return std::unexpected(result.error());
  return Value(*result);
}

}  // namespace

bool ValueList::has(std::string_view part) const noexcept {
  return std::ranges::any_of(*this, [part](std::string_view own) { return own == part; });
}

Result<std::int64_t> parse_integer(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (trouble == std::errc::result_out_of_range) return fail(ErrorCode::out_of_range, 0, 0, 0, "a 64-bit number");
  if (trouble != std::errc{} || end != text.data() + text.size())
    return fail(ErrorCode::malformed, 0, 0, 0, "a whole number");
  return number;
}

Result<Decimal> parse_decimal(std::string_view text) noexcept {
  Decimal value;
  const bool is_negative = text.starts_with('-');
  bool has_point = false;
  int count = 0, significant = 0;
  for (std::size_t at = is_negative ? 1 : 0; at < text.size(); ++at) {
    if (text[at] == '.' && !has_point) {
      has_point = true;
      continue;
    }
    const int digit = text[at] - '0';
    if (digit < 0 || digit > 9)
      return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(at), text[at], "a decimal number");
    ++count;
    if (digit != 0 || significant != 0) ++significant;
    if (significant > k_digits_max || count > 2 * k_digits_max)
      return fail(ErrorCode::out_of_range, 0, static_cast<std::uint32_t>(at), 0, "at most 18 digits");
    value.mantissa = value.mantissa * 10 + digit;
    if (has_point) ++value.decimals;
  }
  if (count == 0) return fail(ErrorCode::malformed, 0, 0, 0, "a decimal number");
  if (value.decimals > k_digits_max) return fail(ErrorCode::out_of_range, 0, 0, 0, "at most 18 decimals");
  if (is_negative) value.mantissa = -value.mantissa;
  return value;
}

Result<ClockTime> parse_clock(std::string_view text) noexcept {
  if (!has_format(FieldType::utc_time, text))
    return fail(ErrorCode::malformed, 0, 0, 0, "HH:MM:SS with 0, 3, 6, 9 or 12 decimals");
  ClockTime value;
  value.since_midnight = std::chrono::hours{digits(text, 0, 2)} + std::chrono::minutes{digits(text, 3, 2)} +
                         std::chrono::seconds{digits(text, 6, 2)};
  if (text.size() > 8) {
    constexpr std::size_t k_decimals_max = 9;  // what is finer than a nanosecond is cut off
    value.decimals = static_cast<std::uint8_t>(std::min(text.size() - 9, k_decimals_max));
    std::int64_t fraction = digits(text, 9, value.decimals);
    for (unsigned place = value.decimals; place < 9; ++place) fraction *= 10;
    value.since_midnight += time::Duration{fraction};
  }
  return value;
}

Result<std::chrono::year_month_day> parse_date(std::string_view text) noexcept {
  if (!has_format(FieldType::local_date, text)) return fail(ErrorCode::malformed, 0, 0, 0, "YYYYMMDD");
  return std::chrono::year{static_cast<int>(digits(text, 0, 4))} / std::chrono::month{digits(text, 4, 2)} /
         std::chrono::day{digits(text, 6, 2)};
}

Result<MonthYear> parse_month_year(std::string_view text) noexcept {
  if (!has_format(FieldType::month_year, text))
    return fail(ErrorCode::malformed, 0, 0, 0, "YYYYMM, YYYYMMDD or YYYYMMwN");
  MonthYear value{.month =
                      std::chrono::year{static_cast<int>(digits(text, 0, 4))} / std::chrono::month{digits(text, 4, 2)}};
  if (text.size() == 8) {
    if (text[6] == 'w') {
      value.week = static_cast<std::uint8_t>(text[7] - '0');
    } else {
      value.day = static_cast<std::uint8_t>(digits(text, 6, 2));
    }
  }
  return value;
}

Result<Value> parse_value(FieldType type, std::string_view text) noexcept {
  if (text.empty()) return fail(ErrorCode::missing, 0, 0, 0, "a value");
  if (is_decimal(type)) return as_value(parse_decimal(text));
  switch (type) {
    case FieldType::integer:
    case FieldType::length:
    case FieldType::seq_num:
    case FieldType::num_in_group:
    case FieldType::tag_num:
    case FieldType::day_of_month: {
      const auto number = parse_integer(text);
      if (number && !has_format(type, text)) return fail(ErrorCode::malformed, 0, 0, 0, "a number of the field's type");
      return as_value(number);
    }
    case FieldType::utc_timestamp: {
      const auto time = time::parse_timestamp(text);
      if (!time) return std::unexpected(time.error());
      const std::size_t decimals = text.size() > 18 ? text.size() - 18 : 0;
      return Value(Timestamp{*time, static_cast<std::uint8_t>(decimals)});
    }
    case FieldType::utc_time:
    case FieldType::local_time:
      return as_value(parse_clock(text));
    case FieldType::utc_date:
    case FieldType::local_date:
      return as_value(parse_date(text));
    case FieldType::month_year:
      return as_value(parse_month_year(text));
    default:
      break;
  }
  if (!has_format(type, text)) return fail(ErrorCode::malformed, 0, 0, 0, "the format of the field's type");
  if (type == FieldType::character) return Value(text[0]);
  if (type == FieldType::boolean) return Value(text[0] == 'Y');
  return Value(text);
}

std::string_view format_value(const Value& value, std::span<char> room) noexcept {
  DOJIMA_ASSERT(room.size() >= k_value_text_max, "room for a value");
  struct Formatting {
    std::span<char> room;
    std::string_view operator()(std::string_view text) const noexcept { return text; }
    std::string_view operator()(std::int64_t number) const noexcept {
      const char* end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
      return {room.data(), static_cast<std::size_t>(end - room.data())};
    }
    std::string_view operator()(const Decimal& number) const noexcept { return format_decimal(number, room); }
    std::string_view operator()(char character) const noexcept {
      room[0] = character;
      return {room.data(), 1};
    }
    std::string_view operator()(bool flag) const noexcept { return flag ? "Y" : "N"; }
    std::string_view operator()(const Timestamp& stamp) const noexcept {
      return time::format_timestamp(stamp.time, stamp.decimals, room);
    }
    std::string_view operator()(const ClockTime& clock) const noexcept { return format_clock(clock, room); }
    std::string_view operator()(std::chrono::year_month_day day) const noexcept { return format_date(day, room); }
    std::string_view operator()(const MonthYear& month) const noexcept { return format_month(month, room); }
  };
  return std::visit(Formatting{room}, value);
}

}  // namespace dojima::fix
