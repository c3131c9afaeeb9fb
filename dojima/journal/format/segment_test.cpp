#include "dojima/journal/format/segment.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace dojima::journal {
namespace {

struct Segment {
  alignas(8) std::byte bytes[512]{};
  std::size_t offset = k_segment_header;
  std::uint32_t sum = 0;
  std::uint64_t last = 0;

  Segment() {
    sum = write_header(bytes, {.identity = Identity::of("segment test"),
                               .number = 3,
                               .bytes = sizeof bytes,
                               .first = {1},
                               .synced = {0},
                               .previous = 7,
                               .largest_record = 100,
                               .durability = Durability::power});
  }
  void add(std::string_view text, std::uint32_t lag = k_no_claim) {
    std::ranges::copy(as_bytes(text), bytes + offset + k_record_header);
    sum = seal_record(bytes + offset, {.kind = 9,
                                       .size = static_cast<std::uint32_t>(text.size()),
                                       .sequence = {++last},
                                       .previous = sum,
                                       .lag = lag});
    offset += record_bytes(text.size());
  }
  [[nodiscard]] Walk walk() const { return {.segment = bytes, .largest = 100, .sum = read_header(bytes)->sum}; }
  /// How many records are good from the beginning on.
  [[nodiscard]] std::size_t good() const {
    Walk at = walk();
    StoredRecord record;
    std::size_t count = 0;
    while (!at.is_at_end() && at.step(record)) ++count;
    return count;
  }
};

TEST(Segment, gives_its_header_back) {
  const Segment segment;
  const auto read = read_header(segment.bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->header.identity, Identity::of("segment test"));
  EXPECT_EQ(read->header.number, 3u);
  EXPECT_EQ(read->header.bytes, 512u);
  EXPECT_EQ(read->header.first.value, 1u);
  EXPECT_EQ(read->header.previous, 7u);
  EXPECT_EQ(read->header.largest_record, 100u);
  EXPECT_EQ(read->header.durability, Durability::power);
  EXPECT_EQ(read->sum, segment.sum);
}

TEST(Segment, gives_its_records_back) {
  Segment segment;
  segment.add("one");
  segment.add("12345678", 2);
  Walk walk = segment.walk();
  StoredRecord record;
  ASSERT_TRUE(walk.step(record));
  EXPECT_EQ(as_text(record.payload), "one");
  EXPECT_EQ(record.kind, 9);
  EXPECT_EQ(record.sequence.value, 1u);
  EXPECT_EQ(record.synced().value, 0u);
  ASSERT_TRUE(walk.step(record));
  EXPECT_EQ(as_text(record.payload), "12345678");
  EXPECT_EQ(record.synced().value, 0u);
  EXPECT_TRUE(walk.is_at_end());
}

TEST(Segment, finds_every_flipped_bit_of_header_and_records) {
  Segment segment;
  for (const std::string_view text : {"a", "the second record", "12345678"}) segment.add(text);
  ASSERT_EQ(segment.good(), 3u);
  for (std::size_t bit = 0; bit < segment.offset * 8; ++bit) {
    Segment flipped = segment;
    flipped.bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    if (bit / 8 < k_segment_header) {
      EXPECT_FALSE(read_header(flipped.bytes)) << "bit " << bit;
    } else {
      EXPECT_LT(flipped.good(), 3u) << "bit " << bit;
    }
  }
}

TEST(Segment, takes_a_record_only_behind_the_right_one) {
  Segment segment, other;
  segment.add("one");
  segment.add("two");
  other.add("uno");
  // The second record of one behind the first of the other: each alone is good.
  const std::size_t second = k_segment_header + record_bytes(3);
  std::copy_n(segment.bytes + second, record_bytes(3), other.bytes + second);
  EXPECT_TRUE(read_record(other.bytes, second, 100));
  EXPECT_EQ(other.good(), 1u);
}

TEST(Segment, takes_no_record_above_the_largest_or_beyond_its_end) {
  Segment segment;
  segment.add("four");
  EXPECT_TRUE(read_record(segment.bytes, k_segment_header, 4));
  EXPECT_FALSE(read_record(segment.bytes, k_segment_header, 3));
  EXPECT_FALSE(read_record(Bytes(segment.bytes).first(k_segment_header + 31), k_segment_header, 100));
}

TEST(Segment, knows_zeros) {
  std::vector<std::byte> bytes(100);
  EXPECT_TRUE(is_zero(bytes));
  EXPECT_TRUE(is_zero({}));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = std::byte{1};
    EXPECT_FALSE(is_zero(bytes));
    bytes[at] = std::byte{};
  }
}

}  // namespace
}  // namespace dojima::journal
