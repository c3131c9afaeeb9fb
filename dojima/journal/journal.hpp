#pragma once

// A journal: an append-only, numbered log of opaque records. Whoever changes state writes the change here first and
// applies it afterwards; what may leave the process is decided by comparing with `durable()`, a number that only grows.
// `MemoryJournal` (memory_journal.hpp) keeps records in memory; a journal on disk is the same interface. One thread.
//
//   Room room = journal.prepare(sizeof record);
//   if (room.empty()) ...                              // full: nothing changed, refuse the command
//   std::memcpy(room.data(), &record, sizeof record);
//   Sequence written = journal.commit(sizeof record);

#include <compare>
#include <cstddef>
#include <cstdint>

#include "dojima/base/bytes.hpp"

namespace dojima::journal {

/// The place of a record: 1 is the first, each commit is one more. 0: none.
struct Sequence {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const Sequence&, const Sequence&) = default;
};

class Journal {
 public:
  /// Room for a record of `size` > 0 bytes, aligned to 8 bytes and valid until the next call of prepare or commit.
  /// Empty: the journal is full or takes no record of that size; nothing changed.
  [[nodiscard]] virtual Room prepare(std::size_t size) = 0;

  /// The first `size` > 0 bytes of the room just prepared are the next record. Its place: `last()` before, plus 1.
  virtual Sequence commit(std::size_t size) = 0;

  /// The record committed last.
  [[nodiscard]] virtual Sequence last() const = 0;

  /// Every record up to this one survives a crash, as far as this journal can promise it. Never above `last()`.
  [[nodiscard]] virtual Sequence durable() const = 0;

 protected:
  ~Journal() = default;
};

}  // namespace dojima::journal
