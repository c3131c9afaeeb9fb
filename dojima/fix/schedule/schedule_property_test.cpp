// Schedules against the obvious model: all minutes of a stretch of time one after the other, with what the clocks show.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/schedule.hpp"
#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using namespace std::chrono;

/// Knows what the clocks show in each minute, and finds begins and ends by going through them.
class EveryMinute {
 public:
  EveryMinute(const ScheduleConfig& config, sys_days begin, days length)
      : begin_(begin), shown_(static_cast<std::size_t>(length / 1min)) {
    for (std::size_t minute = 0; minute < shown_.size(); ++minute)
      shown_[minute] = duration_cast<minutes>(config.zone.local(at(minute)).time_since_epoch()).count();
    note_first_and_last();
    sessions_ = periods(*config.session);
    if (config.logon) logons_ = periods(*config.logon);
  }

  [[nodiscard]] std::size_t size() const { return shown_.size(); }
  [[nodiscard]] Time at(std::size_t minute) const { return begin_ + minutes{minute}; }
  [[nodiscard]] std::optional<Period> session_at(Time time) const { return at_in(sessions_, time); }
  [[nodiscard]] Period session_for(Time time) const {
    const auto found = first_to_end_behind(sessions_, time);
    return found == sessions_.end() ? SessionSchedule::k_always : *found;
  }
  [[nodiscard]] bool may_log_on(Time time) const {
    return session_at(time) && (logons_.empty() || at_in(logons_, time));
  }
  [[nodiscard]] Time next_boundary(Time time) const {
    const auto found = first_to_end_behind(sessions_, time);
    if (found == sessions_.end()) return time::k_never;
    return found->begin > time ? found->begin : found->end;
  }
  [[nodiscard]] const std::vector<Period>& sessions() const { return sessions_; }
  [[nodiscard]] const std::vector<Period>& logons() const { return logons_; }

 private:
  static std::vector<Period>::const_iterator first_to_end_behind(const std::vector<Period>& periods, Time time) {
    return std::ranges::partition_point(periods, [time](const Period& period) { return period.end <= time; });
  }
  static std::optional<Period> at_in(const std::vector<Period>& periods, Time time) {
    const auto found = first_to_end_behind(periods, time);
    return found != periods.end() && found->begin <= time ? std::optional{*found} : std::nullopt;
  }

  /// For each time of the clocks: the first minute in which they show it or more; the last that shows it, or the one
  /// behind the last that shows less.
  void note_first_and_last() {
    const auto [least, most] = std::ranges::minmax(shown_);
    least_ = least;
    first_.resize(static_cast<std::size_t>(most - least) + 1);
    behind_last_.resize(first_.size());
    std::size_t known = 0;
    for (std::size_t minute = 0; minute < shown_.size(); ++minute) {
      for (; known <= index_of(shown_[minute]) && known < first_.size(); ++known) first_[known] = minute;
    }
    known = behind_last_.size();
    for (std::size_t minute = shown_.size(); minute-- > 0;) {
      for (; known > index_of(shown_[minute]) + 1; --known) behind_last_[known - 1] = minute + 1;
    }
    // The first minute of an hour that is shown twice has no less behind it the second time.
    for (std::size_t minute = 0; minute < shown_.size(); ++minute) {
      std::size_t& last = behind_last_[index_of(shown_[minute])];
      last = std::max(last, minute);
    }
  }
  [[nodiscard]] std::size_t index_of(std::int64_t shown) const { return static_cast<std::size_t>(shown - least_); }
  [[nodiscard]] bool is_known(std::int64_t shown) const { return shown >= least_ && index_of(shown) < first_.size(); }

  std::vector<Period> periods(const Hours& hours) const {
    std::vector<Period> found;
    for (std::int64_t day = shown_.front() / 1440; day <= shown_.back() / 1440; ++day) {
      if ((hours.days >> weekday{sys_days{days{day}}}.c_encoding() & 1) == 0) continue;
      const std::int64_t begin = day * 1440 + hours.from / 1min;
      const std::int64_t end = (day + hours.days_to_end) * 1440 + hours.to / 1min;
      if (is_known(begin) && is_known(end))
        found.push_back({at(first_[index_of(begin)]), at(behind_last_[index_of(end)])});
    }
    for (std::size_t next = 1; next < found.size(); ++next)
      found[next - 1].end = std::min(found[next - 1].end, found[next].begin);
    std::erase_if(found, [](const Period& period) { return period.begin >= period.end; });
    return found;
  }

  sys_days begin_;
  std::vector<std::int64_t> shown_;  // minutes
  std::int64_t least_ = 0;
  std::vector<std::size_t> first_, behind_last_;  // by what is shown, from least_ on
  std::vector<Period> sessions_, logons_;
};

/// What differs at `time`; empty when nothing does.
std::string difference(const SessionSchedule& schedule, const EveryMinute& model, Time time) {
  const char* what = "";
  if (schedule.session_at(time) != model.session_at(time))
    what = "session_at";
  else if (schedule.session_for(time) != model.session_for(time))
    what = "session_for";
  else if (schedule.is_open(time) != model.session_at(time).has_value())
    what = "is_open";
  else if (schedule.may_log_on(time) != model.may_log_on(time))
    what = "may_log_on";
  else if (schedule.next_boundary(time) != model.next_boundary(time))
    what = "next_boundary";
  else
    return {};
  return std::string(what) + " at " + std::to_string(time::nanoseconds_of(time));
}

/// Goes through the minutes, every `step`-th and all at begins and ends, but for three weeks at both ends. Gives the
/// first difference.
std::string first_difference(const ScheduleConfig& config, sys_days begin, days length, std::size_t step) {
  const SessionSchedule schedule(config);
  const EveryMinute model(config, begin, length);
  const std::size_t margin = std::size_t{21} * 1440;
  const auto differs = [&](Time time) {
    if (time < model.at(margin) || time >= model.at(model.size() - margin)) return std::string();
    return difference(schedule, model, time);
  };
  for (const auto* periods : {&model.sessions(), &model.logons()}) {
    for (const Period& period : *periods) {
      for (const Time time : {period.begin, period.end}) {
        for (const Time near : {time - 1ns, time, time + 1ns}) {
          if (std::string found = differs(near); !found.empty()) return found;
        }
      }
    }
  }
  // When one may log on next, going backwards.
  Time next_logon = time::k_never;
  for (std::size_t minute = model.size() - 1; minute >= margin; --minute) {
    const Time time = model.at(minute);
    const bool is_sample = minute % step == 0;
    if (!is_sample) continue;
    if (model.may_log_on(time)) next_logon = time;
    if (std::string found = differs(time + 13s); !found.empty()) return found;
    if (minute >= model.size() - margin) continue;
    const Time logon = schedule.next_logon(time);
    if (logon > next_logon || logon < time || !model.may_log_on(logon))
      return "next_logon at " + std::to_string(minute);
    if (logon > time && model.may_log_on(logon - 1ns)) return "next_logon is late at " + std::to_string(minute);
  }
  return {};
}

std::vector<time::ZoneRules> zones() {
  return {time::ZoneRules{}, time::testing::london(), time::testing::new_york(), time::testing::tokyo(),
          time::testing::lord_howe()};
}

TEST(SessionScheduleLong, years_of_minutes_agree_with_the_model_in_every_zone) {
  const std::vector<Hours> all{Hours::daily(8h, 16h + 30min),
                               Hours::daily(17h, 17h),
                               Hours::daily(1h + 30min, 1h + 30min),
                               Hours::daily(22h, 2h + 15min),
                               Hours::daily(1h + 50min, 2h + 10min),
                               Hours::on_days({Monday, Tuesday, Wednesday, Thursday, Friday}, 23h, 1h + 45min),
                               Hours::weekly(Sunday, 1h + 45min, Friday, 17h),
                               Hours::weekly(Sunday, 2h, Sunday, 2h)};
  for (const time::ZoneRules& zone : zones()) {
    for (const Hours& hours : all) {
      const std::string found =
          first_difference({.session = hours, .logon = {}, .zone = zone}, year{2027} / 1 / 1, days{2 * 366}, 97);
      EXPECT_EQ(found, "") << zone.name() << " from " << hours.from.count() << " s to " << hours.to.count() << " s";
    }
  }
}

seconds any_clock() {
  // Half of them about when clocks are changed.
  const int least = *rc::gen::element(0, 60);
  return minutes{*rc::gen::inRange(least, least == 0 ? 1440 : 200)};
}

Hours any_hours() {
  const seconds from = any_clock(), to = any_clock();
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return Hours::daily(from, to);
    case 1: {
      Hours hours = Hours::daily(from, to);
      hours.days = static_cast<std::uint8_t>(*rc::gen::inRange(1, 128));
      return hours;
    }
    default: {
      const weekday first{*rc::gen::inRange(0u, 7u)};
      const weekday last{*rc::gen::inRange(0u, 7u)};
      return Hours::weekly(first, from, last, to);
    }
  }
}

/// About the days on which some zone changes its clocks, or anywhere.
sys_days any_day() {
  const int number = *rc::gen::inRange(2010, 2090);
  const year in{number};
  const sys_days changed =
      *rc::gen::element<sys_days>(in / 3 / Sunday[last], in / 10 / Sunday[last], in / 3 / Sunday[2],
                                  in / 11 / Sunday[1], in / 4 / Sunday[1], in / 10 / Sunday[1]);
  return changed + days{*rc::gen::inRange(-5, 6)};
}

ScheduleConfig any_config() {
  ScheduleConfig config{.session = any_hours(), .logon = {}, .zone = (*rc::gen::elementOf(zones()))};
  const Hours& session = *config.session;
  // Logons from a part of each session to another.
  if (*rc::gen::arbitrary<bool>()) {
    const auto length = (session.days_to_end * 1440min + session.to - session.from) / 1min;
    const auto begin = *rc::gen::inRange<std::int64_t>(0, length);
    const auto end = *rc::gen::inRange<std::int64_t>(begin + 1, length + 1);
    const auto from = session.from / 1min + begin, to = session.from / 1min + end;
    Hours logon = session;
    logon.days = 0;
    for (int day = 0; day < 7; ++day) {
      if ((session.days >> day & 1) != 0)
        logon.days = static_cast<std::uint8_t>(logon.days | 1 << (day + static_cast<int>(from / 1440)) % 7);
    }
    logon.from = minutes{from % 1440};
    logon.to = minutes{to % 1440};
    logon.days_to_end = static_cast<std::uint8_t>(to / 1440 - from / 1440);
    config.logon = logon;
  }
  return config;
}

RC_GTEST_PROP(SessionSchedulePropertyLong, any_hours_agree_with_the_model_about_the_days_of_changed_clocks, ()) {
  const ScheduleConfig config = any_config();
  const std::string found = first_difference(config, any_day() - days{28}, days{56}, 7);
  RC_ASSERT(found == "");
}

RC_GTEST_PROP(SessionSchedulePropertyLong, numbers_are_over_as_soon_as_a_session_has_ended_behind_their_begin, ()) {
  const ScheduleConfig config = any_config();
  const SessionSchedule schedule(config);
  const sys_days begin = any_day() - days{28};
  const EveryMinute model(config, begin, days{56});
  const auto any_time = [&] { return begin + minutes{*rc::gen::inRange(21 * 1440, 35 * 1440)}; };
  for (int pair = 0; pair < 20; ++pair) {
    const Time begun = any_time(), now = any_time();
    const bool is_over = std::ranges::any_of(
        model.sessions(), [&](const Period& period) { return period.end > begun && period.end <= now; });
    RC_ASSERT(schedule.is_over(begun, now) == is_over);
  }
}

}  // namespace
}  // namespace dojima::fix
