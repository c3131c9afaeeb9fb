#include "dojima/journal/format/crc32c.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::journal {
namespace {

std::array<std::byte, 32> bytes_from(int first, int step) {
  std::array<std::byte, 32> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::byte>(first + step * static_cast<int>(at));
  return bytes;
}

/// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
template <class Function>
void expect_vectors(Function sum) {
  EXPECT_EQ(sum(bytes_from(0, 0)), 0x8a9136aau);
  EXPECT_EQ(sum(bytes_from(0xff, 0)), 0x62a8ab43u);
  EXPECT_EQ(sum(bytes_from(0, 1)), 0x46dd794eu);
  EXPECT_EQ(sum(bytes_from(31, -1)), 0x113fdb5cu);
  EXPECT_EQ(sum(as_bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(sum(Bytes{}), 0u);
}

TEST(Crc32c, gives_the_published_sums) {
  expect_vectors([](Bytes bytes) { return crc32c(bytes); });
}

TEST(Crc32c, gives_the_published_sums_by_what_the_processor_has) {
  expect_vectors([](Bytes bytes) { return crc32c_dispatched(bytes); });
}

TEST(Crc32c, gives_the_published_sums_by_table) {
  expect_vectors([](Bytes bytes) { return crc32c_by_table(bytes); });
}

RC_GTEST_PROP(Crc32c, is_the_same_by_table_in_pieces_and_at_any_alignment, (const std::vector<std::uint8_t>& numbers)) {
  const Bytes all = std::as_bytes(std::span(numbers));
  const auto cut = *rc::gen::inRange<std::size_t>(0, all.size() + 1);
  const Bytes rest = all.subspan(cut);
  RC_ASSERT(crc32c(rest) == crc32c_by_table(rest));
  RC_ASSERT(crc32c(rest) == crc32c_dispatched(rest));
  RC_ASSERT(crc32c(rest, crc32c(all.first(cut))) == crc32c(all));
  RC_ASSERT(crc32c_by_table(rest, crc32c_by_table(all.first(cut))) == crc32c(all));
}

}  // namespace
}  // namespace dojima::journal
