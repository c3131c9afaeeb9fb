#pragma once

// Single records of a FileJournal by the place where they lie, for callers that keep an index of them. What is still in
// the journal's memory is read there; older segments are mapped, and two of them stay mapped, so reading on in the
// order of the records takes a system call where a segment begins and none between. Belongs to one thread.
//
//   index.push_back(journal.last_location());          // behind a commit
//   Result<Record> record = access.read(index[7]);

#include <array>
#include <cstdint>

#include "dojima/base/error.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

class RecordAccess {
 public:
  /// The journal outlives it.
  explicit RecordAccess(const FileJournal& journal) noexcept : journal_(journal) {}

  /// The record that lies there; its bytes live until the next call. What comes from a file is held against its sum.
  /// Errors: the segment was removed or cannot be read, or no good record lies there. O(size), plus opening and
  /// mapping a segment that was not read lately.
  [[nodiscard]] Result<Record> read(Location at);

 private:
  struct Held {
    std::uint64_t number = 0;
    SegmentView view;
  };
  [[nodiscard]] Result<const SegmentView*> segment(std::uint64_t number);

  const FileJournal& journal_;
  std::array<Held, 2> held_;  // the one used last comes first
};

}  // namespace dojima::journal
