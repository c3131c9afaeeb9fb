#pragma once

// The values that nearly all fields have, held against the plan of their member in a few instructions: texts, numbers
// of up to eight characters, single characters, timestamps of the day of the one before. Says yes or does not know:
// has_format (field_type.hpp) and FieldFacts::allows decide then. No allocation.
//
//   if (is_usual_value(shape.plan(tag), value, last)) ...

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/short_number.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {

/// Whether the `size` characters before `end` are one to eight digits; the eight bytes before `end` can be read.
[[nodiscard, gnu::always_inline]] inline bool are_short_digits(const char* end, std::size_t size) noexcept {
  if (size - 1 >= k_short_number_max) return false;
  const std::size_t before = 8 * (k_short_number_max - size);  // bits in front of the value
  return are_digits((load_word(end - k_short_number_max) ^ k_eight_zeros) >> before << before);
}

/// True: `value` has the format and is in the enumeration of the member that `plan` was made for. False: that is not
/// known. The eight bytes before the value's end can be read. O(1).
[[nodiscard, gnu::always_inline]] inline bool is_usual_value(const FieldPlan& plan, std::string_view value,
                                                             time::ReadDate& last) noexcept {
  if (value.empty()) [[unlikely]] {
    return false;
  }
  if (plan.value == FieldPlan::Value::any) return true;
  const char* const end = value.data() + value.size();
  switch (plan.value) {
    case FieldPlan::Value::one_of:
      return value.size() == 1 && plan.has_single(value[0]);
    case FieldPlan::Value::character:
      return value.size() == 1;
    case FieldPlan::Value::whole:
      return are_short_digits(end, value.size());
    case FieldPlan::Value::fraction:
      return read_short_number(end, value.size()).is_there;
    case FieldPlan::Value::timestamp:
      return time::is_timestamp(value, last);
    default:
      return false;
  }
}

}  // namespace dojima::fix
