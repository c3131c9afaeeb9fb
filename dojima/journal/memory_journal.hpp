#pragma once

// A journal in memory taken once: what it holds is durable as long as the process lives, so durable() is last().
// `Keep::all` keeps every record for replay until the capacity is used up, then refuses; `Keep::none` only counts,
// for runs whose commands nobody will read again, and is never full. O(1) per record, no allocation after
// construction. One thread.
//
//   MemoryJournal journal({.keep = Keep::all, .capacity = 1 << 20});
//   for (MemoryJournal::Cursor at; auto record = journal.read(at);) replay(record->bytes);

#include <cstddef>
#include <memory>
#include <optional>

#include "dojima/journal/journal.hpp"

namespace dojima::journal {

enum class Keep : std::uint8_t {
  none,  ///< records are counted and forgotten
  all,   ///< records are kept until the capacity is used up
};

struct MemoryJournalOptions {
  Keep keep = Keep::all;
  std::size_t capacity =
      std::size_t{1} << 24;           ///< bytes for kept records; each takes 8 more than its size, rounded to 8
  std::size_t largest_record = 4096;  ///< a record above this is refused
};

class MemoryJournal final : public ReadableJournal {
 public:
  /// Where a reader is. A fresh one is before the first record.
  struct Cursor {
    std::size_t offset = 0;
    Sequence read;  ///< the last record read
  };

  /// Throws std::bad_alloc.
  explicit MemoryJournal(const MemoryJournalOptions& options);

  [[nodiscard]] Room prepare(std::size_t size) override;
  Sequence commit(std::size_t size) override;
  [[nodiscard]] Sequence last() const override { return last_; }
  [[nodiscard]] Sequence durable() const override { return last_; }

  /// The next record, or none when the cursor has read them all; always none with `Keep::none`. Its bytes live as long
  /// as the journal. O(1).
  [[nodiscard]] std::optional<Record> read(Cursor& cursor) const;
  /// Missing: the records were not kept. For the thread that writes. O(records up to `after`).
  [[nodiscard]] Result<std::unique_ptr<Reader>> read_after(Sequence after) const override;

  [[nodiscard]] Keep keep() const noexcept { return options_.keep; }
  /// Bytes of the capacity in use.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  MemoryJournalOptions options_;
  std::unique_ptr<std::byte[]> bytes_;  // kept records, each behind its size in 8 bytes
  std::size_t used_ = 0;
  std::size_t prepared_ = 0;  // bytes handed out by the last prepare and not yet committed
  Sequence last_;
};

}  // namespace dojima::journal
