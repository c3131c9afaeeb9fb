// What is written with its sum is what the plain ways write, and the sum is that of its characters.

#include "dojima/fix/codec/summed_text.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace dojima::fix {
namespace {

std::uint8_t plain_sum(std::string_view text) {
  std::uint8_t sum = 0;
  for (const char character : text) sum = static_cast<std::uint8_t>(sum + static_cast<unsigned char>(character));
  return sum;
}

/// The text up to `written`'s end, whose sum must be right.
std::string checked(const char* begin, const Written& written) {
  ByteSums sums;
  sums.add(written.lanes);
  const std::string text(begin, static_cast<std::size_t>(written.end - begin));
  EXPECT_EQ(static_cast<std::uint8_t>(sums.total() + written.beside()), plain_sum(text)) << text;
  return text;
}

TEST(FixSummedText, copies_texts_of_every_length_and_finds_a_separator_anywhere) {
  std::string text;
  for (std::size_t size = 1; size < 60; ++size) {
    text.push_back(static_cast<char>(2 + size * 37 % 250));
    std::array<char, 80> room{};
    const CopiedText copied = copy_text(room.data(), text.data(), size);
    EXPECT_FALSE(is_any(copied.separators));
    EXPECT_EQ(checked(room.data(), copied.text), text);
    EXPECT_EQ(sum_of(std::string_view(text)) & 0xff, plain_sum(text));
    for (std::size_t at = 0; at < size; ++at) {
      std::string broken = text;
      broken[at] = '\x01';
      EXPECT_TRUE(is_any(copy_text(room.data(), broken.data(), size).separators)) << size << " " << at;
    }
  }
}

TEST(FixSummedText, writes_numbers_and_prices_as_the_plain_ways_do) {
  for (std::uint64_t number = 0; number < k_eight_digits_end; number = number * 3 + (number % 7) + 1) {
    std::array<char, 32> room{};
    EXPECT_EQ(checked(room.data(), put_short_number(room.data(), number)), std::to_string(number));
    for (const std::uint64_t fraction : {0u, 1u, 10u, 50'000'000u, 12'340'000u, 99'999'999u}) {
      const std::uint64_t magnitude = number * 100'000'000 + fraction;
      std::array<char, market::k_price_text_max> expected{};
      for (const bool is_negative : {false, true}) {
        const auto units = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
        if (units == 0 && is_negative) continue;
        EXPECT_EQ(checked(room.data(), put_short_price(room.data(), is_negative, magnitude)),
                  market::format_price({units}, expected));
      }
    }
  }
}

TEST(FixSummedText, adds_sums_that_wrap) {
  ByteSums sums;
  for (int i = 0; i < 1000; ++i) sums.add(lanes_of(~std::uint64_t{0}, 0x0102030405060708));
  EXPECT_EQ(sums.total(), static_cast<std::uint8_t>(1000 * (8 * 255 + 36)));
}

}  // namespace
}  // namespace dojima::fix
