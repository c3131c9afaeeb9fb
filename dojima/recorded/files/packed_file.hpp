#pragma once

// A whole file, or standard input, as text; what is packed with gzip, xz or zstd is unpacked, known by its first bytes
// and not by its name. Reads all of it into memory. For tools, not for a running loop.
//
//   const auto text = read_packed("day.fix.gz");

#include <expected>
#include <string>

namespace dojima::recorded {

/// The bytes of `file` ("-": standard input), unpacked. The error says what is wrong with it.
[[nodiscard]] std::expected<std::string, std::string> read_packed(const std::string& file);

/// Unpacks gzip, xz and zstd; anything else is given back as it is. `name` is for the error.
[[nodiscard]] std::expected<std::string, std::string> unpacked(std::string bytes, const std::string& name);

}  // namespace dojima::recorded
