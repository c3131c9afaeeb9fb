#include "dojima/app/gateway/seldom_lines.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

TEST(SeldomLines, are_so_many_in_a_second_and_say_how_many_were_left_out) {
  SeldomLines lines(3);
  const time::Time noon = time::from_nanoseconds(0) + 12h;
  for (int line = 0; line < 3; ++line) EXPECT_EQ(lines.ask(noon + line * 10ms), 0u) << line;
  for (int line = 0; line < 7; ++line) EXPECT_EQ(lines.ask(noon + 900ms), std::nullopt) << line;
  EXPECT_EQ(lines.ask(noon + 1s), 7u);
  EXPECT_EQ(lines.ask(noon + 1s), 0u);
  EXPECT_EQ(lines.ask(noon + 1s), 0u);
  EXPECT_EQ(lines.ask(noon + 1s), std::nullopt);
  EXPECT_EQ(lines.ask(noon + 1h), 1u);
}

TEST(SeldomLines, say_how_many_were_left_out_when_nothing_more_comes) {
  SeldomLines lines(2);
  const time::Time noon = time::from_nanoseconds(0) + 12h;
  EXPECT_EQ(lines.due(), std::nullopt);
  for (int line = 0; line < 2; ++line) EXPECT_EQ(lines.ask(noon + 300ms), 0u);
  EXPECT_EQ(lines.due(), std::nullopt) << "none was left out";
  for (int line = 0; line < 5; ++line) EXPECT_EQ(lines.ask(noon + 400ms), std::nullopt);
  EXPECT_EQ(lines.due(), noon + 1s);
  EXPECT_EQ(lines.take(noon + 999ms), 0u) << "there may be more of them";
  EXPECT_EQ(lines.take(noon + 1s), 5u);
  EXPECT_EQ(lines.due(), std::nullopt);
  EXPECT_EQ(lines.take(noon + 2s), 0u) << "once";
  EXPECT_EQ(lines.ask(noon + 2s), 0u);
}

TEST(SeldomLines, of_one_a_second_leave_none_out_that_comes_seldom) {
  SeldomLines lines(1);
  for (int second = 0; second < 100; ++second)
    EXPECT_EQ(lines.ask(time::from_nanoseconds(0) + second * 1s), 0u) << second;
}

}  // namespace
}  // namespace dojima::app
