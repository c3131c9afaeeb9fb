#include "dojima/mit/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

TEST(Layout, is_exact_only_when_fields_follow_each_other_to_the_end) {
  constexpr UInt8Field first{4, "First"};
  constexpr Int32Field second{5, "Second"};
  EXPECT_TRUE(is_exact(9, rows(first, second)));
  EXPECT_FALSE(is_exact(10, rows(first, second))) << "a byte is left over";
  EXPECT_FALSE(is_exact(8, rows(first, second))) << "a field reaches over the end";
  EXPECT_FALSE(is_exact(9, rows(second, first))) << "out of order";
  EXPECT_FALSE(is_exact(10, rows(first, Int32Field{6, "Second"}))) << "a gap";
  EXPECT_FALSE(is_exact(8, rows(first, Int32Field{4, "Second"}))) << "an overlap";
  EXPECT_FALSE(is_exact(9, rows(first, Int32Field{5, "First"}))) << "a name occurs twice";
  EXPECT_TRUE(is_exact(4, std::span<const FieldInfo>{})) << "a header alone";
}

TEST(Layout, writes_the_header_and_nulls) {
  std::array<std::byte, 24> room;
  room.fill(std::byte{0xff});
  store_header<lse_21_2::Logout>(room);
  EXPECT_EQ(room[0], k_start_of_message);
  EXPECT_EQ(load_little<std::int16_t>(room, 1), 21);
  EXPECT_EQ(load_little<char>(room, 3), '5');
  for (std::size_t at = 4; at < room.size(); ++at) EXPECT_EQ(room[at], std::byte{0});
}

TEST(Layout, reads_text_up_to_the_first_null_and_drops_what_follows) {
  std::array<std::byte, 24> room{};
  constexpr std::string_view chars("end\0of\0day", 10);
  std::memcpy(room.data() + 4, chars.data(), chars.size());
  EXPECT_EQ(load(room, lse_21_2::Logout::reason), Text<20>::cut("end"));
}

/// As text is cut at its first null, one character after the other.
template <std::size_t Width>
void expect_cut(Bytes bytes) {
  const std::string_view chars = as_text(bytes.subspan(1, Width));
  RC_ASSERT(load(bytes, TextField<Width>{1, "Text"}) == Text<Width>::cut(chars.substr(0, chars.find('\0'))));
}

RC_GTEST_PROP(Layout, reads_text_of_any_bytes_and_width_up_to_the_first_null, ()) {
  const auto values = *rc::gen::container<std::vector<std::uint8_t>>(
      40, rc::gen::weightedOneOf<std::uint8_t>({{1, rc::gen::just(std::uint8_t{0})},
                                                {2, rc::gen::element<std::uint8_t>(1, 0x80, 0x81, 0xff)},
                                                {9, rc::gen::arbitrary<std::uint8_t>()}}));
  const Bytes bytes = std::as_bytes(std::span(values));
  expect_cut<1>(bytes);
  expect_cut<4>(bytes);
  expect_cut<8>(bytes);
  expect_cut<10>(bytes);
  expect_cut<20>(bytes);
  expect_cut<25>(bytes);
  expect_cut<30>(bytes);
}

TEST(Frame, asks_for_more_until_the_header_is_there) {
  const std::array<std::byte, 4> heartbeat{k_start_of_message, std::byte{1}, std::byte{0}, std::byte{'0'}};
  for (std::size_t size = 0; size < 4; ++size) {
    const Result<Frame> frame = read_frame(Bytes(heartbeat).first(size), 184);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, ErrorCode::incomplete);
  }
  const Result<Frame> frame = read_frame(heartbeat, 184);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->size, 4u);
  EXPECT_EQ(frame->type, '0');
}

TEST(Frame, is_malformed_at_the_first_byte_that_starts_no_message) {
  for (unsigned value = 0; value < 256; ++value) {
    const std::array bytes{static_cast<std::byte>(value)};
    const Result<Frame> frame = read_frame(bytes, 184);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, value == 2 ? ErrorCode::incomplete : ErrorCode::malformed);
    EXPECT_EQ(frame.error().offset, 0u);
  }
}

TEST(Frame, is_malformed_for_a_length_that_no_message_has) {
  const auto of_length = [](std::int16_t length) {
    std::array<std::byte, 4> header{k_start_of_message, {}, {}, std::byte{'D'}};
    store_little(Room(header), 1, length);
    return read_frame(header, 184);
  };
  for (const int length : {-32768, -1, 0, 182, 32767}) {
    const Result<Frame> frame = of_length(static_cast<std::int16_t>(length));
    ASSERT_FALSE(frame) << length;
    EXPECT_EQ(frame.error().code, ErrorCode::malformed);
    EXPECT_EQ(frame.error().offset, 1u);
    EXPECT_EQ(frame.error().got, length);
  }
  EXPECT_EQ(of_length(1)->size, 4u);
  EXPECT_EQ(of_length(181)->size, 184u);
}

}  // namespace
}  // namespace dojima::mit
