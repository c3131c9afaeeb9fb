#pragma once

// Values of FIX fields as domain types, both ways: what a field's text says by its type, and the text again. Exact: no
// floating point, decimals keep how many there were, times their precision, so that what was read can be written as it
// was. Texts and lists are views of the message. No allocation.
//
//   const Result<Value> value = parse_value(FieldType::price, "12.50");    // Decimal{1250, 2}
//   char text[k_value_text_max];  format_value(*value, text);             // "12.50"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "dojima/base/error.hpp"
#include "dojima/fix/field_type.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// mantissa / 10^decimals. Up to 18 digits.
struct Decimal {
  std::int64_t mantissa = 0;
  std::uint8_t decimals = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;  ///< of the text: 1.0 is not 1
};

/// UTCTimestamp with its number of decimals: 0, 3, 6 or 9.
struct Timestamp {
  time::Time time{};
  std::uint8_t decimals = 0;
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

/// UTCTimeOnly and LocalMktTime, HH:MM:SS with its number of decimals. A leap second is a whole day.
struct ClockTime {
  time::Duration since_midnight{};
  std::uint8_t decimals = 0;
  friend bool operator==(const ClockTime&, const ClockTime&) = default;
};

/// YYYYMM, with a day or a week where there is one.
struct MonthYear {
  std::chrono::year_month month{};
  std::uint8_t day = 0;   ///< 1 to 31; 0: none
  std::uint8_t week = 0;  ///< 1 to 5; 0: none
  friend bool operator==(const MonthYear&, const MonthYear&) = default;
};

/// The parts of a multiple-value string, from the first to the last. Lives as long as the text.
class ValueList {
 public:
  explicit ValueList(std::string_view text) noexcept : text_(text) {}
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Whether one of the parts is `part`. O(text).
  [[nodiscard]] bool has(std::string_view part) const noexcept;

  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    Iterator() noexcept = default;
    explicit Iterator(std::string_view rest) noexcept : rest_(rest) {}
    std::string_view operator*() const noexcept { return rest_.substr(0, rest_.find(' ')); }
    Iterator& operator++() noexcept {
      const std::size_t end = rest_.find(' ');
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      return *this;
    }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.rest_.size() == b.rest_.size(); }

   private:
    std::string_view rest_{};
  };
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(text_); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(); }

 private:
  std::string_view text_;
};

/// One of them by the field's type: numbers that count, decimals, single characters, flags, times, dates; all other
/// types are text, data among them.
using Value = std::variant<std::string_view, std::int64_t, Decimal, char, bool, Timestamp, ClockTime,
                           std::chrono::year_month_day, MonthYear>;

/// The longest text that format_value makes; what is text already is given back as it is.
inline constexpr std::size_t k_value_text_max = 32;

/// What the text says by its type. Errors: `malformed`, `out_of_range` (a number beyond the type), `missing` (empty).
/// Lists, zoned times and everything else without an alternative of its own are checked and stay text.
[[nodiscard]] Result<Value> parse_value(FieldType type, std::string_view text) noexcept;
/// The value's text: for what parse_value read in its shortest form, the same bytes. `room` needs k_value_text_max.
[[nodiscard]] std::string_view format_value(const Value& value, std::span<char> room) noexcept;

[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text) noexcept;
[[nodiscard]] Result<Decimal> parse_decimal(std::string_view text) noexcept;
[[nodiscard]] Result<ClockTime> parse_clock(std::string_view text) noexcept;
[[nodiscard]] Result<std::chrono::year_month_day> parse_date(std::string_view text) noexcept;
[[nodiscard]] Result<MonthYear> parse_month_year(std::string_view text) noexcept;

}  // namespace dojima::fix
