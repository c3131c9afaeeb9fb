#pragma once

// A directory of the operating system as a journal's disk.
//
//   auto disk = RealDisk::open("/var/lib/venue");         // made when it is not there
//   if (!disk) { ... disk.error().got is the errno ... }

#include <string>

#include "dojima/journal/disk.hpp"

namespace dojima::journal {

class RealDisk final : public Disk {
 public:
  /// Opens the directory and makes it, but not its parents, when it is not there.
  [[nodiscard]] static Result<std::unique_ptr<RealDisk>> open(const std::string& path);
  ~RealDisk() override;
  RealDisk(const RealDisk&) = delete;
  RealDisk& operator=(const RealDisk&) = delete;

  [[nodiscard]] Result<std::unique_ptr<File>> open(std::string_view name, OpenMode mode) override;
  [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to) override;
  [[nodiscard]] Result<void> remove(std::string_view name) override;
  [[nodiscard]] Result<std::vector<std::string>> list() override;
  [[nodiscard]] Result<void> sync_names() override;
  [[nodiscard]] Result<std::unique_ptr<File>> lock() override;
  [[nodiscard]] Result<std::uint64_t> free_bytes() override;

 private:
  explicit RealDisk(int directory) noexcept : directory_(directory) {}
  int directory_;
};

}  // namespace dojima::journal
