#pragma once

// Settings of FIX sessions as people write them: hours as clocks and names of days, checks by name, a dictionary as a
// file. Made into what sessions are configured with, or refused with a text that says what would be right. For
// start-up: reads files.
//
//   FixSettings settings{.schedule_start = "08:00", .schedule_end = "17:30", .time_zone = "Europe/London"};
//   const auto schedule = schedule_of(settings);

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/schedule.hpp"

namespace dojima::app {

/// Of one template, beside what fix::SessionConfig has.
struct FixSettings {
  std::string schedule_start;      ///< "08:00" or "08:00:00"; empty, as schedule_end: the session never ends
  std::string schedule_end;        ///< not later than the start: on the day after
  std::string schedule_days;       ///< "Monday Tuesday": where they begin; empty: every day
  std::string schedule_start_day;  ///< with schedule_end_day: once a week, from day to day
  std::string schedule_end_day;
  std::string logon_start;  ///< with logon_end: when one may log on, of the same days; empty: throughout
  std::string logon_end;
  std::string time_zone = "UTC";  ///< a name of the IANA database
  std::string dictionary;         ///< an XML file; empty: the built-in one
  friend bool operator==(const FixSettings&, const FixSettings&) = default;
};

/// What is wrong with the setting of that name.
struct WrongSetting {
  std::string_view key;
  std::string what;
};

/// None: a session that never ends.
[[nodiscard]] std::expected<std::optional<fix::ScheduleConfig>, WrongSetting> schedule_of(const FixSettings& settings);

/// The words of a text, which spaces or commas separate.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// A dictionary out of a file of the form that QuickFIX made common; two files with a comma between are transport and
/// application. Null for an empty name. The error names file, line and reason.
[[nodiscard]] std::expected<std::unique_ptr<const fix::Dictionary>, std::string> read_dictionary(
    const std::string& files);

}  // namespace dojima::app
