#include "dojima/fix/schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::fix {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::seconds;
using std::chrono::weekday;
using time::WhenTwice;

constexpr std::uint8_t k_every_day = 0x7f;
constexpr seconds k_day = std::chrono::hours{24};

std::uint8_t bit_of(weekday day) {
  if (!day.ok()) throw std::invalid_argument("session hours: there is no weekday " + std::to_string(day.c_encoding()));
  return static_cast<std::uint8_t>(1u << day.c_encoding());
}

bool begins_on(const Hours& hours, local_days day) noexcept {
  return (hours.days >> weekday{day}.c_encoding() & 1) != 0;
}

/// How long the hours are by clocks that nobody changes.
seconds length_of(const Hours& hours) noexcept {
  return hours.days_to_end * k_day + hours.to - hours.from;
}

/// The days from one begin to the next one, 1 to 7.
int days_to_next(const Hours& hours, local_days day) noexcept {
  int step = 1;
  while (!begins_on(hours, day + days{step})) ++step;
  return step;
}

void check_hours(const Hours& hours, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw std::invalid_argument(name + " hours: " + what); };
  if ((hours.days & k_every_day) == 0 || (hours.days & ~k_every_day) != 0)
    refuse("they begin on no day of the week, or on one that it does not have");
  for (const seconds clock : {hours.from, hours.to}) {
    if (clock < seconds{0} || clock >= k_day)
      refuse("a clock is " + std::to_string(clock.count()) + " s after midnight, expected 0 to 86399");
  }
  if (length_of(hours) <= seconds{0}) refuse("they end before they begin");
  for (int day = 0; day < 7; ++day) {
    const local_days begin{days{day}};
    if (begins_on(hours, begin) && length_of(hours) > days_to_next(hours, begin) * k_day)
      refuse("they have not ended when they begin again");
  }
}

/// Whether every period of `inner` lies in one of `outer`, by clocks that nobody changes.
bool is_within(const Hours& inner, const Hours& outer) {
  for (int inner_day = 0; inner_day < 7; ++inner_day) {
    if ((inner.days >> inner_day & 1) == 0) continue;
    const seconds begin = inner_day * k_day + inner.from;
    bool is_inside = false;
    for (int outer_day = -7; outer_day < 7; ++outer_day) {
      if ((outer.days >> ((outer_day + 7) % 7) & 1) == 0) continue;
      const seconds outer_begin = outer_day * k_day + outer.from;
      is_inside |= outer_begin <= begin && begin + length_of(inner) <= outer_begin + length_of(outer);
    }
    if (!is_inside) return false;
  }
  return true;
}

local_days day_at(const time::ZoneRules& zone, Time at) noexcept {
  // A little more than the public range: next_logon goes on from what it finds.
  DOJIMA_ASSERT(at >= SessionSchedule::k_begin && at < SessionSchedule::k_end + days{30},
                "a schedule is asked for an instant from 1970 to 2261", at);
  return std::chrono::floor<days>(zone.local(at));
}

// Hours that hold an instant began up to a week before; changed clocks, the date line among them, move days by up to
// two.
constexpr int k_days_back = 10;
constexpr int k_days_ahead = 2;
// A week without hours can follow on one whose only hours the clocks skipped.
constexpr int k_days_to_next = 17;

}  // namespace

Hours Hours::daily(seconds from, seconds to) {
  return {k_every_day, from, to, static_cast<std::uint8_t>(to > from ? 0 : 1)};
}

Hours Hours::on_days(std::initializer_list<weekday> on, seconds from, seconds to) {
  Hours hours = daily(from, to);
  hours.days = 0;
  for (const weekday day : on) hours.days |= bit_of(day);
  return hours;
}

Hours Hours::weekly(weekday first, seconds from, weekday last, seconds to) {
  Hours hours{bit_of(first), from, to, 0};
  static_cast<void>(bit_of(last));
  const auto between = (last - first).count();
  hours.days_to_end = static_cast<std::uint8_t>(between == 0 && to <= from ? 7 : between);
  return hours;
}

SessionSchedule::SessionSchedule(ScheduleConfig config) : config_(std::move(config)) {
  if (config_.session) check_hours(*config_.session, "session");
  if (config_.logon) check_hours(*config_.logon, "logon");
  if (config_.session && config_.logon && !is_within(*config_.logon, *config_.session))
    throw std::invalid_argument("logon hours: they are not within the session hours");
}

/// The hours that begin on `day`; none when none do, or when the clocks leave nothing of them.
std::optional<Period> SessionSchedule::period_of(const Hours& hours, local_days day) const noexcept {
  if (!begins_on(hours, day)) return std::nullopt;
  const auto begin_on = [&](local_days first) { return config_.zone.utc(first + hours.from, WhenTwice::first); };
  const Time end = config_.zone.utc(day + days{hours.days_to_end} + hours.to, WhenTwice::last);
  const Period period{begin_on(day), std::min(end, begin_on(day + days{days_to_next(hours, day)}))};
  if (period.begin >= period.end) return std::nullopt;
  return period;
}

/// The latest hours that have begun by `at`, if they have not ended.
std::optional<Period> SessionSchedule::period_at(const Hours& hours, Time at) const noexcept {
  const local_days today = day_at(config_.zone, at);
  for (int day = k_days_ahead; day >= -k_days_back; --day) {
    const std::optional<Period> period = period_of(hours, today + days{day});
    if (period && period->begin <= at) return period->contains(at) ? period : std::nullopt;
  }
  return std::nullopt;
}

/// The next hours that begin behind `at`.
Period SessionSchedule::period_after(const Hours& hours, Time at) const noexcept {
  const local_days today = day_at(config_.zone, at);
  for (int day = -k_days_ahead; day <= k_days_to_next; ++day) {
    const std::optional<Period> period = period_of(hours, today + days{day});
    if (period && period->begin > at) return *period;
  }
  DOJIMA_ASSERT(false, "hours come again within two weeks", at);
  return k_always;
}

std::optional<Period> SessionSchedule::session_at(Time at) const noexcept {
  return config_.session ? period_at(*config_.session, at) : std::optional{k_always};
}

Period SessionSchedule::session_for(Time at) const noexcept {
  const std::optional<Period> held = session_at(at);
  return held ? *held : period_after(*config_.session, at);
}

bool SessionSchedule::may_log_on(Time at) const noexcept {
  return is_open(at) && (!config_.logon || period_at(*config_.logon, at).has_value());
}

Time SessionSchedule::next_boundary(Time at) const noexcept {
  if (!config_.session) return time::k_never;
  const std::optional<Period> held = session_at(at);
  return held ? held->end : period_after(*config_.session, at).begin;
}

Time SessionSchedule::next_logon(Time at) const noexcept {
  // Each step goes to the next begin of one of both; each lasts for a while within every two weeks.
  for (int step = 0; step < 64; ++step) {
    if (may_log_on(at)) return at;
    at = is_open(at) ? period_after(*config_.logon, at).begin : period_after(*config_.session, at).begin;
  }
  DOJIMA_ASSERT(false, "there are logon hours within the session hours", at);
  return time::k_never;
}

}  // namespace dojima::fix
