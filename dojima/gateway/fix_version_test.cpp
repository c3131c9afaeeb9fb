#include "dojima/gateway/fix_version.hpp"

#include <gtest/gtest.h>

namespace dojima::gateway {
namespace {

TEST(FixVersionOfAClient, has_a_name_a_begin_string_and_a_dictionary_of_its_own) {
  EXPECT_EQ(name_of(FixVersion::fix_4_2), "FIX.4.2");
  EXPECT_EQ(begin_string_of(FixVersion::fix_5_0_sp2), "FIXT.1.1");
  EXPECT_EQ(application_version_of(FixVersion::fix_5_0_sp2), "9");
  EXPECT_EQ(application_version_of(FixVersion::fix_4_4), "");
  for (const FixVersion version : k_fix_versions) {
    EXPECT_EQ(fix_version_of(name_of(version)), version);
    EXPECT_EQ(order_entry_dictionary(version).begin_string(), begin_string_of(version));
    EXPECT_EQ(order_entry_dictionary(version).application_version(), application_version_of(version));
    EXPECT_EQ(&order_entry_dictionary(version), &order_entry_dictionary(version));
  }
  EXPECT_EQ(fix_version_of("FIX.4.1"), std::nullopt);
}

TEST(FixVersionOfAClient, lets_in_what_the_published_enumerations_lack) {
  struct Row {
    fix::Tag tag;
    const char* value;
  };
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    const fix::Dictionary& extended = order_entry_dictionary(version);
    for (const Row& row : {Row{40, "F"}, Row{59, "7"}, Row{59, "8"}, Row{59, "9"}, Row{59, "C"}, Row{59, "D"},
                           Row{59, "E"}, Row{378, "100"}, Row{336, "a"}})
      EXPECT_TRUE(extended.field(row.tag)->allows(row.value)) << row.tag << " " << row.value;
    EXPECT_FALSE(extended.field(59)->allows("Z"));
    for (const fix::Tag tag : {fix::Tag{27010}, fix::Tag{27017}, fix::Tag{27018}, fix::Tag{27021}})
      EXPECT_NE(extended.message(fix::msg_type("D"))->shape->find(tag), nullptr) << tag;
    EXPECT_EQ(extended.message(fix::msg_type("D"))->shape->find(27020), nullptr);
    EXPECT_NE(extended.message(fix::msg_type("8"))->shape->find(27020), nullptr);
  }
  for (const FixVersion version : {FixVersion::fix_4_4, FixVersion::fix_5_0_sp2}) {
    const fix::Dictionary& extended = order_entry_dictionary(version);
    EXPECT_TRUE(extended.field(530)->allows("56"));
    const fix::Shape& shape = *extended.message(fix::msg_type("q"))->shape;
    EXPECT_NE(shape.find(1300), nullptr);
    ASSERT_NE(shape.find(1461), nullptr);
    for (const fix::Tag tag : {fix::Tag{1462}, fix::Tag{1463}, fix::Tag{1464}})
      EXPECT_NE(extended.shape(*shape.find(1461)).find(tag), nullptr) << tag;
    EXPECT_EQ(shape.find(1464), nullptr) << "it is in the group alone";
  }
  EXPECT_FALSE(fix::fix_4_4().field(59)->allows("9")) << "the published dictionary stays as it is";
}

}  // namespace
}  // namespace dojima::gateway
