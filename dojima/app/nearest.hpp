#pragma once

// "Did you mean": the known word that an unknown one most resembles. Cold path.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dojima::app {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// The known word at the smallest distance, the first of equals; none when they differ in more than about half.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

}  // namespace dojima::app
