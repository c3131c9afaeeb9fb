#pragma once

// Snapshots: the state that the records of a journal up to some place led to, as opaque bytes in a file of the
// journal's directory. A snapshot is written under another name, synced, read back and only then given its own, so that
// under a snapshot's name there is never half of one. At start the newest good one is taken; a bad one is passed over
// for the one before. Everything here blocks as the disk does and may be done by any thread, one at a time.
//
//   auto writer = SnapshotWriter::begin(disk, {.identity = id, .sequence = partition.last(), .digest = digest});
//   ... writer->append(piece) ...;  writer->finish();
//   keep_snapshots(disk, 2, journal);                          // older ones, and the records before them, go
//
//   auto found = newest_snapshot(disk, id);                    // at start
//   if (found && found->snapshot) restore(found->snapshot->bytes());

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/journal/disk.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

struct SnapshotInfo {
  Identity identity;
  Sequence sequence;          ///< the last record whose effect it holds
  std::uint64_t digest = 0;   ///< of the state, in its owner's terms: what restoring must come to
  std::uint32_t version = 0;  ///< of the bytes' format, its owner's
  friend bool operator==(const SnapshotInfo&, const SnapshotInfo&) = default;
};

/// "00000000000000012345.snapshot"
[[nodiscard]] std::string snapshot_name(Sequence sequence);

class SnapshotWriter {
 public:
  /// Begins a snapshot's file. A snapshot of the same place is replaced when this one is finished.
  [[nodiscard]] static Result<SnapshotWriter> begin(Disk& disk, const SnapshotInfo& info);
  /// Removes the file unless it was finished.
  ~SnapshotWriter();
  SnapshotWriter(SnapshotWriter&& other) noexcept;
  SnapshotWriter& operator=(SnapshotWriter&&) = delete;

  /// More bytes. After an error the snapshot cannot be finished.
  [[nodiscard]] Result<void> append(Bytes bytes);
  /// Syncs, reads back, compares and gives it its name.
  [[nodiscard]] Result<void> finish();

 private:
  SnapshotWriter(Disk& disk, const SnapshotInfo& info, std::unique_ptr<File> file);
  [[nodiscard]] Result<void> flush();

  Disk* disk_;
  SnapshotInfo info_;
  std::string name_;  // that of the unfinished file
  std::unique_ptr<File> file_;
  std::vector<std::byte> buffer_;
  std::uint64_t size_ = 0;
  std::uint32_t sum_ = 0;
  bool is_failed_ = false;
};

/// A snapshot that was read and is good.
class Snapshot {
 public:
  Snapshot(const SnapshotInfo& info, std::unique_ptr<File> file, Bytes bytes)
      : info_(info), file_(std::move(file)), bytes_(bytes) {}
  [[nodiscard]] const SnapshotInfo& info() const noexcept { return info_; }
  /// Aligned to 8; live as long as the snapshot.
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

 private:
  SnapshotInfo info_;
  std::unique_ptr<File> file_;
  Bytes bytes_;
};

/// Reads one by its file's name and checks all of it.
[[nodiscard]] Result<Snapshot> read_snapshot(Disk& disk, const std::string& name);

struct FoundSnapshot {
  std::optional<Snapshot> snapshot;  ///< none: there is no good one
  struct Bad {
    std::string file;
    Error error;
  };
  std::vector<Bad> passed_over;  ///< newer ones that are no good
};

/// The newest good snapshot of this journal at or before `up_to`. An error is one of the directory.
[[nodiscard]] Result<FoundSnapshot> newest_snapshot(Disk& disk, const Identity& identity,
                                                    Sequence up_to = {~std::uint64_t{0}});

/// Keeps the newest `count` > 0 good snapshots, removes older ones and what was left unfinished, and releases the
/// journal's records up to the oldest that is kept. Fewer good ones than `count`: nothing is released. Gives the
/// sequence released.
[[nodiscard]] Result<Sequence> keep_snapshots(Disk& disk, std::size_t count, FileJournal& journal,
                                              const Identity& identity);

}  // namespace dojima::journal
