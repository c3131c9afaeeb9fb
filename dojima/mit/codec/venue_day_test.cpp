// The day of a venue as a LogonReply of the recovery channel says it.

#include "dojima/mit/codec/venue_day.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dojima::mit {
namespace {

constexpr std::uint64_t k_any = ~std::uint64_t{0};

TEST(VenueDay, is_a_number_in_decimal_and_a_venue_in_base_62) {
  EXPECT_EQ(text_of({.venue = 62, .number = 7}).view(), "day 7 of 10");
  EXPECT_EQ(text_of({.venue = k_any, .number = VenueDay::k_most}).view(), "day 99999999999 of LygHa16AHYF");
  EXPECT_EQ(text_of({}).view(), "");
  EXPECT_EQ(venue_day_in("day 7 of 10"), (VenueDay{.venue = 62, .number = 7}));
}

TEST(VenueDay, is_not_said_by_any_other_text) {
  for (const char* text : {"", "30", "day", "day ", "day 7", "day 7 of ", "day 7 of 0", "day -1 of 10", "day 7 of 1-",
                           "day 7of 10", "day 100000000000 of 10", "day 18446744073709551616 of 10", "day 7 of 10 ",
                           "Day 7 of 10", "day 7 of LygHa16AHYG"})
    EXPECT_EQ(venue_day_in(text), VenueDay{}) << text;
}

RC_GTEST_PROP(VenueDay, reads_back_what_was_written, ()) {
  const VenueDay day{.venue = *rc::gen::inRange(std::uint64_t{1}, k_any),
                     .number = *rc::gen::inRange(std::uint64_t{0}, VenueDay::k_most + 1)};
  RC_ASSERT(venue_day_in(text_of(day).view()) == day);
}

}  // namespace
}  // namespace dojima::mit
