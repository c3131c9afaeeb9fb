#pragma once

// When a FIX session is held: never ending, every day, on some weekdays or once a week, by the clocks of a time zone;
// and when one may log on. A function of time alone: no timer, no state, nothing allocated after construction.
//
//   const SessionSchedule schedule({.session = Hours::weekly(Monday, 7h, Friday, 17h + 30min),
//                                   .zone = time::load_zone("Europe/London").value()});
//   schedule.is_open(now);  schedule.session_at(now)->begin;  schedule.next_boundary(now);
//
// One session is held from its begin to just before its end; that is what numbers and stored messages belong to. Clocks
// that are changed: a begin that they skip is the first instant behind the gap, one that they show twice is the first
// of both; an end likewise, but the last of both. Where that makes two sessions overlap, the first ends when the second
// begins; where nothing is left of one, there is none that day.

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "dojima/time/time.hpp"
#include "dojima/time/zone_rules.hpp"

namespace dojima::fix {

using time::Time;

/// Hours that come again every week: they begin at `from` on each of `days` and end at `to`, `days_to_end` days later.
/// Clocks are times since midnight, 00:00:00 to 23:59:59.
struct Hours {
  std::uint8_t days = 0;  ///< bit n: they begin on weekday n, 0 Sunday to 6 Saturday
  std::chrono::seconds from{0};
  std::chrono::seconds to{0};
  std::uint8_t days_to_end = 0;  ///< 0 to 7

  /// Every day. Where `to` is not later than `from`, they end on the day after: 0h to 0h is the whole day.
  [[nodiscard]] static Hours daily(std::chrono::seconds from, std::chrono::seconds to);
  /// As daily, beginning on these days only.
  [[nodiscard]] static Hours on_days(std::initializer_list<std::chrono::weekday> days, std::chrono::seconds from,
                                     std::chrono::seconds to);
  /// Once a week. Where the end is the begin, the whole week.
  [[nodiscard]] static Hours weekly(std::chrono::weekday first, std::chrono::seconds from, std::chrono::weekday last,
                                    std::chrono::seconds to);
  friend bool operator==(const Hours&, const Hours&) = default;
};

struct ScheduleConfig {
  std::optional<Hours> session;  ///< none: one session that never ends
  /// When one may log on, which has to be within the session's hours. None: as long as the session is held.
  std::optional<Hours> logon;
  time::ZoneRules zone;  ///< UTC unless given
  friend bool operator==(const ScheduleConfig&, const ScheduleConfig&) = default;
};

/// From `begin` to just before `end`.
struct Period {
  Time begin;
  Time end;
  [[nodiscard]] constexpr bool contains(Time time) const noexcept { return time >= begin && time < end; }
  friend bool operator==(const Period&, const Period&) = default;
};

class SessionSchedule {
 public:
  /// Instants from 1970 to 2261 can be asked for.
  static constexpr Time k_begin{};
  static constexpr Time k_end = time::ZoneRules::k_end - std::chrono::days{60};
  /// The session that never ends.
  static constexpr Period k_always{Time::min(), time::k_never};

  /// The session that never ends.
  SessionSchedule() = default;
  /// Throws std::invalid_argument for hours that cannot be: no day, a clock that no day has, an end in front of the
  /// begin, sessions that overlap, logons outside of the sessions.
  explicit SessionSchedule(ScheduleConfig config);

  [[nodiscard]] const ScheduleConfig& config() const noexcept { return config_; }

  /// The session that is held at `at`; its begin is its identity. O(log changes of the zone), like all below.
  [[nodiscard]] std::optional<Period> session_at(Time at) const noexcept;
  /// The session that is held at `at`, else the next one: whose numbers are in use then.
  [[nodiscard]] Period session_for(Time at) const noexcept;
  [[nodiscard]] bool is_open(Time at) const noexcept { return session_at(at).has_value(); }
  [[nodiscard]] bool may_log_on(Time at) const noexcept;
  /// Whether numbers that were begun at `begun` belong to a session that has ended by `at`, and have to begin anew.
  [[nodiscard]] bool is_over(Time begun, Time at) const noexcept { return session_for(begun).end <= at; }

  /// The first begin or end behind `at`; `k_never` when there is none.
  [[nodiscard]] Time next_boundary(Time at) const noexcept;
  /// The first instant from `at` on at which one may log on.
  [[nodiscard]] Time next_logon(Time at) const noexcept;

 private:
  [[nodiscard]] std::optional<Period> period_of(const Hours& hours, std::chrono::local_days day) const noexcept;
  [[nodiscard]] std::optional<Period> period_at(const Hours& hours, Time at) const noexcept;
  [[nodiscard]] Period period_after(const Hours& hours, Time at) const noexcept;

  ScheduleConfig config_;
};

}  // namespace dojima::fix
