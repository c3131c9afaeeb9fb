#pragma once

// Bytes as text of 64 signs and back: base64 of RFC 4648, section 4, with padding and without line breaks. Reading is
// strict: what `to_base64` would not have written is none. Both allocate their result.
//
// Own lines: Boost's iterators for it throw at input, take "=" for a sign anywhere and leave the padding to others.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::evidence {

[[nodiscard]] std::string to_base64(std::span<const unsigned char> bytes);

/// Nothing for a length that is no multiple of four, for signs of no meaning, for padding that is not at the end, and
/// for bits behind the last byte that are not 0. An empty text is no bytes.
[[nodiscard]] std::optional<std::vector<unsigned char>> from_base64(std::string_view text);

}  // namespace dojima::evidence
