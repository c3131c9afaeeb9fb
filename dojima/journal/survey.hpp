#pragma once

// What is in a journal's directory: its segments, where its records end, and whether they end as records may. Only
// looks. `FileJournal::open` goes on from here; tools print it.
//
//   auto found = survey(*disk);
//   if (found && found->verdict == Verdict::damaged) show(found->place, found->what, found->advice);
//
// Behind the last good record there must be zeros. Where there is something else, one of three things is true. If a
// record further on, good in itself, knows that the missing one was on the disk, the disk (or a hand) has damaged the
// journal. If none does, the missing ones were never promised: they were being written when the process or the power
// went, and are cut. Only with `process` durability there is a third case: good records behind the place, none of which
// says so. A loss of power leaves that, and so does damage; the journal cannot know.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/journal/disk.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/journal/trouble.hpp"

namespace dojima::journal {

enum class Verdict : std::uint8_t {
  whole,      ///< nothing but records and zeros
  torn_tail,  ///< what was being written at the end is incomplete: nothing promised is lost by cutting it
  hole,       ///< `process` only: what a loss of power leaves, which `process` does not cover, or damage
  damaged,    ///< records that were on the disk are not good any more
};

[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

struct SegmentInfo {
  std::uint64_t number = 0;
  std::string file;
  std::uint64_t bytes = 0;   ///< of the file
  std::uint64_t wanted = 0;  ///< what it should have; 0: not known
  bool is_blank = false;     ///< all zeros: it waits to be used
  bool is_begun = false;     ///< has a header that follows the one before
  bool is_read = false;      ///< its records were looked at
  Sequence first;            ///< the first record it has, or would have
  Sequence last;             ///< `first` - 1: it has none
  std::uint64_t end = 0;     ///< where its good records end
};

struct Survey {
  Verdict verdict = Verdict::whole;
  std::vector<SegmentInfo> segments;
  Identity identity;                            ///< of a journal that was begun
  Durability durability = Durability::process;  ///< with which the newest segment was written
  std::uint32_t largest_record = 0;             ///< that the newest segment takes
  Sequence first;                               ///< the oldest record that is there would be this one
  Sequence last;                                ///< the newest good record
  std::size_t current = 0;                      ///< index of the segment that has the end; none if none was begun
  std::uint32_t sum = 0;                        ///< of the last record, or of its segment's header
  Place place;                                  ///< where the good records end
  std::string what;                             ///< what is there, unless it is whole
  std::string advice;
  Sequence known_synced;                ///< the highest record that something behind the place knows to be on the disk
  std::uint64_t intact_behind = 0;      ///< records behind the place that are good in themselves
  std::vector<std::string> unfinished;  ///< files that were being made

  /// What would come behind the newest good record.
  [[nodiscard]] Sequence next() const noexcept { return {last.value + 1}; }
  [[nodiscard]] bool is_begun() const noexcept { return current < segments.size() && segments[current].is_begun; }
};

struct SurveyOptions {
  /// Segments all of whose records are up to this one are not read: a snapshot holds what they led to.
  Sequence trusted;
};

/// Looks at the whole directory, whatever is in it. An error is one of the disk. O(bytes), or O(bytes^2) of a segment
/// that somebody made for it.
[[nodiscard]] Result<Survey> survey(Disk& disk, const SurveyOptions& options = {});

/// Reads what a survey found, behind `after` and up to the last good record, without opening the journal: for tools,
/// and beside its writer. Missing: those records are not there. The disk must outlive the reader.
[[nodiscard]] Result<std::unique_ptr<Reader>> read_directory(Disk& disk, const Survey& found, Sequence after = {});

/// "00000000000000000012.segment"
[[nodiscard]] std::string segment_name(std::uint64_t number);

}  // namespace dojima::journal
