#pragma once

// Reads the records of a directory while another process writes them: for a standby, which may not write. Only looks;
// it follows the writer from segment to segment, also when a new writer has cut the end and goes on, and checks every
// sum. When the writer is gone, who takes its lock opens the directory with FileJournal, trusting what was read here
// and is known to be on the disk.
//
//   Tailer tailer(disk, Identity::of("venue"));
//   while (const auto record = tailer.next()) {
//     if (!*record) break;                          // nothing more for now; ask again
//     apply(**record);
//   }
//   // an error: forget what was applied, tailer.rewind(), begin with the oldest record again
//
// One thread. The disk must outlive it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dojima/base/error.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

class Tailer {
 public:
  /// Reads a journal of that identity, whenever it is begun.
  Tailer(Disk& disk, const Identity& identity);
  ~Tailer();
  Tailer(const Tailer&) = delete;
  Tailer& operator=(const Tailer&) = delete;

  /// The next record; none: no more has come. Its bytes live until the next call. Errors: `missing`, the writer has
  /// removed records before they were read, or has taken back some that were; `refused`, the directory is another
  /// journal's; those of the disk. After the first kind only rewind() helps; the others may pass. O(size); at the end
  /// of what has come the system calls of opening and mapping a file or two.
  [[nodiscard]] Result<std::optional<Record>> next();
  /// The next record will be the oldest that is there.
  void rewind() noexcept;

  /// The record read last; 0: none.
  [[nodiscard]] Sequence last() const noexcept { return last_; }
  /// The newest record that what was read knows to be on the disk.
  [[nodiscard]] Sequence synced() const noexcept { return synced_; }
  /// The number of the segment that is being read; 0: none yet.
  [[nodiscard]] std::uint64_t segment() const noexcept { return number_; }
  /// What is wrong with the bytes behind the record read last; null: nothing, or they have not been looked at. While
  /// they are being written this is nothing to worry about.
  [[nodiscard]] const char* obstacle() const noexcept { return obstacle_; }

 private:
  struct Mapped;
  [[nodiscard]] Result<bool> begin();
  [[nodiscard]] Result<bool> enter_next();
  [[nodiscard]] Result<bool> look_again();
  [[nodiscard]] Result<std::unique_ptr<Mapped>> map(std::uint64_t number);

  Disk& disk_;
  const Identity identity_;
  std::unique_ptr<Mapped> segment_;  // with the walk over it
  std::uint64_t number_ = 0;
  Sequence last_, synced_;
  const char* obstacle_ = nullptr;
};

}  // namespace dojima::journal
