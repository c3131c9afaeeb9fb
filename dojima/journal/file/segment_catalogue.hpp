#pragma once

// Which segments a journal has, in order, and which of them are in memory: what its worker keeps and readers look up.
// Any thread. O(segments).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dojima/journal/journal.hpp"

namespace dojima::journal {

struct LiveSegment;

/// What a journal has on its disk, segments that are ready to be used included.
struct JournalFiles {
  std::uint64_t segments = 0, bytes = 0;
  friend bool operator==(const JournalFiles&, const JournalFiles&) = default;
};

class SegmentCatalogue {
 public:
  [[nodiscard]] std::size_t size() const;
  /// Files and their bytes, for who must not wait for the others: each a load, of one moment or the next. O(1).
  [[nodiscard]] JournalFiles files() const noexcept {
    return {.segments = segments_.load(std::memory_order_relaxed), .bytes = bytes_.load(std::memory_order_relaxed)};
  }
  /// Behind all others, a file of so many bytes. `live`: null for one that is not in memory, whose first record is
  /// `first`.
  void add(std::uint64_t number, Sequence first, std::uint64_t bytes, std::shared_ptr<LiveSegment> live);
  /// A segment that is there has been read into memory.
  void attach(std::shared_ptr<LiveSegment> live);
  /// A segment is in its file alone from now on.
  void detach(const LiveSegment& live);
  void remove_oldest();

  /// A segment that is in memory; null: one that is in its file alone; none: there is no such segment.
  [[nodiscard]] std::optional<std::shared_ptr<LiveSegment>> find(std::uint64_t number) const;
  /// The oldest one, if it is in its file alone and all of its records are up to this one.
  [[nodiscard]] std::optional<std::uint64_t> oldest_up_to(Sequence last) const;
  /// The one, up to `newest`, where records behind `after` begin; none: they were removed.
  [[nodiscard]] std::optional<std::uint64_t> holder_behind(Sequence after, std::uint64_t newest) const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    Sequence first;  // while it is not in memory
    std::uint64_t bytes = 0;
    std::shared_ptr<LiveSegment> live;
  };
  [[nodiscard]] static Sequence first_of(const Entry& entry) noexcept;

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::atomic<std::uint64_t> segments_{0}, bytes_{0};  // of the entries
};

}  // namespace dojima::journal
