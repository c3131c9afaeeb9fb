#include "dojima/recorded/byte_source.hpp"

#include <gtest/gtest.h>

#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/new_york.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using Strings = std::vector<std::string>;

Strings lines_of(ByteWindow& window) {
  Strings lines;
  while (const auto line = window.next_line()) lines.emplace_back(*line);
  return lines;
}

TEST(ByteWindow, gives_the_same_lines_however_the_bytes_arrive) {
  const std::string text = "one\ntwo\r\n\n" + std::string(300'000, 'x') + "\nlast";
  const Strings expected{"one", "two", "", std::string(300'000, 'x'), "last"};
  MemorySource memory(text);
  ByteWindow whole(memory);
  EXPECT_EQ(lines_of(whole), expected);
  for (const std::size_t step : {1u, 7u, 1000u, 1u << 20}) {
    TrickleSource source(text, step);
    ByteWindow window(source);
    EXPECT_EQ(lines_of(window), expected) << step;
    EXPECT_EQ(window.line(), 5u);
    EXPECT_EQ(window.position(), text.size());
    EXPECT_TRUE(window.is_at_end());
  }
}

TEST(ByteWindow, knows_its_place_in_the_source) {
  TrickleSource source("ab\ncdefgh", 2);
  ByteWindow window(source);
  ASSERT_TRUE(window.next_line());
  EXPECT_EQ(window.position(), 3u);
  ASSERT_TRUE(window.require(4));
  EXPECT_EQ(as_text(window.rest().first(4)), "cdef");
  window.consume(4);
  EXPECT_EQ(window.position(), 7u);
  EXPECT_FALSE(window.require(3));
  EXPECT_EQ(as_text(window.rest()), "gh");
}

TEST(ByteWindow, distinguishes_a_line_that_is_too_long_from_the_end) {
  TrickleSource source(std::string(1 << 20, 'x'), 4096);
  ByteWindow window(source, 1 << 16);
  EXPECT_FALSE(window.next_line());
  EXPECT_TRUE(window.is_too_long());
}

TEST(ByteWindow, passes_on_the_trouble_of_its_source) {
  TrickleSource source("one\ntw", 3, "damaged or cut gzip");
  ByteWindow window(source);
  EXPECT_EQ(lines_of(window), Strings{"one"});
  EXPECT_EQ(window.trouble(), "damaged or cut gzip");
}

std::optional<std::int64_t> decimal(std::string_view text, unsigned decimals) {
  Fields fields(text);
  std::int64_t value = 0;
  if (!fields.take_decimal(decimals, value) || !fields.is_at_end()) return std::nullopt;
  return value;
}

TEST(Fields, take_decimals_exactly_or_not_at_all) {
  EXPECT_EQ(decimal("34200.017459617", 9), 34'200'017'459'617);
  EXPECT_EQ(decimal("-12.5", 2), -1250);
  EXPECT_EQ(decimal("7", 0), 7);
  EXPECT_EQ(decimal("61837.63000000", 2), 6'183'763);
  EXPECT_EQ(decimal(".5", 1), 5);
  EXPECT_EQ(decimal("1.23", 1), std::nullopt) << "would have to be rounded";
  EXPECT_EQ(decimal("92233720368.54775807", 8), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(decimal("92233720368.54775808", 8), std::nullopt);
  EXPECT_EQ(decimal("99999999999999999999", 0), std::nullopt);
  for (const char* text : {"", "-", ".", "1.2.3", "--1", "1e5", "x"}) EXPECT_EQ(decimal(text, 3), std::nullopt) << text;
}

TEST(Fields, take_numbers_up_to_the_largest) {
  std::uint64_t value = 0;
  EXPECT_TRUE(Fields("18446744073709551615").take_number(value));
  EXPECT_EQ(value, std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(Fields("18446744073709551616").take_number(value));
  EXPECT_FALSE(Fields("-1").take_number(value));
}

TEST(NewYork, midnight_is_four_hours_behind_in_summer_and_five_in_winter) {
  const auto hours = [](time::Date date) {
    return (new_york_midnight(date) - time::Time{std::chrono::days{time::days_of(date)}}) / std::chrono::hours{1};
  };
  EXPECT_EQ(hours({2012, 6, 21}), 4);
  EXPECT_EQ(hours({2019, 1, 30}), 5);
  EXPECT_EQ(hours({2024, 3, 10}), 5) << "clocks change at two in the night";
  EXPECT_EQ(hours({2024, 3, 11}), 4);
  EXPECT_EQ(hours({2024, 11, 3}), 4);
  EXPECT_EQ(hours({2024, 11, 4}), 5);
  EXPECT_EQ(hours({2006, 3, 20}), 5) << "until 2006 summer began in April";
  EXPECT_EQ(hours({2006, 10, 30}), 5);
}

}  // namespace
}  // namespace dojima::recorded
