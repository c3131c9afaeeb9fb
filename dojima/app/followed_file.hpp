#pragma once

// A file that is read while somebody writes it, also when it becomes FILE.1 and another one is begun, as
// MessageLogFile does it. One thread.
//
//   auto file = FollowedFile::open("gateway.log");
//   std::string text;
//   while (...) if (!file->read_on(text)) wait a little

#include <expected>
#include <string>
#include <sys/types.h>
#include <utility>

namespace dojima::app {

class FollowedFile {
 public:
  /// From its beginning. An error is text for a person.
  [[nodiscard]] static std::expected<FollowedFile, std::string> open(const std::string& path);
  ~FollowedFile();
  FollowedFile(FollowedFile&& other) noexcept;
  FollowedFile& operator=(FollowedFile&&) = delete;

  /// Appends what has come, at most 1 MiB. False: nothing new. When the file was renamed, its rest comes first and then
  /// what is in those behind it; when it was cut, it begins anew.
  [[nodiscard]] bool read_on(std::string& text);

 private:
  FollowedFile(std::string path, int file) noexcept : path_(std::move(path)), file_(file) {}
  [[nodiscard]] bool read_some(std::string& text);
  [[nodiscard]] bool change_over();

  std::string path_;
  int file_;
  off_t read_ = 0;
};

}  // namespace dojima::app
