#include "dojima/fix/dictionaries/field_plan.hpp"

#include <string_view>

namespace dojima::fix {
namespace {

/// Of a field that has no enumeration.
FieldPlan::Value usual_value_of(FieldType type) {
  switch (type) {
    case FieldType::string:
    case FieldType::exchange:
    case FieldType::data:
    case FieldType::xid:
    case FieldType::xid_ref:
      return FieldPlan::Value::any;
    case FieldType::character:
      return FieldPlan::Value::character;
    case FieldType::utc_timestamp:
      return FieldPlan::Value::timestamp;
    case FieldType::day_of_month:
      return FieldPlan::Value::other;
    default:
      return is_integer(type)   ? FieldPlan::Value::whole
             : is_decimal(type) ? FieldPlan::Value::fraction
                                : FieldPlan::Value::other;
  }
}

}  // namespace

FieldPlan plan_of(const Member& member, const FieldFacts& facts) {
  FieldPlan plan{.part = static_cast<std::uint8_t>(member.is(Member::k_header)    ? 0
                                                   : member.is(Member::k_trailer) ? 2
                                                                                  : 1),
                 .number = member.number};
  if ((member.flags & (Member::k_group | Member::k_secured | Member::k_version)) != 0) return plan;
  if (member.is(Member::k_framing)) {
    plan.value = FieldPlan::Value::any;
    return plan;
  }
  plan.value = usual_value_of(member.type);
  if (!member.is(Member::k_closed) && member.type != FieldType::boolean) return plan;
  plan.value = FieldPlan::Value::one_of;
  for (int place = 0; place < 64; ++place) {
    const char character = static_cast<char>('0' + place);
    const std::string_view value(&character, 1);
    if (has_format(member.type, value) && facts.allows(value)) plan.singles |= std::uint64_t{1} << place;
  }
  return plan;
}

}  // namespace dojima::fix
