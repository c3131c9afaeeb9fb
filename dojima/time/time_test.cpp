#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::time {
namespace {

std::string text_of(Time time, unsigned decimals) {
  char text[k_timestamp_max];
  return std::string(format_timestamp(time, decimals, text));
}

TEST(TimestampText, writes_what_fix_expects) {
  const Time noon = from_nanoseconds(1'784'548'800'123'456'789);
  EXPECT_EQ(text_of(noon, 0), "20260720-12:00:00");
  EXPECT_EQ(text_of(noon, 3), "20260720-12:00:00.123");
  EXPECT_EQ(text_of(noon, 6), "20260720-12:00:00.123456");
  EXPECT_EQ(text_of(noon, 9), "20260720-12:00:00.123456789");
  EXPECT_EQ(text_of(Time{}, 3), "19700101-00:00:00.000");
}

TEST(TimestampText, reads_every_precision) {
  EXPECT_EQ(nanoseconds_of(parse_timestamp("20260720-12:00:00").value()), 1'784'548'800'000'000'000);
  EXPECT_EQ(nanoseconds_of(parse_timestamp("20260720-12:00:00.007").value()), 1'784'548'800'007'000'000);
  EXPECT_EQ(nanoseconds_of(parse_timestamp("20260720-12:00:00.000000001").value()), 1'784'548'800'000'000'001);
}

TEST(TimestampText, takes_a_leap_second_as_the_next_minute) {
  EXPECT_EQ(parse_timestamp("20161231-23:59:60").value(), parse_timestamp("20170101-00:00:00").value());
}

TEST(TimestampText, refuses_what_is_no_time) {
  for (const char* wrong :
       {"", "20260720", "20260720-12:00:00.", "20260720-12:00:00.1", "20260720 12:00:00", "20260720-12.00:00",
        "2026072x-12:00:00", "20260720-12:00:00.12x", "20260720-12:00:00,123", "20260720-12:00:00.1234567890"}) {
    const auto result = parse_timestamp(wrong);
    ASSERT_FALSE(result.has_value()) << wrong;
    EXPECT_EQ(result.error().code, ErrorCode::malformed) << wrong;
  }
  for (const char* wrong : {"20260230-12:00:00", "20261301-12:00:00", "20260700-12:00:00", "20260720-24:00:00",
                            "20260720-12:60:00", "20260720-12:00:61", "19691231-23:59:59", "22620101-00:00:00"}) {
    const auto result = parse_timestamp(wrong);
    ASSERT_FALSE(result.has_value()) << wrong;
    EXPECT_EQ(result.error().code, ErrorCode::out_of_range) << wrong;
  }
}

RC_GTEST_PROP(TimestampText, reads_back_what_it_wrote, ()) {
  const Time time = from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 9'214'646'399'999'999'999));
  RC_ASSERT(parse_timestamp(text_of(time, 9)).value() == time);
  RC_ASSERT(parse_timestamp(text_of(time, 3)).value() == std::chrono::floor<std::chrono::milliseconds>(time));
}

RC_GTEST_PROP(TimestampText, never_reads_outside_whatever_it_is_given, (const std::string& text)) {
  const auto result = parse_timestamp(text);
  if (result) RC_ASSERT(text.size() >= 17u);
}

TEST(Clock, a_manual_clock_only_moves_forward) {
  ManualClock clock(from_nanoseconds(100));
  clock.advance_to(from_nanoseconds(50));
  EXPECT_EQ(clock.now(), from_nanoseconds(100));
  clock.advance_to(from_nanoseconds(150));
  EXPECT_EQ(clock.now(), from_nanoseconds(150));
}

TEST(Clock, the_system_clock_never_goes_back_and_two_of_them_share_one_axis) {
  SystemClock first, second;
  Time last = first.now();
  for (int i = 0; i < 1000; ++i) {
    const Time now = (i % 2 == 0 ? second : first).now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Ticks, a_difference_is_never_negative) {
  EXPECT_EQ(nanoseconds_between(Ticks{5}, Ticks{12}), 7);
  EXPECT_EQ(nanoseconds_between(Ticks{12}, Ticks{5}), 0);
}

}  // namespace
}  // namespace dojima::time
