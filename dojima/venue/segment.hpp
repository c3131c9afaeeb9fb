#pragma once

// A segment: instruments with one timetable and one set of price bands. Plain values; docs/trading-day.md says what
// they do. Times of day count from midnight of the venue's day.

#include <cstdint>
#include <string>

#include "dojima/time/time.hpp"

namespace dojima::venue {

using time::Duration;

/// When phases begin, rising from the first to the last. An intraday auction whose call begins at 0 is none.
struct Timetable {
  Duration start_of_day{};
  Duration opening_call{};
  Duration opening{};  ///< the earliest end of the opening call
  Duration intraday_call{};
  Duration intraday{};  ///< the earliest end of its call
  Duration closing_call{};
  Duration closing{};  ///< the earliest end of the closing call
  Duration cross_end{};
  Duration end_of_day{};

  Duration random_end{};  ///< a call ends up to this much later, drawn for each call of a day
  Duration extension{};   ///< a call whose price lies outside the static band goes on for so long; 0: it does not
  std::uint32_t extensions = 1;  ///< at most so often
  Duration halt{};               ///< how long nothing enters after a price beyond the static band
  Duration reopening_call{};     ///< the earliest end of the call after a halt or a price beyond the dynamic band
  friend bool operator==(const Timetable&, const Timetable&) = default;
};

/// How far prices may be from their reference, in basis points of it; 0: any distance.
struct PriceBands {
  std::uint32_t static_bp = 0;   ///< from the price of the last auction, at first the instrument's reference price
  std::uint32_t dynamic_bp = 0;  ///< from the last trade before the command
  friend bool operator==(const PriceBands&, const PriceBands&) = default;
};

struct Segment {
  std::string name;  ///< of market::Instrument::segment
  Timetable timetable;
  PriceBands bands;
  bool halts_together = false;  ///< what interrupts one instrument interrupts all of the segment in the partition
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Why a segment makes no sense; null when it does.
[[nodiscard]] const char* complaint(const Segment& segment);

}  // namespace dojima::venue
