#include "dojima/mitch/describe.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/mitch/known_answers_test.hpp"

namespace dojima::mitch::testing {
namespace {

Octets unit_of_everything() {
  std::array<std::byte, 1024> room;
  UnitWriter unit(room, '1');
  unit.begin(1000);
  each(known_application_messages(), [&unit](const auto& answer) { EXPECT_TRUE(unit.append(answer.message)); });
  const Bytes bytes = unit.finish();
  return {bytes.begin(), bytes.end()};
}

const FieldText& field(const MessageText& message, std::string_view name) {
  return *std::ranges::find(message.fields, name, &FieldText::name);
}

TEST(MitchDescribe, shows_every_message_of_units_with_its_number) {
  Octets bytes = unit_of_everything();
  const Octets heartbeat = octets_of("08 00 00 31 f8 03 00 00");
  bytes.insert(bytes.end(), heartbeat.begin(), heartbeat.end());
  each(known_administrative_units(), [&bytes](const auto& answer) {
    const Octets unit = octets_of(answer.hex);
    bytes.insert(bytes.end(), unit.begin(), unit.end());
  });
  const UnitsText text = describe_units(bytes);
  EXPECT_EQ(text.trouble, "");
  EXPECT_EQ(text.units, 10u);
  ASSERT_EQ(text.messages.size(), 25u);
  for (const MessageText& message : text.messages) EXPECT_FALSE(message.is_troubled()) << lines_of(message);
  EXPECT_EQ(text.messages[0].note, "group 1, number 1000");
  EXPECT_EQ(text.messages[15].note, "group 1, number 1015");
  EXPECT_EQ(text.messages[16].name, "heartbeat");
  EXPECT_EQ(text.messages[16].note, "group 1, next number 1016");
  EXPECT_EQ(text.messages[17].name, "LoginRequest");
  EXPECT_EQ(text.messages[17].note, "group 1, not numbered");
  EXPECT_EQ(field(text.messages[17], "Password").value, "(not shown)");
}

TEST(MitchDescribe, says_what_values_mean) {
  const UnitsText text = describe_units(unit_of_everything());
  EXPECT_EQ(field(text.messages.at(2), "SEDOL").value, "BH4HKS3");
  EXPECT_EQ(field(text.messages[2], "SymbolStatus").meaning, "active");
  EXPECT_EQ(field(text.messages[3], "TradingStatus").meaning, "regular trading");
  EXPECT_EQ(field(text.messages[4], "Price").value, "123.45");
  EXPECT_EQ(field(text.messages[5], "Flags").meaning, "firm quote");
  EXPECT_EQ(field(text.messages[14], "Price").value, "-1");
  EXPECT_EQ(lines_of(text.messages[0]),
            "       8  Time, 6 bytes, group 1, number 1000\n"
            "          Seconds                   43200\n");
}

TEST(MitchDescribe, marks_what_is_wrong) {
  const auto of = [](std::string_view hex) { return describe_units(octets_of(hex)); };
  EXPECT_EQ(of("0b 00 01 31 01 00 00 00 03 42 00").messages.at(0).trouble, "a type that the protocol does not have");
  EXPECT_EQ(of("0b 00 01 31 01 00 00 00 03 54 00").messages.at(0).trouble, "the type has 6 bytes");
  const UnitsText event = of("0f 00 01 31 01 00 00 00 07 53 e8 03 00 00 58");
  EXPECT_EQ(field(event.messages.at(0), "EventCode").trouble, "not a value of the field's table");
  EXPECT_TRUE(event.messages[0].is_troubled());
}

TEST(MitchDescribe, says_where_the_bytes_end_or_are_lost) {
  const UnitsText cut = describe_units(octets_of("08 00 00 31 f8 03 00 00 08 00 00"));
  EXPECT_EQ(cut.units, 1u);
  EXPECT_EQ(cut.trouble, "the unit at byte 8 is cut off");
  EXPECT_EQ(cut.rest, 3u);
  const UnitsText lost = describe_units(octets_of("02 00 00 31 f8 03 00 00"));
  EXPECT_EQ(lost.trouble, "no unit begins at byte 0: expected a length of at least the header's 8 bytes at its byte 0");
}

TEST(MitchDescribe, is_the_page_in_docs) {
  std::ifstream file(source_folder() + "/docs/layouts/mitch.md", std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, layouts_page()) << "write it anew: dojima mitch layouts > docs/layouts/mitch.md";
}

}  // namespace
}  // namespace dojima::mitch::testing
