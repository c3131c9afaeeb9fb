#include "dojima/market/price.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "dojima/base/assert.hpp"
#include "dojima/base/digits.hpp"

namespace dojima::market {

/// The magnitude is gathered negatively, because the range has one more value on that side.
Result<std::int64_t> parse_scaled(std::string_view text, unsigned decimals, const char* expected) noexcept {
  constexpr std::int64_t k_lowest = std::numeric_limits<std::int64_t>::min();
  const bool is_negative = !text.empty() && text.front() == '-';
  std::size_t at = is_negative ? 1 : 0;
  std::int64_t value = 0;
  unsigned places = 0;
  bool has_point = false, has_digit = false;
  const auto push = [&](int digit) noexcept {
    if (value < k_lowest / 10 || value * 10 < k_lowest + digit) return false;
    value = value * 10 - digit;
    return true;
  };
  for (; at < text.size(); ++at) {
    const char character = text[at];
    const auto offset = static_cast<std::uint32_t>(at);
    if (character == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (character < '0' || character > '9') return fail(ErrorCode::malformed, 0, offset, character, expected);
    has_digit = true;
    if (has_point && places == decimals) {
      if (character != '0') return fail(ErrorCode::too_precise, 0, offset, character, expected);
      continue;
    }
    if (!push(character - '0')) return fail(ErrorCode::out_of_range, 0, offset, 0, expected);
    if (has_point) ++places;
  }
  if (!has_digit) return fail(ErrorCode::malformed, 0, 0, 0, expected);
  for (; places < decimals; ++places) {
    if (!push(0)) return fail(ErrorCode::out_of_range, 0, 0, 0, expected);
  }
  if (is_negative) return value;
  if (value == k_lowest) return fail(ErrorCode::out_of_range, 0, 0, 0, expected);
  return -value;
}

namespace {

/// At most 17 characters, of which only digits and one point: what nearly every price and quantity is. No sum of them
/// leaves the range. False: the careful way has to say.
bool parse_short(std::string_view text, std::uint64_t& number, unsigned& places) noexcept {
  constexpr std::size_t k_most = 17;
  if (text.size() > k_most || text.empty()) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digits = [&]() noexcept {
    for (; at != end; ++at) {
      const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
      if (digit > 9) break;
      number = number * 10 + digit;
    }
  };
  digits();
  if (at == end) return true;
  if (*at != '.' || text.size() == 1) return false;
  const char* const point = at++;
  digits();
  places = static_cast<unsigned>(at - point - 1);
  return at == end;
}

}  // namespace

Result<Price> parse_price(std::string_view text) noexcept {
  constexpr std::uint64_t k_powers[] = {100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  constexpr std::uint64_t k_most = std::uint64_t{1} << 36;  // times 10^8 it fits
  std::uint64_t number = 0;
  unsigned places = 0;
  if (parse_short(text, number, places) && places <= k_price_decimals &&
      (number < k_most || places == k_price_decimals)) [[likely]] {
    return Price{static_cast<std::int64_t>(number * k_powers[places])};
  }
  const auto units = parse_scaled(text, k_price_decimals, "a decimal number with at most eight decimals");
  if (!units && units.error().code == ErrorCode::out_of_range)
    return fail(ErrorCode::out_of_range, units.error().field, units.error().offset, units.error().got,
                "a decimal number from -92233720368 to 92233720368");
  if (!units) return std::unexpected(units.error());
  return Price{*units};
}

Result<Quantity> parse_quantity(std::string_view text) noexcept {
  constexpr const char* k_expected = "a whole number >= 0";
  std::uint64_t number = 0;
  unsigned places = 0;
  if (parse_short(text, number, places) && places == 0) [[likely]] {
    return Quantity{static_cast<std::int64_t>(number)};
  }
  const auto lots = parse_scaled(text, 0, k_expected);
  if (!lots) return std::unexpected(lots.error());
  if (*lots < 0) return fail(ErrorCode::out_of_range, 0, 0, *lots, k_expected);
  return Quantity{*lots};
}

std::string_view format_price(Price price, std::span<char> text) noexcept {
  DOJIMA_ASSERT(text.size() >= k_price_text_max, "room for a price");
  char* at = text.data();
  // Unsigned arithmetic: the lowest int64 has no positive twin.
  auto magnitude = static_cast<std::uint64_t>(price.units);
  if (price.units < 0) {
    *at++ = '-';
    magnitude = 0 - magnitude;
  }
  constexpr auto k_scale = static_cast<std::uint64_t>(k_price_scale);
  at = put_number(at, magnitude / k_scale);  // eleven digits touch sixteen characters
  const std::uint64_t fraction = magnitude % k_scale;
  if (fraction != 0) {
    *at++ = '.';
    // All eight decimals, then without the zeros at the end.
    const std::uint64_t decimals = eight_digits(static_cast<std::uint32_t>(fraction));
    std::memcpy(at, &decimals, k_price_decimals);
    at += k_price_decimals - static_cast<unsigned>(std::countl_zero(decimals - k_eight_zeros)) / 8;
  }
  return {text.data(), static_cast<std::size_t>(at - text.data())};
}

std::string_view format_scaled(std::int64_t value, unsigned decimals, std::span<char> text) noexcept {
  DOJIMA_ASSERT(text.size() >= k_scaled_text_max && decimals <= k_scaled_decimals_max, "room for a scaled number");
  auto magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) magnitude = 0 - magnitude;
  for (; decimals > 0 && magnitude % 10 == 0; --decimals) magnitude /= 10;
  // From the last digit to the first, to the end of the text.
  char* const end = text.data() + k_scaled_text_max;
  char* at = end;
  for (unsigned place = 0; place <= decimals || magnitude != 0; ++place, magnitude /= 10) {
    if (place == decimals && decimals != 0) *--at = '.';
    *--at = static_cast<char>('0' + magnitude % 10);
  }
  if (value < 0) *--at = '-';
  return {at, static_cast<std::size_t>(end - at)};
}

}  // namespace dojima::market
