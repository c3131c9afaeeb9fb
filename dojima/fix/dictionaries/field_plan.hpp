#pragma once

// What check_message looks at first of a member, made when the dictionary is.

#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {

/// Of a member that has its number; `facts` are those of its tag.
[[nodiscard]] FieldPlan plan_of(const Member& member, const FieldFacts& facts);

}  // namespace dojima::fix
