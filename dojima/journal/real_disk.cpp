#include "dojima/journal/real_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace dojima::journal {
namespace {

[[nodiscard]] std::unexpected<Error> failed(const char* wanted) noexcept {
  return std::unexpected(disk_error(errno, wanted));
}

class RealFile final : public File {
 public:
  RealFile(int descriptor, bool is_writable) noexcept : descriptor_(descriptor), is_writable_(is_writable) {}
  ~RealFile() override {
    if (mapped_.data() != nullptr) ::munmap(mapped_.data(), mapped_.size());
    ::close(descriptor_);
  }
  RealFile(const RealFile&) = delete;
  RealFile& operator=(const RealFile&) = delete;

  Result<std::size_t> read(std::uint64_t offset, Room into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count =
          ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed("to read a file");
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  Result<void> write(std::uint64_t offset, Bytes bytes) override { return write_all(offset, bytes, 0); }
  Result<void> write_through(std::uint64_t offset, Bytes bytes) override { return write_all(offset, bytes, RWF_DSYNC); }

  Result<void> sync() override {
    if (::fdatasync(descriptor_) != 0) return failed("to sync a file");
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) return failed("the size of a file");
    return static_cast<std::uint64_t>(status.st_size);
  }

  Result<Room> map() override {
    const Result<std::uint64_t> bytes = size();
    if (!bytes) return std::unexpected(bytes.error());
    if (*bytes == 0) return Room{};
    const int protection = is_writable_ ? PROT_READ | PROT_WRITE : PROT_READ;
    void* memory = ::mmap(nullptr, *bytes, protection, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) return failed("to map a file");
    mapped_ = {static_cast<std::byte*>(memory), static_cast<std::size_t>(*bytes)};
    return mapped_;
  }

  Result<void> populate(std::uint64_t offset, std::size_t size) override {
    constexpr std::uint64_t k_page = 4096;
    const std::uint64_t begin = offset / k_page * k_page;
    const std::uint64_t end = std::min<std::uint64_t>(offset + size, mapped_.size());
    if (begin >= end) return {};
    if (::madvise(mapped_.data() + begin, end - begin, is_writable_ ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0)
      return {};
    // Kernels before 5.14 do not know it; their first store into each page is slower, and that is all.
    if (errno == EINVAL) return {};
    return failed("to populate mapped memory");
  }

 private:
  Result<void> write_all(std::uint64_t offset, Bytes bytes, int flags) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const iovec part{const_cast<std::byte*>(bytes.data() + done), bytes.size() - done};
      const ssize_t count = ::pwritev2(descriptor_, &part, 1, static_cast<off_t>(offset + done), flags);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed("to write a file");
      if (count == 0) return std::unexpected(disk_error(EIO, "to write a file"));
      done += static_cast<std::size_t>(count);
    }
    return {};
  }

  int descriptor_;
  bool is_writable_;
  Room mapped_;
};

int flags_of(OpenMode mode) noexcept {
  switch (mode) {
    case OpenMode::read:
      return O_RDONLY | O_CLOEXEC;
    case OpenMode::write:
      return O_RDWR | O_CLOEXEC;
    case OpenMode::create:
      break;
  }
  return O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
}

}  // namespace

Result<std::unique_ptr<RealDisk>> RealDisk::open(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST && errno != EROFS) return failed("to make a directory");
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return failed("to open a directory");
  return std::unique_ptr<RealDisk>(new RealDisk(directory));
}

RealDisk::~RealDisk() {
  ::close(directory_);
}

Result<std::unique_ptr<File>> RealDisk::open(std::string_view name, OpenMode mode) {
  const int descriptor = ::openat(directory_, std::string(name).c_str(), flags_of(mode), 0644);
  if (descriptor < 0) return failed("to open a file");
  return std::make_unique<RealFile>(descriptor, mode != OpenMode::read);
}

Result<void> RealDisk::rename(std::string_view from, std::string_view to) {
  if (::renameat(directory_, std::string(from).c_str(), directory_, std::string(to).c_str()) != 0)
    return failed("to rename a file");
  return {};
}

Result<void> RealDisk::remove(std::string_view name) {
  if (::unlinkat(directory_, std::string(name).c_str(), 0) != 0) return failed("to remove a file");
  return {};
}

Result<std::vector<std::string>> RealDisk::list() {
  // A descriptor of its own: reading a directory moves the place in it.
  const int descriptor = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("to list a directory");
  DIR* stream = ::fdopendir(descriptor);
  if (stream == nullptr) {
    const auto trouble = failed("to list a directory");
    ::close(descriptor);
    return trouble;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream))
    if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN) names.emplace_back(entry->d_name);
  const int number = errno;
  ::closedir(stream);
  if (number != 0) return std::unexpected(disk_error(number, "to list a directory"));
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> RealDisk::sync_names() {
  if (::fsync(directory_) != 0) return failed("to sync a directory");
  return {};
}

Result<std::unique_ptr<File>> RealDisk::lock() {
  // The lock belongs to the open file, so it needs one of its own, and goes with the process however that ends.
  const int descriptor = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("to open a directory");
  auto held = std::make_unique<RealFile>(descriptor, false);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return failed("to lock a directory");
  return held;
}

Result<std::uint64_t> RealDisk::free_bytes() {
  struct statvfs status{};
  if (::fstatvfs(directory_, &status) != 0) return failed("the free space of a disk");
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace dojima::journal
