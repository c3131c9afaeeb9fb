#include "dojima/journal/tailer.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "dojima/journal/format/file_names.hpp"
#include "dojima/journal/format/segment.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::journal {
namespace {

std::unexpected<Error> removed(std::uint64_t segment) noexcept {
  return fail(ErrorCode::missing, 0, 0, static_cast<std::int64_t>(segment), "records that were not removed");
}

/// No error of the disk says more than that a file is not there.
template <class Value>
bool is_absent(const Result<Value>& opened) noexcept {
  constexpr std::int64_t k_no_entry = 2;  // ENOENT
  return !opened && is_of_disk(opened.error()) && opened.error().got == k_no_entry;
}

}  // namespace

struct Tailer::Mapped {
  std::unique_ptr<File> file;
  Bytes bytes;
  Walk walk;
  std::size_t before = 0;  // where the record that was read last begins; 0: none of this segment was

  /// Whether the header is one of a segment that was begun; the walk begins behind it.
  [[nodiscard]] std::optional<SegmentHeader> begin() noexcept {
    if (bytes.size() < k_segment_header || is_zero(bytes.first(sizeof(std::uint64_t)))) return std::nullopt;
    std::atomic_thread_fence(std::memory_order_acquire);
    const auto read = read_header(bytes);
    if (!read) return std::nullopt;
    walk = {.segment = bytes,
            .largest = read->header.largest_record,
            .read = {read->header.first.value - 1},
            .sum = read->sum};
    return read->header;
  }
};

Tailer::Tailer(Disk& disk, const Identity& identity) : disk_(disk), identity_(identity) {}
Tailer::~Tailer() = default;

void Tailer::rewind() noexcept {
  segment_.reset();
  number_ = 0;
  last_ = synced_ = {};
  obstacle_ = nullptr;
}

Result<std::unique_ptr<Tailer::Mapped>> Tailer::map(std::uint64_t number) {
  auto file = disk_.open(segment_name(number), OpenMode::read);
  if (!file) return std::unexpected(file.error());
  const auto room = (*file)->map();
  if (!room) return std::unexpected(room.error());
  auto mapped = std::make_unique<Mapped>();
  mapped->file = std::move(*file);
  mapped->bytes = *room;
  return mapped;
}

Result<std::optional<Record>> Tailer::next() {
  obstacle_ = nullptr;
  if (segment_ == nullptr) {
    const auto begun = begin();
    if (!begun) return std::unexpected(begun.error());
    if (!*begun) return std::nullopt;
  }
  for (bool is_new = false;;) {
    Walk& walk = segment_->walk;
    if (!walk.is_at_end()) {
      // A reader that sees a record sees all of it; what a group commit is still writing has a wrong sum.
      std::atomic_thread_fence(std::memory_order_acquire);
      const std::size_t offset = walk.offset;
      StoredRecord record;
      if (walk.step(record)) {
        segment_->before = offset;
        synced_ = std::max(synced_, record.synced());
        if (record.kind == k_mark) continue;
        last_ = record.sequence;
        return Record{record.sequence, record.payload, record.kind, Location::of(number_, offset)};
      }
      obstacle_ = walk.wrong;
    }
    const auto entered = enter_next();
    if (!entered) return std::unexpected(entered.error());
    if (*entered) continue;
    if (is_new) return std::nullopt;
    const auto seen = look_again();
    if (!seen) return std::unexpected(seen.error());
    if (!*seen) return std::nullopt;
    is_new = true;
  }
}

/// Opens the oldest segment, if the journal is begun.
Result<bool> Tailer::begin() {
  const auto names = disk_.list();
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto number = number_of(name, k_segment_suffix);
    if (!number) continue;
    auto mapped = map(*number);
    if (is_absent(mapped)) return false;  // removed just now: the next call finds the one behind it
    if (!mapped) return std::unexpected(mapped.error());
    const auto header = (*mapped)->begin();
    if (!header) return false;
    if (header->identity != identity_) return fail(ErrorCode::refused, 0, 0, 0, "a journal of the same identity");
    segment_ = std::move(*mapped);
    number_ = *number;
    last_ = segment_->walk.read;
    synced_ = header->synced;
    return true;
  }
  return false;
}

/// Goes on in the next segment, if that follows what was read: then nothing more comes in this one.
Result<bool> Tailer::enter_next() {
  auto mapped = map(number_ + 1);
  if (is_absent(mapped)) return false;
  if (!mapped) return std::unexpected(mapped.error());
  const auto header = (*mapped)->begin();
  const Walk& walk = segment_->walk;
  if (!header || header->identity != identity_ || header->number != number_ + 1 ||
      header->first.value != walk.read.value + 1 || header->previous != walk.sum)
    return false;
  segment_ = std::move(*mapped);
  ++number_;
  synced_ = std::max(synced_, header->synced);
  obstacle_ = nullptr;
  return true;
}

/// The file anew: a writer that cuts the end of its journal puts another one in its place. Whether it has more than the
/// one before.
Result<bool> Tailer::look_again() {
  auto mapped = map(number_);
  if (is_absent(mapped)) return removed(number_);
  if (!mapped) return std::unexpected(mapped.error());
  Mapped& fresh = **mapped;
  const auto header = fresh.begin();
  if (!header || header->identity != identity_) return removed(number_);
  const Walk& walk = segment_->walk;
  if (segment_->before == 0) {
    if (fresh.walk.sum != walk.sum) return removed(number_);
  } else {
    const auto known = record_at(fresh.bytes, segment_->before);
    if (!known || known->sum != walk.sum) return removed(number_);
    fresh.walk.offset = walk.offset;
    fresh.walk.read = walk.read;
    fresh.walk.sum = walk.sum;
    fresh.before = segment_->before;
  }
  segment_ = std::move(*mapped);
  return !segment_->walk.is_at_end();
}

}  // namespace dojima::journal
