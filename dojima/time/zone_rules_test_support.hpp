#pragma once

// Time zones written down by their laws, for tests that are to depend on no database: as they have been since 2009, and
// as they stay up to 2099 unless somebody changes his mind.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dojima/time/zone_rules.hpp"

namespace dojima::time::testing {

using namespace std::chrono_literals;
using std::chrono::last;
using std::chrono::Sunday;

inline constexpr std::int32_t k_first_year = 2009;
inline constexpr std::int32_t k_last_year = 2099;

/// One hour more from the begin that `begin_of` gives for a year to the end that `end_of` gives; both UTC.
template <class Begin, class End>
ZoneRules with_summer(std::string name, std::chrono::seconds winter, std::chrono::seconds summer, Begin begin_of,
                      End end_of) {
  std::vector<ZoneRules::Change> changes;
  for (std::int32_t number = k_first_year; number <= k_last_year; ++number) {
    const std::chrono::year year{number};
    const ZoneRules::Change begin{begin_of(year), summer}, end{end_of(year), winter};
    changes.push_back(begin.at < end.at ? begin : end);
    changes.push_back(begin.at < end.at ? end : begin);
  }
  const std::chrono::seconds before = changes.front().offset == summer ? winter : summer;
  return {std::move(name), before, std::move(changes)};
}

/// Last Sunday of March to last Sunday of October, 1:00 UTC.
inline ZoneRules london() {
  return with_summer(
      "Europe/London", 0h, 1h, [](auto year) { return std::chrono::sys_days{year / 3 / Sunday[last]} + 1h; },
      [](auto year) { return std::chrono::sys_days{year / 10 / Sunday[last]} + 1h; });
}
/// Second Sunday of March, 2:00 in winter time, to first Sunday of November, 2:00 in summer time.
inline ZoneRules new_york() {
  return with_summer(
      "America/New_York", -5h, -4h, [](auto year) { return std::chrono::sys_days{year / 3 / Sunday[2]} + 7h; },
      [](auto year) { return std::chrono::sys_days{year / 11 / Sunday[1]} + 6h; });
}
/// Half an hour more from the first Sunday of October to the first Sunday of April, 2:00 local.
inline ZoneRules lord_howe() {
  return with_summer(
      "Australia/Lord_Howe", 10h + 30min, 11h,
      [](auto year) { return std::chrono::sys_days{year / 10 / Sunday[1]} + 2h - (10h + 30min); },
      [](auto year) { return std::chrono::sys_days{year / 4 / Sunday[1]} + 2h - 11h; });
}
inline ZoneRules tokyo() {
  return {"Asia/Tokyo", 9h, {}};
}
/// Samoa had no 30 December 2011: the date line moved.
inline ZoneRules apia_2011() {
  return {"Pacific/Apia",
          -11h,
          {{std::chrono::sys_days{std::chrono::year{2011} / 9 / 24} + 14h, -10h},
           {std::chrono::sys_days{std::chrono::year{2011} / 12 / 30} + 10h, 14h}}};
}

}  // namespace dojima::time::testing
