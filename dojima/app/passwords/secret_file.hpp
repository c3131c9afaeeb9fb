#pragma once

// A password out of a file, where no list of processes and no configuration shows it: its first line. A regular file
// that others than its owner may touch is refused, as ssh refuses such keys; a pipe or a terminal is not. Cold path.

#include <cstddef>
#include <expected>
#include <string>

namespace dojima::app {

/// Longest line that is taken for a password, in bytes.
inline constexpr std::size_t k_secret_longest = 1024;

/// The first line of the file. An error: what is wrong with it, for a person, without its name.
[[nodiscard]] std::expected<std::string, std::string> read_secret_file(const std::string& file);

/// A line of an open descriptor, byte by byte: what follows it stays there for other readers. Errors likewise.
[[nodiscard]] std::expected<std::string, std::string> read_secret_line(int descriptor);

}  // namespace dojima::app
