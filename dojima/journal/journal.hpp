#pragma once

// A journal: an append-only, numbered log of opaque records. A change of state is written here first and applied
// afterwards; what may leave the process is decided by comparing with `durable()`, a number that only grows.
// `MemoryJournal` (memory_journal.hpp) keeps records in memory, `FileJournal` (file_journal.hpp) on disk. One thread
// writes.
//
//   Room room = journal.prepare(sizeof record);
//   if (room.empty()) ...                              // full: nothing changed, refuse the command
//   std::memcpy(room.data(), &record, sizeof record);
//   Sequence written = journal.commit(sizeof record);

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"

namespace dojima::journal {

/// The place of a record: 1 is the first, each commit is one more. 0: none.
struct Sequence {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const Sequence&, const Sequence&) = default;
};

/// Where a record lies in a journal of segments. Grows with the sequence; 0: nowhere.
struct Location {
  std::uint64_t value = 0;  ///< number of the segment in the upper 32 bits, byte in the segment in the lower ones

  [[nodiscard]] constexpr std::uint64_t segment() const noexcept { return value >> 32U; }
  [[nodiscard]] constexpr std::uint32_t offset() const noexcept { return static_cast<std::uint32_t>(value); }
  [[nodiscard]] static constexpr Location of(std::uint64_t segment, std::uint64_t offset) noexcept {
    return {segment << 32U | offset};
  }
  friend constexpr auto operator<=>(const Location&, const Location&) = default;
};

/// A record in a journal. The bytes are aligned to 8 and live as long as its source says.
struct Record {
  Sequence sequence;
  Bytes bytes;
  std::uint8_t kind = 1;  ///< what its writer said it is, for tools
  Location location{};    ///< for RecordAccess (record_access.hpp); 0 in a journal without segments
};

class Journal {
 public:
  /// Room for a record of `size` > 0 bytes, aligned to 8 bytes and valid until the next call of prepare or commit.
  /// Empty: the journal is full or takes no record of that size; nothing changed.
  [[nodiscard]] virtual Room prepare(std::size_t size) = 0;

  /// The same for what must be written even when ordinary records are refused for want of room: what takes risk away
  /// (cancels, ends of sessions) and what moves the day on. A journal with a reserve gives it up for these only.
  [[nodiscard]] virtual Room prepare_essential(std::size_t size) { return prepare(size); }

  /// The first `size` > 0 bytes of the room just prepared are the next record. Its place: `last()` before, plus 1.
  virtual Sequence commit(std::size_t size) = 0;

  /// The record committed last.
  [[nodiscard]] virtual Sequence last() const = 0;

  /// Every record up to this one survives a crash, as far as this journal can promise it. Never above `last()`.
  [[nodiscard]] virtual Sequence durable() const = 0;

 protected:
  ~Journal() = default;
};

/// Reads the records of a journal in their order, while it is written.
class Reader {
 public:
  virtual ~Reader() = default;

  /// The next record; none: all that was committed has been read, ask again when there is more. An error: the record is
  /// damaged, and so it stays. The record's bytes live until the next call. O(size), no allocation but where a segment
  /// begins.
  [[nodiscard]] virtual Result<std::optional<Record>> next() = 0;
};

/// A journal whose records can be read back.
class ReadableJournal : public Journal {
 public:
  /// Reads the records behind `after`. An error: they are not there (any more). The journal must outlive the reader.
  [[nodiscard]] virtual Result<std::unique_ptr<Reader>> read_after(Sequence after) const = 0;

 protected:
  ~ReadableJournal() = default;
};

}  // namespace dojima::journal
