#include "dojima/fix/writer.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::k_noon;
using testing::readable;

Header header_of(MsgType type) {
  return {.type = type, .sender = "A", .target = "B", .sequence = {7}, .sending_time = k_noon};
}

TEST(FixWriter, writes_header_fields_length_and_checksum) {
  std::array<std::byte, 512> room{};
  Writer writer(room, header_of(type::k_new_order_single));
  writer.field(tag::k_cl_ord_id, "ID").field(tag::k_side, '1').field(tag::k_order_qty, market::Quantity{100});
  writer.field(tag::k_price, market::Price{1'250'000'000})
      .field(tag::k_transact_time, k_noon)
      .field(tag::k_max_floor, 0);
  writer.field(tag::k_gap_fill_flag, true).field(tag::k_expire_time, k_noon);
  const auto message = writer.finish();
  ASSERT_TRUE(message);
  EXPECT_EQ(readable(std::string(as_text(*message))),
            "8=FIX.4.4|9=134|35=D|34=7|49=A|52=20260720-12:00:00.000|56=B|11=ID|54=1|38=100|44=12.5|"
            "60=20260720-12:00:00.000|111=0|123=Y|126=20260720-12:00:00.000|10=005|");
  EXPECT_TRUE(MessageView().read(*message));
}

TEST(FixWriter, marks_duplicates_in_the_header) {
  std::array<std::byte, 512> room{};
  Header header = header_of(type::k_heartbeat);
  header.is_poss_dup = true;
  header.orig_sending_time = k_noon - std::chrono::seconds{1};
  header.begin_string = "FIX.4.2";
  header.decimals = 0;
  Writer writer(room, header);
  const auto message = writer.finish();
  ASSERT_TRUE(message);
  const std::string text = readable(std::string(as_text(*message)));
  EXPECT_EQ(text.substr(0, text.size() - 7),
            "8=FIX.4.2|9=68|35=0|34=7|43=Y|49=A|52=20260720-12:00:00|56=B|122=20260720-11:59:59|");
}

TEST(FixWriter, writes_the_extremes_of_numbers) {
  std::array<std::byte, 512> room{};
  Writer writer(room, header_of(type::k_heartbeat));
  writer.field(5000, std::numeric_limits<std::int64_t>::min()).field(5001, std::numeric_limits<std::uint64_t>::max());
  writer.field(5002, market::Price{std::numeric_limits<std::int64_t>::min()})
      .field(5003, -1)
      .field(65535, std::uint8_t{3});
  MessageView view;
  const auto message = writer.finish();
  ASSERT_TRUE(message && view.read(*message));
  EXPECT_EQ(view.find(5000), "-9223372036854775808");
  EXPECT_EQ(view.find(5001), "18446744073709551615");
  EXPECT_EQ(view.price(5002)->units, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(view.find(5003), "-1");
  EXPECT_EQ(view.find(65535), "3");
}

TEST(FixWriter, remembers_the_first_value_that_cannot_be_in_a_field) {
  for (const std::string_view value : {std::string_view{}, std::string_view{"a\x01"
                                                                            "b"}}) {
    std::array<std::byte, 512> room{};
    Writer writer(room, header_of(type::k_heartbeat));
    writer.field(tag::k_text, value).field(tag::k_account, "");
    EXPECT_FALSE(writer.is_good());
    const auto message = writer.finish();
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().code, ErrorCode::malformed);
    EXPECT_EQ(message.error().field, tag::k_text);
  }
}

TEST(FixWriter, writes_tags_above_65535) {
  std::array<std::byte, 512> room{};
  Writer writer(room, header_of(type::k_heartbeat));
  MessageView view;
  const auto message = writer.large(65'536, "a").large(k_tag_max, "b").field(tag::k_text, "c").finish();
  ASSERT_TRUE(message && view.read(*message));
  EXPECT_EQ(view.find_number(65'536), "a");
  EXPECT_EQ(view.find_number(k_tag_max), "b");
  for (const std::uint32_t wrong : {0u, 65'535u, k_tag_max + 1})
    EXPECT_EQ(Writer(room, header_of(type::k_heartbeat)).large(wrong, "x").finish().error().code,
              ErrorCode::out_of_range);
  for (const std::string_view wrong : {"", "a\x01"})
    EXPECT_EQ(Writer(room, header_of(type::k_heartbeat)).large(70'000, wrong).finish().error().code,
              ErrorCode::malformed);
}

TEST(FixWriter, refuses_tag_0_whatever_its_value) {
  std::array<std::byte, 512> room{};
  EXPECT_EQ(Writer(room, header_of(type::k_heartbeat)).field(0, "x").finish().error().code, ErrorCode::out_of_range);
  EXPECT_EQ(Writer(room, header_of(type::k_heartbeat)).field(0, 7).finish().error().code, ErrorCode::out_of_range);
}

TEST(FixWriter, never_writes_outside_its_room_and_reports_that_it_was_too_small) {
  std::array<std::byte, 512> whole{};
  Writer full(whole, header_of(type::k_heartbeat));
  const std::size_t needed = full.field(tag::k_text, "some text").data(95, 96, as_bytes("da\x01ta")).finish()->size();
  // The room begins with the gap for a BodyLength of five digits; this one has two.
  constexpr std::size_t k_gap = 3;
  for (std::size_t size = 0; size <= needed + k_gap; ++size) {
    std::vector<std::byte> room(size + 16, std::byte{0xee});
    Writer writer({room.data(), size}, header_of(type::k_heartbeat));
    writer.field(tag::k_text, "some text").data(95, 96, as_bytes("da\x01ta"));
    const auto message = writer.finish();
    EXPECT_EQ(message.has_value(), size == needed + k_gap) << size;
    if (!message) {
      EXPECT_EQ(message.error().code, ErrorCode::no_room);
    }
    for (std::size_t at = size; at < room.size(); ++at) ASSERT_EQ(room[at], std::byte{0xee});
  }
}

TEST(FixWriter, finishes_once_and_not_without_room) {
  std::array<std::byte, 512> room{};
  Writer writer(room, header_of(type::k_heartbeat));
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(writer.finish().error().code, ErrorCode::wrong_state);
  Writer none;
  EXPECT_EQ(none.field(1, "x").finish().error().code, ErrorCode::wrong_state);
}

TEST(FixWriter, needs_a_header_that_is_complete) {
  std::array<std::byte, 512> room{};
  EXPECT_EQ(Writer(room, {.sender = "A", .target = "B"}).finish().error().field, tag::k_msg_type);
  EXPECT_EQ(Writer(room, {.type = type::k_logon, .target = "B"}).finish().error().field, tag::k_sender_comp_id);
}

/// Text of the characters a field may have: anything but the separator, at least one.
rc::Gen<std::string> value_text() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::suchThat<char>([](char character) { return character != '\x01'; })));
}

RC_GTEST_PROP(FixWriterProperty, what_was_written_is_read_back, ()) {
  const auto text = *value_text();
  const auto price = *rc::gen::arbitrary<std::int64_t>();
  const auto lots = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  const auto nanoseconds = *rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000);
  const auto data = *rc::gen::nonEmpty<std::vector<std::uint8_t>>();
  const auto decimals = *rc::gen::element(0u, 3u, 6u, 9u);
  std::vector<std::byte> room(8192);
  Header header = header_of(type::k_execution_report);
  header.decimals = decimals;
  const Time time = time::from_nanoseconds(nanoseconds);
  Writer writer(room, header);
  writer.field(tag::k_text, text).field(tag::k_price, market::Price{price});
  writer.data(tag::k_raw_data_length, tag::k_raw_data, std::as_bytes(std::span(data)));
  writer.field(tag::k_order_qty, market::Quantity{lots}).field(tag::k_transact_time, time);
  const auto message = writer.finish();
  RC_ASSERT(message.has_value());
  MessageView view;
  RC_ASSERT(view.read(*message).has_value());
  RC_ASSERT(view.size() == 13u);
  RC_ASSERT(view.text(tag::k_text).value() == text);
  RC_ASSERT(view.price(tag::k_price)->units == price);
  RC_ASSERT(view.quantity(tag::k_order_qty)->lots == lots);
  RC_ASSERT(view.text(tag::k_raw_data).value() == as_text(std::as_bytes(std::span(data))));
  const time::Duration finest{decimals == 0 ? 1'000'000'000 : decimals == 3 ? 1'000'000 : decimals == 6 ? 1'000 : 1};
  RC_ASSERT(view.time(tag::k_transact_time).value() == time - time.time_since_epoch() % finest);
}

}  // namespace
}  // namespace dojima::fix
