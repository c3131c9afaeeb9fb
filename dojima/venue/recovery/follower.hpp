#pragma once

// A partition that replays the journal beside the live one and writes its snapshots, so that the live one never stops
// for them. A snapshot is read back, loaded into a third partition and compared by digest before anything older may go.
// It follows `durable()`, so a snapshot never holds what the journal may still lose. One thread: its own
// (FollowerThread), or the caller's of step().
//
//   Follower follower(opened, {.every_commands = 1'000'000, .keep = 2});
//   FollowerThread thread(follower);

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"
#include "dojima/venue/recovery/replayer.hpp"

namespace dojima::venue {

struct FollowerOptions {
  std::uint64_t every_commands = 1'000'000;  ///< behind so many commands a snapshot is due; 0: never
  Duration keep_for{};                       ///< snapshots younger than this are kept as well, by their commands' times
  std::size_t keep = 2;                      ///< good snapshots that are kept, with the records behind the oldest
  std::uint64_t reports = ~std::uint64_t{0};  ///< of the report log, at most so many of the newest
};

struct FollowerState {
  journal::Sequence at;        ///< the last record that it has replayed
  journal::Sequence snapshot;  ///< of the newest snapshot that it wrote; 0: none
  std::uint64_t snapshots = 0;
  std::uint64_t failures = 0;      ///< snapshots that could not be written
  bool is_lost = false;            ///< it follows no longer: a record could not be read or applied
  std::optional<Error> trouble{};  ///< why the last one was not, or why it follows no longer
};

class Follower {
 public:
  /// Begins where the partition is now: call it from the partition's thread, before the first command or between two.
  /// Throws std::bad_alloc. All must outlive it.
  Follower(JournaledPartition& leader, const FollowerOptions& options);

  /// Replays at most so many records and writes a snapshot if one is due. False: there was nothing to do, or it follows
  /// no longer.
  bool step(std::size_t most = 1024);
  /// A snapshot of where it is.
  [[nodiscard]] Result<journal::Sequence> snapshot();

  /// Any thread may ask.
  [[nodiscard]] FollowerState state() const;

 private:
  void note(const Error& error, bool is_snapshot);
  [[nodiscard]] Result<std::size_t> count_to_keep();

  journal::Disk& disk_;
  journal::FileJournal& journal_;
  FollowerOptions options_;
  journal::Identity identity_;
  journal::MemoryJournal nothing_{{.keep = journal::Keep::none, .capacity = 1}};
  Replayer replayer_{nothing_};
  std::unique_ptr<journal::Reader> reader_;
  bool is_lost_ = false;  // it follows no longer
  std::uint64_t last_snapshot_ = 0;
  mutable std::mutex mutex_;  // of the state
  FollowerState state_;
};

class FollowerThread {
 public:
  /// Throws std::system_error.
  explicit FollowerThread(Follower& follower);

 private:
  std::jthread thread_;
};

/// Writes a snapshot of a partition's state and compares what can be read back with it. Gives its sequence.
[[nodiscard]] Result<journal::Sequence> write_snapshot(journal::Disk& disk, const journal::Identity& identity,
                                                       const Replayer& replayer, std::uint64_t reports);

}  // namespace dojima::venue
