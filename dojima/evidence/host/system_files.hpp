#pragma once

// Reading what the kernel shows as files: whole texts, their lines and words, `key : value` pairs. Small; allocates;
// for the beginning and the end of a run.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::evidence {

/// The whole file without the white space at its end; nothing when it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& path);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);

/// The number that the text begins with.
[[nodiscard]] std::optional<std::int64_t> whole_of(std::string_view text);
[[nodiscard]] std::optional<double> number_of(const std::string& text);

/// The value of the first line `key : value`, as in cpuinfo, meminfo and status.
[[nodiscard]] std::optional<std::string> value_of(const std::string& text, std::string_view key);

/// The word in brackets: "always [madvise] never".
[[nodiscard]] std::string chosen_of(const std::string& text);

}  // namespace dojima::evidence
