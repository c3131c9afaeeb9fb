// The ways of AVX-512 give what the plain ones give, also in builds that do not use them.

#include "dojima/fix/codec/summed_text_avx512.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/codec/summed_text.hpp"

namespace dojima::fix {
namespace {

#if defined(__x86_64__)
TEST(FixAvx512Text, eight_digits_are_those_of_the_plain_way) {
  if (!avx512::is_here()) GTEST_SKIP() << "this processor has no AVX-512";
  const auto is_equal = [](std::uint32_t number) {
    const auto words = reinterpret_cast<LaneWords>(avx512::eight_digits(number));
    return words[0] == eight_digits(number) - k_eight_zeros && words[1] == 0;
  };
  // A digit changes where a multiple of a power of ten begins; the numbers in front of it are the ones that rounding
  // could lift.
  for (std::uint32_t power = 1; power < k_eight_digits_end; power *= 10) {
    const std::uint32_t step = power < 1000 ? power * 1009 : power;
    for (std::uint32_t number = step; number < k_eight_digits_end; number += step)
      ASSERT_TRUE(is_equal(number) && is_equal(number - 1)) << number;
  }
  for (std::uint32_t number = 0; number < k_eight_digits_end; number += 997) ASSERT_TRUE(is_equal(number)) << number;
  EXPECT_TRUE(is_equal(99'999'999));
}

TEST(FixAvx512Text, copies_short_texts_finds_separators_and_reads_nothing_behind) {
  if (!avx512::is_here()) GTEST_SKIP() << "this processor has no AVX-512";
  for (std::size_t size = 1; size <= 16; ++size) {
    // Of exactly its size: what is read behind it shows under the address sanitizer.
    std::vector<char> text(size);
    for (std::size_t at = 0; at < size; ++at) text[at] = static_cast<char>(2 + (size + at) * 37 % 250);
    const auto check = [&](bool has_separator) {
      char room[16 + k_touched];
      const CopiedText copied = avx512::copy_short_text(room, text.data(), size);
      const std::string_view all(text.data(), size);
      EXPECT_EQ(std::string_view(room, size), all);
      EXPECT_EQ(copied.text.end, room + size);
      EXPECT_EQ(is_any(copied.separators), has_separator) << size;
      ByteSums sums;
      sums.add(copied.text.lanes);
      EXPECT_EQ(sums.total(), sum_of(all) % 256);
    };
    check(false);
    for (std::size_t at = 0; at < size; ++at) {
      const char before = text[at];
      text[at] = '\x01';
      check(true);
      text[at] = before;
    }
  }
}
#endif

}  // namespace
}  // namespace dojima::fix
