#pragma once

// The phases of a trading day as one book knows them: what may enter, and whether and how it trades. When a phase
// begins and ends is the venue's business (a timetable, bands, halts); a book only ever sees a sequenced PhaseChange
// (command.hpp). docs/auctions.md says what becomes of every order in every phase.

#include <cstdint>

namespace dojima::market {

enum class Phase : std::uint8_t {
  continuous = 0,           ///< what can trade trades at once; where every book begins
  opening_call = 1,         ///< a call: orders collect, nothing trades, the indicative price is reported
  intraday_call = 2,        ///< a call of a scheduled auction within the day
  reopening_call = 3,       ///< a call after a halt or a price beyond its band; not a scheduled one
  closing_call = 4,         ///< a call whose price becomes the closing price
  closing_price_cross = 5,  ///< what can trade at the closing price trades at once, at that price only
  halted = 6,               ///< nothing enters or changes; orders can be cancelled
  closed = 7,               ///< before and after the day: likewise
};
inline constexpr std::uint8_t k_phases = 8;

/// Whether orders collect for an auction.
[[nodiscard]] constexpr bool is_call(Phase phase) noexcept {
  return phase >= Phase::opening_call && phase <= Phase::closing_call;
}

/// Whether orders can enter and be replaced.
[[nodiscard]] constexpr bool is_open(Phase phase) noexcept {
  return phase != Phase::halted && phase != Phase::closed;
}

}  // namespace dojima::market
