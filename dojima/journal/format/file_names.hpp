#pragma once

// Names of a journal's files: a number of 20 digits, so that their order is the numbers', and what they are.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace dojima::journal {

constexpr std::string_view k_segment_suffix = ".segment";
constexpr std::string_view k_snapshot_suffix = ".snapshot";
/// Behind the name of a file that is being made.
constexpr std::string_view k_unfinished = ".new";
/// Behind the name of a segment that recovery took out of the journal.
constexpr std::string_view k_cut = ".cut";

[[nodiscard]] inline std::string file_name(std::uint64_t number, std::string_view suffix) {
  const std::string digits = std::to_string(number);
  return std::string(20 - digits.size(), '0') + digits + std::string(suffix);
}

/// The number in a name of this kind; none: it is no such name.
[[nodiscard]] inline std::optional<std::uint64_t> number_of(std::string_view name, std::string_view suffix) {
  if (name.size() != 20 + suffix.size() || !name.ends_with(suffix)) return std::nullopt;
  std::uint64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + 20, number);
  if (read.ec != std::errc{} || read.ptr != name.data() + 20) return std::nullopt;
  return number;
}

}  // namespace dojima::journal
