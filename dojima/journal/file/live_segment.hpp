#pragma once

// A segment of a `FileJournal` that is in memory: spare, in use, or full and not yet let go of.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dojima/journal/disk.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

/// A segment in memory. What is not atomic is written before the position says that the segment is in use.
struct LiveSegment {
  std::uint64_t number = 0;
  std::string name;
  std::unique_ptr<File> file;
  std::unique_ptr<std::byte[]> memory;  // unless the file is mapped
  Room image;
  Sequence first;
  std::optional<Sequence> unsure_behind{};  // an earlier process wrote what comes behind this record: perhaps not on
                                            // the disk. None: all that is not synced was written by this one
  std::atomic<std::size_t> end{0};          // where its records end, once the next segment is in use
};

}  // namespace dojima::journal
