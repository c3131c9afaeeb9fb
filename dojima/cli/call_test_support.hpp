#pragma once

// The program called within a test, as a shell would call it: its exit status and what it wrote, and files for it to
// read.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "dojima/cli/cli.hpp"

namespace dojima::cli {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

/// `dojima WORDS...`
inline Outcome call(const std::vector<std::string>& words) {
  std::vector<const char*> texts{"dojima"};
  for (const std::string& word : words) texts.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run(static_cast<int>(texts.size()), texts.data());
  std::fflush(stdout);
  std::fflush(stderr);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// `dojima lab WORDS...`
inline Outcome call_lab(std::vector<std::string> words) {
  words.insert(words.begin(), "lab");
  return call(words);
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A file with these bytes that is gone when the test is over. Tests run at the same time do not meet.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_((std::filesystem::temp_directory_path() /
               ("dojima-" + std::to_string(getpid()) + "-" + std::to_string(reinterpret_cast<std::uintptr_t>(this))))
                  .string()) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Nobody else may read it, as a password.
  TemporaryFile& keep_secret() {
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return *this;
  }

 private:
  std::string path_;
};

/// A folder of its own that is gone, with all that is in it, when the test is over.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dojima-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// The path of a file with these bytes.
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace dojima::cli
