#pragma once

// The day that tests trade through.

#include <chrono>

#include "dojima/venue/segment.hpp"

namespace dojima::venue::testing {

/// Calls from 8, 12 and 16 o'clock on, nothing drawn, nothing extended, no halts.
inline Timetable plain_timetable() {
  using namespace std::chrono_literals;
  return {.start_of_day = 7h,
          .opening_call = 8h,
          .opening = 9h,
          .intraday_call = 12h,
          .intraday = 12h + 5min,
          .closing_call = 16h,
          .closing = 16h + 5min,
          .cross_end = 16h + 10min,
          .end_of_day = 17h};
}

/// Likewise, without the call at noon.
inline Timetable timetable_without_intraday() {
  Timetable timetable = plain_timetable();
  timetable.intraday_call = timetable.intraday = {};
  return timetable;
}

/// The segment FOOD on that day, with bands, extensions of calls and halts.
inline Segment food_segment() {
  using namespace std::chrono_literals;
  Segment segment{.name = "FOOD", .timetable = plain_timetable(), .bands = {.static_bp = 1000, .dynamic_bp = 300}};
  segment.timetable.extension = 2min;
  segment.timetable.extensions = 2;
  segment.timetable.halt = 3min;
  segment.timetable.reopening_call = 4min;
  return segment;
}

}  // namespace dojima::venue::testing
