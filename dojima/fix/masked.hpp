#pragma once

// FIX messages as people and logs may see them: without the secrets in them.

#include <cstddef>

#include "dojima/base/bytes.hpp"

namespace dojima::fix {

/// Overwrites the values of Password(554), NewPassword(925) and, in a Logon (35=A), RawData(96) with '*', in place, and
/// moves CheckSum(10) along, so that a right one stays right and a wrong one wrong; all other bytes stay, and so does
/// the size. `message` may be no message at all, or only the beginning of one. Gives how many values were overwritten.
/// O(size).
std::size_t mask_secrets(Room message) noexcept;

}  // namespace dojima::fix
