// A header that was rendered before gives the message that its fields would give, in every room.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/writer.hpp"

namespace dojima::fix {
namespace {

/// The message and what lies behind its room, or nothing where it does not fit.
std::string written(std::size_t room_size, unsigned decimals, const HeaderTemplate* rendered) {
  constexpr char k_filler = '\x5a';
  const time::Time now = time::from_nanoseconds(1'784'548'800'123'456'789);
  std::vector<std::byte> room(room_size + 32, std::byte{k_filler});
  Writer writer({room.data(), room_size}, {.type = type::k_execution_report,
                                           .sender = "SENDER",
                                           .target = "T",
                                           .sequence = {12'345},
                                           .sending_time = now,
                                           .decimals = decimals,
                                           .rendered = rendered});
  writer.field(tag::k_transact_time, now).field(tag::k_side, '1').field(tag::k_order_qty, 700);
  writer.field(tag::k_price, market::Price{-1'250'000'000}).field(tag::k_cl_ord_id, "twelve chars");
  const auto message = writer.finish();
  for (std::size_t at = room_size; at < room.size(); ++at) EXPECT_EQ(room[at], std::byte{k_filler});
  return message ? std::string(as_text(*message)) : std::string();
}

TEST(FixHeaderTemplate, gives_the_same_message_in_every_room) {
  const HeaderTemplate rendered("SENDER", "T");
  for (const unsigned decimals : {0u, 3u, 6u, 9u}) {
    const std::string whole = written(512, decimals, nullptr);
    ASSERT_FALSE(whole.empty());
    for (std::size_t size = 0; size < whole.size() + 8; ++size)
      EXPECT_EQ(written(size, decimals, &rendered), written(size, decimals, nullptr)) << size << " " << decimals;
    EXPECT_EQ(written(512, decimals, &rendered), whole);
  }
}

Writer writer_in(std::vector<std::byte>& room) {
  return Writer(room, {.type = type::k_execution_report, .sender = "S", .target = "T", .sequence = {7}});
}

TEST(FixRenderedFields, give_the_same_message_in_every_room) {
  const auto put = [](Writer& writer) {
    writer.field(tag::k_symbol, "A symbol of some length").field(tag::k_side, '1').field(tag::k_order_qty, 70'000);
  };
  RenderedFields kept;
  std::vector<std::byte> room(512);
  Writer first = writer_in(room);
  const std::size_t from = first.mark();
  put(first);
  ASSERT_TRUE(first.keep(from, kept));
  EXPECT_EQ(kept.view(),
            "55=A symbol of some length\x01"
            "54=1\x01"
            "38=70000\x01");
  for (std::size_t size = 40; size < 160; ++size) {
    std::vector<std::byte> plain_room(size), room_again(size + 32, std::byte{0x5a});
    Writer plain = writer_in(plain_room);
    put(plain);
    plain.field(tag::k_cl_ord_id, "1");
    Writer again({room_again.data(), size},
                 {.type = type::k_execution_report, .sender = "S", .target = "T", .sequence = {7}});
    again.again(kept).field(tag::k_cl_ord_id, "1");
    const auto expected = plain.finish(), message = again.finish();
    ASSERT_EQ(message.has_value(), expected.has_value()) << size;
    EXPECT_EQ(message ? as_text(*message) : "", expected ? as_text(*expected) : "") << size;
    for (std::size_t at = size; at < room_again.size(); ++at) ASSERT_EQ(room_again[at], std::byte{0x5a}) << size;
  }
}

TEST(FixRenderedFields, keep_nothing_of_what_is_too_long_or_went_wrong) {
  RenderedFields kept;
  std::vector<std::byte> room(1024);
  Writer writer = writer_in(room);
  const std::size_t from = writer.mark();
  EXPECT_FALSE(writer.keep(from, kept)) << "there are none";
  writer.field(tag::k_text, std::string(RenderedFields::k_most - 4, 'x'));
  EXPECT_TRUE(writer.keep(from, kept));
  EXPECT_EQ(kept.view().size(), RenderedFields::k_most);
  writer.field(tag::k_side, '1');
  EXPECT_FALSE(writer.keep(from, kept)) << "too long";
  EXPECT_TRUE(kept.is_empty());
  writer.again(kept);
  ASSERT_TRUE(writer.is_good()) << "nothing is nothing";
  const std::size_t last = writer.mark();
  writer.field(tag::k_text, "a\x01z");
  EXPECT_FALSE(writer.keep(last, kept));
}

}  // namespace
}  // namespace dojima::fix
