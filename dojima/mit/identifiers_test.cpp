#include "dojima/mit/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>

#include "dojima/mit/codec/order_id_text.hpp"
#include "dojima/mit/identifier_words.hpp"

namespace dojima::mit {
namespace {

std::string base62(std::uint64_t number, std::size_t width) {
  std::string text(width, '?');
  return format_base62(number, text) ? text : "does not fit";
}

std::string base36(std::uint64_t number, std::size_t width = k_trade_id_width) {
  std::string text(width, '?');
  return format_base36(number, text) ? text : "does not fit";
}

TEST(Base62, agrees_with_the_published_order_ids) {
  EXPECT_EQ(parse_base62("01hbIXLE8st"), 23057063777141547u);
  EXPECT_EQ(parse_base62("004Xj7Wu76ta"), 61512470073704470u);
  EXPECT_EQ(base62(23057063777141547u, 11), "01hbIXLE8st");
  EXPECT_EQ(base62(61512470073704470u, 12), "004Xj7Wu76ta");
}

TEST(Base62, keeps_leading_zeros_at_the_width_of_an_order_id) {
  EXPECT_EQ(base62(0, k_order_id_width), "000000000000");
  EXPECT_EQ(base62(61, k_order_id_width), "00000000000z");
  EXPECT_EQ(base62(std::numeric_limits<std::uint64_t>::max(), k_order_id_width), "0LygHa16AHYF");
}

TEST(Base62, refuses_a_number_that_needs_more_characters) {
  EXPECT_EQ(base62(61, 1), "z");
  std::string text(1, '?');
  EXPECT_EQ(format_base62(62, text).error().code, ErrorCode::too_long);
  EXPECT_EQ(format_base62(1, std::span<char>{}).error().code, ErrorCode::too_long);
}

TEST(Base62, refuses_what_is_no_number_of_64_bits) {
  EXPECT_EQ(parse_base62("").error().code, ErrorCode::missing);
  EXPECT_EQ(parse_base62("0LygHa16AHYF"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_base62("0LygHa16AHYG").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_base62("100000000000").error().code, ErrorCode::out_of_range);
  for (const char wrong : {' ', '-', '/', ':', '@', '[', '`', '{', '\0', '\x80'}) {
    const Result<std::uint64_t> number = parse_base62(std::string{'1', wrong});
    ASSERT_FALSE(number) << int{wrong};
    EXPECT_EQ(number.error().code, ErrorCode::malformed);
    EXPECT_EQ(number.error().offset, 1u);
  }
}

TEST(Base62, shortest_text_has_no_leading_zeros) {
  char text[k_base62_max];
  EXPECT_EQ(format_base62_shortest(0, text), "0");
  EXPECT_EQ(format_base62_shortest(62, text), "10");
  EXPECT_EQ(format_base62_shortest(std::numeric_limits<std::uint64_t>::max(), text), "LygHa16AHYF");
}

RC_GTEST_PROP(Base62, reads_back_what_it_wrote, (std::uint64_t number)) {
  char text[k_base62_max];
  RC_ASSERT(parse_base62(base62(number, k_order_id_width)).value() == number);
  RC_ASSERT(parse_base62(format_base62_shortest(number, text)).value() == number);
}

TEST(Base36, agrees_with_the_published_trade_ids) {
  const std::pair<std::uint64_t, const char*> published[] = {{1338498875692u, "GGXICR4MS8"},
                                                             {11298586755194u, "GKGMXE9F86"},
                                                             {73120274710544u, "G5DIF33YV0"},
                                                             {2088591731720253u, "00ST83OK1P"}};
  for (const auto& [number, text] : published) {
    EXPECT_EQ(base36(number), text);
    EXPECT_EQ(parse_base36(text), number);
  }
}

TEST(Base36, refuses_what_does_not_fit_or_is_no_digit) {
  EXPECT_EQ(base36(3656158440062975u), "FFFFFFFFFF");
  EXPECT_EQ(base36(3656158440062976u), "does not fit");
  EXPECT_EQ(parse_base36("GGXICR4MSg").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_base36("FFFFFFFFFFFFFF").error().code, ErrorCode::out_of_range);
}

RC_GTEST_PROP(Base36, reads_back_what_it_wrote, (std::uint64_t number)) {
  RC_ASSERT(parse_base36(base36(number, 13)).value() == number);
}

TEST(Base62, is_read_from_the_field_of_an_order_id_as_from_its_text) {
  const auto read = [](std::string_view text) {
    std::array<std::byte, k_order_id_width> field{};
    std::memcpy(field.data(), text.data(), text.size());
    return read_order_id(field);
  };
  EXPECT_EQ(read("").value(), 0u);
  EXPECT_EQ(read("01hbIXLE8st").value(), 23057063777141547u);
  EXPECT_EQ(read("001hbIXLE8st").value(), 23057063777141547u);
  std::mt19937_64 random(1);
  for (int count = 0; count < 10'000; ++count) {
    const std::uint64_t number = random() >> random() % 64;
    char text[k_order_id_width];
    ASSERT_TRUE(format_base62(number, text));
    ASSERT_EQ(read({text, sizeof text}).value(), number);
  }
  EXPECT_EQ(read("0LygHa16AHYF").value(), ~std::uint64_t{0}) << "the largest";
  EXPECT_FALSE(read("0LygHa16AHYG"));
  EXPECT_FALSE(read("zzzzzzzzzzzz"));
  EXPECT_FALSE(read("00000000000-"));
  EXPECT_FALSE(read("-"));
}

TEST(Base36, is_written_digit_by_digit_in_every_width) {
  constexpr std::string_view k_digits = "GHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF";
  std::mt19937_64 random(3);
  for (int count = 0; count < 5'000; ++count) {
    const std::uint64_t number = random() >> random() % 64;
    for (std::size_t width = 1; width <= 13; ++width) {
      std::uint64_t rest = number;
      std::string expected(width, '?');
      for (std::size_t at = width; at-- != 0; rest /= 36) expected[at] = k_digits[rest % 36];
      ASSERT_EQ(base36(number, width), rest == 0 ? expected : "does not fit") << number;
    }
  }
}

/// Each of the 256 characters at each place of an id, among digits of all kinds.
TEST(Base62, is_read_as_its_text_whatever_character_is_where) {
  for (const std::string_view around : {"000000000000", "0AZaz9zZ9aA0", "0Kzzzzzzzzzz"})
    for (std::size_t at = 0; at < k_order_id_width; ++at)
      for (unsigned character = 0; character < 256; ++character) {
        std::string text(around);
        text[at] = static_cast<char>(character);
        std::array<std::byte, k_order_id_width> field{};
        std::memcpy(field.data(), text.data(), field.size());
        const std::string_view number(text.data(),
                                      text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
        const Result<std::uint64_t> expected = number.empty() ? Result<std::uint64_t>(0) : parse_base62(number);
        const Result<std::uint64_t> got = read_order_id(field);
        ASSERT_EQ(got.has_value(), expected.has_value()) << text << " " << at;
        ASSERT_EQ(order_id_or_none(field), expected.value_or(0)) << text << " " << at;
        if (got) {
          ASSERT_EQ(*got, *expected) << text;
        }
        if (is_plain_order_id(field)) {
          ASSERT_TRUE(got && number.size() == k_order_id_width) << text;
        }
      }
}

/// Words and vectors, where the build has them: each of the 256 characters at each place, and whole ids.
TEST(Base62, of_order_ids_says_the_same_in_words_and_in_vectors) {
  const auto expect_same = [](std::string_view text) {
    std::array<std::byte, k_order_id_width> field{};
    std::memcpy(field.data(), text.data(), field.size());
    const OrderIdNumbers plain = order_id_by_words::read(field), used = order_id_text::read(field);
    ASSERT_EQ(used.is_right, plain.is_right) << text;
    ASSERT_EQ(order_id_by_words::is_right(field), plain.is_right) << text;
    ASSERT_EQ(order_id_text::is_right(field), plain.is_right) << text;
    if (!plain.is_right) return;
    ASSERT_EQ(used.first, plain.first) << text;
    ASSERT_EQ(used.last, plain.last) << text;
  };
  for (const std::string_view around : {"000000000000", "0AZaz9zZ9aA0", "zzzzzzzzzzzz"})
    for (std::size_t at = 0; at < k_order_id_width; ++at)
      for (unsigned character = 0; character < 256; ++character) {
        std::string text(around);
        text[at] = static_cast<char>(character);
        expect_same(text);
      }
  std::mt19937_64 random(2);
  for (int count = 0; count < 10'000; ++count) {
    char text[k_order_id_width];
    ASSERT_TRUE(format_base62(random() >> random() % 64, text));
    expect_same({text, sizeof text});
  }
}

RC_GTEST_PROP(Identifiers, of_orders_are_written_as_base_62_of_twelve_characters, (std::uint64_t number)) {
  for (const std::uint64_t shown :
       {number, number % 62, ~number >> (number & 63), std::uint64_t{62} * (number % 3844)}) {
    std::array<char, k_order_id_width> expected{}, text{};
    RC_ASSERT(format_base62(shown, expected).has_value());
    write_order_id(shown, text.data());
    RC_ASSERT(text == expected);
    write_execution_id(shown, text.data());
    RC_ASSERT(text == expected);
  }
}

std::string text_of(const OrderIdWords& words) {
  std::string text(k_order_id_width, '?');
  std::memcpy(text.data(), &words.first, sizeof words.first);
  std::memcpy(text.data() + sizeof words.first, &words.last, sizeof words.last);
  return text;
}

RC_GTEST_PROP(Identifiers, are_the_same_in_words, (std::uint64_t number, std::uint8_t shift)) {
  for (const std::uint64_t shown : {number, number >> shift % 64U, (number >> 40U) | std::uint64_t{1} << 60U}) {
    RC_ASSERT(text_of(order_id_words(shown)) == base62(shown, k_order_id_width));
    RC_ASSERT(text_of(execution_id_words(shown)) == base62(shown, k_order_id_width));
    const TradeIdWords trade = trade_id_words(shown);
    const std::string expected = base36(shown);
    RC_ASSERT(trade.is_right() == (expected != "does not fit"));
    if (!trade.is_right()) continue;
    std::string text(16, '?');
    std::memcpy(text.data(), &trade.first, sizeof trade.first);
    std::memcpy(text.data() + sizeof trade.first, &trade.last, sizeof trade.last);
    RC_ASSERT(text == expected + std::string(6, '\0'));
  }
}

TEST(Identifiers, are_written_right_where_digits_begin_anew) {
  std::array<char, k_order_id_width> expected{}, text{};
  const auto expect = [&](std::uint64_t number) {
    ASSERT_TRUE(format_base62(number, expected));
    write_order_id(number, text.data());
    EXPECT_EQ(text, expected) << number;
    write_execution_id(number, text.data());
    EXPECT_EQ(text, expected) << number;
  };
  for (std::uint64_t partition = 0; partition < 16; ++partition) {
    const std::uint64_t least = partition << 60;
    for (std::uint64_t digit = 1; digit < std::uint64_t{1} << 50; digit *= 62)
      for (const unsigned times : {1U, 31U, 61U, 62U})
        for (const unsigned beside : {0U, 1U, 2U}) expect(least + digit * times + beside - 1);
    // Where the first half changes.
    constexpr std::uint64_t k_six = std::uint64_t{62} * 62 * 62 * 62 * 62 * 62;
    const std::uint64_t change = least + k_six - least % k_six;
    for (const unsigned beside : {0U, 1U, 2U}) expect(change + beside - 1);
  }
}

/// The quotient by 62^2 comes from a multiplication: where it changes is where that would go wrong first.
TEST(Identifiers, are_written_right_around_every_pair_of_digits) {
  constexpr std::uint64_t k_pair = 62 * 62, k_four = k_pair * k_pair;
  std::array<char, k_order_id_width> expected{}, text{};
  for (std::uint64_t pair = 0; pair < k_pair; ++pair)
    for (const std::uint64_t four : {pair * k_pair, pair * k_pair + k_pair - 1}) {
      const std::uint64_t number = (four % 65'000 * k_four + four) * k_four + (k_four - 1 - four);
      ASSERT_TRUE(format_base62(number, expected));
      write_order_id(number, text.data());
      ASSERT_EQ(text, expected) << number;
    }
}

TEST(Identifiers, of_orders_have_all_64_bits) {
  std::array<char, k_order_id_width> text{};
  write_order_id(~std::uint64_t{0}, text.data());
  EXPECT_EQ(std::string_view(text.data(), text.size()), "0LygHa16AHYF");
}

TEST(Identifiers, that_are_plain_are_read_whatever_they_say) {
  const auto is_plain = [](std::string_view text) {
    std::array<std::byte, k_order_id_width> field{};
    std::memcpy(field.data(), text.data(), std::min(text.size(), field.size()));
    const bool is = is_plain_order_id(field);
    if (is) {
      EXPECT_EQ(read_order_id(field).value(), parse_base62(text).value()) << text;
    }
    return is;
  };
  for (const char* const plain : {"000000000000", "01NAOLhVQO2o", "00000000000z", "0K0000000000", "0Kzzzzzzzzzz"})
    EXPECT_TRUE(is_plain(plain)) << plain;
  // Right or wrong, the long way says.
  for (const char* const other :
       {"", "0", "0L0000000000", "0LygHa16AHYF", "100000000000", "00000000000!", "00000000000 ",
        "0000000\xff"
        "0000",
        "!00000000000", "zzzzzzzzzzzz"})
    EXPECT_FALSE(is_plain(other)) << other;
}

}  // namespace
}  // namespace dojima::mit
