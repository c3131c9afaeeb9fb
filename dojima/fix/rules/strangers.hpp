#pragma once

// Tags where the dictionary does not have them.

#include <cstddef>

#include "dojima/fix/rules.hpp"

namespace dojima::fix {

/// The field at `at` is no member of the message or group it is in. `facts`: what the dictionary says of its tag; null:
/// nothing. `knows_body`: the message's type is one of the dictionary's. O(fields) where the tag may be there twice.
[[nodiscard]] Result<void> check_stranger(const MessageView& view, const Checks& checks, const FieldFacts* facts,
                                          bool knows_body, bool is_in_group, std::size_t at) noexcept;

}  // namespace dojima::fix
