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

}  // namespace
}  // namespace dojima::fix
