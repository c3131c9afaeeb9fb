#pragma once

// A partition on a journal of its own directory, as it is after a start: recovered from the newest good snapshot and
// the records behind it, or begun; with its settings in the journal, and the ends of all sessions that were open when
// it stopped. docs/journal.md has the rules. Opening blocks as the disk does. One thread.
//
//   auto opened = JournaledPartition::open(disk, {.settings = settings, .now = clock.now()});
//   if (!opened) show(opened.error().what, opened.error().place, opened.error().advice);
//   JournalThread thread((*opened)->journal());
//   (*opened)->partition().submit(...)

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/journal/snapshots.hpp"
#include "dojima/venue/recovery/replayer.hpp"

namespace dojima::venue {

/// Whose journal a partition's is.
[[nodiscard]] journal::Identity identity_of_partition(std::uint8_t app_id);

struct JournaledPartitionOptions {
  PartitionSettings settings;
  journal::FileJournalOptions journal;                         ///< identity and `trusted` are filled in
  Time now;                                                    ///< of the start
  Duration clock_tolerance = std::chrono::seconds{60};         ///< a clock further behind the last record is refused
  std::function<void(std::uint64_t, std::uint64_t)> progress;  ///< records applied, of how many; may be empty
};

/// What a start found and did.
struct PartitionRecovery {
  bool is_new = false;                                   ///< there was nothing
  journal::Sequence snapshot;                            ///< 0: none was used
  std::vector<journal::FoundSnapshot::Bad> passed_over;  ///< snapshots that are no good
  journal::Recovery journal;                             ///< what was found behind the last record, and cut
  std::string advice;                                    ///< what to do about it; empty where a start cuts it itself
  std::uint64_t replayed = 0;                            ///< records behind the snapshot
  std::uint64_t digest = 0;                              ///< of the state that was recovered, before anything new
  market::Sequence last;                                 ///< of the recovered state
  Time last_time;                                        ///< of the last record; the epoch: there was none
  Duration clock_behind{};                               ///< how far the clock is behind it
  std::vector<Difference> changes;                       ///< of the settings, put on record
  std::uint32_t sessions_ended = 0;                      ///< that were open when the venue stopped
};

/// What is wrong with the records, for a person; none: they are whole, or the last one was cut while it was written.
[[nodiscard]] std::optional<journal::Trouble> trouble_of(const PartitionRecovery& recovery);

/// What is in a directory, without changing anything and without its lock: for tools, also beside a running venue.
struct ReplayedPartition {
  std::unique_ptr<journal::MemoryJournal> nothing;  ///< what the partition would write to
  std::unique_ptr<Replayer> replayer;
  PartitionRecovery recovery;
};

struct ReplayOptions {
  bool from_snapshot = true;          ///< else from the first record
  bool from_oldest_snapshot = false;  ///< from the first record where it is there, else from the oldest snapshot
  journal::Sequence up_to{~std::uint64_t{0}};
  std::function<void(Partition&)> on_made;  ///< as Replayer::on_made; a snapshot's state is not loaded yet
  /// Asked before each record behind the snapshot, with the partition as it is then; null: its settings are not
  /// complete. False: the replay ends here.
  std::function<bool(const Partition*, const journal::Record&)> before;
  std::function<void(std::uint64_t, std::uint64_t)> progress;  ///< records applied, of how many
};

/// Replays a directory's records up to the last good one. A torn tail or a hole is no trouble here: the recovery says
/// where the good records end.
[[nodiscard]] std::expected<ReplayedPartition, journal::Trouble> replay_directory(journal::Disk& disk,
                                                                                  const ReplayOptions& options = {});

class JournaledPartition {
 public:
  /// Refused with what, where and what to do: damage, another venue's journal, other settings, a clock that is behind.
  /// Throws std::bad_alloc, std::invalid_argument for settings that make no sense.
  [[nodiscard]] static std::expected<std::unique_ptr<JournaledPartition>, journal::Trouble> open(
      journal::Disk& disk, const JournaledPartitionOptions& options);

  [[nodiscard]] Partition& partition() noexcept { return *replayer_->partition(); }
  [[nodiscard]] const Partition& partition() const noexcept { return *replayer_->partition(); }
  [[nodiscard]] journal::FileJournal& journal() noexcept { return *journal_; }
  [[nodiscard]] const Replayer& replayer() const noexcept { return *replayer_; }
  [[nodiscard]] journal::Disk& disk() const noexcept { return disk_; }
  [[nodiscard]] const PartitionRecovery& recovery() const noexcept { return recovery_; }

 private:
  explicit JournaledPartition(journal::Disk& disk) : disk_(disk) {}
  [[nodiscard]] std::optional<journal::Trouble> recover(const JournaledPartitionOptions& options);
  [[nodiscard]] std::optional<journal::Trouble> restore(const JournaledPartitionOptions& options,
                                                        journal::Sequence up_to);
  [[nodiscard]] std::optional<journal::Trouble> replay(const JournaledPartitionOptions& options);
  [[nodiscard]] std::optional<journal::Trouble> compare(const JournaledPartitionOptions& options);
  [[nodiscard]] bool write(const PartitionSettings& settings, Time now);
  [[nodiscard]] std::optional<journal::Trouble> end_sessions(Time now);

  journal::Disk& disk_;
  std::unique_ptr<journal::FileJournal> journal_;
  std::unique_ptr<Replayer> replayer_;
  PartitionRecovery recovery_;
};

}  // namespace dojima::venue
