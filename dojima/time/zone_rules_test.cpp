#include "dojima/time/zone_rules.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <vector>

#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::time {
namespace {

using namespace std::chrono_literals;

Time at(std::int32_t year, unsigned month, unsigned day, Duration clock) {
  return from_nanoseconds(0) +
         std::chrono::days{days_of({year, static_cast<std::uint8_t>(month), static_cast<std::uint8_t>(day)})} + clock;
}
LocalTime shown(std::int32_t year, unsigned month, unsigned day, Duration clock) {
  return local_time({year, static_cast<std::uint8_t>(month), static_cast<std::uint8_t>(day)}, clock);
}

TEST(ZoneRules, utc_shows_itself) {
  const ZoneRules utc;
  EXPECT_EQ(utc.name(), "UTC");
  EXPECT_EQ(utc.local(at(2026, 7, 20, 12h)), shown(2026, 7, 20, 12h));
  EXPECT_EQ(utc.utc(shown(2026, 7, 20, 12h), WhenTwice::last), at(2026, 7, 20, 12h));
}

TEST(ZoneRules, a_local_time_has_a_date_and_a_clock) {
  const LocalTime before = local_time({1969, 12, 31}, 23h + 59min);
  EXPECT_EQ(date_of(before), (Date{1969, 12, 31}));
  EXPECT_EQ(clock_of(before), 23h + 59min);
  EXPECT_EQ(date_of(local_time({2028, 2, 29}, 0h)), (Date{2028, 2, 29}));
}

TEST(ZoneRules, summer_time_is_an_hour_ahead) {
  const ZoneRules london = testing::london();
  EXPECT_EQ(london.local(at(2026, 7, 20, 12h)), shown(2026, 7, 20, 13h));
  EXPECT_EQ(london.local(at(2026, 12, 20, 12h)), shown(2026, 12, 20, 12h));
  EXPECT_EQ(london.utc(shown(2026, 7, 20, 8h), WhenTwice::first), at(2026, 7, 20, 7h));
  EXPECT_EQ(london.offset(at(2026, 3, 29, 1h) - 1ns), 0h);
  EXPECT_EQ(london.offset(at(2026, 3, 29, 1h)), 1h);
}

TEST(ZoneRules, a_time_that_is_skipped_is_the_first_instant_behind_the_gap) {
  const ZoneRules london = testing::london();
  for (const WhenTwice which : {WhenTwice::first, WhenTwice::last}) {
    EXPECT_EQ(london.utc(shown(2026, 3, 29, 1h - 1ns), which), at(2026, 3, 29, 1h - 1ns));
    EXPECT_EQ(london.utc(shown(2026, 3, 29, 1h), which), at(2026, 3, 29, 1h));
    EXPECT_EQ(london.utc(shown(2026, 3, 29, 1h + 59min), which), at(2026, 3, 29, 1h));
    EXPECT_EQ(london.utc(shown(2026, 3, 29, 2h), which), at(2026, 3, 29, 1h));
    EXPECT_EQ(london.utc(shown(2026, 3, 29, 2h + 1min), which), at(2026, 3, 29, 1h + 1min));
  }
}

TEST(ZoneRules, a_time_that_is_shown_twice_is_the_first_or_the_last_of_both) {
  const ZoneRules new_york = testing::new_york();
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 1h), WhenTwice::first), at(2026, 11, 1, 5h));
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 1h), WhenTwice::last), at(2026, 11, 1, 6h));
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 1h + 59min), WhenTwice::first), at(2026, 11, 1, 5h + 59min));
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 1h + 59min), WhenTwice::last), at(2026, 11, 1, 6h + 59min));
  // The clocks are put back before they show 2:00, so that is shown once.
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 2h), WhenTwice::first), at(2026, 11, 1, 7h));
  EXPECT_EQ(new_york.utc(shown(2026, 11, 1, 2h), WhenTwice::last), at(2026, 11, 1, 7h));
}

TEST(ZoneRules, half_an_hour_is_skipped_and_shown_twice_on_lord_howe) {
  const ZoneRules island = testing::lord_howe();
  EXPECT_EQ(island.utc(shown(2026, 10, 4, 2h + 15min), WhenTwice::first), at(2026, 10, 3, 15h + 30min));
  EXPECT_EQ(island.utc(shown(2026, 4, 5, 1h + 45min), WhenTwice::first), at(2026, 4, 4, 14h + 45min));
  EXPECT_EQ(island.utc(shown(2026, 4, 5, 1h + 45min), WhenTwice::last), at(2026, 4, 4, 15h + 15min));
}

TEST(ZoneRules, a_whole_day_can_be_skipped) {
  const ZoneRules apia = testing::apia_2011();
  EXPECT_EQ(apia.utc(shown(2011, 12, 29, 23h), WhenTwice::first), at(2011, 12, 30, 9h));
  EXPECT_EQ(apia.utc(shown(2011, 12, 30, 9h), WhenTwice::first), at(2011, 12, 30, 10h));
  EXPECT_EQ(apia.utc(shown(2011, 12, 30, 23h), WhenTwice::last), at(2011, 12, 30, 10h));
  EXPECT_EQ(apia.utc(shown(2011, 12, 31, 0h), WhenTwice::last), at(2011, 12, 30, 10h));
}

TEST(ZoneRules, the_whole_range_can_be_asked_for) {
  const ZoneRules far("Far", 24h, {{at(2000, 1, 1, 0h), -24h}});
  EXPECT_EQ(far.utc(far.local(ZoneRules::k_begin), WhenTwice::first), ZoneRules::k_begin);
  EXPECT_EQ(far.utc(far.local(ZoneRules::k_end - 1ns), WhenTwice::first), ZoneRules::k_end - 1ns);
}

TEST(ZoneRules, changes_that_do_not_ascend_and_endless_offsets_are_refused) {
  const Time first = at(2026, 1, 1, 0h), second = at(2026, 6, 1, 0h);
  EXPECT_THROW(ZoneRules("Back", 0h, {{second, 1h}, {first, 0h}}), std::invalid_argument);
  EXPECT_THROW(ZoneRules("Twice", 0h, {{first, 1h}, {first, 0h}}), std::invalid_argument);
  EXPECT_THROW(ZoneRules("Far", 0h, {{first, 24h + 1s}}), std::invalid_argument);
  EXPECT_THROW(ZoneRules("Far", -25h, {}), std::invalid_argument);
}

/// A zone whose clocks are changed now and then by whole minutes.
ZoneRules any_zone() {
  std::vector<ZoneRules::Change> changes;
  Time when = at(2020, 1, 1, 0h);
  const int count = *rc::gen::inRange(0, 6);
  for (int change = 0; change < count; ++change) {
    when += std::chrono::minutes{*rc::gen::inRange(1, 60 * 72)};
    changes.push_back({when, std::chrono::minutes{*rc::gen::inRange(-14 * 60, 14 * 60 + 1)}});
  }
  return {"Any", std::chrono::minutes{*rc::gen::inRange(-14 * 60, 14 * 60 + 1)}, std::move(changes)};
}

// A local time's instant is looked for minute by minute: the first and the last one at which the clocks show it; where
// none does, the first one at which they have just passed it.
RC_GTEST_PROP(ZoneRulesProperty, an_instant_is_what_walking_through_all_minutes_finds, ()) {
  const ZoneRules zone = any_zone();
  const Time begin = at(2019, 12, 28, 0h), end = at(2020, 1, 24, 0h);
  for (int sample = 0; sample < 5; ++sample) {
    const LocalTime wanted = shown(2020, 1, 1, 0h) + std::chrono::minutes{*rc::gen::inRange(0, 20 * 24 * 60)};
    Time first = k_never, last = k_never, behind_gap = k_never;
    for (Time minute = begin; minute < end; minute += 1min) {
      const LocalTime local{(minute + zone.offset(minute)).time_since_epoch()};
      if (local == wanted) {
        first = std::min(first, minute);
        last = minute;
      }
      const Time before = minute - 1min;
      const LocalTime local_before{(before + zone.offset(before)).time_since_epoch()};
      if (local_before < wanted && local > wanted) behind_gap = std::min(behind_gap, minute);
    }
    RC_ASSERT(zone.utc(wanted, WhenTwice::first) == (first == k_never ? behind_gap : first));
    RC_ASSERT(zone.utc(wanted, WhenTwice::last) == (first == k_never ? behind_gap : last));
  }
}

}  // namespace
}  // namespace dojima::time
