#include "dojima/journal/file_journal.hpp"

#include <algorithm>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/journal/file/live_segment.hpp"
#include "dojima/journal/file/new_segment.hpp"
#include "dojima/journal/format/segment.hpp"
#include "dojima/journal/format/segment_reader.hpp"

namespace dojima::journal {
namespace {

/// How far ahead of the records mapped memory is made ready, and how often.
constexpr std::size_t k_populate_ahead = std::size_t{1} << 22;
constexpr std::size_t k_populate_step = std::size_t{1} << 20;
/// With so many segments ready nothing but records is urgent.
constexpr std::uint64_t k_spares_enough = 2;
constexpr std::uint64_t k_full_most = 8;  // segments that are full and not synced while new ones are made

/// After so long what another thread stored before it looked at ours is seen, without a fence of its own.
constexpr std::chrono::microseconds k_settled{50};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Sleeps while the word has this value, for `limit` at most.
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds limit) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (limit - seconds).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}

void wake_from(const std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// Asks the processor for the memory of records to come: its own guesses end with each page. Needs no memory to be
/// there.
inline void touch_ahead(const std::byte* at, std::size_t size) noexcept {
  constexpr std::size_t k_line = 64, k_ahead = 2048;
  for (std::size_t line = 0; line < size; line += k_line) __builtin_prefetch(at + k_ahead + line, 1);
}

}  // namespace

// ----------------------------------------------------------------------------------------- the thread that writes

Room FileJournal::room_for(std::size_t size, bool is_essential) {
  DOJIMA_ASSERT(size > 0, "a record has bytes");
  if (prepared_ != 0) [[unlikely]]
    give_back();
  if (size > options_.largest_record) return {};
  const std::uint64_t spares = newest_.load(std::memory_order_acquire) - current_->number;
  if (!is_essential && (spares == 0 || troubles_.is_failing())) return {};
  if (record_bytes(size) > image_.size() - offset_) [[unlikely]] {
    if (spares < (is_essential || options_.spare_segments == 1 ? 1U : 2U)) return {};
    next_segment();
  }
  prepared_ = size;
  return image_.subspan(offset_ + k_record_header, size);
}

/// Begins the next segment, which is ready. Nobody else sees it before its first record.
void FileJournal::next_segment() {
  const std::uint64_t number = current_ == nullptr ? newest_.load() - (catalogue_.size() - 1) : current_->number + 1;
  LiveSegment* const next = slots_[number % slots_.size()].load(std::memory_order_acquire);
  DOJIMA_ASSERT(next != nullptr && next->number == number, "a spare segment is ready", number);
  const std::uint64_t last = last_.load(std::memory_order_relaxed);
  next->first = {last + 1};
  sum_ = write_header(next->image, {.identity = options_.identity,
                                    .number = number,
                                    .bytes = next->image.size(),
                                    .first = next->first,
                                    .synced = synced(),
                                    .previous = sum_,
                                    .largest_record = static_cast<std::uint32_t>(options_.largest_record),
                                    .durability = durability_});
  if (current_ != nullptr) current_->end.store(offset_, std::memory_order_release);
  current_ = next;
  image_ = next->image;
  offset_ = k_segment_header;
}

/// Behind the records there are zeros.
void FileJournal::give_back() noexcept {
  const auto at = image_.begin() + static_cast<std::ptrdiff_t>(offset_ + k_record_header);
  std::fill_n(at, padded(prepared_), std::byte{});
  prepared_ = 0;
}

/// How far before `sequence` the last record is that is known to be on the disk.
std::uint32_t FileJournal::lag_of(std::uint64_t sequence) const noexcept {
  const std::uint64_t known = synced_.load(std::memory_order_relaxed);
  const std::uint64_t lag = sequence - known;
  return known == 0 || lag >= k_no_claim ? k_no_claim : static_cast<std::uint32_t>(lag);
}

Sequence FileJournal::commit(std::size_t size, std::uint8_t kind) {
  DOJIMA_ASSERT(size > 0 && size <= prepared_, "only prepared room is committed", size, prepared_);
  DOJIMA_ASSERT(kind != 0 && kind != k_mark, "kinds 0 and 255 are the journal's own");
  std::byte* const at = image_.data() + offset_;
  if (padded(size) != size || size != prepared_)
    std::fill(at + k_record_header + size, at + k_record_header + padded(prepared_), std::byte{});
  prepared_ = 0;
  const std::uint64_t sequence = last_.load(std::memory_order_relaxed) + 1;
  sum_ = seal_record(at, {.kind = kind,
                          .size = static_cast<std::uint32_t>(size),
                          .sequence = {sequence},
                          .previous = sum_,
                          .lag = lag_of(sequence)});
  touch_ahead(at, record_bytes(size));
  location_ = Location::of(current_->number, offset_);
  offset_ += record_bytes(size);
  DOJIMA_ASSERT(offset_ <= image_.size(), "records lie within their segment", offset_);
  // A reader that sees the number sees the place too.
  position_.store(Location::of(current_->number, offset_).value, std::memory_order_release);
  last_.store(sequence, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // looked at behind the stores: see rest()
  if (position_.load(std::memory_order_relaxed) >= rest_until_.load(std::memory_order_relaxed)) [[unlikely]]
    end_rest();
  return {sequence};
}

/// Says in the journal itself what is on the disk, where there is room for it.
void FileJournal::mark() {
  if (image_.size() - offset_ < k_record_header) return;
  const std::uint64_t last = last_.load(std::memory_order_relaxed);
  sum_ = seal_record(image_.data() + offset_,
                     {.kind = k_mark, .size = 0, .sequence = {last}, .previous = sum_, .lag = lag_of(last)});
  offset_ += k_record_header;
  position_.store(Location::of(current_->number, offset_).value, std::memory_order_release);
}

// -------------------------------------------------------------------------------------------------------- the worker

bool FileJournal::work(Publish publish_when) {
  const bool has_written = troubles_.note(JournalTask::write, write_out());
  if (has_written && publish_when == Publish::now) publish();
  // More has come meanwhile, perhaps, and somebody waits for it: all else can wait too while segments are ready.
  if (has_written && durability_ == Durability::power && spares_ahead() >= k_spares_enough) return true;
  // Segments are what the writer waits for: full ones are synced when the next ones are ready, or too many are full.
  const bool has_supplied = troubles_.note(JournalTask::supply, supply());
  const bool has_retired =
      (!has_supplied || full_segments() > k_full_most) && troubles_.note(JournalTask::retire, retire());
  populate();
  const bool has_removed = troubles_.note(JournalTask::remove, remove_released());
  return has_written || has_retired || has_supplied || has_removed;
}

void FileJournal::rest(std::chrono::nanoseconds limit) {
  const std::uint64_t now = position_.load(std::memory_order_acquire);
  const std::uint64_t until = durability_ == Durability::process ? std::max(populated_, now + 1) : now + 1;
  // What was committed since the last work() is not in `now` alone: nothing of it may be left undone.
  if (now != written_position_ && durability_ != Durability::process) return;
  rest_until_.store(until, std::memory_order_seq_cst);
  // A commit that did not see this yet is seen here, when its stores have had their time.
  std::this_thread::sleep_for(k_settled);
  if (position_.load(std::memory_order_acquire) < until && rings_.load(std::memory_order_acquire) == heard_)
    sleep_on(rings_, heard_, limit);
  rest_until_.store(k_no_rest, std::memory_order_release);
  heard_ = rings_.load(std::memory_order_acquire);
}

void FileJournal::end_rest() noexcept {
  rest_until_.store(k_no_rest, std::memory_order_release);
  rings_.fetch_add(1, std::memory_order_release);
  wake_from(rings_);
}

/// Segments that nobody writes into any more and that are not let go of yet.
std::uint64_t FileJournal::full_segments() const noexcept {
  return live_.empty() ? 0 : (written_position_ >> 32U) - live_.front()->number;
}

/// Segments that are ready behind the one in use.
std::uint64_t FileJournal::spares_ahead() const noexcept {
  const std::uint64_t now = position_.load(std::memory_order_acquire);
  return newest_.load(std::memory_order_relaxed) - (now >> 32U);
}

void FileJournal::publish() noexcept {
  if (durability_ == Durability::power) synced_.store(written_, std::memory_order_release);
}

std::shared_ptr<LiveSegment> FileJournal::live(std::uint64_t number) const {
  DOJIMA_ASSERT(!live_.empty() && number >= live_.front()->number, "a segment stays until it is written out", number);
  return live_[static_cast<std::size_t>(number - live_.front()->number)];
}

/// Everything that is committed, in one batch a segment.
Result<bool> FileJournal::write_out() {
  const std::uint64_t last = last_.load(std::memory_order_acquire);
  const std::uint64_t target = position_.load(std::memory_order_acquire);
  if (target == written_position_) return false;
  if (durability_ != Durability::process) {
    while (written_position_ >> 32U != target >> 32U) {
      const std::uint64_t number = written_position_ >> 32U;
      LiveSegment& segment = *live(number);
      const std::size_t end = segment.end.load(std::memory_order_acquire);
      if (const auto done = write_segment(segment, written_position_ & 0xffff'ffffU, end); !done)
        return std::unexpected(done.error());
      written_position_ = Location::of(number + 1, 0).value;
    }
    const auto done = write_segment(*live(target >> 32U), written_position_ & 0xffff'ffffU, target & 0xffff'ffffU);
    if (!done) return std::unexpected(done.error());
  }
  written_position_ = target;
  written_ = last;
  return durability_ != Durability::process;
}

/// After an error the same bytes are written again: a sync that succeeds then may have forgotten them.
Result<void> FileJournal::write_segment(LiveSegment& segment, std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  const Bytes bytes = segment.image.subspan(begin, end - begin);
  return durability_ == Durability::power ? segment.file->write_through(begin, bytes)
                                          : segment.file->write(begin, bytes);
}

/// Lets go of the oldest segment that nobody writes into any more: one at a time, as the writer may wait for new ones.
Result<bool> FileJournal::retire() {
  const std::uint64_t using_now = written_position_ >> 32U;
  if (live_.empty() || live_.front()->number >= using_now) return false;
  LiveSegment& segment = *live_.front();
  if (durability_ != Durability::power) {
    auto done = make_sure(segment, segment.end.load(std::memory_order_acquire));
    if (done) done = segment.file->sync();
    if (done) done = disk_.sync_names();  // its own has not been: write_zeros
    if (!done) {
      // The kernel may take it for written now; the same bytes again, zeros too, make it try again.
      static_cast<void>(segment.file->write(0, segment.image));
      return std::unexpected(done.error());
    }
    synced_.store(live_[1]->first.value - 1, std::memory_order_release);
  }
  catalogue_.detach(segment);
  live_.pop_front();
  return true;
}

bool FileJournal::sync_in_use() {
  return troubles_.note(JournalTask::sync, sync_segment_in_use());
}

Result<bool> FileJournal::sync_segment_in_use() {
  if (durability_ == Durability::power) return false;
  if (const auto done = write_out(); !done) return std::unexpected(done.error());
  if (written_ <= synced_.load(std::memory_order_relaxed) || full_segments() != 0) return false;
  LiveSegment& segment = *live_.front();
  const std::size_t end = written_position_ & 0xffff'ffffU;
  auto done = make_sure(segment, end);
  if (done) done = segment.file->sync();
  // What was written back takes a fault each page to be written again: not by the thread that writes.
  populated_ = written_position_;
  populate();
  if (done) done = disk_.sync_names();  // its own has not been: write_zeros
  if (!done) {
    // The kernel may take for written what it could not write, of what has come behind the end, too.
    const Sequence known = synced();
    segment.unsure_behind = segment.unsure_behind ? std::min(*segment.unsure_behind, known) : known;
    return std::unexpected(done.error());
  }
  synced_.store(written_, std::memory_order_release);
  return true;
}

void FileJournal::add_spare(std::shared_ptr<LiveSegment> segment) {
  const std::uint64_t number = segment->number;
  slots_[number % slots_.size()].store(segment.get(), std::memory_order_release);
  catalogue_.add(number, {}, segment->image.size(), segment);
  live_.push_back(std::move(segment));
  newest_.store(number, std::memory_order_release);
}

Result<std::shared_ptr<LiveSegment>> FileJournal::make_segment(std::uint64_t number) {
  const std::string name = segment_name(number);
  // One that was ready before the journal was opened.
  if (auto file = disk_.open(name, OpenMode::read)) {
    const auto bytes = (*file)->size();
    if (bytes && *bytes == options_.segment_bytes) return load_segment(number);
  }
  const Through through = durability_ == Durability::power ? Through::yes : Through::no;
  if (const auto done = write_segment_file(disk_, name, {}, options_.segment_bytes, through); !done)
    return std::unexpected(done.error());
  return load_segment(number);
}

/// One more spare segment, if one is wanted.
Result<bool> FileJournal::supply() {
  const std::uint64_t now = position_.load(std::memory_order_acquire);
  const std::uint64_t first = now == 0 ? populated_ >> 32U : now >> 32U;  // the one in use, or the one to begin with
  const std::uint64_t wanted = first + options_.spare_segments;
  const std::uint64_t number = newest_.load(std::memory_order_relaxed) + 1;
  if (number > wanted) return false;
  auto made = make_segment(number);
  if (!made) return std::unexpected(made.error());
  if (durability_ == Durability::process) static_cast<void>((*made)->file->populate(0, (*made)->image.size()));
  add_spare(std::move(*made));
  return true;
}

/// The kernel takes mapped pages away for writing when it has written them back; they are asked back ahead of records.
void FileJournal::populate() {
  if (durability_ != Durability::process) return;
  const std::uint64_t now = position_.load(std::memory_order_acquire);
  if (now < populated_) return;
  LiveSegment& segment = *live(now >> 32U);
  populated_ = now + k_populate_step;
  // Best effort: without it the records only take longer.
  static_cast<void>(segment.file->populate(now & 0xffff'ffffU, k_populate_ahead));
}

void FileJournal::release(Sequence up_to) noexcept {
  std::uint64_t before = released_.load();
  while (before < up_to.value && !released_.compare_exchange_weak(before, up_to.value)) {
  }
  if (before < up_to.value && is_resting()) end_rest();
}

/// The oldest segment, if none of its records is needed.
Result<bool> FileJournal::remove_released() {
  const std::uint64_t released = released_.load(std::memory_order_relaxed);
  if (released == 0) return false;
  const auto number = catalogue_.oldest_up_to({released});
  if (!number) return false;
  const auto done = disk_.remove(segment_name(*number));
  if (!done && done.error().code != ErrorCode::missing) return std::unexpected(done.error());
  if (const auto synced = disk_.sync_names(); !synced) return std::unexpected(synced.error());
  catalogue_.remove_oldest();
  return true;
}

// ----------------------------------------------------------------------------------------------------------- the end

FileJournal::~FileJournal() {
  close();
}

bool FileJournal::close() {
  if (is_closed_) return true;
  is_closed_ = true;
  if (prepared_ != 0) give_back();
  const auto finish = [this]() -> bool {
    if (const auto done = write_out(); !done) return false;
    for (bool has_more = true; has_more;) {
      const auto done = retire();
      if (!done) return false;
      has_more = *done;
    }
    for (const auto& segment : live_) {
      if (segment->number > current_->number) continue;
      if (!make_sure(*segment, offset_) || !segment->file->sync()) return false;
    }
    if (!disk_.sync_names()) return false;
    synced_ = last_.load();
    return true;
  };
  bool is_out = finish();
  if (is_out) {
    mark();
    is_out = finish();
  }
  live_.clear();
  lock_.reset();
  return is_out;
}

void FileJournal::abandon() noexcept {
  is_closed_ = true;
  live_.clear();
  lock_.reset();
}

// ----------------------------------------------------------------------------------------------------------- reading

/// Reads segments in memory where they are, others from their files.
class FileJournal::LiveReader final : public SegmentReader {
 public:
  LiveReader(const FileJournal& journal, std::uint64_t number, Sequence after)
      : SegmentReader(number, after), journal_(journal) {}

 private:
  Result<Bytes> segment(std::uint64_t number) override {
    held_ = {};
    auto view = journal_.view(number);
    if (!view) return std::unexpected(view.error());
    held_ = std::move(*view);
    return held_.bytes;
  }
  Sequence last() const override { return journal_.last(); }

  const FileJournal& journal_;
  SegmentView held_;
};

Result<SegmentView> FileJournal::view(std::uint64_t segment) const {
  const auto found = catalogue_.find(segment);
  if (!found) return fail(ErrorCode::missing, 0, 0, 0, "a segment that was not removed");
  if (*found != nullptr) return SegmentView{.bytes = (*found)->image, .is_live = true, .owner = *found};
  auto opened = disk_.open(segment_name(segment), OpenMode::read);
  if (!opened) return std::unexpected(opened.error());
  std::shared_ptr<File> file = std::move(*opened);
  const auto bytes = file->map();
  if (!bytes) return std::unexpected(bytes.error());
  return SegmentView{.bytes = *bytes, .owner = std::move(file)};
}

Result<std::unique_ptr<Reader>> FileJournal::read_after(Sequence after) const {
  if (after > last()) return fail(ErrorCode::out_of_range, 0, 0, 0, "a record that is there");
  const std::uint64_t using_now = position_.load(std::memory_order_acquire) >> 32U;
  const auto number = catalogue_.holder_behind(after, using_now);
  if (!number) return fail(ErrorCode::missing, 0, 0, 0, "records that were not removed");
  return std::make_unique<LiveReader>(*this, *number, after);
}

}  // namespace dojima::journal
