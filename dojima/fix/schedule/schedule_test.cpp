#include "dojima/fix/schedule.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "dojima/fix/session_test_peer.hpp"
#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using namespace std::chrono;
using testing::utc;

/// "20260720-12:00:00", UTC.
Period period(const std::string& begin, const std::string& end) {
  return {utc(begin), utc(end)};
}

std::string refusal(ScheduleConfig config) {
  try {
    const SessionSchedule schedule(std::move(config));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "taken";
}

TEST(SessionSchedule, without_hours_it_never_ends) {
  const SessionSchedule always;
  const Time now = utc("20260720-12:00:00");
  EXPECT_TRUE(always.is_open(now));
  EXPECT_TRUE(always.may_log_on(now));
  EXPECT_EQ(always.session_for(now), SessionSchedule::k_always);
  EXPECT_EQ(always.next_boundary(now), time::k_never);
  EXPECT_EQ(always.next_logon(now), now);
  EXPECT_FALSE(always.is_over(SessionSchedule::k_begin, now));
}

TEST(SessionSchedule, a_daily_session_is_held_from_its_begin_to_just_before_its_end) {
  const SessionSchedule schedule({.session = Hours::daily(8h, 16h + 30min)});
  const Period day = period("20260720-08:00:00", "20260720-16:30:00");
  EXPECT_FALSE(schedule.is_open(day.begin - 1ns));
  EXPECT_TRUE(schedule.is_open(day.begin));
  EXPECT_TRUE(schedule.is_open(day.end - 1ns));
  EXPECT_FALSE(schedule.is_open(day.end));
  EXPECT_EQ(schedule.session_at(day.begin), day);
  EXPECT_EQ(schedule.session_for(day.begin - 1ns), day) << "the next one";
  EXPECT_EQ(schedule.session_for(day.end), period("20260721-08:00:00", "20260721-16:30:00"));
  EXPECT_EQ(schedule.next_boundary(day.begin - 1ns), day.begin);
  EXPECT_EQ(schedule.next_boundary(day.begin), day.end);
  EXPECT_EQ(schedule.next_boundary(day.end), day.begin + 24h);
}

TEST(SessionSchedule, a_daily_session_may_go_over_midnight_and_a_leap_day) {
  const SessionSchedule schedule({.session = Hours::daily(22h, 6h)});
  EXPECT_EQ(schedule.session_at(utc("20280229-01:00:00")), period("20280228-22:00:00", "20280229-06:00:00"));
  EXPECT_EQ(schedule.session_at(utc("20280229-23:00:00")), period("20280229-22:00:00", "20280301-06:00:00"));
  EXPECT_EQ(schedule.session_at(utc("20270228-23:00:00")), period("20270228-22:00:00", "20270301-06:00:00"));
  EXPECT_FALSE(schedule.is_open(utc("20280229-06:00:00")));
}

TEST(SessionSchedule, the_same_clock_for_begin_and_end_is_the_whole_day) {
  const SessionSchedule schedule({.session = Hours::daily(17h, 17h)});
  EXPECT_EQ(schedule.session_at(utc("20260720-16:59:59")), period("20260719-17:00:00", "20260720-17:00:00"));
  EXPECT_EQ(schedule.session_at(utc("20260720-17:00:00")), period("20260720-17:00:00", "20260721-17:00:00"));
  EXPECT_EQ(schedule.next_boundary(utc("20260720-17:00:00")), utc("20260721-17:00:00"));
}

TEST(SessionSchedule, on_weekdays_the_day_of_the_begin_counts) {
  const SessionSchedule schedule({.session = Hours::on_days({Monday, Wednesday, Friday}, 20h, 4h)});
  EXPECT_EQ(schedule.session_at(utc("20260724-23:00:00")), period("20260724-20:00:00", "20260725-04:00:00"));
  EXPECT_EQ(schedule.session_at(utc("20260725-03:00:00")), period("20260724-20:00:00", "20260725-04:00:00"));
  EXPECT_FALSE(schedule.is_open(utc("20260725-23:00:00"))) << "a Saturday";
  EXPECT_EQ(schedule.session_for(utc("20260725-23:00:00")), period("20260727-20:00:00", "20260728-04:00:00"));
}

TEST(SessionSchedule, a_weekly_session_goes_from_day_to_day) {
  const SessionSchedule schedule({.session = Hours::weekly(Sunday, 18h, Friday, 17h)});
  const Period week = period("20260719-18:00:00", "20260724-17:00:00");
  EXPECT_EQ(schedule.session_at(week.begin), week);
  EXPECT_EQ(schedule.session_at(utc("20260722-03:00:00")), week);
  EXPECT_EQ(schedule.session_at(week.end), std::nullopt);
  EXPECT_EQ(schedule.session_for(week.end), (Period{week.begin + days{7}, week.end + days{7}}));
}

TEST(SessionSchedule, a_weekly_session_may_go_over_the_end_of_the_week_and_last_all_of_it) {
  const SessionSchedule over({.session = Hours::weekly(Friday, 22h, Monday, 5h)});
  EXPECT_EQ(over.session_at(utc("20260719-12:00:00")), period("20260717-22:00:00", "20260720-05:00:00"));
  const SessionSchedule whole({.session = Hours::weekly(Sunday, 0h, Sunday, 0h)});
  EXPECT_EQ(whole.session_at(utc("20260725-23:59:59")), period("20260719-00:00:00", "20260726-00:00:00"));
  EXPECT_EQ(whole.session_at(utc("20260726-00:00:00")), period("20260726-00:00:00", "20260802-00:00:00"));
  const SessionSchedule noon({.session = Hours::weekly(Sunday, 12h, Sunday, 12h)});
  EXPECT_EQ(noon.session_at(utc("20260726-11:59:59")), period("20260719-12:00:00", "20260726-12:00:00"));
  const SessionSchedule nearly({.session = Hours::weekly(Sunday, 1h, Sunday, 0h)});
  EXPECT_FALSE(nearly.is_open(utc("20260726-00:30:00")));
  const SessionSchedule short_one({.session = Hours::weekly(Sunday, 1h, Sunday, 3h)});
  EXPECT_EQ(short_one.session_at(utc("20260726-02:00:00")), period("20260726-01:00:00", "20260726-03:00:00"));
}

TEST(SessionSchedule, logon_hours_are_apart_from_the_sessions) {
  const SessionSchedule schedule({.session = Hours::weekly(Sunday, 18h, Friday, 17h),
                                  .logon = Hours::on_days({Monday, Tuesday, Wednesday, Thursday, Friday}, 7h, 9h)});
  EXPECT_TRUE(schedule.is_open(utc("20260719-18:00:00")));
  EXPECT_FALSE(schedule.may_log_on(utc("20260719-18:00:00")));
  EXPECT_TRUE(schedule.may_log_on(utc("20260720-07:00:00")));
  EXPECT_TRUE(schedule.is_open(utc("20260720-09:00:00")));
  EXPECT_FALSE(schedule.may_log_on(utc("20260720-09:00:00")));
  EXPECT_EQ(schedule.next_logon(utc("20260720-08:00:00")), utc("20260720-08:00:00"));
  EXPECT_EQ(schedule.next_logon(utc("20260720-09:00:00")), utc("20260721-07:00:00"));
  EXPECT_EQ(schedule.next_logon(utc("20260724-09:00:00")), utc("20260727-07:00:00")) << "over the weekend";
  EXPECT_EQ(schedule.next_boundary(utc("20260720-09:00:00")), utc("20260724-17:00:00")) << "logons are no boundary";
}

TEST(SessionSchedule, a_session_without_end_may_have_logon_hours) {
  const SessionSchedule schedule({.logon = Hours::daily(23h, 1h)});
  EXPECT_TRUE(schedule.is_open(utc("20260720-12:00:00")));
  EXPECT_FALSE(schedule.may_log_on(utc("20260720-12:00:00")));
  EXPECT_EQ(schedule.next_logon(utc("20260720-12:00:00")), utc("20260720-23:00:00"));
}

TEST(SessionSchedule, numbers_are_over_when_the_session_they_belong_to_has_ended) {
  const SessionSchedule schedule({.session = Hours::daily(8h, 16h)});
  const Time monday = utc("20260720-09:00:00");
  EXPECT_FALSE(schedule.is_over(monday, monday));
  EXPECT_FALSE(schedule.is_over(monday, utc("20260720-15:59:59")));
  EXPECT_TRUE(schedule.is_over(monday, utc("20260720-16:00:00")));
  EXPECT_TRUE(schedule.is_over(monday, utc("20260721-09:00:00")));
  EXPECT_FALSE(schedule.is_over(utc("20260720-16:00:01"), utc("20260721-09:00:00")))
      << "begun at night, they are those of the next session";
  EXPECT_FALSE(schedule.is_over(utc("20260721-09:00:00"), monday)) << "a clock that was put right";
}

TEST(SessionSchedule, hours_follow_the_clocks_of_their_zone) {
  const SessionSchedule schedule({.session = Hours::daily(8h, 16h + 30min), .zone = time::testing::london()});
  EXPECT_EQ(schedule.session_at(utc("20260120-12:00:00")), period("20260120-08:00:00", "20260120-16:30:00"));
  EXPECT_EQ(schedule.session_at(utc("20260720-12:00:00")), period("20260720-07:00:00", "20260720-15:30:00"));
  const SessionSchedule tokyo({.session = Hours::daily(9h, 15h), .zone = time::testing::tokyo()});
  EXPECT_EQ(tokyo.session_at(utc("20260720-00:00:00")), period("20260720-00:00:00", "20260720-06:00:00"));
}

// 29 March 2026: London's clocks go from 0:59:59 UTC, 0:59:59, to 2:00.
TEST(SessionSchedule, when_the_clocks_are_put_forward_a_night_is_an_hour_shorter) {
  const SessionSchedule night({.session = Hours::daily(22h, 6h), .zone = time::testing::london()});
  EXPECT_EQ(night.session_at(utc("20260329-00:30:00")), period("20260328-22:00:00", "20260329-05:00:00"));
  const SessionSchedule whole({.session = Hours::daily(0h, 0h), .zone = time::testing::london()});
  EXPECT_EQ(whole.session_at(utc("20260329-12:00:00")), period("20260329-00:00:00", "20260329-23:00:00"));
}

TEST(SessionSchedule, a_begin_or_an_end_that_is_skipped_is_behind_the_gap) {
  const SessionSchedule begins({.session = Hours::daily(1h + 30min, 6h), .zone = time::testing::london()});
  EXPECT_EQ(begins.session_for(utc("20260329-00:00:00")), period("20260329-01:00:00", "20260329-05:00:00"));
  const SessionSchedule ends({.session = Hours::daily(22h, 1h + 30min), .zone = time::testing::london()});
  EXPECT_EQ(ends.session_at(utc("20260329-00:00:00")), period("20260328-22:00:00", "20260329-01:00:00"));
}

TEST(SessionSchedule, of_hours_that_are_skipped_altogether_nothing_is_left) {
  const SessionSchedule schedule({.session = Hours::daily(1h + 15min, 1h + 45min), .zone = time::testing::london()});
  EXPECT_EQ(schedule.session_at(utc("20260328-01:20:00")), period("20260328-01:15:00", "20260328-01:45:00"));
  EXPECT_EQ(schedule.session_for(utc("20260328-02:00:00")), period("20260330-00:15:00", "20260330-00:45:00"));
  EXPECT_EQ(schedule.next_boundary(utc("20260328-02:00:00")), utc("20260330-00:15:00"));
  const SessionSchedule weekly(
      {.session = Hours::weekly(Sunday, 1h + 15min, Sunday, 1h + 45min), .zone = time::testing::london()});
  EXPECT_EQ(weekly.session_for(utc("20260323-00:00:00")), period("20260405-00:15:00", "20260405-00:45:00"))
      << "two weeks later";
}

// 25 October 2026: London's clocks go from 0:59:59 UTC, 1:59:59, back to 1:00.
TEST(SessionSchedule, when_the_clocks_are_put_back_a_night_is_an_hour_longer) {
  const SessionSchedule night({.session = Hours::daily(22h, 6h), .zone = time::testing::london()});
  EXPECT_EQ(night.session_at(utc("20261025-00:30:00")), period("20261024-21:00:00", "20261025-06:00:00"));
  const SessionSchedule whole({.session = Hours::daily(0h, 0h), .zone = time::testing::london()});
  EXPECT_EQ(whole.session_at(utc("20261025-12:00:00")), period("20261024-23:00:00", "20261026-00:00:00"));
}

TEST(SessionSchedule, hours_that_are_shown_twice_are_held_from_the_first_to_the_last) {
  const SessionSchedule schedule({.session = Hours::daily(1h + 15min, 1h + 45min), .zone = time::testing::london()});
  EXPECT_EQ(schedule.session_at(utc("20261025-00:20:00")), period("20261025-00:15:00", "20261025-01:45:00"));
}

TEST(SessionSchedule, a_day_ends_when_the_next_begins_though_its_end_is_shown_twice) {
  const SessionSchedule schedule({.session = Hours::daily(1h + 30min, 1h + 30min), .zone = time::testing::london()});
  EXPECT_EQ(schedule.session_at(utc("20261025-00:29:59")), period("20261024-00:30:00", "20261025-00:30:00"));
  EXPECT_EQ(schedule.session_at(utc("20261025-00:30:00")), period("20261025-00:30:00", "20261026-01:30:00"));
}

TEST(SessionSchedule, half_an_hour_counts_on_lord_howe) {
  // 4 October 2026 2:00 becomes 2:30; 5 April 2026 2:00 becomes 1:30.
  const SessionSchedule schedule({.session = Hours::daily(1h + 45min, 2h + 15min), .zone = time::testing::lord_howe()});
  EXPECT_EQ(schedule.session_at(utc("20261003-15:20:00")), period("20261003-15:15:00", "20261003-15:30:00"));
  EXPECT_EQ(schedule.session_at(utc("20260404-15:00:00")), period("20260404-14:45:00", "20260404-15:45:00"));
}

TEST(SessionSchedule, a_day_that_a_zone_leaves_out_has_no_session) {
  const SessionSchedule schedule({.session = Hours::daily(9h, 17h), .zone = time::testing::apia_2011()});
  EXPECT_EQ(schedule.session_at(utc("20111229-20:00:00")), period("20111229-19:00:00", "20111230-03:00:00"));
  EXPECT_EQ(schedule.session_for(utc("20111230-03:00:00")), period("20111230-19:00:00", "20111231-03:00:00"));
  const SessionSchedule whole({.session = Hours::daily(9h, 9h), .zone = time::testing::apia_2011()});
  EXPECT_EQ(whole.session_at(utc("20111230-09:00:00")), period("20111229-19:00:00", "20111230-10:00:00"));
  EXPECT_EQ(whole.session_at(utc("20111230-10:00:00")), period("20111230-10:00:00", "20111230-19:00:00"));
}

TEST(SessionSchedule, hours_that_cannot_be_are_refused_and_say_why) {
  EXPECT_EQ(refusal({.session = Hours::daily(24h, 1h)}),
            "session hours: a clock is 86400 s after midnight, expected 0 to 86399");
  EXPECT_EQ(refusal({.session = Hours::daily(1h, -1s)}),
            "session hours: a clock is -1 s after midnight, expected 0 to 86399");
  EXPECT_EQ(refusal({.session = Hours::on_days({}, 1h, 2h)}),
            "session hours: they begin on no day of the week, or on one that it does not have");
  EXPECT_EQ(refusal({.session = Hours{0xff, 1h, 2h, 0}}),
            "session hours: they begin on no day of the week, or on one that it does not have");
  EXPECT_EQ(refusal({.session = Hours{1, 2h, 1h, 0}}), "session hours: they end before they begin");
  EXPECT_EQ(refusal({.session = Hours{3, 2h, 3h, 1}}), "session hours: they have not ended when they begin again");
  EXPECT_EQ(refusal({.session = Hours{1, 2h, 3h, 7}}), "session hours: they have not ended when they begin again");
  EXPECT_EQ(refusal({.session = Hours::daily(8h, 16h), .logon = Hours::daily(7h, 9h)}),
            "logon hours: they are not within the session hours");
  EXPECT_EQ(refusal({.session = Hours::weekly(Monday, 8h, Friday, 16h), .logon = Hours::daily(9h, 10h)}),
            "logon hours: they are not within the session hours");
  EXPECT_EQ(refusal({.session = Hours::daily(22h, 6h), .logon = Hours::daily(23h, 1h)}), "taken");
  EXPECT_EQ(
      refusal({.session = Hours::weekly(Friday, 22h, Monday, 5h), .logon = Hours::on_days({Saturday, Sunday}, 0h, 0h)}),
      "taken");
  EXPECT_THROW(static_cast<void>(Hours::on_days({weekday{9}}, 1h, 2h)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(Hours::weekly(Monday, 1h, weekday{9}, 2h)), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::fix
