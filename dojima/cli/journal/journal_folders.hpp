#pragma once

// Where a venue's journals are: the directory of a venue with a folder for each partition, or one of these folders.

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "dojima/journal/real_disk.hpp"

namespace dojima::cli {

struct JournalFolder {
  std::string name;  ///< "partition-1", or the path where it was named itself
  std::string path;
  std::unique_ptr<journal::RealDisk> disk;
};

/// In the order of the partitions. An error is text for a person.
[[nodiscard]] std::expected<std::vector<JournalFolder>, std::string> journal_folders(const std::string& path);

}  // namespace dojima::cli
