// One message against a dictionary: every violation with its reason and tag, and every check switched off.

#include "dojima/fix/rules.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;

const std::string k_head = "34=2|49=ME|52=20260720-12:00:00|56=VENUE|";

/// "reason/tag", or "ok".
std::string judged(const std::string& type, const std::string& body, const Checks& checks = {},
                   const Dictionary& dictionary = fix_4_4(), const std::string& head = k_head) {
  const std::string text = framed("35=" + type + "|" + head + body, dictionary.begin_string());
  MessageView view;
  const ReadRules rules{.data_fields = &dictionary.data_fields(), .allows_empty_values = true};
  if (const auto read = view.read(as_bytes(text), rules); !read)
    return "unread " + std::to_string(read.error().got) + "/" + std::to_string(read.error().field);
  const auto checked = check_message(view, dictionary, checks);
  if (checked) return "ok";
  return std::to_string(static_cast<int>(reason_of(checked.error()))) + "/" + std::to_string(checked.error().field);
}

std::string order_with(const std::string& more = "") {
  return "11=a|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=20260720-12:00:00|" + more;
}

TEST(FixRules, take_a_complete_message) {
  EXPECT_EQ(judged("D", order_with("453=2|448=A|447=D|452=1|802=1|523=x|803=1|448=B|447=D|452=3|")), "ok");
  EXPECT_EQ(judged("0", ""), "ok");
}

TEST(FixRules, every_check_can_be_switched_off) {
  struct Case {
    const char* expected;
    std::string type, body;
    bool Checks::* check;
  };
  const Case cases[] = {
      {"0/1500", "D", order_with("1500=x|"), &Checks::unknown_tags},
      {"2/41", "D", order_with("41=x|"), &Checks::message_tags},
      {"1/54", "D", "11=a|40=1|55=R|60=20260720-12:00:00|", &Checks::required},
      {"1/55", "D", "11=a|40=1|54=1|60=20260720-12:00:00|", &Checks::instrument},
      {"4/58", "D", order_with("58=|"), &Checks::empty_values},
      {"6/110", "D", order_with("110=x|"), &Checks::formats},
      {"5/59", "D", order_with("59=?|"), &Checks::values},
      {"13/54", "D", order_with("54=2|"), &Checks::repeated},
      {"14/50", "D", order_with("50=s|"), &Checks::order},
      {"15/447", "D", order_with("453=1|447=D|448=A|"), &Checks::groups},
      {"16/453", "D", order_with("453=2|448=A|447=D|452=1|"), &Checks::groups},
      {"15/447", "D", order_with("453=1|448=A|452=1|447=D|"), &Checks::group_order},
      {"13/447", "D", order_with("453=1|448=A|447=D|447=D|"), &Checks::repeated},
  };
  for (const Case& one : cases) {
    Checks checks;
    EXPECT_EQ(judged(one.type, one.body, checks), one.expected) << one.body;
    checks.*one.check = false;
    if (one.check == &Checks::groups) checks.group_order = false;
    EXPECT_EQ(judged(one.type, one.body, checks), "ok") << one.body;
  }
  Checks checks{.user_tags = true};
  EXPECT_EQ(judged("D", order_with("5000=x|"), checks), "ok");
  EXPECT_EQ(judged("D", order_with("5000=x|")), "0/5000");
  EXPECT_EQ(judged("U1", "5000=x|"), "ok") << "a message of the user's own has them";
  checks = {.required_components = true};
  EXPECT_EQ(judged("D", "11=a|40=1|54=1|55=R|60=20260720-12:00:00|", checks), "1/38");
  EXPECT_EQ(judged("D", "11=a|40=1|54=1|55=R|60=20260720-12:00:00|152=5|", checks), "ok");
  checks = {.encryption = false};
  EXPECT_EQ(judged("D", order_with(), {}, fix_4_4(), "90=1|91=x|" + k_head), "7/91");
  EXPECT_EQ(judged("D", order_with(), checks, fix_4_4(), "90=1|91=x|" + k_head), "ok");
  checks = {.signatures = true};
  EXPECT_EQ(judged("D", order_with("93=1|89=x|"), checks), "8/89");
  EXPECT_EQ(judged("D", order_with("93=1|89=x|")), "ok") << "nobody looks at it";
}

TEST(FixRules, demand_well_formed_xml_where_the_dictionary_says_xml) {
  const auto security = [](const std::string& xml) {
    return order_with("1184=" + std::to_string(xml.size()) + "|1185=" + xml + "|");
  };
  EXPECT_EQ(judged("D", security("<swap leg='2'><rate/></swap>"), {}, fix_5_0_sp2()), "ok");
  EXPECT_EQ(judged("D", security("<swap leg='2'><rate></swap>"), {}, fix_5_0_sp2()), "12/1185");
  EXPECT_EQ(judged("D", security("no XML"), {.formats = false}, fix_5_0_sp2()), "ok");
}

TEST(FixRules, speak_one_version_of_the_application) {
  EXPECT_EQ(fix_5_0_sp2().application_version(), "9");
  EXPECT_EQ(fix_4_4().application_version(), "");
  EXPECT_EQ(judged("D", order_with(), {}, fix_5_0_sp2(), "1128=9|" + k_head), "ok");
  EXPECT_EQ(judged("D", order_with(), {}, fix_5_0_sp2(), "1128=6|" + k_head), "18/1128") << "FIX 4.4 over FIXT";
  EXPECT_EQ(judged("D", order_with(), {}, fix_5_0_sp2(), "1128=x|" + k_head), "18/1128") << "no version at all";
  EXPECT_EQ(judged("D", order_with(), {.versions = false}, fix_5_0_sp2(), "1128=6|" + k_head), "ok");
  EXPECT_EQ(judged("A", "98=0|108=30|1137=7|", {}, fix_5_0_sp2()), "18/1137");
  const Checks off{.versions = false};
  EXPECT_EQ(judged("D", order_with(), off, fix_5_0_sp2(), "1128=x|" + k_head), "5/1128");
}

TEST(FixRules, know_the_messages_of_their_dictionary) {
  EXPECT_EQ(judged("999", ""), "11/35");
  EXPECT_EQ(judged("DDDDD", ""), "11/35");
  EXPECT_EQ(judged("UABC", "5001=x|58=y|"), "ok");
  EXPECT_EQ(judged("CZ", ""), "11/35");
  EXPECT_EQ(judged("U7", "5001=x|58=y|"), "ok");
  EXPECT_EQ(judged("U7", "1500=x|"), "0/1500");
  EXPECT_EQ(judged("U7", "44=abc|"), "6/44") << "formats hold in messages of the user's own";
  EXPECT_EQ(judged("U7", "54=?|"), "5/54");
  EXPECT_EQ(judged("U7", "58=y|50=x|"), "14/50");
  EXPECT_EQ(judged("U7", "58=y|58=z|"), "ok") << "it may be a group";
}

TEST(FixRules, take_tags_above_65535_for_the_users_own) {
  const Checks agreed{.user_tags = true};
  EXPECT_EQ(judged("D", order_with("70000=x|70001=x|"), agreed), "ok");
  EXPECT_EQ(judged("D", order_with("70000=x|70001=y|70000=z|"), agreed), "13/0");
  EXPECT_EQ(judged("D", order_with("70000=x|70000=z|"), {.user_tags = true, .repeated = false}), "ok");
  EXPECT_EQ(judged("D", order_with("70000=x|")), "0/0");
  EXPECT_EQ(judged("D", order_with("453=2|448=A|70000=x|447=D|448=B|70000=y|447=D|"), agreed), "ok");
  EXPECT_EQ(judged("D", order_with("2147483648=x|")), "unread 0/0");
}

TEST(FixRules, require_the_header) {
  EXPECT_EQ(judged("0", "", {}, fix_4_4(), "34=2|52=20260720-12:00:00|56=VENUE|"), "1/49");
  EXPECT_EQ(judged("0", "", {}, fix_4_4(), "34=2|49=A|56=VENUE|"), "1/52");
  EXPECT_EQ(judged("0", "", {}, fix_4_4(), "34=x|49=A|52=20260720-12:00:00|56=VENUE|"), "6/34");
}

TEST(FixRules, count_groups_inside_groups) {
  EXPECT_EQ(judged("D", order_with("453=1|448=A|802=2|523=x|803=1|")), "16/802");
  EXPECT_EQ(judged("D", order_with("453=1|448=A|802=1|523=x|803=1|523=y|803=2|")), "16/802");
  EXPECT_EQ(judged("D", order_with("453=2|448=A|802=1|523=x|803=1|448=B|802=1|523=x|803=1|")), "ok");
  EXPECT_EQ(judged("D", order_with("453=1|448=A|802=1|803=1|523=x|")), "15/803");
  EXPECT_EQ(judged("D", order_with("453=0|")), "ok");
  EXPECT_EQ(judged("D", order_with("453=0|448=A|")), "16/453");
  EXPECT_EQ(judged("D", order_with("453=9999999|448=A|")), "16/453");
}

TEST(FixRules, require_fields_of_entries) {
  // NoMDEntryTypes(267) and NoRelatedSym(146) are required in MarketDataRequest, MDEntryType(269) in each entry.
  EXPECT_EQ(judged("V", "262=r|263=1|264=0|267=1|269=0|146=1|55=R|"), "ok");
  EXPECT_EQ(judged("V", "262=r|263=1|264=0|267=1|269=0|"), "1/146");
  EXPECT_EQ(judged("X", "268=2|279=0|269=0|270=1|279=1|269=1|270=2|"), "ok");
  EXPECT_EQ(judged("X", "268=2|279=0|269=0|269=1|270=2|"), "13/269");
}

TEST(FixRules, a_stranger_inside_an_entry_does_not_end_its_group) {
  EXPECT_EQ(judged("D", order_with("453=2|448=A|6000=x|447=D|448=B|6000=y|447=D|"), {.user_tags = true}), "ok");
  EXPECT_EQ(judged("D", order_with("453=2|448=A|1500=x|447=D|448=B|447=D|")), "0/1500");
  EXPECT_EQ(judged("D", order_with("453=2|448=A|41=x|447=D|448=B|447=D|")), "2/41");
}

TEST(FixRules, hold_messages_of_fix_4_0_and_4_1_against_their_own_dictionaries) {
  for (const Dictionary* old : {&fix_4_0(), &fix_4_1()}) {
    EXPECT_EQ(judged("D", "11=long id|21=1|18=1 G|55=RICE|54=1|38=100|40=2|44=1.5|", {}, *old), "ok") << old->name();
    EXPECT_EQ(judged("D", "11=a|21=1|55=RICE|54=X|38=100|40=2|", {}, *old), "5/54");
    EXPECT_EQ(judged("D", "11=a|21=1|18=1 ?|55=RICE|54=1|38=100|40=2|", {}, *old), "5/18");
    EXPECT_EQ(judged("D", "11=a|21=1|55=RICE|54=1|38=x|40=2|", {}, *old), "6/38");
    EXPECT_EQ(judged("D", "11=a|21=1|55=RICE|54=1|38=1|40=2|126=20260720-12:00|", {}, *old), "6/126");
    EXPECT_EQ(judged("D", "11=a|21=1|55=RICE|54=1|38=1|40=2|453=0|", {}, *old), "0/453") << "parties came later";
  }
  EXPECT_EQ(judged("B", "33=2|58=one|58=two|", {}, fix_4_0()), "ok");
  EXPECT_EQ(judged("B", "33=3|58=one|58=two|", {}, fix_4_0()), "16/33");
}

TEST(FixRules, hold_messages_of_fix_4_2_and_5_0_against_their_own_dictionaries) {
  EXPECT_EQ(judged("D", "11=a|21=1|55=R|54=1|60=20260720-12:00:00|38=1|40=1|", {}, fix_4_2()), "ok");
  EXPECT_EQ(judged("D", "11=a|55=R|54=1|60=20260720-12:00:00|38=1|40=1|", {}, fix_4_2()), "1/21");
  EXPECT_EQ(judged("D", order_with(), {}, fix_5_0_sp2()), "ok");
  EXPECT_EQ(judged("A", "98=0|108=30|1137=9|", {}, fix_5_0_sp2()), "ok");
  EXPECT_EQ(judged("A", "98=0|108=30|1137=8|", {}, fix_5_0_sp1()), "ok");
  EXPECT_EQ(judged("D", order_with(), {}, fix_5_0(), "1128=8|" + k_head), "18/1128");
  EXPECT_EQ(judged("D", order_with(), {}, *dictionary_of("FIXT.1.1", "6"), "1128=6|" + k_head), "ok");
  EXPECT_EQ(judged("A", "98=0|108=30|", {}, fix_5_0_sp2()), "1/1137");
  EXPECT_EQ(judged("0", "", {}, fix_5_0_sp2(), k_head + "1128=9|"), "ok");
  EXPECT_EQ(judged("A", "98=0|108=30|1137=9|"), "0/1137");
}

TEST(FixRules, hold_formats_of_every_type) {
  struct Case {
    FieldType type;
    const char* right;
    const char* wrong;
  };
  const Case cases[] = {
      {FieldType::character, "x", "xy"},
      {FieldType::boolean, "N", "n"},
      {FieldType::integer, "-12", "1.0"},
      {FieldType::integer, "0", "-"},
      {FieldType::length, "12", "-12"},
      {FieldType::seq_num, "1", "+1"},
      {FieldType::num_in_group, "3", " 3"},
      {FieldType::tag_num, "35", "x"},
      {FieldType::day_of_month, "31", "32"},
      {FieldType::day_of_month, "1", "0"},
      {FieldType::price, "-12.50", "1.2.3"},
      {FieldType::quantity, ".5", "."},
      {FieldType::amount, "7.", "7e3"},
      {FieldType::percentage, "0.05", ""},
      {FieldType::multiple_char, "A B", "A  B"},
      {FieldType::multiple_char, "A", "AB"},
      {FieldType::multiple_string, "AA BB", "AA "},
      {FieldType::multiple_string, "AA", " AA"},
      {FieldType::country, "JP", "JPN"},
      {FieldType::currency, "JPY", "JP1"},
      {FieldType::language, "en", "e"},
      {FieldType::month_year, "202607", "202613"},
      {FieldType::month_year, "20260720", "20260732"},
      {FieldType::month_year, "202607w5", "202607w6"},
      {FieldType::month_year, "202607", "20260"},
      {FieldType::utc_timestamp, "20260720-23:59:60.123", "20260720-23:59:61"},
      {FieldType::utc_time, "12:00:00.123456", "12:00:00.1"},
      {FieldType::utc_time, "23:59:60", "24:00:00"},
      {FieldType::local_time, "12:00:00", "12:00"},
      {FieldType::utc_date, "20240229", "20230229"},
      {FieldType::local_date, "20260720", "2026072"},
      {FieldType::tz_time, "07:39Z", "07:39z"},
      {FieldType::tz_time, "07:39:12+08:30", "07:39:12+8"},
      {FieldType::tz_time, "07:39-05", "07:39-15"},
      {FieldType::tz_timestamp, "20060901-07:39Z", "20060901 07:39Z"},
      {FieldType::tz_timestamp, "20060901-02:39:00.123-05", "20060931-02:39"},
  };
  for (const Case& one : cases) {
    EXPECT_TRUE(has_format(one.type, one.right)) << name_of(one.type) << " " << one.right;
    if (*one.wrong != '\0') {
      EXPECT_FALSE(has_format(one.type, one.wrong)) << name_of(one.type) << " " << one.wrong;
    }
    EXPECT_EQ(field_type_of(name_of(one.type)), one.type);
  }
  for (const FieldType type : {FieldType::string, FieldType::exchange, FieldType::data, FieldType::xid})
    EXPECT_TRUE(has_format(type, "anything at all"));
  EXPECT_FALSE(field_type_of("RICE").has_value());
}

}  // namespace
}  // namespace dojima::fix
