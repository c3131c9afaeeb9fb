#pragma once

// The disk as a journal sees it: one directory and the files in it, handed in like the clock. `RealDisk`
// (real_disk.hpp) is a directory of the operating system, `SimulatedDisk` (simulated_disk.hpp) one in memory that loses
// power, fills up and fails as a test says. Trouble is an `Error` whose `got` is the errno and whose `expected` says
// what was tried (`text_of` for a person). Calls may block; nothing here is for a hot thread, but for memory that `map`
// gave.
//
//   auto file = disk.open("name", OpenMode::create);
//   if (!file) return std::unexpected(file.error());
//   (*file)->write_through(0, bytes);                    // on the disk when it returns
//
// Different files of a disk may be used by different threads, and so may the disk itself.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"

namespace dojima::journal {

/// A file, open until it is destroyed.
class File {
 public:
  virtual ~File() = default;

  /// Fills `into` from `offset` on. Gives the bytes read: fewer than asked for only at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, Room into) = 0;

  /// Writes all of `bytes`; the file grows when needed. Survives the process, not a loss of power.
  [[nodiscard]] virtual Result<void> write(std::uint64_t offset, Bytes bytes) = 0;

  /// Writes all of `bytes` and returns when they are on the disk. After an error any part may have been written; only
  /// writing it again repairs that, a later `sync` does not.
  [[nodiscard]] virtual Result<void> write_through(std::uint64_t offset, Bytes bytes) = 0;

  /// Returns when all that was written is on the disk.
  [[nodiscard]] virtual Result<void> sync() = 0;

  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;

  /// The whole file as memory, shared with it: stores survive the process. Valid until the file is destroyed; once a
  /// file. Read-only files give memory that must not be written.
  [[nodiscard]] virtual Result<Room> map() = 0;

  /// Makes that stores into this part of the mapped memory need no work of the kernel for a while.
  [[nodiscard]] virtual Result<void> populate(std::uint64_t offset, std::size_t size) = 0;
};

enum class OpenMode : std::uint8_t {
  read,    ///< must be there
  write,   ///< must be there
  create,  ///< for writing; emptied when it is there already
};

/// A directory that belongs to one process at a time. Names are of one component.
class Disk {
 public:
  virtual ~Disk() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(std::string_view name, OpenMode mode) = 0;
  /// Replaces a file of that name in one step.
  [[nodiscard]] virtual Result<void> rename(std::string_view from, std::string_view to) = 0;
  [[nodiscard]] virtual Result<void> remove(std::string_view name) = 0;
  /// The names of all files, sorted.
  [[nodiscard]] virtual Result<std::vector<std::string>> list() = 0;
  /// Returns when what was created, renamed and removed is on the disk.
  [[nodiscard]] virtual Result<void> sync_names() = 0;
  /// Keeps every other process, and every other user in this one, away until the lock is destroyed.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> lock() = 0;
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() = 0;
};

/// `Error::field` of a disk's errors, which distinguishes them from all others.
inline constexpr std::uint16_t k_disk_field = 0xffff;

[[nodiscard]] inline bool is_of_disk(const Error& error) noexcept {
  return error.field == k_disk_field;
}

/// For a person: what the system says and what was tried ("No space left on device, trying to write a file"); any
/// other error as `describe` has it.
[[nodiscard]] std::string text_of(const Error& error);

/// The error for an errno, e.g. `disk_error(ENOSPC, "room for a segment")`. `wanted` is static text.
[[nodiscard]] Error disk_error(int number, const char* wanted) noexcept;

}  // namespace dojima::journal
