#pragma once

// A file packed with zstd into another folder, so that afterwards there is a whole one or none.

#include <cstdint>
#include <expected>
#include <string>

namespace dojima::cli {

struct ArchivedFile {
  std::uint64_t bytes = 0;
  std::uint64_t packed = 0;
  bool is_new = true;  ///< else it was there already, and was left alone
};

/// Packs `file` into `folder`/`name`: written under another name, synced, read back, compared, renamed. The folder is
/// made when it is not there. An error is text for a person.
[[nodiscard]] std::expected<ArchivedFile, std::string> archive_file(const std::string& file, const std::string& folder,
                                                                    const std::string& name);

}  // namespace dojima::cli
