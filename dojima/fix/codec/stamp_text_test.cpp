// Times rendered one after the other are as each by itself.

#include "dojima/fix/codec/stamp_text.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace dojima::fix {
namespace {

std::string text_of(const StampText& stamp) {
  char room[64];
  return {room, put_stamp(room, stamp).end};
}

bool are_same(const StampText& a, const StampText& b) {
  return a.time == b.time && a.in_second == b.in_second && a.size == b.size && a.decimals == b.decimals &&
         text_of(a) == text_of(b) && std::memcmp(&a.lanes, &b.lanes, sizeof a.lanes) == 0;
}

RC_GTEST_PROP(FixStampTexts, are_as_if_each_was_rendered_by_itself, ()) {
  constexpr std::int64_t k_second = 1'000'000'000;
  StampTexts texts;
  std::int64_t at = *rc::gen::inRange<std::int64_t>(-3 * k_second, 9'000'000'000 * k_second);
  auto decimals = *rc::gen::element(0U, 3U, 6U, 9U);
  for (int step = 0; step < 20; ++step) {
    RC_ASSERT(
        are_same(texts.of(time::from_nanoseconds(at), decimals), stamp_text_of(time::from_nanoseconds(at), decimals)));
    at += *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, k_second / 4), rc::gen::inRange(-k_second, 3 * k_second));
    if (*rc::gen::inRange(0, 8) == 0) decimals = *rc::gen::element(0U, 3U, 6U, 9U);
  }
}

TEST(FixStampTexts, change_with_the_second) {
  StampTexts texts;
  const time::Time last = time::from_nanoseconds(1'784'548'799'999'999'999);
  EXPECT_EQ(text_of(texts.of(last, 3)), "20260720-11:59:59.999");
  EXPECT_EQ(text_of(texts.of(last + time::Duration{1}, 3)), "20260720-12:00:00.000");
  EXPECT_EQ(text_of(texts.of(last, 3)), "20260720-11:59:59.999");
}

/// What is farther from each other than a signed number of nanoseconds can say is not of one second.
TEST(FixStampTexts, of_the_first_and_the_last_time_are_as_each_by_itself) {
  StampTexts texts;
  for (const time::Time at : {time::Time::min(), time::Time::max(), time::Time::min(), time::Time{}, time::Time::max()})
    EXPECT_TRUE(are_same(texts.of(at, 9), stamp_text_of(at, 9))) << time::nanoseconds_of(at);
}

}  // namespace
}  // namespace dojima::fix
