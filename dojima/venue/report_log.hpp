#pragma once

// A partition's reports to its users, in order: a ring that is output queue and recovery store at once. The partition
// appends; readers follow with a cursor each, and get nothing whose command is not durable yet. A reader that falls
// behind by more than the capacity learns how many reports it lost. Where a single command causes more than a quarter
// of it, or so many wait for who must not lose any, the log goes on in a larger ring, whose memory is reserved from the
// start and costs nothing until then: that takes a book of very many orders. O(1) per report but for that one time, no
// allocation after construction. One thread.
//
//   for (auto batch = log.read(cursor, durable); !batch.reports.empty(); batch = log.read(cursor, durable)) ...

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/market/report.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

/// How far a reader has come: the number of reports before it since the log began.
struct Cursor {
  std::uint64_t position = 0;
};

class ReportLog {
 public:
  /// Room for `capacity` >= 1 reports. With `most` above it the log grows to that, once and for good, before a single
  /// command has caused more than half of the capacity, or that many are behind keep_from(). Throws std::bad_alloc.
  explicit ReportLog(std::size_t capacity, std::size_t most = 0);

  /// One more report; the oldest one goes when the ring is full. Reports that have a number have the next one, and
  /// commands come in their order.
  void append(const market::OwnerReport& report) noexcept {
    market::OwnerReport& next = prepare();
    next = report;
    commit(next);
  }
  /// The same in place: where the next report goes, with anything in it; and that it is written there, every field. It
  /// can be read there until the next one is prepared.
  [[nodiscard]] market::OwnerReport& prepare() noexcept {
#if defined(DOJIMA_SLOW_CHECKS)
    std::memset(static_cast<void*>(next_), 0x55, sizeof *next_);  // a field that is forgotten shows
#endif
    return *next_;
  }
  [[gnu::always_inline]] void commit(const market::OwnerReport& written) noexcept {
    const std::uint64_t number = written.sequence.value;
    DOJIMA_ASSERT(number == 0 || number == last_number_ + 1, "reports are numbered without a gap", number, last_number_,
                  written.command, written.kind);
    if (number != 0) last_number_ = number;
    DOJIMA_CHECK_SLOW(end_ == oldest_ || written.command >= report_at(end_ - 1).command,
                      "reports follow the order of their commands", written.command, number, end_, written.kind);
    ++end_;
    if (++next_ == mark_) [[unlikely]]
      pass_mark();
  }

  /// The next report with a number is number 1 again. Those before are no longer here, and the larger ring, if the log
  /// had grown to it, is given back, to grow to again. Nobody may be behind keep_from(). O(1).
  void begin_day() noexcept;

  /// Reports from this position on are still to be read by who must not lose any; at first and with k_nobody none are.
  void keep_from(std::uint64_t position) noexcept { kept_from_ = position; }
  static constexpr std::uint64_t k_nobody = ~std::uint64_t{0};

  struct Batch {
    std::span<const market::OwnerReport> reports;  ///< oldest first; valid until the next append
    std::uint64_t lost = 0;                        ///< overwritten before this cursor came: the cursor jumped over them
  };

  /// The next reports caused by commands up to `durable`, as many as lie in one piece, and moves the cursor behind
  /// them. Empty: nothing may leave now.
  [[nodiscard]] Batch read(Cursor& cursor, market::Sequence durable) const noexcept;

  /// Where reading goes on for a reader that wants this number and what follows; `end()` when there is none. O(log
  /// reports), and reports without a number in a row.
  [[nodiscard]] Cursor find(market::Sequence number) const noexcept;
  /// All reports with numbers from here on are in the log; 1 while none has gone.
  [[nodiscard]] market::Sequence first_kept() const noexcept;

  /// The number that the next report with a number gets.
  [[nodiscard]] market::Sequence next_number() const noexcept { return {last_number_ + 1}; }

  /// The newest reports, at most `most`, and where the log is.
  void save(StateWriter& out, std::uint64_t most) const;
  /// OwnerReport::reference of the same reports, which is saved apart: there are saved logs from before it existed.
  void save_references(StateWriter& out, std::uint64_t most) const;
  /// Behind load() of the same state.
  [[nodiscard]] bool load_references(StateReader& in);
  /// Into a log without reports; of more than its capacity the newest are kept. False: the reader failed.
  [[nodiscard]] bool load(StateReader& in);

  /// Reports appended so far: where a new reader starts to see only what comes.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  /// So many of the newest are kept. It grows at most once.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// What it grows to at most.
  [[nodiscard]] std::size_t most() const noexcept { return reserve_ ? reserve_->size() : usual_.size(); }

 private:
  using Memory = LargeArray<market::OwnerReport>;

  /// Position of the oldest report that is still here.
  [[nodiscard]] std::uint64_t oldest() const noexcept;
  /// Of the newest ones, at most so many.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t most) const noexcept;

  [[nodiscard]] bool is_too_small() const noexcept;
  /// Behind each quarter of the ring and at its end: there it goes round, and sees whether it has to grow.
  [[gnu::noinline]] void pass_mark() noexcept;
  void grow() noexcept;
  void set_mark() noexcept;
  [[nodiscard]] const market::OwnerReport& report_at(std::uint64_t position) const noexcept {
    return reports_[position % capacity_];
  }

  Memory usual_;
  std::optional<Memory> reserve_;  // not touched before it is used
  std::size_t capacity_;           // of the ring in use
  market::OwnerReport* reports_;   // its first place
  market::OwnerReport* next_;      // where the next report goes: end_ modulo the capacity
  market::OwnerReport* mark_;      // behind which place pass_mark() is due
  std::uint64_t end_ = 0;
  std::uint64_t oldest_ = 0;  // nothing before this position is here
  std::uint64_t kept_from_ = k_nobody;
  std::uint64_t last_number_ = 0;
};

}  // namespace dojima::venue
