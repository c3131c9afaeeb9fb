#pragma once

// A journal on disk: a directory of segments of fixed size, written through once before they are used, so that the file
// system has nothing left to do when records come (docs/journal.md). The thread that writes makes no system call, but
// one that ends a rest of the worker's, and never waits: `prepare` gives room in memory, `commit` completes the record.
// With `process` durability that memory is the file, mapped; with `power` and `none` it is the process's own, and the
// worker writes it out. Everything slow is done by `work()`: writing batches out, syncing, making new segments,
// removing old ones. One other thread calls it again and again (`JournalThread`, journal_thread.hpp), or a simulation
// does, in virtual time.
//
//   auto journal = FileJournal::open(*disk, {.identity = Identity::of("venue"), .durability = Durability::power});
//   if (!journal) ... journal.error().what, .advice ...
//   JournalThread thread(**journal);
//
// When writing fails, ordinary records are refused (`prepare` gives no room) and `trouble()` says why; the worker tries
// again at each step and all goes on once it succeeds. The last spare segment is kept for essential records.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/journal/disk.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/file/segment_catalogue.hpp"
#include "dojima/journal/file/task_troubles.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::journal {

struct FileJournalOptions {
  Identity identity{};
  Durability durability = Durability::process;
  std::size_t segment_bytes = std::size_t{1} << 26;  ///< of new segments: a multiple of 4096, below 4 GiB
  std::size_t largest_record = 4096;                 ///< a record above this is refused; at most 16 MiB
  unsigned spare_segments = 2;                       ///< ready ahead, 1 to 8; the last is for essential records
  bool cut_holes = false;                            ///< also goes on where a `process` journal lost power
  Sequence trusted{};                                ///< a snapshot holds it, or the caller has read it and it
                                                     ///< is on the disk: older segments are not read again
};

/// What opening found and did.
struct Recovery {
  Sequence first;  ///< the oldest record that can be read
  Sequence last;   ///< the newest
  Verdict verdict = Verdict::whole;
  Place place;                         ///< where the good records ended
  std::string what;                    ///< what was cut there
  std::vector<std::string> set_aside;  ///< segments that are no longer part of the journal, by their new names
};

/// What is left of a journal without another spare segment.
struct RoomLeft {
  std::uint64_t spares = 0;  ///< segments that are ready behind the one in use
  std::size_t bytes = 0;     ///< of the one in use, for records with their headers
  friend bool operator==(const RoomLeft&, const RoomLeft&) = default;
};

/// How much of a journal is ready to be written into.
struct JournalReadiness {
  std::uint64_t newest = 0;  ///< segment
  bool is_failing = false;   ///< ordinary records are refused
  friend bool operator==(const JournalReadiness&, const JournalReadiness&) = default;
};

/// When `synced()` follows what the worker has written.
enum class JournalPublish : std::uint8_t {
  now,
  later,  ///< `publish()` does, when what was written has had its time
};

/// The bytes of one segment, for as long as this lives.
struct SegmentView {
  Bytes bytes{};
  bool is_live = false;  ///< the memory that the journal writes into, not a file that was read back
  std::shared_ptr<const void> owner{};
};

class FileJournal final : public ReadableJournal {
 public:
  static constexpr std::size_t k_spares_most = 8;

  /// Opens the journal of the directory or begins one, recovers what is there, and makes segments. Blocks for as long
  /// as that takes. The disk must outlive the journal. `lock` is the disk's, where the caller has it already; null: it
  /// is taken.
  [[nodiscard]] static std::expected<std::unique_ptr<FileJournal>, Trouble> open(Disk& disk,
                                                                                 const FileJournalOptions& options,
                                                                                 std::unique_ptr<File> lock = nullptr);
  /// `close()`, unless abandoned.
  ~FileJournal();
  FileJournal(const FileJournal&) = delete;
  FileJournal& operator=(const FileJournal&) = delete;

  // ------------------------------------------------------------------------------------------ the thread that writes
  [[nodiscard]] Room prepare(std::size_t size) override { return room_for(size, false); }
  [[nodiscard]] Room prepare_essential(std::size_t size) override { return room_for(size, true); }
  Sequence commit(std::size_t size) override { return commit(size, 1); }
  /// The same with a kind of its own, 1 to 254, for tools.
  Sequence commit(std::size_t size, std::uint8_t kind);
  [[nodiscard]] RoomLeft room_left() const noexcept;
  /// So many bytes of records, each counted as bytes_of() says, find room before another spare segment is ready,
  /// whatever their sizes are. Of ordinary records 0 while they are refused; `is_essential`: of essential ones.
  [[nodiscard]] std::size_t sure_room(bool is_essential) const noexcept;
  /// That is at least so much whenever all spare segments are ready.
  [[nodiscard]] std::size_t sure_room_when_ready(bool is_essential) const noexcept;
  /// What a record of this size takes of a segment.
  [[nodiscard]] static std::size_t bytes_of(std::size_t size) noexcept;
  /// Where the record committed last lies; nowhere: none was since the opening.
  [[nodiscard]] Location last_location() const noexcept { return location_; }
  [[nodiscard]] Sequence last() const override { return {last_.load(std::memory_order_acquire)}; }
  [[nodiscard]] Sequence durable() const override { return durability_ == Durability::power ? synced() : last(); }

  // --------------------------------------------------------------------------------------------------- every thread
  /// The records up to this one are known to survive a loss of power. With `power` it follows the records; else the
  /// ends of segments, and `sync_in_use()` in between.
  [[nodiscard]] Sequence synced() const noexcept { return {synced_.load(std::memory_order_acquire)}; }
  /// Changes when a spare segment has become ready, and when writing begins to fail or works again: when sure_room()
  /// may have grown.
  [[nodiscard]] JournalReadiness readiness() const noexcept {
    return {newest_.load(std::memory_order_acquire), troubles_.is_failing()};
  }
  /// Why ordinary records are refused or `durable()` does not move; none: all is well.
  [[nodiscard]] std::optional<Error> trouble() const { return troubles_.first(); }
  /// Reads while the journal is written; each reader belongs to one thread, any thread.
  [[nodiscard]] Result<std::unique_ptr<Reader>> read_after(Sequence after) const override;
  /// The number of the segment that records go into. It only grows.
  [[nodiscard]] std::uint64_t segment_in_use() const noexcept {
    return Location{position_.load(std::memory_order_acquire)}.segment();
  }
  /// The files that there are, and their bytes.
  [[nodiscard]] JournalFiles files() const noexcept { return catalogue_.files(); }
  /// A segment as it is, whether in memory or in its file. An error: it is not there (any more). May block as the disk
  /// does.
  [[nodiscard]] Result<SegmentView> view(std::uint64_t segment) const;
  /// Segments all of whose records are up to this one are not needed any more; the worker removes them.
  void release(Sequence up_to) noexcept;
  [[nodiscard]] const Recovery& recovery() const noexcept { return recovery_; }
  [[nodiscard]] Durability durability() const noexcept { return durability_; }

  // ---------------------------------------------------------------------------------------- the worker's one thread
  using Publish = JournalPublish;
  /// Does what there is to do. False: nothing was, or it failed. Blocks as the disk does.
  bool work(Publish publish = Publish::now);
  /// Lets `synced()` follow what was written.
  void publish() noexcept;
  /// With `none` and `process`: syncs what was committed into the segment in use, so that `synced()` does not wait for
  /// its end, for when `work()` has found nothing to do. False: all that was committed is synced, older segments are to
  /// be synced first, or it failed (`trouble()`). Blocks as the disk does, and no lock is held meanwhile; with
  /// `process` the thread that writes may have to wait for the kernel where it stores into a page that is being written
  /// back.
  bool sync_in_use();

  /// For when `work()` has found nothing to do for a while: sleeps until there is something again, end_rest() is
  /// called, or `limit` has passed. With `power` and `none` any record ends it; with `process`, where records need
  /// nobody, the one behind which memory is to be made ready, at the latest the first of a segment. That commit makes
  /// one system call.
  void rest(std::chrono::nanoseconds limit);
  /// Ends rest(), or the next one. Any thread.
  void end_rest() noexcept;
  /// Whether a record would end a rest. Any thread.
  [[nodiscard]] bool is_resting() const noexcept { return rest_until_.load(std::memory_order_acquire) != k_no_rest; }

  /// Writes everything out, marks the end and gives the directory back; nothing may be called afterwards but the
  /// destructor. False: not all could be written.
  bool close();
  /// The same without writing anything: what the end of the process would leave.
  void abandon() noexcept;

 private:
  class Opening;
  class LiveReader;

  static constexpr std::uint64_t k_no_rest = std::numeric_limits<std::uint64_t>::max();

  FileJournal(Disk& disk, const FileJournalOptions& options);
  [[nodiscard]] Result<void> make_sure(LiveSegment& segment, std::size_t end);
  [[nodiscard]] Room room_for(std::size_t size, bool is_essential);
  [[nodiscard]] std::size_t sure_room(const RoomLeft& left) const noexcept;
  void next_segment();
  void mark();
  [[nodiscard]] std::uint32_t lag_of(std::uint64_t sequence) const noexcept;
  void give_back() noexcept;

  [[nodiscard]] Result<std::shared_ptr<LiveSegment>> make_segment(std::uint64_t number);
  [[nodiscard]] Result<std::shared_ptr<LiveSegment>> load_segment(std::uint64_t number);
  void add_spare(std::shared_ptr<LiveSegment> segment);
  [[nodiscard]] Result<bool> write_out();
  [[nodiscard]] Result<void> write_segment(LiveSegment& segment, std::size_t begin, std::size_t end);
  [[nodiscard]] Result<bool> retire();
  [[nodiscard]] Result<bool> sync_segment_in_use();
  [[nodiscard]] Result<bool> supply();
  void populate();
  [[nodiscard]] std::uint64_t spares_ahead() const noexcept;
  [[nodiscard]] std::uint64_t full_segments() const noexcept;
  [[nodiscard]] Result<bool> remove_released();
  [[nodiscard]] std::shared_ptr<LiveSegment> live(std::uint64_t number) const;

  Disk& disk_;
  const FileJournalOptions options_;
  const Durability durability_;
  Recovery recovery_;
  std::unique_ptr<File> lock_;

  // The thread that writes.
  LiveSegment* current_ = nullptr;
  Room image_;                // of the current segment
  std::size_t offset_ = 0;    // where its next record begins
  std::size_t prepared_ = 0;  // bytes handed out and not yet committed
  std::uint32_t sum_ = 0;     // of the last record
  Location location_{};       // of the last record

  // Written by it, read by others, on a line of their own.
  alignas(64) std::atomic<std::uint64_t> last_{0};
  std::atomic<std::uint64_t> position_{0};  // a Location that only grows

  // Written by the worker, read by others.
  alignas(64) std::atomic<std::uint64_t> synced_{0};
  std::atomic<std::uint64_t> newest_{0};              // number of the last spare segment
  std::atomic<std::uint64_t> rest_until_{k_no_rest};  // the worker rests until position_ is there
  std::atomic<std::uint32_t> rings_{0};               // ends of rests that were asked for
  TaskTroubles troubles_;
  std::array<std::atomic<LiveSegment*>, 2 * k_spares_most> slots_{};  // segments to be used, by their number

  // The worker.
  alignas(64) std::uint64_t written_position_ = 0;
  std::uint64_t written_ = 0;                      // last record that is out
  std::uint64_t populated_ = 0;                    // position
  std::deque<std::shared_ptr<LiveSegment>> live_;  // not yet retired
  bool is_closed_ = false;
  std::uint32_t heard_ = 0;  // of rings_

  std::atomic<std::uint64_t> released_{0};
  SegmentCatalogue catalogue_;
};

}  // namespace dojima::journal
