#include "dojima/market/price.hpp"

#include <charconv>
#include <limits>

#include "dojima/base/assert.hpp"

namespace dojima::market {
namespace {

/// `text` as an integer scaled by 10^decimals. The magnitude is gathered negatively, because the range has one more
/// value on that side.
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

}  // namespace

Result<Price> parse_price(std::string_view text) noexcept {
  const auto units = parse_scaled(text, k_price_decimals, "a decimal number with at most eight decimals");
  if (!units) return std::unexpected(units.error());
  return Price{*units};
}

Result<Quantity> parse_quantity(std::string_view text) noexcept {
  constexpr const char* k_expected = "a whole number >= 0";
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
  at = std::to_chars(at, text.data() + text.size(), magnitude / k_scale).ptr;
  std::uint64_t fraction = magnitude % k_scale;
  if (fraction != 0) {
    *at++ = '.';
    for (std::uint64_t place = k_scale / 10; fraction != 0; place /= 10) {
      *at++ = static_cast<char>('0' + fraction / place);
      fraction %= place;
    }
  }
  return {text.data(), static_cast<std::size_t>(at - text.data())};
}

}  // namespace dojima::market
