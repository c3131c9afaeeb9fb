#pragma once

// Numbers out of text, for the readers of recorded data: a cursor over one line or one JSON text that either takes what
// is asked for, or takes nothing and says so. Exact integers only; what does not fit or would have to be rounded is
// refused. Nothing is allocated; O(characters taken).
//
//   Fields fields("34200.5,-12");  std::int64_t time;
//   fields.take_decimal(9, time) && fields.take(',') ...      // time == 34'200'500'000'000

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace dojima::recorded {

class Fields {
 public:
  explicit constexpr Fields(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] constexpr bool is_at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] constexpr std::string_view rest() const noexcept { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  constexpr void skip(std::size_t size) noexcept { at_ += size; }

  [[nodiscard]] constexpr bool take(char expected) noexcept {
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] constexpr bool take(std::string_view expected) noexcept {
    if (!rest().starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  /// The text before `stop`, which stays; all of the rest when it does not come.
  [[nodiscard]] constexpr std::string_view take_until(char stop) noexcept {
    const std::string_view text = rest().substr(0, rest().find(stop));
    at_ += text.size();
    return text;
  }

  /// Digits, at least one; below 2^64.
  [[nodiscard]] constexpr bool take_number(std::uint64_t& value) noexcept {
    const char* at = at_;
    std::uint64_t number = 0;
    for (; at != end_ && is_digit(*at); ++at) {
      const auto digit = static_cast<std::uint64_t>(*at - '0');
      if (at - at_ >= 19 && (number > (k_most - digit) / 10)) return false;
      number = number * 10 + digit;
    }
    if (at == at_) return false;
    at_ = at;
    value = number;
    return true;
  }

  /// A number with an optional minus sign and an optional fraction, in units of 10^-decimals (at most 18). Digits of
  /// the fraction behind that must be zeros.
  [[nodiscard]] constexpr bool take_decimal(unsigned decimals, std::int64_t& value) noexcept {
    const char* const start = at_;
    const bool is_negative = take('-');
    std::uint64_t number = 0;
    const char* at = at_;
    unsigned fraction = 0;
    bool has_point = false, has_digit = false;
    for (; at != end_; ++at) {
      if (*at == '.' && !has_point) {
        has_point = true;
        continue;
      }
      if (!is_digit(*at)) break;
      has_digit = true;
      if (has_point && fraction == decimals) {
        if (*at != '0') return refuse(start);
        continue;
      }
      fraction += has_point ? 1 : 0;
      if (number > k_most_tenth) return refuse(start);
      number = number * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    for (; fraction < decimals; ++fraction) {
      if (number > k_most_tenth) return refuse(start);
      number *= 10;
    }
    if (!has_digit || number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return refuse(start);
    at_ = at;
    value = is_negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    return true;
  }

 private:
  static constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t k_most_tenth = 922'337'203'685'477'580;  // of int64
  [[nodiscard]] static constexpr bool is_digit(char character) noexcept {
    return static_cast<unsigned char>(character - '0') < 10;
  }
  [[nodiscard]] constexpr bool refuse(const char* start) noexcept {
    at_ = start;
    return false;
  }

  const char* at_;
  const char* end_;
};

}  // namespace dojima::recorded
