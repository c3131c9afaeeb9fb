#include "dojima/venue/report_log.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"

namespace dojima::venue {
namespace {

/// What is saved of a report: all before its reference.
constexpr std::size_t k_saved_bytes = offsetof(market::OwnerReport, reference);
static_assert(k_saved_bytes == 152);

/// The reference of a saved report.
struct Reference {
  std::uint64_t position = 0;
  std::uint64_t execution = 0;
};

}  // namespace

ReportLog::ReportLog(std::size_t capacity, std::size_t most)
    : usual_(capacity), capacity_(capacity), reports_(&usual_[0]), next_(reports_) {
  DOJIMA_ASSERT(capacity > 0, "a report log holds at least one report", capacity);
  if (most > capacity) reserve_.emplace(most, k_untouched);
  set_mark();
}

void ReportLog::set_mark() noexcept {
  const std::size_t quarter = std::max<std::size_t>(1, capacity_ / 4);
  const auto offset = static_cast<std::size_t>(next_ - reports_);
  const bool can_grow = capacity_ < most();
  mark_ = reports_ + (can_grow ? std::min(capacity_, (offset / quarter + 1) * quarter) : capacity_);
}

/// Until the next mark another quarter comes at most: by then half of the ring is behind who must not lose any, or of
/// one command, which others read when it is over.
bool ReportLog::is_too_small() const noexcept {
  const std::uint64_t quarter = capacity_ / 4;
  if (kept_from_ < end_ && end_ - kept_from_ > quarter) return true;
  return end_ - oldest() > quarter && report_at(end_ - 1 - quarter).command == report_at(end_ - 1).command;
}

void ReportLog::pass_mark() noexcept {
  if (next_ == reports_ + capacity_) next_ = reports_;
  if (capacity_ < most() && is_too_small()) grow();
  set_mark();
}

/// What is in the usual ring stays readable there, too: who has just written a report may still look at it.
void ReportLog::grow() noexcept {
  oldest_ = oldest();
  for (std::uint64_t position = oldest_; position < end_; ++position)
    (*reserve_)[position % reserve_->size()] = report_at(position);
  capacity_ = reserve_->size();
  reports_ = &(*reserve_)[0];
  next_ = reports_ + end_ % capacity_;
}

/// The reserve's pages go back to the system.
void ReportLog::begin_day() noexcept {
  DOJIMA_ASSERT(kept_from_ >= end_, "a day is over when its reports have been read", kept_from_, end_);
  oldest_ = end_;
  last_number_ = 0;
  if (!reserve_ || capacity_ != reserve_->size()) return;
  clear_large_memory(&(*reserve_)[0], reserve_->size() * sizeof(market::OwnerReport));
  capacity_ = usual_.size();
  reports_ = &usual_[0];
  next_ = reports_ + end_ % capacity_;
  set_mark();
}

std::uint64_t ReportLog::oldest() const noexcept {
  return std::max(oldest_, end_ - std::min<std::uint64_t>(end_, capacity_));
}

std::uint64_t ReportLog::first_of(std::uint64_t most) const noexcept {
  return std::max(oldest(), end_ - std::min(end_, most));
}

Cursor ReportLog::find(market::Sequence number) const noexcept {
  std::uint64_t low = oldest(), high = end_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    // The first report with a number from the middle on.
    std::uint64_t at = middle;
    while (at < high && report_at(at).sequence.value == 0) ++at;
    if (at < high && report_at(at).sequence < number) {
      low = at + 1;
    } else {
      high = middle;
    }
  }
  return {low};
}

market::Sequence ReportLog::first_kept() const noexcept {
  for (std::uint64_t at = oldest(); at < end_; ++at)
    if (const market::Sequence number = report_at(at).sequence; number.value != 0) return number;
  return {last_number_ + 1};
}

ReportLog::Batch ReportLog::read(Cursor& cursor, market::Sequence durable) const noexcept {
  DOJIMA_ASSERT(cursor.position <= end_, "a cursor belongs to its log", cursor.position, end_, durable);
  Batch batch;
  const std::uint64_t first = oldest();
  if (cursor.position < first) {
    batch.lost = first - cursor.position;
    cursor.position = first;
  }
  const std::size_t begin = cursor.position % capacity_;
  const std::size_t in_one_piece = std::min<std::uint64_t>(end_ - cursor.position, capacity_ - begin);
  // Commands do not step back, so the last one says whether all may leave, as they mostly may.
  std::size_t count = in_one_piece;
  if (count > 0 && reports_[begin + count - 1].command > durable)
    for (count = 0; reports_[begin + count].command <= durable;) ++count;
  batch.reports = {&reports_[begin], count};
  cursor.position += count;
  return batch;
}

void ReportLog::save(StateWriter& out, std::uint64_t most) const {
  const std::uint64_t first = first_of(most), count = end_ - first;
  out.section("log");
  out.add(end_);
  out.add(last_number_);
  out.add(count);
  for (std::uint64_t position = first; position < end_; ++position)
    out.add_bytes(std::as_bytes(std::span(&report_at(position), 1)).first(k_saved_bytes));
}

void ReportLog::save_references(StateWriter& out, std::uint64_t most) const {
  const std::uint64_t first = first_of(most);
  std::uint64_t count = 0;
  for (std::uint64_t position = first; position < end_; ++position)
    if (report_at(position).reference != 0) ++count;
  out.add(count);
  for (std::uint64_t position = first; position < end_; ++position)
    if (const std::uint64_t execution = report_at(position).reference; execution != 0)
      out.add(Reference{position, execution});
}

bool ReportLog::load_references(StateReader& in) {
  std::uint64_t count = 0;
  if (!in.read_count(count, end_, sizeof(Reference))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    Reference reference;
    if (!in.read(reference)) return false;
    if (reference.position >= end_) return in.fail("the position of a report");
    if (reference.position >= oldest()) reports_[reference.position % capacity_].reference = reference.execution;
  }
  return true;
}

bool ReportLog::load(StateReader& in) {
  DOJIMA_ASSERT(end_ == 0, "a log is loaded before it is used", end_);
  std::uint64_t end = 0, last_number = 0, count = 0;
  if (!in.section("log") || !in.read(end) || !in.read(last_number) || !in.read_count(count, end, k_saved_bytes))
    return false;
  if (last_number > end) return in.fail("at most a number for every report");
  for (std::uint64_t position = end - count; position < end; ++position) {
    const Bytes bytes = in.view(k_saved_bytes);
    if (bytes.size() != k_saved_bytes) return false;
    market::OwnerReport& report = reports_[position % capacity_];
    report = {};
    std::memcpy(&report, bytes.data(), bytes.size());
  }
  end_ = end;
  oldest_ = end - std::min<std::uint64_t>(count, capacity_);
  next_ = reports_ + end % capacity_;
  set_mark();
  last_number_ = last_number;
  return true;
}

}  // namespace dojima::venue
