#include "dojima/link/interruptions.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::link {
namespace {

using namespace std::chrono_literals;
using time::Duration, time::Time;
using Gap = Interruptions::Gap;
using Stretch = Interruptions::Stretch;

constexpr Time k_begin{1h};

Interruptions begun(std::vector<Gap> gaps, Duration span, Duration offset = 0us) {
  Interruptions interruptions(std::move(gaps), span);
  interruptions.begin(k_begin, offset);
  return interruptions;
}

TEST(Interruptions, leave_work_between_them_alone) {
  auto gaps = begun({{.at = 100us, .length = 50us}}, 1ms);
  EXPECT_EQ(gaps.work(k_begin + 10us, 20us), (Stretch{k_begin + 10us, k_begin + 30us}));
  EXPECT_EQ(gaps.work(k_begin + 80us, 20us), (Stretch{k_begin + 80us, k_begin + 100us})) << "done when the gap begins";
  EXPECT_EQ(gaps.work(k_begin + 150us, 20us), (Stretch{k_begin + 150us, k_begin + 170us}));
}

TEST(Interruptions, lengthen_the_work_that_they_fall_into_and_put_off_what_begins_inside) {
  auto gaps = begun({{.at = 100us, .length = 50us}, {.at = 160us, .length = 5us}}, 1ms);
  EXPECT_EQ(gaps.work(k_begin + 90us, 20us), (Stretch{k_begin + 90us, k_begin + 160us}));
  EXPECT_EQ(gaps.work(k_begin + 160us, 10us), (Stretch{k_begin + 165us, k_begin + 175us}));
  // Of no length: it waits all the same.
  auto other = begun({{.at = 100us, .length = 50us}}, 1ms);
  EXPECT_EQ(other.work(k_begin + 120us, 0us), (Stretch{k_begin + 150us, k_begin + 150us}));
}

TEST(Interruptions, come_around_again_from_any_place) {
  auto gaps = begun({{.at = 100us, .length = 50us}}, 1ms, 900us);
  EXPECT_EQ(gaps.work(k_begin + 190us, 20us), (Stretch{k_begin + 190us, k_begin + 260us}));
  EXPECT_EQ(gaps.work(k_begin + 10'190us, 1'950us), (Stretch{k_begin + 10'190us, k_begin + 12'290us}));
  auto inside = begun({{.at = 100us, .length = 50us}}, 1ms, 120us);
  EXPECT_EQ(inside.work(k_begin, 1us), (Stretch{k_begin + 30us, k_begin + 31us}));
}

TEST(Interruptions, are_none_before_they_begin_nor_where_nothing_was_recorded) {
  Interruptions gaps({{.at = 0us, .length = 50us}}, 1ms);
  EXPECT_EQ(gaps.work(k_begin, 20us), (Stretch{k_begin, k_begin + 20us}));
  auto none = begun({}, 0us);
  EXPECT_EQ(none.work(k_begin, 20us), (Stretch{k_begin, k_begin + 20us}));
}

TEST(Interruptions, are_a_recording_that_is_not_all_gap) {
  EXPECT_DEATH(Interruptions({{.at = 0us, .length = 1ms}}, 1ms), "a recording is longer than its gaps");
  EXPECT_DEATH(Interruptions({{.at = 10us, .length = 10us}, {.at = 15us, .length = 1us}}, 1ms),
               "gaps come one after the other");
}

/// Nanosecond by nanosecond.
Stretch naive_work(const std::vector<Gap>& gaps, Duration span, Duration offset, Time earliest, Duration length) {
  const auto is_away = [&](Time at) {
    const Duration place = (at - k_begin + offset) % span;
    for (const Gap& gap : gaps) {
      if (place >= gap.at && place < gap.at + gap.length) return true;
    }
    return false;
  };
  Time start = earliest;
  while (is_away(start)) start += 1ns;
  Time end = start;
  for (Duration left = length; left > 0ns; end += 1ns) {
    if (!is_away(end)) left -= 1ns;
  }
  return {start, end};
}

RC_GTEST_PROP(Interruptions, do_what_looking_at_every_nanosecond_does, ()) {
  std::vector<Gap> gaps;
  Duration end{0};
  for (auto left = *rc::gen::inRange(1, 6); left > 0; --left) {
    gaps.push_back({.at = end + Duration{*rc::gen::inRange(0, 9)}, .length = Duration{*rc::gen::inRange(1, 9)}});
    end = gaps.back().at + gaps.back().length;
  }
  const Duration span = end + Duration{*rc::gen::inRange(1, 9)};
  const Duration offset{*rc::gen::inRange<std::int64_t>(0, span.count())};
  auto interruptions = begun(gaps, span, offset);
  Time earliest = k_begin;
  for (int i = 0; i < 12; ++i) {
    earliest += Duration{*rc::gen::inRange(0, 30)};
    const Duration length{*rc::gen::inRange(0, 40)};
    const Stretch got = interruptions.work(earliest, length);
    RC_ASSERT(got == naive_work(gaps, span, offset, earliest, length));
    earliest = got.end;
  }
}

}  // namespace
}  // namespace dojima::link
