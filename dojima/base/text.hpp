#pragma once

// Short text of a fixed capacity inside a record: left-justified, padded with nulls, no terminator when full. The
// layout is the one MIT203 strings have on the wire, so records copy them as they are.
//
//   Text<20> id = Text<20>::cut("ORD-1");  id.view() == "ORD-1"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "dojima/base/error.hpp"

namespace dojima {

template <std::size_t Capacity>
struct Text {
  std::array<char, Capacity> chars{};

  /// `text`, or `too_long` when it has more than `Capacity` characters.
  [[nodiscard]] static constexpr Result<Text> from(std::string_view text) noexcept {
    if (text.size() > Capacity) return fail(ErrorCode::too_long, 0, 0, static_cast<std::int64_t>(text.size()));
    return cut(text);
  }

  /// The first `Capacity` characters of `text`.
  [[nodiscard]] static constexpr Text cut(std::string_view text) noexcept {
    Text result;
    std::copy_n(text.begin(), std::min(text.size(), Capacity), result.chars.begin());
    return result;
  }

  /// The characters up to the first null. Lives as long as this object.
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    const auto end = std::find(chars.begin(), chars.end(), '\0');
    return {chars.data(), static_cast<std::size_t>(end - chars.begin())};
  }

  [[nodiscard]] constexpr bool is_empty() const noexcept { return Capacity == 0 || chars[0] == '\0'; }

  friend constexpr bool operator==(const Text&, const Text&) = default;
  friend constexpr auto operator<=>(const Text&, const Text&) = default;
};

}  // namespace dojima
