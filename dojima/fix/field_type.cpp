#include "dojima/fix/field_type.hpp"

#include <array>
#include <chrono>

#include "dojima/fix/codec/xml_form.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

struct Named {
  std::string_view name;
  FieldType type;
};

/// The first of several names of a type is the one that is written.
constexpr std::array k_names{
    Named{"STRING", FieldType::string},
    Named{"CHAR", FieldType::character},
    Named{"BOOLEAN", FieldType::boolean},
    Named{"INT", FieldType::integer},
    Named{"LENGTH", FieldType::length},
    Named{"SEQNUM", FieldType::seq_num},
    Named{"NUMINGROUP", FieldType::num_in_group},
    Named{"TAGNUM", FieldType::tag_num},
    Named{"DAYOFMONTH", FieldType::day_of_month},
    Named{"FLOAT", FieldType::decimal},
    Named{"PRICE", FieldType::price},
    Named{"PRICEOFFSET", FieldType::price_offset},
    Named{"QTY", FieldType::quantity},
    Named{"QUANTITY", FieldType::quantity},
    Named{"AMT", FieldType::amount},
    Named{"PERCENTAGE", FieldType::percentage},
    Named{"MULTIPLECHARVALUE", FieldType::multiple_char},
    Named{"MULTIPLESTRINGVALUE", FieldType::multiple_string},
    Named{"MULTIPLEVALUESTRING", FieldType::multiple_string},
    Named{"COUNTRY", FieldType::country},
    Named{"CURRENCY", FieldType::currency},
    Named{"EXCHANGE", FieldType::exchange},
    Named{"LANGUAGE", FieldType::language},
    Named{"MONTHYEAR", FieldType::month_year},
    Named{"UTCTIMESTAMP", FieldType::utc_timestamp},
    Named{"TIME", FieldType::utc_timestamp},
    Named{"UTCTIMEONLY", FieldType::utc_time},
    Named{"UTCDATEONLY", FieldType::utc_date},
    Named{"UTCDATE", FieldType::utc_date},
    Named{"DATE", FieldType::utc_date},
    Named{"LOCALMKTDATE", FieldType::local_date},
    Named{"LOCALMKTTIME", FieldType::local_time},
    Named{"TZTIMEONLY", FieldType::tz_time},
    Named{"TZTIMESTAMP", FieldType::tz_timestamp},
    Named{"DATA", FieldType::data},
    Named{"XMLDATA", FieldType::xml_data},
    Named{"XID", FieldType::xid},
    Named{"XIDREF", FieldType::xid_ref},
};

constexpr bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

bool is_whole(std::string_view text, bool may_be_negative) noexcept {
  if (may_be_negative && text.starts_with('-')) text.remove_prefix(1);
  if (text.empty()) return false;
  for (const char character : text) {
    if (!is_digit(character)) return false;
  }
  return true;
}

/// Digits with an optional sign and at most one point, which may be first or last.
bool is_fraction(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  bool has_point = false;
  for (const char character : text) {
    if (is_digit(character)) continue;
    if (character != '.' || has_point) return false;
    has_point = true;
  }
  return text.size() > (has_point ? 1u : 0u);
}

int digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool is_date(std::string_view text) noexcept {
  if (text.size() != 8) return false;
  const int year = digits(text, 0, 4), month = digits(text, 4, 2), day = digits(text, 6, 2);
  return year >= 0 && month > 0 && day > 0 &&
         std::chrono::year_month_day{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                     std::chrono::day{static_cast<unsigned>(day)}}
             .ok();
}

/// YYYYMM, YYYYMMDD or YYYYMMwN.
bool is_month_year(std::string_view text) noexcept {
  if (text.size() == 8 && text[6] == 'w') return is_month_year(text.substr(0, 6)) && text[7] >= '1' && text[7] <= '5';
  if (text.size() == 8) return is_date(text);
  if (text.size() != 6 || digits(text, 0, 4) < 0) return false;
  const int month = digits(text, 4, 2);
  return month >= 1 && month <= 12;
}

bool has_range(std::string_view text, std::size_t at, int low, int high) noexcept {
  const int value = digits(text, at, 2);
  return value >= low && value <= high;
}

/// HH:MM[:SS[.fraction]]; how many characters it takes, 0: none.
std::size_t clock_size(std::string_view text, bool may_omit_seconds) noexcept {
  if (text.size() < 5 || !has_range(text, 0, 0, 23) || text[2] != ':' || !has_range(text, 3, 0, 59)) return 0;
  if (text.size() < 6 || text[5] != ':') return may_omit_seconds ? 5 : 0;
  if (text.size() < 8 || !has_range(text, 6, 0, 60)) return 0;
  if (text.size() < 9 || text[8] != '.') return 8;
  std::size_t end = 9;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::size_t decimals = end - 9;
  return decimals == 3 || decimals == 6 || decimals == 9 || decimals == 12 ? end : 0;
}

/// What may follow a time: nothing, Z, or +HH[:MM].
bool is_zone(std::string_view text) noexcept {
  if (text.empty() || text == "Z") return true;
  if ((text[0] != '+' && text[0] != '-') || text.size() < 3 || !has_range(text, 1, 0, 14)) return false;
  return text.size() == 3 || (text.size() == 6 && text[3] == ':' && has_range(text, 4, 0, 59));
}

bool is_zoned_time(std::string_view text) noexcept {
  const std::size_t size = clock_size(text, true);
  return size != 0 && is_zone(text.substr(size));
}

bool is_clock(std::string_view text) noexcept {
  const std::size_t size = clock_size(text, false);
  return size != 0 && size == text.size();
}

bool is_letters(std::string_view text, std::size_t size) noexcept {
  if (text.size() != size) return false;
  for (const char character : text) {
    if ((character < 'A' || character > 'Z') && (character < 'a' || character > 'z')) return false;
  }
  return true;
}

/// Characters with one space between.
bool is_char_list(std::string_view text) noexcept {
  if (text.size() % 2 == 0) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((text[at] == ' ') != (at % 2 == 1)) return false;
  }
  return true;
}

/// Texts with one space between.
bool is_text_list(std::string_view text) noexcept {
  if (text.front() == ' ' || text.back() == ' ') return false;
  return text.find("  ") == std::string_view::npos;
}

}  // namespace

std::optional<FieldType> field_type_of(std::string_view name) noexcept {
  for (const Named& named : k_names) {
    if (named.name == name) return named.type;
  }
  return std::nullopt;
}

std::string_view name_of(FieldType type) noexcept {
  for (const Named& named : k_names) {
    if (named.type == type) return named.name;
  }
  return "STRING";
}

bool has_format(FieldType type, std::string_view value) noexcept {
  switch (type) {
    case FieldType::string:
    case FieldType::exchange:
    case FieldType::data:
    case FieldType::xid:
    case FieldType::xid_ref:
      return true;
    case FieldType::xml_data:
      return is_well_formed_xml(value);
    case FieldType::character:
      return value.size() == 1;
    case FieldType::boolean:
      return value.size() == 1 && (value[0] == 'Y' || value[0] == 'N');
    case FieldType::integer:
      return is_whole(value, true);
    case FieldType::length:
    case FieldType::seq_num:
    case FieldType::num_in_group:
    case FieldType::tag_num:
      return is_whole(value, false);
    case FieldType::day_of_month:
      return is_whole(value, false) && value.size() <= 2 && digits(value, 0, value.size()) >= 1 &&
             digits(value, 0, value.size()) <= 31;
    case FieldType::decimal:
    case FieldType::price:
    case FieldType::price_offset:
    case FieldType::quantity:
    case FieldType::amount:
    case FieldType::percentage:
      return is_fraction(value);
    case FieldType::multiple_char:
      return is_char_list(value);
    case FieldType::multiple_string:
      return is_text_list(value);
    case FieldType::country:
    case FieldType::language:
      return is_letters(value, 2);
    case FieldType::currency:
      return is_letters(value, 3);
    case FieldType::month_year:
      return is_month_year(value);
    case FieldType::utc_timestamp:
      return time::parse_timestamp(value).has_value();
    case FieldType::utc_time:
      return is_clock(value);
    case FieldType::utc_date:
    case FieldType::local_date:
      return is_date(value);
    case FieldType::local_time:
      return is_clock(value);
    case FieldType::tz_time:
      return is_zoned_time(value);
    case FieldType::tz_timestamp:
      return value.size() > 9 && is_date(value.substr(0, 8)) && value[8] == '-' && is_zoned_time(value.substr(9));
  }
  return true;
}

}  // namespace dojima::fix
