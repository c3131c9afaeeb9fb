// Short numbers read as one word give what the parsers of prices and quantities give.

#include "dojima/fix/codec/short_number.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace dojima::fix {
namespace {

/// The number at the end of eight other characters, in memory that ends with it.
ShortNumber read(std::string_view text) {
  const std::string padded = "7=4.1234" + std::string(text);
  return read_short_number(padded.data() + padded.size(), text.size());
}

void expect_as_price(std::string_view text) {
  const ShortNumber number = read(text);
  const auto price = market::parse_price(text);
  if (number.is_there) {
    ASSERT_TRUE(price) << text;
    EXPECT_EQ(number.scaled(), price->units) << text;
    EXPECT_EQ(number.has_point, text.find('.') != std::string_view::npos) << text;
  } else {
    EXPECT_TRUE(!price || text.size() > k_short_number_max || text.front() == '-') << text;
  }
}

/// Every text of up to `size` characters of an alphabet.
void for_all(std::string_view alphabet, std::size_t size, std::string& text, void (*check)(std::string_view)) {
  check(text);
  if (text.size() == size) return;
  for (const char character : alphabet) {
    text.push_back(character);
    for_all(alphabet, size, text, check);
    text.pop_back();
  }
}

TEST(FixShortNumber, is_what_a_price_is_wherever_the_point_stands) {
  std::string text;
  for_all("09.-", 6, text, expect_as_price);
  for_all(".5", 9, text, expect_as_price);
  for_all("7/:", 5, text, expect_as_price);
}

TEST(FixShortNumber, reads_all_eight_characters_and_no_more) {
  EXPECT_EQ(read("12345678").digits, 12'345'678u);
  EXPECT_EQ(read("99999999").scaled(), 9'999'999'900'000'000);
  EXPECT_EQ(read("1.234567").places, 6u);
  EXPECT_FALSE(read("123456789").is_there);
  EXPECT_FALSE(read("").is_there);
}

TEST(FixShortNumber, has_no_character_that_is_no_digit) {
  for (int character = 0; character < 256; ++character) {
    for (std::size_t at = 0; at < 8; ++at) {
      std::string text = "12345678";
      text[at] = static_cast<char>(character);
      const bool is_digit = character >= '0' && character <= '9';
      EXPECT_EQ(read(text).is_there, is_digit || character == '.') << at << " " << character;
      EXPECT_EQ(read(text).is_whole(), is_digit) << at << " " << character;
    }
  }
}

}  // namespace
}  // namespace dojima::fix
