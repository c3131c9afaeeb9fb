#include "dojima/app/followed_file.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dojima::app {
namespace {
constexpr std::size_t k_most_read_at_once = std::size_t{1} << 20;
constexpr unsigned k_names_most = 1000;
}  // namespace

std::expected<FollowedFile, std::string> FollowedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::unexpected(path + ": " + std::system_category().message(errno));
  struct stat about{};
  if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(file);
    return std::unexpected(path + ": only a regular file can be followed");
  }
  return FollowedFile(path, file);
}

FollowedFile::~FollowedFile() {
  if (file_ >= 0) ::close(file_);
}

FollowedFile::FollowedFile(FollowedFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), read_(other.read_) {}

bool FollowedFile::read_on(std::string& text) {
  return read_some(text) || (change_over() && read_some(text));
}

bool FollowedFile::read_some(std::string& text) {
  const std::size_t before = text.size();
  text.resize(before + k_most_read_at_once);
  const ssize_t size = ::pread(file_, text.data() + before, k_most_read_at_once, read_);
  text.resize(before + static_cast<std::size_t>(size > 0 ? size : 0));
  if (size <= 0) return false;
  read_ += size;
  return true;
}

/// At the end of the file: whether it was cut, or has another name now; then the one behind it is taken.
bool FollowedFile::change_over() {
  struct stat mine{};
  if (::fstat(file_, &mine) != 0) return false;
  if (mine.st_size < read_) {
    read_ = 0;
    return true;
  }
  const auto is_mine = [&mine](const std::string& name) {
    struct stat named{};
    return ::stat(name.c_str(), &named) == 0 && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
  };
  if (is_mine(path_)) return false;
  // There may be more than one behind it: the next one is that in front of its new name.
  std::string behind = path_;
  for (unsigned number = 1; number <= k_names_most; ++number) {
    const std::string name = path_ + "." + std::to_string(number);
    if (is_mine(name)) break;
    if (::access(name.c_str(), F_OK) != 0 || number == k_names_most) {
      behind = path_;  // it is gone already
      break;
    }
    behind = name;
  }
  // Whoever renamed it has written its last bytes before, but perhaps after they were looked for.
  if (mine.st_size > read_) return true;
  const int next = ::open(behind.c_str(), O_RDONLY | O_CLOEXEC);
  if (next < 0) return false;
  ::close(std::exchange(file_, next));
  read_ = 0;
  return true;
}

}  // namespace dojima::app
