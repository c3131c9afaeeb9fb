#include "dojima/cli/journal/journal_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>

namespace dojima::cli {
namespace {

bool has_segments(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::ranges::any_of(std::filesystem::directory_iterator(path, ignored), [](const auto& entry) {
    const std::string extension = entry.path().extension();
    return extension == ".segment" || extension == ".snapshot";
  });
}

}  // namespace

std::expected<std::vector<JournalFolder>, std::string> journal_folders(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error))
    return std::unexpected(
        fmt::format("{} is no directory; name the one that a venue's journal.directory names, or a FIX store's", path));
  std::vector<JournalFolder> folders;
  if (has_segments(path)) {
    folders.push_back({.name = path, .path = path, .disk = nullptr});
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.is_directory(error) && entry.path().filename().string().starts_with("partition-") &&
          has_segments(entry.path()))
        folders.push_back({.name = entry.path().filename(), .path = entry.path(), .disk = nullptr});
  }
  if (folders.empty())
    return std::unexpected(
        fmt::format("{} holds no journal: neither segments nor folders partition-1 to partition-4", path));
  std::ranges::sort(folders, {}, &JournalFolder::name);
  for (JournalFolder& folder : folders) {
    auto disk = journal::RealDisk::open(folder.path);
    if (!disk)
      return std::unexpected(fmt::format("{} cannot be opened: {}", folder.path, journal::text_of(disk.error())));
    folder.disk = std::move(*disk);
  }
  return folders;
}

}  // namespace dojima::cli
