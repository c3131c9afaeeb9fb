#pragma once

// A file for what another program writes; gone with the object. Names begin with "dojima-".

#include <string>

namespace dojima::evidence {

class TemporaryFile {
 public:
  /// Made at once, empty. Throws std::system_error when that cannot be.
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// What is in it now.
  [[nodiscard]] std::string text() const;

 private:
  std::string path_;
};

}  // namespace dojima::evidence
