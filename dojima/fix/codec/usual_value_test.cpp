// What is passed in a few instructions has its format and is in its enumeration.

#include "dojima/fix/codec/usual_value.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {
namespace {

using PlanValue = FieldPlan::Value;

bool is_usual(const FieldPlan& plan, const std::string& value) {
  const std::string message = "8=FIX.4.4|" + value;  // what is in front can be read
  time::ReadDate last;
  return is_usual_value(plan, std::string_view(message).substr(message.size() - value.size()), last);
}

RC_GTEST_PROP(FixUsualValue, has_its_format_and_is_in_its_enumeration, ()) {
  const Dictionary& dictionary = fix_4_4();
  const Shape& shape = *dictionary.messages()[*rc::gen::inRange<std::size_t>(0, dictionary.messages().size())].shape;
  const Member& member = shape.members()[*rc::gen::inRange<std::size_t>(0, shape.members().size())];
  const FieldPlan& plan = shape.plan(member.tag);
  const auto value = *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::element('0', '1', '9', '.', '-', ':', 'Y', 'N', ' ', '/'), rc::gen::inRange('0', ':')));
  if (!is_usual(plan, value)) return;
  RC_ASSERT(!value.empty());
  RC_ASSERT(member.is(Member::k_framing) || has_format(member.type, value));
  RC_ASSERT(member.is(Member::k_framing) || dictionary.fields()[member.field].allows(value));
}

TEST(FixUsualValue, is_what_messages_usually_have) {
  EXPECT_TRUE(is_usual({.value = PlanValue::any}, "an order of usual size"));
  EXPECT_TRUE(is_usual({.value = PlanValue::character}, "1"));
  EXPECT_TRUE(is_usual({.value = PlanValue::one_of, .singles = 2}, "1"));
  EXPECT_TRUE(is_usual({.value = PlanValue::whole}, "12345678"));
  EXPECT_TRUE(is_usual({.value = PlanValue::fraction}, "125.5"));
  EXPECT_TRUE(is_usual({.value = PlanValue::timestamp}, "20261122-12:00:00.000"));
}

TEST(FixUsualValue, is_nothing_that_is_wrong_or_rare) {
  EXPECT_FALSE(is_usual({.value = PlanValue::any}, ""));
  EXPECT_FALSE(is_usual({.value = PlanValue::character}, "12"));
  EXPECT_FALSE(is_usual({.value = PlanValue::one_of, .singles = 2}, "2"));
  EXPECT_FALSE(is_usual({.value = PlanValue::one_of, .singles = 2}, "11"));
  EXPECT_FALSE(is_usual({.value = PlanValue::whole}, "1234567x"));
  EXPECT_FALSE(is_usual({.value = PlanValue::whole}, "123456789")) << "of nine digits: rare";
  EXPECT_FALSE(is_usual({.value = PlanValue::fraction}, "1.2.3"));
  EXPECT_FALSE(is_usual({.value = PlanValue::fraction}, "."));
  EXPECT_FALSE(is_usual({.value = PlanValue::timestamp}, "20261122-12:00:60.5"));
  EXPECT_FALSE(is_usual({.value = PlanValue::other}, "JP"));
}

TEST(FixPlan, knows_the_single_characters_of_each_enumeration) {
  std::size_t singles = 0;
  for (const MessageFacts& message : fix_4_4().messages()) {
    for (const Member& member : message.shape->members()) {
      const FieldPlan& plan = message.shape->plan(member.tag);
      if (plan.value != PlanValue::one_of) {
        ASSERT_EQ(plan.singles, 0u) << member.tag;
        continue;
      }
      const FieldFacts& facts = fix_4_4().fields()[member.field];
      for (char value = '0'; value < '0' + 64; ++value) {
        ASSERT_EQ(plan.has_single(value), facts.allows({&value, 1}) && has_format(member.type, {&value, 1}))
            << member.tag << " " << value;
        if (plan.has_single(value)) ++singles;
      }
      ASSERT_FALSE(plan.has_single(' ') || plan.has_single('p')) << "outside";
    }
  }
  EXPECT_GT(singles, 1000u);
}

TEST(FixPlan, is_that_of_the_member_and_says_nothing_of_strangers_and_groups) {
  const Shape& order = *fix_4_4().message(type::k_new_order_single)->shape;
  EXPECT_EQ(order.plan(tag::k_sending_time).value, PlanValue::timestamp);
  EXPECT_EQ(order.plan(tag::k_sending_time).part, 0);
  EXPECT_EQ(order.plan(tag::k_side).value, PlanValue::one_of);
  EXPECT_EQ(order.plan(tag::k_side).part, 1);
  EXPECT_EQ(order.plan(tag::k_side).number, order.find(tag::k_side)->number);
  EXPECT_EQ(order.plan(tag::k_no_party_ids).value, PlanValue::closer) << "a group";
  EXPECT_EQ(order.plan(tag::k_test_req_id).value, PlanValue::closer) << "of another message";
  EXPECT_EQ(order.plan(0).value, PlanValue::closer);
  EXPECT_EQ(order.plan(5000).value, PlanValue::closer);
}

TEST(FixShape, finds_members_by_number_whether_small_or_large) {
  const Shape& shape = *fix_5_0_sp2().message(type::k_execution_report)->shape;
  std::size_t found = 0, large = 0;
  for (std::uint32_t tag = 0; tag <= 0xffff; ++tag) {
    const Member* const member = shape.find(static_cast<Tag>(tag));
    if (member == nullptr) continue;
    ASSERT_EQ(member->tag, tag);
    ++found;
    if (tag >= 1024) ++large;
  }
  EXPECT_EQ(found, shape.members().size());
  EXPECT_GT(large, 5u);
}

}  // namespace
}  // namespace dojima::fix
