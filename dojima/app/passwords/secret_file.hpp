#pragma once

// A password out of a file, where no list of processes and no configuration shows it: its first line. A regular file
// that others than its owner may touch is refused, as ssh refuses such keys; a pipe or a terminal is not. Cold path.

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace dojima::app {

/// Longest line that is taken for a password, in bytes.
inline constexpr std::size_t k_secret_longest = 1024;

/// The first line of the file. An error: what is wrong with it, for a person, without its name. A name without a folder
/// is a credential of the service where $CREDENTIALS_DIRECTORY has one of that name; who may read it there is for
/// systemd to say, whose access lists look as if a group might.
[[nodiscard]] std::expected<std::string, std::string> read_secret_file(const std::string& file);

/// A line of an open descriptor, byte by byte: what follows it stays there for other readers. Errors likewise.
[[nodiscard]] std::expected<std::string, std::string> read_secret_line(int descriptor);

/// A new file that its owner alone may read and write, with this line. Errors of errno; EEXIST: there is one, which
/// stays as it is.
[[nodiscard]] std::expected<void, int> write_secret_file(const std::string& file, std::string_view line);

}  // namespace dojima::app
