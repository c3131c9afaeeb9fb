#pragma once

// Texts of others in lines of a log: a name that a peer chose may hold anything.
//
//   log(one_line("refused KONOIKE\x1b[2J\nall is well"))     // refused KONOIKE\x1b[2J\x0aall is well

#include <string>
#include <string_view>

namespace dojima {

/// The text as one line that a terminal can be shown: control characters (below 0x20, and 0x7F) as `\xHH`, all others
/// as they are. A backslash stays one: the text is for people, not to be read back. Allocates. O(size).
[[nodiscard]] inline std::string one_line(std::string_view text) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte != 0x7f) {
      line += character;
    } else {
      line += "\\x";
      line += k_digits[byte >> 4];
      line += k_digits[byte & 0xf];
    }
  }
  return line;
}

}  // namespace dojima
