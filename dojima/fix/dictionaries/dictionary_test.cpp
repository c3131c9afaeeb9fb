// Dictionaries: what the built-in ones say, what is read from XML, and what is wrong with broken ones.

#include "dojima/fix/dictionary.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "dojima/fix/generated_test_message.hpp"

namespace dojima::fix {
namespace {

using testing::built_in_dictionaries;

TEST(FixDictionary, built_in_ones_are_complete) {
  EXPECT_EQ(fix_4_0().fields().size(), 138u);
  EXPECT_EQ(fix_4_0().messages().size(), 27u);
  EXPECT_EQ(fix_4_1().fields().size(), 206u);
  EXPECT_EQ(fix_4_1().messages().size(), 28u);
  EXPECT_EQ(fix_4_2().fields().size(), 405u);
  EXPECT_EQ(fix_4_2().messages().size(), 46u);
  EXPECT_EQ(fix_4_3().fields().size(), 635u);
  EXPECT_EQ(fix_4_3().messages().size(), 68u);
  EXPECT_EQ(fix_4_4().fields().size(), 912u);
  EXPECT_EQ(fix_4_4().messages().size(), 93u);
  EXPECT_EQ(fix_5_0().messages().size(), 8u + 93u);
  EXPECT_GE(fix_5_0().fields().size(), 1090u);
  EXPECT_EQ(fix_5_0_sp1().messages().size(), 8u + 105u);
  EXPECT_GE(fix_5_0_sp1().fields().size(), 1373u);
  EXPECT_EQ(fix_5_0_sp2().messages().size(), 8u + 156u);
  EXPECT_GE(fix_5_0_sp2().fields().size(), 6028u);
}

TEST(FixDictionary, is_found_by_begin_string_and_application_version) {
  EXPECT_EQ(dictionary_of("FIX.4.0"), &fix_4_0());
  EXPECT_EQ(dictionary_of("FIX.4.1"), &fix_4_1());
  EXPECT_EQ(dictionary_of("FIX.4.2"), &fix_4_2());
  EXPECT_EQ(dictionary_of("FIX.4.3"), &fix_4_3());
  EXPECT_EQ(dictionary_of("FIX.4.4"), &fix_4_4());
  EXPECT_EQ(dictionary_of("FIXT.1.1"), &fix_5_0_sp2());
  for (const char* none : {"", "FIX.3.0", "FIX.4.5", "FIX.5.0", "FIXT.1.2"}) EXPECT_EQ(dictionary_of(none), nullptr);
  EXPECT_EQ(dictionary_of("FIXT.1.1", ""), &fix_5_0_sp2()) << "not known";
  EXPECT_EQ(dictionary_of("FIXT.1.1", "7"), &fix_5_0());
  EXPECT_EQ(dictionary_of("FIXT.1.1", "8"), &fix_5_0_sp1());
  EXPECT_EQ(dictionary_of("FIXT.1.1", "9"), &fix_5_0_sp2());
  EXPECT_EQ(dictionary_of("FIX.4.4", "9"), &fix_4_4()) << "only FIXT carries versions";
  for (const char* none : {"0", "1", "10", "x"}) EXPECT_EQ(dictionary_of("FIXT.1.1", none), nullptr) << none;
}

TEST(FixDictionary, built_in_ones_know_their_names_and_versions) {
  EXPECT_EQ(fix_4_0().begin_string(), "FIX.4.0");
  EXPECT_EQ(fix_4_4().begin_string(), "FIX.4.4");
  EXPECT_EQ(fix_5_0_sp2().begin_string(), "FIXT.1.1");
  EXPECT_EQ(fix_5_0().name(), "FIXT.1.1 + FIX.5.0");
  EXPECT_EQ(fix_5_0_sp2().name(), "FIXT.1.1 + FIX.5.0SP2");
  for (const char* version : {"2", "3", "4", "5", "6", "7", "8", "9"})
    EXPECT_EQ(dictionary_of("FIXT.1.1", version)->application_version(), version);
  EXPECT_EQ(fix_4_3().application_version(), "") << "carried by nothing";
}

TEST(FixDictionary, what_fixt_carries_has_the_envelope_and_the_session_messages_of_fixt) {
  for (const char* version : {"2", "6", "7"}) {
    const Dictionary& dictionary = *dictionary_of("FIXT.1.1", version);
    EXPECT_NE(dictionary.envelope().find(tag::k_appl_ver_id), nullptr) << version;
    const Shape& logon = *dictionary.message(type::k_logon)->shape;
    EXPECT_TRUE(logon.find(tag::k_default_appl_ver_id)->is(Member::k_required)) << version;
    EXPECT_EQ(dictionary.message(type::k_new_order_single)->shape->find(20), nullptr);
    EXPECT_EQ(dictionary.data_fields().length_of(tag::k_signature), 93) << version;
  }
  EXPECT_NE(dictionary_of("FIXT.1.1", "2")->message(type::k_execution_report)->shape->find(20), nullptr)
      << "ExecTransType, until FIX 4.2";
}

TEST(FixDictionary, old_versions_have_texts_of_any_length_for_chars) {
  for (const Dictionary* old : {&fix_4_0(), &fix_4_1()}) {
    EXPECT_EQ(old->field(11)->type, FieldType::string) << "ClOrdID";
    EXPECT_EQ(old->field(52)->type, FieldType::utc_timestamp) << "TIME";
    EXPECT_EQ(old->field(75)->type, FieldType::utc_date) << "DATE";
    EXPECT_EQ(old->field(38)->type, FieldType::integer) << "OrderQty";
    EXPECT_EQ(old->field(44)->type, FieldType::decimal) << "Price";
    EXPECT_FALSE(old->field(54)->allows("X")) << "Side";
    EXPECT_TRUE(old->field(18)->allows("1 G")) << "ExecInst";
    EXPECT_FALSE(old->field(18)->allows("1 ?"));
    for (const FieldFacts& field : old->fields()) EXPECT_NE(field.type, FieldType::character) << field.name;
  }
  EXPECT_EQ(fix_4_0().field(2)->type, FieldType::integer) << "AdvId";
  EXPECT_EQ(fix_4_1().field(2)->type, FieldType::string);
  EXPECT_EQ(fix_4_2().field(54)->type, FieldType::character);
}

TEST(FixDictionary, lines_of_text_repeat_in_every_version) {
  for (const Dictionary* dictionary : built_in_dictionaries()) {
    const Member* lines = dictionary->message(msg_type("B"))->shape->find(33);
    ASSERT_NE(lines, nullptr);
    ASSERT_TRUE(lines->is(Member::k_group)) << dictionary->name();
    EXPECT_EQ(dictionary->shape(*lines).first(), 58);
  }
}

TEST(FixDictionary, a_quantity_of_interest_is_a_letter_or_a_number) {
  for (const Dictionary* dictionary : built_in_dictionaries()) {
    EXPECT_TRUE(dictionary->field(27)->allows("25000")) << dictionary->name();
    EXPECT_EQ(dictionary->field(27)->meaning_of("L"), "LARGE") << dictionary->name();
  }
}

TEST(FixDictionary, knows_fields_with_types_and_enumerations) {
  const FieldFacts* side = fix_4_4().field(54);
  ASSERT_NE(side, nullptr);
  EXPECT_EQ(side->name, "Side");
  EXPECT_EQ(side->type, FieldType::character);
  EXPECT_EQ(side->meaning_of("1"), "BUY");
  EXPECT_TRUE(side->allows("2"));
  EXPECT_FALSE(side->allows("H"));
  EXPECT_FALSE(side->allows("11"));
  EXPECT_EQ(fix_4_4().field_named("ClOrdID")->tag, 11);
  EXPECT_EQ(fix_4_4().field(1500), nullptr);
  EXPECT_EQ(fix_4_4().field(96)->length, 95);
}

TEST(FixDictionary, takes_lists_apart_and_knows_long_values) {
  const FieldFacts& exec_inst = *fix_4_4().field(18);
  EXPECT_TRUE(exec_inst.allows("1 G"));
  EXPECT_FALSE(exec_inst.allows("1 ?"));
  const FieldFacts& security_type = *fix_4_4().field(167);
  EXPECT_TRUE(security_type.allows("REPO"));
  EXPECT_FALSE(security_type.allows("REPOX"));
  EXPECT_FALSE(security_type.meaning_of("REPO").empty());
  EXPECT_TRUE(fix_4_2().field(166)->allows("JP")) << "any ISO code";
}

TEST(FixDictionary, knows_messages_groups_and_what_is_required) {
  const MessageFacts* order = fix_4_4().message(type::k_new_order_single);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->name, "NewOrderSingle");
  EXPECT_FALSE(order->is_admin);
  EXPECT_TRUE(order->shape->find(11)->is(Member::k_required));
  EXPECT_TRUE(order->shape->find(49)->is(Member::k_header));
  EXPECT_EQ(order->shape->find(41), nullptr);
  const Member& parties = *order->shape->find(453);
  ASSERT_TRUE(parties.is(Member::k_group));
  const Shape& party = fix_4_4().shape(parties);
  EXPECT_EQ(party.first(), 448);
  EXPECT_EQ(fix_4_4().shape(*party.find(802)).first(), 523);
  EXPECT_TRUE(fix_4_4().message(type::k_logon)->is_admin);
}

TEST(FixDictionaryLong, finds_every_member_and_nothing_else) {
  for (const Dictionary* dictionary : built_in_dictionaries()) {
    for (const MessageFacts& message : dictionary->messages()) {
      std::set<Tag> members;
      for (const Member& member : message.shape->members()) {
        EXPECT_TRUE(members.insert(member.tag).second);
        const Member* found = message.shape->find(member.tag);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->number, member.number);
        EXPECT_EQ(found->position, member.position);
        EXPECT_EQ(member.is(Member::k_required), member.number < message.shape->required());
      }
      for (unsigned tag = 0; tag < 0x10000; tag += dictionary->begin_string() == "FIXT.1.1" ? 7u : 1u)
        ASSERT_EQ(message.shape->find(static_cast<Tag>(tag)) != nullptr, members.contains(static_cast<Tag>(tag)))
            << message.name << " " << tag;
    }
  }
}

TEST(FixDictionary, the_decoder_knows_the_data_fields_of_all) {
  std::map<Tag, Tag> expected;
  for (const Dictionary* dictionary : built_in_dictionaries()) {
    for (const DataField& field : dictionary->data_fields().fields()) expected[field.tag] = field.length;
  }
  std::map<Tag, Tag> standard;
  for (const DataField& field : standard_data_fields().fields()) standard[field.tag] = field.length;
  EXPECT_EQ(standard, expected);
  EXPECT_EQ(standard_data_fields().length_of(89), 93);
  EXPECT_EQ(standard_data_fields().length_of(58), 0);
}

TEST(FixDictionaryLong, the_same_facts_come_back_from_xml) {
  for (const Dictionary* dictionary : built_in_dictionaries()) {
    for (const DictionaryModel& model : dictionary->models()) {
      const auto read = parse_dictionary_xml(to_xml(model));
      ASSERT_TRUE(read) << read.error().line << ": " << read.error().text;
      EXPECT_EQ(read->begin_string(), model.begin_string());
      ASSERT_EQ(read->fields.size(), model.fields.size());
      for (std::size_t i = 0; i < model.fields.size(); ++i) {
        EXPECT_EQ(read->fields[i].tag, model.fields[i].tag);
        EXPECT_EQ(read->fields[i].type, model.fields[i].type);
        if (!model.fields[i].is_open) {
          EXPECT_EQ(read->fields[i].values, model.fields[i].values);
        }
      }
      EXPECT_EQ(to_xml(*read), to_xml(model));
    }
  }
}

TEST(FixDictionary, a_custom_one_adds_messages_and_fields) {
  const auto model = parse_dictionary_xml(
      "<fix type='FIX' major='4' minor='4'>\n"
      " <header><field name='BeginString' required='Y'/></header>\n"
      " <messages><message name='Rice' msgtype='UR' msgcat='app'>\n"
      "  <field name='Bags' required='Y'/><field name='NoteLen' required='N'/><field name='Note' required='N'/>\n"
      "  <group name='NoBarges' required='N'><field name='Barge' required='Y'/></group>\n"
      " </message></messages>\n"
      " <fields><field number='8' name='BeginString' type='STRING'/><field number='6001' name='Bags' type='INT'/>\n"
      "  <field number='6002' name='NoteLen' type='LENGTH'/><field number='6003' name='Note' type='DATA'/>\n"
      "  <field number='6004' name='NoBarges' type='NUMINGROUP'/><field number='6005' name='Barge' type='CHAR'>\n"
      "   <value enum='A' description='FIRST'/></field></fields>\n"
      "</fix>\n");
  ASSERT_TRUE(model) << model.error().line << ": " << model.error().text;
  const auto dictionary = Dictionary::compile({*model});
  ASSERT_TRUE(dictionary) << dictionary.error().text;
  EXPECT_EQ(dictionary->data_fields().length_of(6003), 6002);
  const Member* barges = dictionary->message(msg_type("UR"))->shape->find(6004);
  ASSERT_NE(barges, nullptr);
  EXPECT_EQ(dictionary->shape(*barges).first(), 6005);
  EXPECT_EQ(dictionary->field(6005)->meaning_of("A"), "FIRST");
}

TEST(FixDictionary, type_names_of_old_versions_are_read_from_xml) {
  const auto types = [](const std::string& version) {
    const auto model = parse_dictionary_xml(
        "<fix type='FIX' " + version +
        "><fields><field number='11' name='ClOrdID' type='CHAR'/><field number='18' name='ExecInst' type='CHAR'/>"
        "<field number='52' name='SendingTime' type='TIME'/><field number='75' name='TradeDate' type='DATE'/>"
        "<field number='38' name='OrderQty' type='INT'/><field number='44' name='Price' type='FLOAT'/>"
        "<field number='205' name='MaturityDay' type='DAYOFMONTH'/></fields></fix>");
    std::vector<FieldType> found;
    for (const FieldModel& field : model.value().fields) found.push_back(field.type);
    return found;
  };
  using enum FieldType;
  const std::vector<FieldType> old{string, multiple_string, utc_timestamp, utc_date, integer, decimal, day_of_month};
  EXPECT_EQ(types("major='4' minor='0'"), old);
  EXPECT_EQ(types("major='4' minor='1' servicepack='0'"), old);
  const std::vector<FieldType> later{character, character, utc_timestamp, utc_date, integer, decimal, day_of_month};
  EXPECT_EQ(types("major='4' minor='2'"), later);
  EXPECT_EQ(types("major='5' minor='0'"), later);
}

struct Broken {
  const char* xml;
  std::size_t line;
  const char* text;
};

TEST(FixDictionary, errors_of_xml_name_the_line) {
  const Broken cases[] = {
      {"<fix type='FIX' major='4'\n minor='4'>\n<fields>\n", 3, ""},
      {"<other/>", 1, "the document is no <fix>"},
      {"<fix type='FIX' major='x' minor='4'/>", 1, "major is no number up to 99: \"x\""},
      {"<fix major='4' minor='4'/>", 1, "<fix> without type"},
      {"<fix type='FIX' major='4' minor='4'>\n<what/></fix>", 2, "unknown element <what>"},
      {"<fix type='FIX' major='4' minor='4'>\n<fields>\n<field number='70000' name='A' type='INT'/></fields></fix>", 3,
       "number is no number up to 65535: \"70000\""},
      {"<fix type='FIX' major='4' minor='4'>\n<fields>\n<field number='0' name='A' type='INT'/></fields></fix>", 3,
       "a tag is at least 1"},
      {"<fix type='FIX' major='4' minor='4'>\n<fields>\n\n<field number='1' name='A' type='RICE'/></fields></fix>", 4,
       "no type \"RICE\""},
      {"<fix type='FIX' major='4' minor='4'>\n<fields>\n<field number='1' name='A' type='INT'/>\n<field number='1' "
       "name='B' type='INT'/></fields></fix>",
       4, "field number 1 twice"},
      {"<fix type='FIX' major='4' minor='4'>\n<fields>\n<field number='1' name='A' type='INT'/>\n<field number='2' "
       "name='A' type='INT'/></fields></fix>",
       4, "field name A twice"},
      {"<fix type='FIX' major='4' minor='4'>\n<header>\n<field name='Nobody' required='Y'/></header></fix>", 3,
       "no field is named \"Nobody\""},
      {"<fix type='FIX' major='4' minor='4'>\n<header>\n<thing name='Nobody'/></header></fix>", 3,
       "unknown element <thing>"},
      {"<fix type='FIX' major='4' minor='4'>\n<messages>\n<message name='A' msgtype='B' msgcat='x'/></messages></fix>",
       3, "msgcat is admin or app"},
      {"<fix type='FIX' major='4' minor='4'>\n<messages>\n<message name='A' msgtype='BCDEF' "
       "msgcat='app'/></messages></fix>",
       3, "a msgtype has one to four characters"},
  };
  for (const Broken& broken : cases) {
    const auto model = parse_dictionary_xml(broken.xml);
    ASSERT_FALSE(model) << broken.xml;
    EXPECT_EQ(model.error().line, broken.line) << broken.xml;
    if (*broken.text != '\0') {
      EXPECT_EQ(model.error().text, broken.text);
    }
  }
}

TEST(FixDictionary, errors_of_the_compact_text_name_the_line) {
  const auto error = [](std::string_view lines) {
    const auto model = parse_dictionary("dojima-fix-dictionary 1\n" + std::string(lines));
    EXPECT_FALSE(model) << lines;
    return model ? std::string() : std::to_string(model.error().line) + ": " + model.error().text;
  };
  EXPECT_EQ(error("\nfield x INT A"), "3: expected a number up to 65535, got \"x\"");
  EXPECT_EQ(error("field 0 INT A"), "2: a tag is at least 1");
  EXPECT_EQ(error("field 1 RICE A"), "2: no type \"RICE\"");
  EXPECT_EQ(error("field 1 INT"), "2: a field has a name");
  EXPECT_EQ(error("field 1 INT A =x"), "2: expected VALUE=MEANING, got \"=x\"");
  EXPECT_EQ(error("header 1( 2"), "2: a group does not end");
  EXPECT_EQ(error("header 1 )"), "2: a group ends that did not begin");
  EXPECT_EQ(error("message D both X"), "2: a message is admin or app");
  EXPECT_EQ(error("else"), "2: no line begins with \"else\"");
  EXPECT_EQ(parse_dictionary("else").error().line, 1u);
  EXPECT_EQ(parse_dictionary("").error().text, "no text");
}

TEST(FixDictionary, errors_of_compilation_name_the_line) {
  const auto error = [](std::string_view lines) {
    auto model = parse_dictionary("dojima-fix-dictionary 1\n" + std::string(lines));
    EXPECT_TRUE(model) << lines;
    const auto compiled = Dictionary::compile({*std::move(model)});
    EXPECT_FALSE(compiled) << lines;
    return compiled ? std::string() : std::to_string(compiled.error().line) + ": " + compiled.error().text;
  };
  EXPECT_EQ(error("header 1"), "2: no field has the number 1");
  EXPECT_EQ(error("field 1 INT A\nmessage D app D @Nothing"), "3: no component is named \"Nothing\"");
  EXPECT_EQ(error("field 1 INT A\ncomponent A 1 @A\nmessage D app D @A"), "3: a component contains itself");
  EXPECT_EQ(error("field 1 INT A\nmessage DEFGH app D 1"), "3: message D: a MsgType has one to four characters");
  EXPECT_EQ(error("field 1 INT A\nmessage D app D 1( )"), "3: group 1 has no members");
  EXPECT_EQ(error("field 1 STRING A AA=A AA=B"), "2: a value of field 1 is listed twice");
  EXPECT_EQ(Dictionary::compile({}).error().text, "no dictionary at all");
}

}  // namespace
}  // namespace dojima::fix
