#pragma once

// The formats of recorded data: their names, and which one a file is by its first bytes (unpacked). Pure functions.
//
//   guess_format(first_bytes)   // Format::dbn

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dojima/base/bytes.hpp"

namespace dojima::recorded {

enum class Format : std::uint8_t {
  lobster,   ///< LOBSTER message file, with its order-book file
  itch50,    ///< NASDAQ TotalView-ITCH 5.0: messages behind two bytes of length, or a packet capture of MoldUDP64
  dbn,       ///< Databento binary encoding, market by order
  binance,   ///< Binance streams as JSON, one a line behind the receive time
  bitstamp,  ///< Bitstamp order events as CSV
  fix,       ///< FIX market data (35=X, W) in a log or a raw stream
  commands,  ///< a venue's journal: its commands back to back
  compact,   ///< Dojima's own events, binary
  csv,       ///< Dojima's own events as CSV
};

/// As `--format` takes it.
[[nodiscard]] std::string_view name_of(Format format) noexcept;
[[nodiscard]] std::span<const Format> all_formats() noexcept;
[[nodiscard]] std::optional<Format> format_named(std::string_view name) noexcept;

/// How many of the first bytes guess_format wants to see, where there are so many.
inline constexpr std::size_t k_guess_bytes = 4096;

/// None: like no format known here. Every format begins in a way that no other one does.
[[nodiscard]] std::optional<Format> guess_format(Bytes start) noexcept;

}  // namespace dojima::recorded
