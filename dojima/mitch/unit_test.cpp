#include "dojima/mitch/unit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/mitch/known_answers_test.hpp"

namespace dojima::mitch::testing {
namespace {

Octets copy(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

Octets unit_of_all_kinds() {
  std::array<std::byte, 1024> room;
  UnitWriter unit(room, '1');
  unit.begin(1000);
  each(known_application_messages(), [&unit](const auto& answer) { EXPECT_TRUE(unit.append(answer.message)); });
  return copy(unit.finish());
}

TEST(MitchUnit, holds_all_sixteen_known_messages_in_483_bytes) {
  Octets expected = octets_of("e3 01 10 31 e8 03 00 00");
  each(known_application_messages(), [&expected](const auto& answer) {
    const Octets message = octets_of(answer.hex);
    expected.insert(expected.end(), message.begin(), message.end());
  });
  EXPECT_EQ(unit_of_all_kinds(), expected);
  EXPECT_EQ(expected.size(), 483u);

  const Result<Unit> unit = read_unit(expected);
  ASSERT_TRUE(unit.has_value());
  EXPECT_EQ(unit->header(),
            (UnitHeader{.length = 483, .message_count = 16, .market_data_group = '1', .sequence_number = 1000}));
  EXPECT_EQ(unit->size(), 483u);
  EXPECT_FALSE(unit->is_heartbeat());
  std::vector<Octets> messages;
  for (const Bytes message : *unit) messages.push_back(copy(message));
  ASSERT_EQ(messages.size(), 16u);
  std::size_t at = 0;
  each(known_application_messages(), [&](const auto& answer) { EXPECT_EQ(messages[at++], octets_of(answer.hex)); });
}

TEST(MitchUnit, without_messages_is_the_known_heartbeat) {
  std::array<std::byte, 8> room;
  UnitWriter writer(room, '1');
  writer.begin(1016);
  const Octets bytes = copy(writer.finish());
  EXPECT_EQ(bytes, octets_of("08 00 00 31 f8 03 00 00"));
  const Result<Unit> unit = read_unit(bytes);
  ASSERT_TRUE(unit.has_value());
  EXPECT_TRUE(unit->is_heartbeat());
  EXPECT_EQ(unit->header().sequence_number, 1016u);
  EXPECT_EQ(unit->begin(), unit->end());
}

TEST(MitchUnit, holds_each_known_administrative_message_alone) {
  each(known_administrative_units(), []<class Message>(const KnownAnswer<Message>& answer) {
    const Octets bytes = octets_of(answer.hex);
    std::array<std::byte, 64> room;
    UnitWriter writer(room, '1');
    writer.begin(0);
    ASSERT_TRUE(writer.append(answer.message));
    EXPECT_EQ(copy(writer.finish()), bytes) << Message::k_name;
    const Result<Unit> unit = read_unit(bytes);
    ASSERT_TRUE(unit.has_value()) << Message::k_name;
    EXPECT_EQ(unit->header().sequence_number, 0u);
    EXPECT_EQ(decode<Message>(*unit->begin()), answer.message);
    // Nothing may follow it, and it follows nothing.
    EXPECT_EQ(writer.append(Time{}).error().code, ErrorCode::wrong_state);
    writer.begin(1);
    ASSERT_TRUE(writer.append(Time{}));
    EXPECT_EQ(writer.append(answer.message).error().code, ErrorCode::wrong_state);
    EXPECT_EQ(writer.message_count(), 1u);
  });
}

TEST(MitchUnit, is_incomplete_until_its_last_byte) {
  const Octets whole = unit_of_all_kinds();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Octets part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const Result<Unit> unit = read_unit(part);
    ASSERT_FALSE(unit) << size;
    EXPECT_EQ(unit.error().code, ErrorCode::incomplete);
  }
  Octets more = whole;
  more.push_back(std::byte{0xff});
  EXPECT_TRUE(read_unit(more).has_value()) << "the next unit of a stream may follow";
}

TEST(MitchUnit, is_malformed_for_a_length_below_its_header) {
  for (std::uint16_t length = 0; length < 8; ++length) {
    Octets bytes = octets_of("08 00 00 31 f8 03 00 00");
    store_little(Room(bytes), 0, length);
    const Result<Unit> unit = read_unit(bytes);
    ASSERT_FALSE(unit);
    EXPECT_EQ(unit.error().code, ErrorCode::malformed);
    EXPECT_EQ(unit.error().got, length);
  }
}

TEST(MitchUnit, is_malformed_when_its_messages_do_not_tile_it) {
  const auto refused = [](std::string_view hex) {
    const Result<Unit> unit = read_unit(octets_of(hex));
    return !unit && unit.error().code == ErrorCode::malformed;
  };
  EXPECT_FALSE(refused("0e 00 01 31 01 00 00 00 06 54 c0 a8 00 00"));
  EXPECT_TRUE(refused("0e 00 02 31 01 00 00 00 06 54 c0 a8 00 00")) << "a message too few";
  EXPECT_TRUE(refused("0e 00 00 31 01 00 00 00 06 54 c0 a8 00 00")) << "a heartbeat with a message";
  EXPECT_TRUE(refused("14 00 01 31 01 00 00 00 06 54 c0 a8 00 00 06 54 c0 a8 00 00")) << "a message too many";
  EXPECT_TRUE(refused("0e 00 01 31 01 00 00 00 07 54 c0 a8 00 00")) << "a message longer than the unit";
  EXPECT_TRUE(refused("0e 00 01 31 01 00 00 00 05 54 c0 a8 00 00")) << "bytes left over";
  EXPECT_TRUE(refused("0e 00 01 31 01 00 00 00 00 54 c0 a8 00 00")) << "a message without a length";
  EXPECT_TRUE(refused("0e 00 02 31 01 00 00 00 05 54 c0 a8 00 01")) << "a message of one byte";
  EXPECT_TRUE(refused("10 00 02 31 01 00 00 00 06 54 c0 a8 00 00 02 05")) << "an administrative message beside another";
}

TEST(MitchUnit, steps_over_a_type_that_nobody_knows) {
  const Octets bytes = octets_of("11 00 02 31 01 00 00 00 03 42 00 06 54 c0 a8 00 00");
  const Result<Unit> unit = read_unit(bytes);
  ASSERT_TRUE(unit.has_value());
  std::vector<char> types;
  for (const Bytes message : *unit) types.push_back(load_little<char>(message, 1));
  EXPECT_EQ(types, (std::vector{'B', 'T'}));
}

TEST(MitchUnitWriter, is_full_by_bytes_and_then_holds_what_it_had) {
  std::array<std::byte, 8 + 6 + 5> room;
  UnitWriter writer(room, 'A');
  writer.begin(7);
  ASSERT_TRUE(writer.append(Time{.seconds = 43200}));
  EXPECT_EQ(writer.append(Time{}).error().code, ErrorCode::no_room);
  EXPECT_EQ(copy(writer.finish()), octets_of("0e 00 01 41 07 00 00 00 06 54 c0 a8 00 00"));
}

TEST(MitchUnitWriter, is_full_at_255_messages) {
  std::vector<std::byte> room(4096);
  UnitWriter writer(room, '1');
  writer.begin(1);
  for (int count = 0; count < 255; ++count) ASSERT_TRUE(writer.append(Time{}));
  EXPECT_EQ(writer.append(Time{}).error().code, ErrorCode::no_room);
  EXPECT_EQ(read_unit(writer.finish())->header().message_count, 255);
}

TEST(MitchUnitWriter, adds_nothing_when_a_message_cannot_be_written) {
  std::array<std::byte, 128> room;
  UnitWriter writer(room, '1');
  writer.begin(1);
  EXPECT_EQ(writer.append(AddOrder{.side = 'x'}).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(writer.message_count(), 0);
  EXPECT_EQ(writer.size(), 8u);
}

RC_GTEST_PROP(MitchUnit, never_reads_outside_of_any_bytes, (const std::vector<std::uint8_t>& bytes)) {
  const std::vector<std::uint8_t> exact = bytes;
  const Result<Unit> unit = read_unit(std::as_bytes(std::span(exact)));
  if (!unit) return;
  std::size_t size = UnitHeader::k_size, count = 0;
  for (const Bytes message : *unit) {
    size += message.size();
    ++count;
  }
  RC_ASSERT(size == unit->size());
  RC_ASSERT(count == unit->header().message_count);
}

}  // namespace
}  // namespace dojima::mitch::testing
