#pragma once

// A folder that a benchmark writes to, gone with its object.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace dojima::bench {

class TemporaryFolder {
 public:
  /// Below the system's folder for temporary files. Throws std::runtime_error when there can be none.
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "dojima-bench-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace dojima::bench
