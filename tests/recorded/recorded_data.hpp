#pragma once

// Recorded data for tests: files below the folder that the environment variable DOJIMA_DATA names. A test that finds
// none says "skipped: no data".
//
//   const std::optional<std::string> log = recorded_text("fix/banzai.fix");
//   if (!log) GTEST_SKIP() << k_no_data;

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <zlib.h>

namespace dojima::test {

inline constexpr const char* k_no_data = "skipped: no data";

/// The file below DOJIMA_DATA; none when the variable is not set or the file is not there.
inline std::optional<std::filesystem::path> recorded_file(const std::string& name) {
  const char* folder = std::getenv("DOJIMA_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  std::filesystem::path file = std::filesystem::path(folder) / name;
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  return file;
}

/// The whole file, decompressed where it is gzip. Throws std::runtime_error where it is damaged.
inline std::optional<std::string> recorded_text(const std::string& name) {
  const auto file = recorded_file(name);
  if (!file) return std::nullopt;
  gzFile stream = ::gzopen(file->c_str(), "rb");
  if (stream == nullptr) throw std::runtime_error(name + ": cannot be opened");
  std::string text;
  std::array<char, 1 << 16> part;
  int size = 0;
  while ((size = ::gzread(stream, part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(size));
  ::gzclose(stream);
  if (size < 0) throw std::runtime_error(name + ": damaged");
  return text;
}

}  // namespace dojima::test
