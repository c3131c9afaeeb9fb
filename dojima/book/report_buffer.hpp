#pragma once

// Where a book writes what happened: a fixed array of reports of the command in hand. The sequence and the time are
// kept once per command. The owner drains the buffer: after each command with finish(), and in between only when it is
// full. No allocation after construction. One thread.
//
//   buffer.begin(sequence, now);  book.apply(command);  buffer.finish();

#include <cstddef>
#include <span>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/report_check.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

class ReportBuffer {
 public:
  /// Room for `capacity` >= 1 reports. Throws std::bad_alloc.
  explicit ReportBuffer(std::size_t capacity)
      : reports_(capacity), next_(reports_.data()), end_(reports_.data() + capacity) {
    DOJIMA_ASSERT(capacity > 0, "a report buffer holds at least one report", capacity);
  }
  ReportBuffer(const ReportBuffer&) = delete;
  ReportBuffer& operator=(const ReportBuffer&) = delete;

  /// The next reports belong to this command.
  void begin(market::Sequence command, time::Time now) noexcept {
    command_ = command;
    now_ = now;
  }

  /// One more report of the command, empty but for its sequence, to be filled in before the next call. O(1).
  market::BookReport& append() {
    if (next_ == end_) finish();
    market::BookReport& report = *next_++;
    report = market::BookReport{.sequence = command_};
    return report;
  }

  /// Room for one more report, with anything in it but the sequence: for callers that write every field, and each
  /// once. O(1).
  [[nodiscard]] market::BookReport& append_raw() {
    if (next_ == end_) [[unlikely]] {
      finish();
    }
    market::BookReport& report = *next_++;
    report.sequence = command_;
    return report;
  }

  // For callers that write many reports in place, the cursor in a register: from next() on, up to end(), each field
  // of each report, then written(). At end(), written() and finish() make room.
  [[nodiscard]] market::BookReport* next() const noexcept { return next_; }
  [[nodiscard]] const market::BookReport* end() const noexcept { return end_; }
  [[nodiscard]] bool has_room(std::ptrdiff_t reports) const noexcept { return end_ - next_ >= reports; }
  [[nodiscard]] market::Sequence command() const noexcept { return command_; }
  void written(market::BookReport* next) noexcept { next_ = next; }

  // For an owner that takes the reports itself when a command is over, without a call: what finish() would hand over,
  // and that it was taken.
  [[nodiscard]] std::span<const market::BookReport> pending() const noexcept { return {reports_.data(), next_}; }
  void taken() {
    check();
    next_ = reports_.data();
  }

  /// Hands over what is there.
  void finish() {
    if (next_ == reports_.data()) return;
    check();
    drain({reports_.data(), next_}, now_);
    next_ = reports_.data();
  }

 protected:
  ~ReportBuffer() = default;

  /// Takes the reports, oldest first. They die when it returns. It may be called in the middle of a command and must
  /// not call the book.
  virtual void drain(std::span<const market::BookReport> reports, time::Time now) = 0;

 private:
  /// Of what is handed over; nothing where slow checks are off.
  void check() const {
#if defined(DOJIMA_SLOW_CHECKS)
    for (const market::BookReport* report = reports_.data(); report != next_; ++report) {
      const char* const trouble = report_trouble(*report);
      DOJIMA_ASSERT(trouble == nullptr, trouble, report->sequence, report->kind, report->order, report->leaves);
    }
#endif
  }

  std::vector<market::BookReport> reports_;
  market::BookReport* next_;  // where the next report goes
  market::BookReport* end_;
  market::Sequence command_;
  time::Time now_{};
};

}  // namespace dojima::book
