#pragma once

// Files as byte sources: one that is not packed is mapped into memory, one that is packed with gzip, xz or zstd is
// unpacked as it is read, known by its first bytes and not by its name; standard input is read as it comes. Bounded
// memory, whatever the file's size. For tools, not for a running loop.
//
//   const auto source = open_source("day.itch.gz");
//   recorded::ByteWindow window(**source);

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "dojima/recorded/byte_source.hpp"

namespace dojima::recorded {

class FileSource : public ByteSource {
 public:
  /// Bytes of the file itself that are read, for progress; of a mapped file 0.
  [[nodiscard]] virtual std::uint64_t file_position() const noexcept { return 0; }
  /// 0: not known (standard input).
  [[nodiscard]] virtual std::uint64_t file_size() const noexcept { return 0; }
};

/// `file`: "-" is standard input. The error says what is wrong with it, its name first.
[[nodiscard]] std::expected<std::unique_ptr<FileSource>, std::string> open_source(const std::string& file);

/// The same for bytes in memory, which the source keeps.
[[nodiscard]] std::unique_ptr<FileSource> memory_source(std::string bytes);

}  // namespace dojima::recorded
