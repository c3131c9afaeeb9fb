#include "dojima/journal/file/segment_catalogue.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/journal/file/live_segment.hpp"

namespace dojima::journal {

std::size_t SegmentCatalogue::size() const {
  const std::scoped_lock guard(mutex_);
  return entries_.size();
}

void SegmentCatalogue::add(std::uint64_t number, Sequence first, std::uint64_t bytes,
                           std::shared_ptr<LiveSegment> live) {
  const std::scoped_lock guard(mutex_);
  DOJIMA_ASSERT(entries_.empty() || number == entries_.back().number + 1, "segments follow each other", number);
  entries_.push_back({.number = number, .first = first, .bytes = bytes, .live = std::move(live)});
  segments_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void SegmentCatalogue::attach(std::shared_ptr<LiveSegment> live) {
  const std::scoped_lock guard(mutex_);
  const auto entry = std::ranges::find(entries_, live->number, &Entry::number);
  DOJIMA_ASSERT(entry != entries_.end(), "a segment that is read is the journal's", live->number, entries_.size());
  entry->live = std::move(live);
}

void SegmentCatalogue::detach(const LiveSegment& live) {
  const std::scoped_lock guard(mutex_);
  const auto entry = std::ranges::find(entries_, live.number, &Entry::number);
  DOJIMA_ASSERT(entry != entries_.end(), "a segment that is let go of is the journal's", live.number, entries_.size());
  entry->first = live.first;
  entry->live.reset();
}

void SegmentCatalogue::remove_oldest() {
  const std::scoped_lock guard(mutex_);
  DOJIMA_ASSERT(entries_.size() > 1, "the newest segment stays", entries_.size());
  segments_.fetch_sub(1, std::memory_order_relaxed);
  bytes_.fetch_sub(entries_.front().bytes, std::memory_order_relaxed);
  entries_.erase(entries_.begin());
}

std::optional<std::shared_ptr<LiveSegment>> SegmentCatalogue::find(std::uint64_t number) const {
  const std::scoped_lock guard(mutex_);
  const auto entry = std::ranges::find(entries_, number, &Entry::number);
  if (entry == entries_.end()) return std::nullopt;
  return entry->live;
}

std::optional<std::uint64_t> SegmentCatalogue::oldest_up_to(Sequence last) const {
  const std::scoped_lock guard(mutex_);
  if (entries_.size() < 2 || entries_[0].live != nullptr) return std::nullopt;
  const Sequence next = first_of(entries_[1]);
  if (next.value == 0 || next.value > last.value + 1) return std::nullopt;
  return entries_[0].number;
}

std::optional<std::uint64_t> SegmentCatalogue::holder_behind(Sequence after, std::uint64_t newest) const {
  const std::scoped_lock guard(mutex_);
  std::optional<std::uint64_t> number;
  for (const Entry& entry : entries_) {
    if (entry.number > newest || first_of(entry).value > after.value + 1) break;
    number = entry.number;
  }
  return number;
}

Sequence SegmentCatalogue::first_of(const Entry& entry) noexcept {
  return entry.live == nullptr ? entry.first : entry.live->first;
}

}  // namespace dojima::journal
