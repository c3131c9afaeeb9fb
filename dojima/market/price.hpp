#pragma once

// Prices and quantities as exact integers. A `Price` counts 1e-8 units, as on the MIT203 wire, over the whole int64
// range; a `Quantity` counts lots of its instrument. Text with more decimals than the type carries is refused, never
// rounded. No floating point, no allocation.
//
//   Price p = parse_price("123.45").value();   // units == 12'345'000'000

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"

namespace dojima::market {

struct Price {
  std::int64_t units = 0;  ///< 1e-8 of the instrument's currency
  friend constexpr auto operator<=>(const Price&, const Price&) = default;
};

struct Quantity {
  std::int64_t lots = 0;  ///< >= 0 wherever it is a size; a difference may be negative
  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  constexpr Quantity& operator+=(Quantity other) noexcept { return lots += other.lots, *this; }
  constexpr Quantity& operator-=(Quantity other) noexcept { return lots -= other.lots, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept { return {a.lots + b.lots}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) noexcept { return {a.lots - b.lots}; }
};

inline constexpr std::int64_t k_price_scale = 100'000'000;
inline constexpr unsigned k_price_decimals = 8;
/// The longest text of a price: sign, 11 digits, point, 8 decimals.
inline constexpr std::size_t k_price_text_max = 21;

/// Reads a decimal number ("-12.5", "100", ".5", "7."): digits with at most one point and an optional minus sign.
/// More than eight decimals that are not zero: `too_precise`; beyond int64: `out_of_range`; else `malformed`.
[[nodiscard]] Result<Price> parse_price(std::string_view text) noexcept;

/// Writes the shortest exact decimal text ("123.45", "100", "-0.5"). `text` needs `k_price_text_max` characters.
std::string_view format_price(Price price, std::span<char> text) noexcept;

/// Reads a whole number of lots >= 0; decimals are allowed only when they are zero ("100.0"), as FIX Qty permits.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text) noexcept;

// Numbers whose unit is not that of a Price: whole numbers of 10^-decimals.

/// As parse_price, with so many decimals instead of eight; `expected` is the error's.
[[nodiscard]] Result<std::int64_t> parse_scaled(std::string_view text, unsigned decimals,
                                                const char* expected) noexcept;

/// The longest text of a scaled number: sign, 20 digits, point.
inline constexpr std::size_t k_scaled_text_max = 24;
inline constexpr unsigned k_scaled_decimals_max = 18;

/// Writes the shortest exact decimal text of value * 10^-decimals, at most k_scaled_decimals_max. `text` needs
/// `k_scaled_text_max` characters.
std::string_view format_scaled(std::int64_t value, unsigned decimals, std::span<char> text) noexcept;

}  // namespace dojima::market
