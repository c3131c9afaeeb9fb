#pragma once

// FIX messages as people and logs may see them: without the secrets in them.

#include <cstddef>
#include <string>

namespace dojima::fix {

/// Puts "***" in place of the values of Password(554), NewPassword(925) and, in a Logon (35=A), RawData(96), whatever
/// their length, in the message that `text` ends with from `begin` on. BodyLength(9), RawDataLength(95) and
/// CheckSum(10) become those of what is shown, so that right ones stay right and wrong ones wrong; all other bytes
/// stay. It may be no message at all, or only the beginning of one. Gives how many values were hidden. O(size);
/// allocates where there is something to hide.
std::size_t mask_secrets(std::string& text, std::size_t begin = 0);

}  // namespace dojima::fix
