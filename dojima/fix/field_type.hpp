#pragma once

// The data types of FIX fields, by the names that dictionaries use, and whether a text has the format of its type.
// Pure functions over text, no allocation.
//
//   has_format(FieldType::price, "12.50")   // true

#include <cstdint>
#include <optional>
#include <string_view>

namespace dojima::fix {

/// FIX 4.0 to 5.0 SP2 data types. Types that share a format stay apart, because they mean different things.
enum class FieldType : std::uint8_t {
  string,
  character,
  boolean,
  integer,
  length,
  seq_num,
  num_in_group,
  tag_num,
  day_of_month,
  decimal,  ///< FLOAT
  price,
  price_offset,
  quantity,
  amount,
  percentage,
  multiple_char,    ///< single characters separated by spaces
  multiple_string,  ///< texts separated by spaces
  country,
  currency,
  exchange,
  language,
  month_year,
  utc_timestamp,
  utc_time,
  utc_date,
  local_date,
  local_time,
  tz_time,
  tz_timestamp,
  data,
  xml_data,
  xid,
  xid_ref,
};

/// The type of a dictionary's name for it, e.g. "UTCTIMESTAMP"; none: there is no such type.
[[nodiscard]] std::optional<FieldType> field_type_of(std::string_view name) noexcept;
/// The name in dictionaries. Static.
[[nodiscard]] std::string_view name_of(FieldType type) noexcept;

[[nodiscard]] constexpr bool is_data(FieldType type) noexcept {
  return type == FieldType::data || type == FieldType::xml_data;
}
/// Types read as a number with an optional fraction.
[[nodiscard]] constexpr bool is_decimal(FieldType type) noexcept {
  return type >= FieldType::decimal && type <= FieldType::percentage;
}
/// Types read as a whole number.
[[nodiscard]] constexpr bool is_integer(FieldType type) noexcept {
  return type >= FieldType::integer && type <= FieldType::day_of_month;
}

/// Whether `value`, which is not empty, has the format of the type. Times are checked against the calendar and may have
/// 0, 3, 6 or 9 decimals; a leap second `:60` is a time. O(value).
[[nodiscard]] bool has_format(FieldType type, std::string_view value) noexcept;

}  // namespace dojima::fix
