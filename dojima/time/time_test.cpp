#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/time/calendar.hpp"
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

/// Holds what is read with a date remembered against what is read without.
void expect_same(const std::string& text, ReadDate& last) {
  const Result<Time> plain = parse_timestamp(text), remembered = parse_timestamp(text, last);
  ASSERT_EQ(remembered.has_value(), plain.has_value()) << text;
  ASSERT_EQ(is_timestamp(text, last), plain.has_value()) << text;
  if (plain) {
    ASSERT_EQ(*remembered, *plain) << text;
  } else {
    ASSERT_EQ(remembered.error().code, plain.error().code) << text;
    ASSERT_EQ(remembered.error().offset, plain.error().offset) << text;
  }
}

TEST(TimestampText, remembers_a_date_without_reading_anything_else) {
  ReadDate last;
  for (const char* text :
       {"20261122-12:00:00", "20261122-23:59:60.999", "20261122-23:59:61", "20261122-24:00:00", "20261122-12:60:00.000",
        "20261122-29:00:00", "20261123-00:00:00.000", "20261122-00:00:00.000000", "20261122-00:00:00.000000000",
        "20261122-00:00:00.000000000000", "20261122-00:00:00,000", "20261122-00:00:00.00x", "20261122 00:00:00.000",
        "20261122-0:000:00.000", "20261122-00:00:00.0000", "20261122", "", "20261131-00:00:00", "20261122-00:00:00"})
    expect_same(text, last);
  EXPECT_EQ(last.begin, day_of(parse_timestamp("20261122-00:00:00").value()));
}

RC_GTEST_PROP(TimestampText, remembers_a_date_whatever_character_is_wrong, ()) {
  const auto decimals = *rc::gen::element(0U, 3U, 6U, 9U);
  const Time time = from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 9'214'646'399'999'999'999));
  const std::string right = text_of(time, decimals);
  ReadDate last;
  expect_same(right, last);
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string wrong = right;
    wrong[at] = *rc::gen::oneOf(rc::gen::inRange('/', ';'), rc::gen::arbitrary<char>());
    expect_same(wrong, last);
    expect_same(right, last);
  }
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

TEST(Clock, the_counter_and_the_coarse_clock_stay_on_the_axis_and_never_go_back) {
  SystemClock system;
  TscClock fast;
  CoarseClock coarse;
  Time last = fast.now(), last_coarse = coarse.now();
  for (int i = 0; i < 20'000; ++i) {
    if (i % 1000 == 0) fast.calibrate();
    const Time now = fast.now(), now_coarse = coarse.now();
    ASSERT_GE(now, last);
    ASSERT_GE(now_coarse, last_coarse);
    last = now;
    last_coarse = now_coarse;
  }
  EXPECT_LE(std::chrono::abs(fast.now() - system.now()), std::chrono::milliseconds{50});
  EXPECT_LE(coarse.now(), system.now());
  EXPECT_GT(CoarseClock::resolution().count(), 0);
  EXPECT_GE(fast.worst_residual_ns(), 0);
}

TEST(TickScale, meets_its_reference_again_without_going_back) {
  TickScale scale(1'000, 0, 0.5);
  EXPECT_EQ(scale.nanoseconds(1'000), 0);
  EXPECT_EQ(scale.nanoseconds(500), 0) << "earlier than the beginning";
  EXPECT_EQ(scale.nanoseconds(3'000), 1'000);
  EXPECT_EQ(scale.calibrate(1'001'000, 499'000), -1'000) << "the scale is ahead";
  EXPECT_EQ(scale.nanoseconds(1'001'000), 500'000) << "and stays where it was";
  EXPECT_NEAR(static_cast<double>(scale.nanoseconds(2'001'000)), 998'000.0, 10.0) << "until they meet";
  EXPECT_EQ(scale.worst_residual_ns(), 1'000);
}

TEST(TickScale, jumps_forward_over_a_pause) {
  TickScale scale(0, 0, 1);
  EXPECT_EQ(scale.calibrate(1'000'000, 50'000'000), 49'000'000);
  EXPECT_EQ(scale.nanoseconds(1'000'000), 50'000'000);
}

TEST(TickScale, knows_when_it_is_too_old) {
  TickScale scale(10, 0, 1);
  EXPECT_FALSE(scale.is_due(10));
  EXPECT_FALSE(scale.is_due(5));
  EXPECT_TRUE(scale.is_due(11 + TickScale::k_ticks_max / 2));
  EXPECT_EQ(scale.nanoseconds(~std::uint64_t{0}), static_cast<std::int64_t>(TickScale::k_ticks_max));
  EXPECT_EQ(scale.calibrate(5, 1'000), 0) << "what lies before the last calibration is left out";
}

RC_GTEST_PROP(TickScale, never_goes_back_whatever_the_reference_says, ()) {
  TickScale scale(0, 0, 0.385);
  std::uint64_t ticks = 0;
  std::int64_t last = 0;
  for (int step = 0; step < 100; ++step) {
    ticks += *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
    const std::int64_t now = scale.nanoseconds(ticks);
    RC_ASSERT(now >= last);
    last = now;
    if (step % 3 == 0) {
      const double wander = 0.385 * static_cast<double>(ticks) + *rc::gen::inRange(-2'000'000, 2'000'000);
      scale.calibrate(ticks, static_cast<std::int64_t>(wander));
      RC_ASSERT(scale.nanoseconds(ticks) >= last);
    }
  }
}

TEST(Calendar, agrees_with_chrono_and_comes_back_for_every_day_of_its_range) {
  using namespace std::chrono;
  const std::int32_t first = days_of({-32768, 1, 1}), last = days_of({32767, 12, 31});
  EXPECT_EQ(first, sys_days{year{-32767} / 1 / 1}.time_since_epoch().count() - 366) << "-32768 is a leap year";
  Date before = date_of(first);
  EXPECT_EQ(before, (Date{-32768, 1, 1}));
  for (std::int32_t day = first + 1; day <= last; ++day) {
    const Date date = date_of(day);
    const bool is_next_day = date.day == before.day + 1 && date.month == before.month && date.year == before.year;
    const bool is_next_month =
        date.day == 1 && before.day == days_in_month(before.year, before.month) &&
        (date.month == before.month + 1 ? date.year == before.year
                                        : date.month == 1 && before.month == 12 && date.year == before.year + 1);
    if (!is_next_day && !is_next_month) FAIL() << day;
    if (days_of(date) != day || !exists(date)) FAIL() << day;
    before = date;
  }
  for (std::int32_t day = -800'000; day < 800'000; day += 3) {
    const year_month_day expected{sys_days{days{day}}};
    const Date date = date_of(day);
    if (date.year != static_cast<int>(expected.year()) || date.month != static_cast<unsigned>(expected.month()) ||
        date.day != static_cast<unsigned>(expected.day()))
      FAIL() << day;
  }
  EXPECT_EQ(before, (Date{32767, 12, 31}));
}

TEST(Calendar, knows_leap_years_and_what_exists) {
  EXPECT_TRUE(is_leap(2000));
  EXPECT_TRUE(is_leap(2024));
  EXPECT_FALSE(is_leap(1900));
  EXPECT_FALSE(is_leap(2023));
  EXPECT_TRUE(exists({2024, 2, 29}));
  EXPECT_FALSE(exists({2023, 2, 29}));
  EXPECT_FALSE(exists({2023, 13, 1}));
  EXPECT_FALSE(exists({2023, 0, 1}));
  EXPECT_FALSE(exists({2023, 4, 31}));
  EXPECT_FALSE(exists({2023, 4, 0}));
}

TEST(TimestampText, every_day_and_every_second_of_a_day_come_back) {
  char text[k_timestamp_max];
  for (std::int64_t day = 0; day < 106'650; ++day) {
    const Time time = from_nanoseconds(day * 86'400'000'000'000 + day % 86'400 * 1'000'000'000);
    ASSERT_EQ(parse_timestamp(format_timestamp(time, 0, text)), time) << day;
  }
  for (std::int64_t second = 0; second < 86'400; ++second) {
    const Time time = from_nanoseconds(1'784'548'800'000'000'000 + second * 1'000'000'007);
    ASSERT_EQ(parse_timestamp(format_timestamp(time, 9, text)), time) << second;
    ASSERT_EQ(parse_timestamp(format_timestamp(time, 6, text)), std::chrono::floor<std::chrono::microseconds>(time));
  }
  EXPECT_EQ(text_of(from_nanoseconds(-1), 9), "19691231-23:59:59.999999999");
}

TEST(TimestampText, refuses_every_wrong_character_at_every_place) {
  const std::string right = "20260720-12:34:56.123456789";
  for (const std::size_t size : {17u, 21u, 24u, 27u}) {
    ASSERT_TRUE(parse_timestamp(right.substr(0, size)));
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = right.substr(0, size);
        text[at] = static_cast<char>(byte);
        const bool is_digit = byte >= '0' && byte <= '9';
        const bool is_mark = byte == right[at];
        const bool may_be = (right[at] >= '0' && right[at] <= '9') ? is_digit : is_mark;
        if (!may_be) {
          ASSERT_FALSE(parse_timestamp(text)) << text;
        }
      }
    }
  }
}

TEST(Ticks, a_difference_is_never_negative) {
  EXPECT_EQ(nanoseconds_between(Ticks{5}, Ticks{12}), 7);
  EXPECT_EQ(nanoseconds_between(Ticks{12}, Ticks{5}), 0);
}

}  // namespace
}  // namespace dojima::time
