#pragma once

// Identifiers as text. Order, execution and public order ids are numbers in base 62 (`0-9 A-Z a-z`, most significant
// first), twelve characters with leading zeros on the wire; a client's own numbered ids may be of any width. Trade
// numbers are shown on the FIX side in base 36 with a shifted alphabet (`G-Z 0-9 A-F`), ten characters. Exact both
// ways, O(width), no allocation.
//
//   char text[k_order_id_width];  format_base62(23057063777141547, text);   // "001hbIXLE8st"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"

namespace dojima::mit {

/// OrderID, ExecutionID, PublicOrderID.
inline constexpr std::size_t k_order_id_width = 12;
/// Characters that any 64-bit number fits in base 62.
inline constexpr std::size_t k_base62_max = 11;
/// TVTIC, the trade number as FIX shows it.
inline constexpr std::size_t k_trade_id_width = 10;

/// Fills `text` with `number`, leading zeros first. `too_long` when it needs more characters; `text` is then undefined.
[[nodiscard]] Result<void> format_base62(std::uint64_t number, std::span<char> text) noexcept;

/// Writes the twelve characters of an order or execution id at `text`: format_base62 for a caller that knows the width,
/// two digits at a time from a table. O(1), no branch.
void write_order_id(std::uint64_t number, char* text) noexcept;

/// Writes `number` without leading zeros (0 is "0"). Returns the part written.
[[nodiscard]] std::string_view format_base62_shortest(std::uint64_t number,
                                                      std::span<char, k_base62_max> text) noexcept;

/// The number of 1 or more characters of base 62. `missing` for no text, `malformed` for another character (`offset`
/// names it), `out_of_range` beyond 64 bits. Leading zeros are allowed.
[[nodiscard]] Result<std::uint64_t> parse_base62(std::string_view text) noexcept;

/// The number in the field of an order id on the wire: as parse_base62 up to the first null, 0 for no text.
[[nodiscard]] Result<std::uint64_t> read_order_id(std::span<const std::byte, k_order_id_width> field) noexcept;

/// Fills `text` with `number` in the shifted base 36, padded with `G`. `too_long` when it needs more characters.
[[nodiscard]] Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept;

/// As parse_base62, for the shifted base 36.
[[nodiscard]] Result<std::uint64_t> parse_base36(std::string_view text) noexcept;

}  // namespace dojima::mit
