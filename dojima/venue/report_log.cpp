#include "dojima/venue/report_log.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"

namespace dojima::venue {
namespace {

/// What is saved of a report: all that stands before its reference.
constexpr std::size_t k_saved_bytes = offsetof(market::OwnerReport, reference);
static_assert(k_saved_bytes == 152);

/// The reference of a saved report.
struct Reference {
  std::uint64_t position = 0;
  std::uint64_t execution = 0;
};

}  // namespace

ReportLog::ReportLog(std::size_t capacity)
    : reports_(capacity), capacity_(capacity), next_(&reports_[0]), behind_(next_ + capacity) {
  DOJIMA_ASSERT(capacity > 0, "a report log holds at least one report", capacity);
}

std::uint64_t ReportLog::oldest() const noexcept {
  return std::max(oldest_, end_ - std::min<std::uint64_t>(end_, capacity_));
}

Cursor ReportLog::find(market::Sequence number) const noexcept {
  std::uint64_t low = oldest(), high = end_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    // The first report with a number from the middle on.
    std::uint64_t at = middle;
    while (at < high && reports_[at % capacity_].sequence.value == 0) ++at;
    if (at < high && reports_[at % capacity_].sequence < number) {
      low = at + 1;
    } else {
      high = middle;
    }
  }
  return {low};
}

market::Sequence ReportLog::first_kept() const noexcept {
  for (std::uint64_t at = oldest(); at < end_; ++at)
    if (const market::Sequence number = reports_[at % capacity_].sequence; number.value != 0) return number;
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
  const std::size_t begin = cursor.position % reports_.size();
  const std::size_t in_one_piece = std::min<std::uint64_t>(end_ - cursor.position, reports_.size() - begin);
  // Commands do not step back, so the last one says whether all may leave, as they mostly may.
  std::size_t count = in_one_piece;
  if (count > 0 && reports_[begin + count - 1].command > durable)
    for (count = 0; reports_[begin + count].command <= durable;) ++count;
  batch.reports = {&reports_[begin], count};
  cursor.position += count;
  return batch;
}

void ReportLog::save(StateWriter& out, std::uint64_t most) const {
  const std::uint64_t count = std::min({most, end_, std::uint64_t{reports_.size()}});
  out.section("log");
  out.add(end_);
  out.add(last_number_);
  out.add(count);
  for (std::uint64_t position = end_ - count; position < end_; ++position)
    out.add_bytes(std::as_bytes(std::span(&reports_[position % capacity_], 1)).first(k_saved_bytes));
}

void ReportLog::save_references(StateWriter& out, std::uint64_t most) const {
  const std::uint64_t first = end_ - std::min({most, end_, std::uint64_t{reports_.size()}});
  std::uint64_t count = 0;
  for (std::uint64_t position = first; position < end_; ++position)
    if (reports_[position % capacity_].reference != 0) ++count;
  out.add(count);
  for (std::uint64_t position = first; position < end_; ++position)
    if (const std::uint64_t execution = reports_[position % capacity_].reference; execution != 0)
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
  next_ = &reports_[end % capacity_];
  last_number_ = last_number;
  return true;
}

}  // namespace dojima::venue
