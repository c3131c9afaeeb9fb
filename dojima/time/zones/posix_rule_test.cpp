#include "dojima/time/zones/posix_rule.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

namespace dojima::time {
namespace {

using namespace std::chrono_literals;

using Change = ZoneRules::Change;

Time utc(int year, unsigned month, unsigned day, Duration clock) {
  return std::chrono::sys_days{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}} + clock;
}

TEST(PosixRule, an_offset_alone_counts_westwards) {
  EXPECT_EQ(PosixRule::parse("UTC0").value().offset, 0h);
  EXPECT_EQ(PosixRule::parse("JST-9").value().offset, 9h);
  EXPECT_EQ(PosixRule::parse("<-0330>3:30").value().offset, -(3h + 30min));
  EXPECT_EQ(PosixRule::parse("LMT-0:53:28").value().offset, 53min + 28s);
  EXPECT_FALSE(PosixRule::parse("JST-9").value().daylight);
}

TEST(PosixRule, the_week_of_a_month_gives_the_day_of_a_change) {
  const PosixRule rule = PosixRule::parse("GMT0BST,M3.5.0/1,M10.5.0").value();
  EXPECT_EQ(rule.changes(2026)[0], (Change{utc(2026, 3, 29, 1h), 1h}));
  EXPECT_EQ(rule.changes(2026)[1], (Change{utc(2026, 10, 25, 1h), 0h}));
}

TEST(PosixRule, daylight_saving_may_have_any_offset_and_last_over_the_new_year) {
  const PosixRule rule = PosixRule::parse("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").value();
  EXPECT_EQ(rule.changes(2026)[0], (Change{utc(2026, 4, 4, 15h), 10h + 30min}));
  EXPECT_EQ(rule.changes(2026)[1], (Change{utc(2026, 10, 3, 15h + 30min), 11h}));
}

TEST(PosixRule, the_clock_of_a_change_may_lie_in_front_of_its_day_or_days_behind) {
  const PosixRule nuuk = PosixRule::parse("<-02>2<-01>,M3.5.0/-1,M10.5.0/0").value();
  EXPECT_EQ(nuuk.changes(2026)[0], (Change{utc(2026, 3, 29, 1h), -1h}));
  const PosixRule gaza = PosixRule::parse("EET-2EEST,M3.4.4/50,M10.4.4/50").value();
  EXPECT_EQ(gaza.changes(2026)[0], (Change{utc(2026, 3, 28, 0h), 3h}));
}

TEST(PosixRule, days_of_the_year_are_counted_with_and_without_the_leap_day) {
  const PosixRule rule = PosixRule::parse("AAA0BBB,J60/0,300/0").value();
  EXPECT_EQ(rule.changes(2027)[0].at, utc(2027, 3, 1, 0h));
  EXPECT_EQ(rule.changes(2028)[0].at, utc(2028, 3, 1, 0h));
  EXPECT_EQ(rule.changes(2027)[1].at, utc(2027, 10, 28, 0h) - 1h);
  EXPECT_EQ(rule.changes(2028)[1].at, utc(2028, 10, 27, 0h) - 1h);
}

TEST(PosixRule, whatever_is_no_rule_is_refused) {
  for (const std::string text :
       {"", "A0", "AAA", "AAA25", "AAA0BBB", "AAA0BBB,", "AAA0BBB,M3.5.0", "AAA0BBB,M13.1.0,M10.5.0",
        "AAA0BBB,M3.6.0,M10.5.0", "AAA0BBB,M3.5.7,M10.5.0", "AAA0BBB,J0,J5", "AAA0BBB,1,366", "AAA0BBB,1/168,2",
        "AAA0BBB,1,2 ", "<AAA0", "AAA0:60", "AAA-9x"}) {
    const auto rule = PosixRule::parse(text);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, ErrorCode::malformed) << text;
    EXPECT_LE(rule.error().offset, text.size());
  }
}

}  // namespace
}  // namespace dojima::time
