#include "dojima/app/fix_settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/core.h>
#include <stdexcept>
#include <utility>

#include "dojima/app/config.hpp"
#include "dojima/fix/dictionary_model.hpp"
#include "dojima/time/zones.hpp"

namespace dojima::app {
namespace {

using Hours = std::optional<fix::Hours>;

constexpr std::array<std::string_view, 7> k_weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                     "Thursday", "Friday", "Saturday"};

std::unexpected<WrongSetting> wrong_setting(std::string_view key, std::string what) {
  return std::unexpected(WrongSetting{key, std::move(what)});
}

/// "08:30" or "08:30:00".
std::optional<std::chrono::seconds> clock_of(const std::string& text) {
  const auto time = parse_time_of_day(text.size() == 5 ? text + ":00" : text);
  if (!time || *time >= std::chrono::hours{24}) return std::nullopt;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  return seconds == *time ? std::optional(seconds) : std::nullopt;
}

std::optional<std::chrono::weekday> weekday_of(std::string_view name) {
  const auto found = std::ranges::find(k_weekdays, name);
  if (found == k_weekdays.end()) return std::nullopt;
  return std::chrono::weekday{static_cast<unsigned>(found - k_weekdays.begin())};
}

/// The keys of hours: those of the session, or of its logons.
struct HoursKeys {
  std::string_view start, end;
  const std::string& start_text;
  const std::string& end_text;
};

std::expected<Hours, WrongSetting> hours_of(const FixSettings& settings, const HoursKeys& keys) {
  constexpr const char* k_clock = "\"{}\" is not a time of day such as 08:30 or 08:30:00";
  const auto from = clock_of(keys.start_text), to = clock_of(keys.end_text);
  if (!from) return wrong_setting(keys.start, fmt::format(fmt::runtime(k_clock), keys.start_text));
  if (!to) return wrong_setting(keys.end, fmt::format(fmt::runtime(k_clock), keys.end_text));
  const bool is_weekly = !settings.schedule_start_day.empty() || !settings.schedule_end_day.empty();
  if (is_weekly) {
    constexpr const char* k_day = "\"{}\" is not a day such as Monday";
    const auto first = weekday_of(settings.schedule_start_day), last = weekday_of(settings.schedule_end_day);
    if (!first)
      return wrong_setting("schedule_start_day", fmt::format(fmt::runtime(k_day), settings.schedule_start_day));
    if (!last) return wrong_setting("schedule_end_day", fmt::format(fmt::runtime(k_day), settings.schedule_end_day));
    if (!settings.schedule_days.empty())
      return wrong_setting("schedule_days", "a session of weeks has schedule_start_day and schedule_end_day alone");
    return fix::Hours::weekly(*first, *from, *last, *to);
  }
  fix::Hours hours = fix::Hours::daily(*from, *to);
  if (settings.schedule_days.empty()) return hours;
  hours.days = 0;
  for (const std::string& name : words_of(settings.schedule_days)) {
    const auto day = weekday_of(name);
    if (!day) return wrong_setting("schedule_days", fmt::format("\"{}\" is not a day such as Monday", name));
    hours.days = static_cast<std::uint8_t>(hours.days | 1U << day->c_encoding());
  }
  return hours;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" ,"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::expected<std::optional<fix::ScheduleConfig>, WrongSetting> schedule_of(const FixSettings& settings) {
  const bool has_hours = !settings.schedule_start.empty() || !settings.schedule_end.empty();
  if (!has_hours) {
    for (const auto& [key, text] :
         {std::pair<std::string_view, const std::string&>{"schedule_days", settings.schedule_days},
          {"schedule_start_day", settings.schedule_start_day},
          {"schedule_end_day", settings.schedule_end_day},
          {"logon_start", settings.logon_start},
          {"logon_end", settings.logon_end}})
      if (!text.empty()) return wrong_setting(key, "needs schedule_start and schedule_end");
    return std::nullopt;
  }
  fix::ScheduleConfig schedule;
  const auto hours =
      hours_of(settings, {"schedule_start", "schedule_end", settings.schedule_start, settings.schedule_end});
  if (!hours) return std::unexpected(hours.error());
  schedule.session = *hours;
  if (!settings.logon_start.empty() || !settings.logon_end.empty()) {
    const auto logon = hours_of(settings, {"logon_start", "logon_end", settings.logon_start, settings.logon_end});
    if (!logon) return std::unexpected(logon.error());
    schedule.logon = *logon;
  }
  if (settings.time_zone != "UTC") {
    auto zone = time::load_zone(settings.time_zone);
    if (!zone)
      return wrong_setting("time_zone", fmt::format("the system knows no time zone \"{}\"", settings.time_zone));
    schedule.zone = *std::move(zone);
  }
  try {
    static_cast<void>(fix::SessionSchedule(schedule));
  } catch (const std::invalid_argument& trouble) {
    return wrong_setting("schedule_start", trouble.what());
  }
  return schedule;
}

std::expected<std::unique_ptr<const fix::Dictionary>, std::string> read_dictionary(const std::string& files) {
  if (files.empty()) return nullptr;
  std::vector<fix::DictionaryModel> models;
  for (const std::string& file : words_of(files)) {
    const auto text = read_text_file(file);
    if (!text) return std::unexpected("dictionary " + text.error());
    auto model = fix::parse_dictionary_xml(*text);
    if (!model)
      return std::unexpected(fmt::format("dictionary {}:{}: {}", file, model.error().line, model.error().text));
    models.push_back(*std::move(model));
  }
  auto compiled = fix::Dictionary::compile(std::move(models));
  if (!compiled) return std::unexpected(fmt::format("dictionary {}: {}", files, compiled.error().text));
  return std::make_unique<const fix::Dictionary>(*std::move(compiled));
}

}  // namespace dojima::app
