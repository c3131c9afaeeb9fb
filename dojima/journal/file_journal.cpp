#include "dojima/journal/file_journal.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/journal/format/claims.hpp"
#include "dojima/journal/format/file_names.hpp"
#include "dojima/journal/format/segment.hpp"
#include "dojima/journal/format/segment_reader.hpp"

namespace dojima::journal {
namespace {

constexpr std::size_t k_page = 4096;
/// How far ahead of the records mapped memory is made ready, and how often.
constexpr std::size_t k_populate_ahead = std::size_t{1} << 22;
constexpr std::size_t k_populate_step = std::size_t{1} << 20;
/// With so many segments ready nothing but records is urgent.
constexpr std::uint64_t k_spares_enough = 2;
constexpr std::uint64_t k_full_most = 8;  // segments that are full and not synced while new ones are made

Trouble trouble_of(const Error& error, std::string_view what, std::string_view file = {}) {
  return {.error = error,
          .place = {.file = std::string(file)},
          .what = std::string(what),
          .advice = "see what the system says of the disk, and start again"};
}

Trouble wrong_options(const char* expected) {
  return {.error = {.code = ErrorCode::out_of_range, .expected = expected},
          .what = "the journal's options cannot be",
          .advice = expected};
}

/// Writes what is not known to be on the disk once more: a sync may have forgotten it.
Result<void> write_again(File& file, Bytes contents, Sequence known) {
  const std::size_t begin = offset_behind(contents, contents.size(), known);
  if (begin == contents.size()) return {};
  return file.write_through(begin, contents.subspan(begin));
}

/// Asks the processor for the memory of records to come: its own guesses end with each page. Needs no memory to be
/// there.
inline void touch_ahead(const std::byte* at, std::size_t size) noexcept {
  constexpr std::size_t k_line = 64, k_ahead = 2048;
  for (std::size_t line = 0; line < size; line += k_line) __builtin_prefetch(at + k_ahead + line, 1);
}

/// The journal's file of that name as zeros, safely there under its name or not at all.
enum class Through : std::uint8_t { no, yes };

/// Through to the disk where records are written through as well: blocks that are merely reserved are converted by a
/// worker of the kernel then, at each first write. Else the kernel writes a page once, with the records that it has
/// got by then.
Result<void> write_zeros(Disk& disk, const std::string& name, std::size_t bytes, Through through) {
  const std::string unfinished = name + std::string(k_unfinished);
  const auto make = [&]() -> Result<void> {
    auto file = disk.open(unfinished, OpenMode::create);
    if (!file) return std::unexpected(file.error());
    const std::vector<std::byte> zeros(std::min<std::size_t>(bytes, std::size_t{1} << 20));
    for (std::size_t at = 0; at < bytes; at += zeros.size()) {
      const auto done = (*file)->write(at, Bytes(zeros).first(std::min(zeros.size(), bytes - at)));
      if (!done) return done;
    }
    if (through == Through::no) return disk.rename(unfinished, name);
    if (const auto done = (*file)->sync(); !done) return done;
    if (const auto done = disk.rename(unfinished, name); !done) return done;
    return disk.sync_names();
  };
  auto made = make();
  // Half a segment would keep the room that something else may need.
  if (!made) static_cast<void>(disk.remove(unfinished));
  return made;
}

}  // namespace

/// A segment in memory. What is not atomic is written before the position says that the segment is in use.
struct FileJournal::Segment {
  std::uint64_t number = 0;
  std::string name;
  std::unique_ptr<File> file;
  std::unique_ptr<std::byte[]> memory;  // unless the file is mapped
  Room image;
  Sequence first;
  std::atomic<std::size_t> end{0};  // where its records end, once the next segment is in use
};

// ----------------------------------------------------------------------------------------------------------- opening

FileJournal::FileJournal(Disk& disk, const FileJournalOptions& options)
    : disk_(disk), options_(options), durability_(options.durability) {}

std::expected<std::unique_ptr<FileJournal>, Trouble> FileJournal::open(Disk& disk, const FileJournalOptions& options) {
  if (options.segment_bytes % k_page != 0 || options.segment_bytes >= std::uint64_t{1} << 32U)
    return std::unexpected(wrong_options("segments of a multiple of 4096 bytes below 4 GiB"));
  if (options.largest_record == 0 || options.largest_record > k_largest_size)
    return std::unexpected(wrong_options("a largest record of 1 byte to 16 MiB"));
  if (k_segment_header + record_bytes(options.largest_record) > options.segment_bytes)
    return std::unexpected(wrong_options("a segment that holds the largest record"));
  if (options.spare_segments == 0 || options.spare_segments > k_spares_most)
    return std::unexpected(wrong_options("1 to 8 spare segments"));

  std::unique_ptr<FileJournal> journal(new FileJournal(disk, options));
  if (auto trouble = journal->recover()) {
    journal->abandon();
    return std::unexpected(std::move(*trouble));
  }
  return journal;
}

std::optional<Trouble> FileJournal::recover() {
  auto held = disk_.lock();
  if (!held) {
    return Trouble{.error = held.error(),
                   .what = "the directory cannot be locked",
                   .advice = "only one process may use a journal: end the other one"};
  }
  lock_ = std::move(*held);
  const auto found = survey(disk_, {.trusted = options_.trusted});
  if (!found) return trouble_of(found.error(), "the directory cannot be read");
  if (found->verdict == Verdict::damaged || (found->verdict == Verdict::hole && !options_.cut_holes)) {
    return Trouble{.error = {.code = ErrorCode::malformed, .expected = "records that follow each other"},
                   .place = found->place,
                   .what = found->what,
                   .advice = found->advice};
  }
  if (found->is_begun() && found->identity != options_.identity) {
    return Trouble{.error = {.code = ErrorCode::refused, .expected = "a journal of the same identity"},
                   .place = {.file = found->segments[found->current].file},
                   .what = "the directory holds the journal of another",
                   .advice = "give each journal a directory of its own"};
  }
  return resume(*found);
}

/// Takes out what is behind the end, and goes on there.
std::optional<Trouble> FileJournal::resume(const Survey& found) {
  recovery_ = {
      .first = found.first, .last = found.last, .verdict = found.verdict, .place = found.place, .what = found.what};
  for (const std::string& name : found.unfinished)
    if (const auto done = disk_.remove(name); !done) return trouble_of(done.error(), "a file cannot be removed", name);

  const std::size_t keep = found.is_begun() ? found.current + 1 : 0;
  if (auto trouble = set_aside(found, keep)) return trouble;
  if (const auto done = disk_.sync_names(); !done) return trouble_of(done.error(), "the directory cannot be synced");

  for (std::size_t at = 0; at < keep; ++at)
    catalogue_.push_back({.number = found.segments[at].number, .first = found.segments[at].first, .live = {}});
  std::uint64_t number = 1;
  if (found.is_begun()) {
    const SegmentInfo& info = found.segments[found.current];
    auto loaded = load_segment(info.number, info.wanted);
    if (!loaded) return trouble_of(loaded.error(), "the newest segment cannot be opened", info.file);
    Segment& segment = **loaded;
    // What was cut must not come back behind new records, and what is good must be on the disk before they say so.
    const Room behind = segment.image.subspan(static_cast<std::size_t>(info.end));
    if (found.verdict != Verdict::whole) {
      std::ranges::fill(behind, std::byte{});
      const std::vector<std::byte> zeros(behind.size());
      const auto done = segment.file->write(info.end, zeros);
      if (!done) return trouble_of(done.error(), "the torn tail cannot be cut", info.file);
    }
    const Sequence known = claimed_synced(segment.image, static_cast<std::size_t>(info.end));
    for (std::size_t at = 0; at + 1 < keep; ++at) {
      if (!found.segments[at].is_read) continue;
      if (const auto done = make_durable(found.segments[at], known); !done)
        return trouble_of(done.error(), "a segment cannot be synced", found.segments[at].file);
    }
    if (const auto done = write_again(*segment.file, segment.image.first(static_cast<std::size_t>(info.end)), known);
        !done)
      return trouble_of(done.error(), "the newest segment cannot be written", info.file);
    if (const auto done = segment.file->sync(); !done)
      return trouble_of(done.error(), "the newest segment cannot be synced", info.file);
    segment.first = info.first;
    catalogue_.back().live = *loaded;
    live_.push_back(*loaded);
    current_ = &segment;
    image_ = segment.image;
    offset_ = static_cast<std::size_t>(info.end);
    sum_ = found.sum;
    number = info.number;
    last_ = synced_ = written_ = found.last.value;
    newest_ = number;
    position_ = written_position_ = populated_ = position(number, offset_);
  } else {
    if (!found.segments.empty()) number = found.segments.front().number;
    newest_ = number - 1;
    populated_ = position(number, 0);
  }

  // Without a segment to write into there is no journal; anything less than all spares is trouble that may pass.
  while (true) {
    const auto made = supply();
    if (!made && current_ == nullptr && newest_ < number) return trouble_of(made.error(), "no segment can be made");
    note(Task::supply, made);
    if (!made || !*made) break;
  }
  if (current_ == nullptr) {
    next_segment();
    // Whoever finds records without it knows that this is damage.
    const std::vector<std::byte> header(image_.begin(), image_.begin() + k_segment_header);
    if (const auto done = current_->file->write_through(0, header); !done)
      return trouble_of(done.error(), "the first segment cannot be written", current_->name);
    position_ = written_position_ = position(number, offset_);
  }
  if (recovery_.first.value == 0) recovery_.first = {1};
  // A segment is of one kind from its beginning to its end.
  if (found.is_begun() && (found.durability != durability_ || found.largest_record != options_.largest_record)) {
    if (newest_ == current_->number)
      return trouble_of(troubles_[static_cast<std::size_t>(Task::supply)].value_or(Error{}), "no segment can be made");
    next_segment();
  }
  mark();
  return std::nullopt;
}

/// A segment of which nobody holds the contents: what is not known to be on the disk is written again.
Result<void> FileJournal::make_durable(const SegmentInfo& info, Sequence known) {
  auto file = disk_.open(info.file, OpenMode::write);
  if (!file) return std::unexpected(file.error());
  if (info.last > known) {
    std::vector<std::byte> contents(static_cast<std::size_t>(info.end));
    if (const auto read = (*file)->read(0, contents); !read) return std::unexpected(read.error());
    if (auto done = write_again(**file, contents, known); !done) return done;
  }
  return (*file)->sync();
}

/// Takes segments that are neither good nor blank out of the journal, and with them what is behind.
std::optional<Trouble> FileJournal::set_aside(const Survey& found, std::size_t keep) {
  const auto is_blank = [](const SegmentInfo& segment) { return segment.is_blank; };
  const auto& segments = found.segments;
  const auto bad = std::find_if_not(segments.begin() + static_cast<std::ptrdiff_t>(keep), segments.end(), is_blank);
  // From the last one on, so that at no time one is missing between others.
  for (auto at = segments.end(); at != bad;) {
    --at;
    const std::string aside = at->file + std::string(k_cut);
    const auto done = at->is_blank ? disk_.remove(at->file) : disk_.rename(at->file, aside);
    if (!done) return trouble_of(done.error(), "a segment cannot be set aside", at->file);
    if (!at->is_blank) recovery_.set_aside.push_back(aside);
  }
  return std::nullopt;
}

/// A segment that is on the disk already, with the zeros it lacks.
Result<std::shared_ptr<FileJournal::Segment>> FileJournal::load_segment(std::uint64_t number, std::uint64_t wanted) {
  auto segment = std::make_shared<Segment>();
  segment->number = number;
  segment->name = segment_name(number);
  auto file = disk_.open(segment->name, OpenMode::write);
  if (!file) return std::unexpected(file.error());
  segment->file = std::move(*file);
  const auto bytes = segment->file->size();
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes < wanted) {
    const std::vector<std::byte> zeros(static_cast<std::size_t>(wanted - *bytes));
    if (const auto done = segment->file->write(*bytes, zeros); !done) return std::unexpected(done.error());
  }
  if (durability_ == Durability::process) {
    const auto room = segment->file->map();
    if (!room) return std::unexpected(room.error());
    segment->image = *room;
    return segment;
  }
  const auto size = static_cast<std::size_t>(std::max(*bytes, wanted));
  segment->memory = std::make_unique<std::byte[]>(size);
  segment->image = {segment->memory.get(), size};
  if (const auto read = segment->file->read(0, segment->image); !read) return std::unexpected(read.error());
  return segment;
}

// ----------------------------------------------------------------------------------------- the thread that writes

Room FileJournal::room_for(std::size_t size, bool is_essential) {
  DOJIMA_ASSERT(size > 0, "a record has bytes");
  if (prepared_ != 0) [[unlikely]]
    give_back();
  if (size > options_.largest_record) return {};
  const std::uint64_t spares = newest_.load(std::memory_order_acquire) - current_->number;
  if (!is_essential && (spares == 0 || is_failing_.load(std::memory_order_relaxed))) return {};
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
  Segment* const next = slots_[number % slots_.size()].load(std::memory_order_acquire);
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
  position_.store(position(current_->number, offset_), std::memory_order_release);
  last_.store(sequence, std::memory_order_release);
  return {sequence};
}

/// Says in the journal itself what is on the disk, where there is room for it.
void FileJournal::mark() {
  if (image_.size() - offset_ < k_record_header) return;
  const std::uint64_t last = last_.load(std::memory_order_relaxed);
  sum_ = seal_record(image_.data() + offset_,
                     {.kind = k_mark, .size = 0, .sequence = {last}, .previous = sum_, .lag = lag_of(last)});
  offset_ += k_record_header;
  position_.store(position(current_->number, offset_), std::memory_order_release);
}

// -------------------------------------------------------------------------------------------------------- the worker

bool FileJournal::work(Publish publish_when) {
  const bool has_written = note(Task::write, write_out());
  if (has_written && publish_when == Publish::now) publish();
  // More has come meanwhile, perhaps, and somebody waits for it: all else can wait too while segments are ready.
  if (has_written && durability_ == Durability::power && spares_ahead() >= k_spares_enough) return true;
  // Segments are what the writer waits for: full ones are synced when the next ones are ready, or too many are full.
  const bool has_supplied = note(Task::supply, supply());
  const bool has_retired = (!has_supplied || full_segments() > k_full_most) && note(Task::retire, retire());
  populate();
  const bool has_removed = note(Task::remove, remove_released());
  return has_written || has_retired || has_supplied || has_removed;
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

/// Keeps what went wrong until the same task goes well. True: something was done.
bool FileJournal::note(Task task, const Result<bool>& done) {
  const unsigned bit = 1U << static_cast<unsigned>(task);
  if (done && (failing_ & bit) == 0) return *done;
  failing_ = done ? failing_ & ~bit : failing_ | bit;
  constexpr unsigned k_stop = 1U << static_cast<unsigned>(Task::write) | 1U << static_cast<unsigned>(Task::retire);
  is_failing_.store((failing_ & k_stop) != 0, std::memory_order_relaxed);
  const std::scoped_lock guard(mutex_);
  auto& trouble = troubles_[static_cast<std::size_t>(task)];
  done ? trouble.reset() : void(trouble = done.error());
  return done.value_or(false);
}

void FileJournal::publish() noexcept {
  if (durability_ == Durability::power) synced_.store(written_, std::memory_order_release);
}

std::shared_ptr<FileJournal::Segment> FileJournal::live(std::uint64_t number) const {
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
      Segment& segment = *live(number);
      const std::size_t end = segment.end.load(std::memory_order_acquire);
      if (const auto done = write_segment(segment, written_position_ & 0xffff'ffffU, end); !done)
        return std::unexpected(done.error());
      written_position_ = position(number + 1, 0);
    }
    const auto done = write_segment(*live(target >> 32U), written_position_ & 0xffff'ffffU, target & 0xffff'ffffU);
    if (!done) return std::unexpected(done.error());
  }
  written_position_ = target;
  written_ = last;
  return durability_ != Durability::process;
}

/// After an error the same bytes are written again: a sync that succeeds then may have forgotten them.
Result<void> FileJournal::write_segment(Segment& segment, std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  const Bytes bytes = segment.image.subspan(begin, end - begin);
  return durability_ == Durability::power ? segment.file->write_through(begin, bytes)
                                          : segment.file->write(begin, bytes);
}

/// Lets go of segments that nobody writes into any more.
Result<bool> FileJournal::retire() {
  bool has_retired = false;
  const std::uint64_t using_now = written_position_ >> 32U;
  while (!live_.empty() && live_.front()->number < using_now) {
    Segment& segment = *live_.front();
    if (durability_ != Durability::power) {
      auto done = segment.file->sync();
      if (done) done = disk_.sync_names();  // its own has not been: write_zeros
      if (!done) {
        // The kernel may take it for written now; the same bytes again make it try again.
        static_cast<void>(segment.file->write(0, segment.image.first(segment.end.load(std::memory_order_acquire))));
        return std::unexpected(done.error());
      }
      synced_.store(live_[1]->first.value - 1, std::memory_order_release);
    }
    const std::scoped_lock guard(mutex_);
    const auto entry = std::ranges::find(catalogue_, segment.number, &Entry::number);
    entry->first = segment.first;
    entry->live.reset();
    live_.pop_front();
    has_retired = true;
  }
  return has_retired;
}

void FileJournal::add_spare(std::shared_ptr<Segment> segment) {
  const std::uint64_t number = segment->number;
  slots_[number % slots_.size()].store(segment.get(), std::memory_order_release);
  {
    const std::scoped_lock guard(mutex_);
    catalogue_.push_back({.number = number, .first = {}, .live = segment});
  }
  live_.push_back(std::move(segment));
  newest_.store(number, std::memory_order_release);
}

Result<std::shared_ptr<FileJournal::Segment>> FileJournal::make_segment(std::uint64_t number) {
  const std::string name = segment_name(number);
  // One that was ready before the journal was opened.
  if (auto file = disk_.open(name, OpenMode::read)) {
    const auto bytes = (*file)->size();
    if (bytes && *bytes == options_.segment_bytes) return load_segment(number, options_.segment_bytes);
  }
  const Through through = durability_ == Durability::power ? Through::yes : Through::no;
  if (const auto done = write_zeros(disk_, name, options_.segment_bytes, through); !done)
    return std::unexpected(done.error());
  return load_segment(number, options_.segment_bytes);
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
  Segment& segment = *live(now >> 32U);
  populated_ = now + k_populate_step;
  // Best effort: without it the records only take longer.
  static_cast<void>(segment.file->populate(now & 0xffff'ffffU, k_populate_ahead));
}

void FileJournal::release(Sequence up_to) noexcept {
  std::uint64_t before = released_.load();
  while (before < up_to.value && !released_.compare_exchange_weak(before, up_to.value)) {
  }
}

/// The oldest segment, if none of its records is needed.
Result<bool> FileJournal::remove_released() {
  const std::uint64_t released = released_.load(std::memory_order_relaxed);
  if (released == 0) return false;
  std::uint64_t number = 0;
  {
    const std::scoped_lock guard(mutex_);
    if (catalogue_.size() < 2 || catalogue_[0].live != nullptr) return false;
    const Entry& next = catalogue_[1];
    const Sequence first = next.live == nullptr ? next.first : next.live->first;
    if (first.value == 0 || first.value > released + 1) return false;
    number = catalogue_[0].number;
  }
  const auto done = disk_.remove(segment_name(number));
  if (!done && done.error().code != ErrorCode::missing) return std::unexpected(done.error());
  if (const auto synced = disk_.sync_names(); !synced) return std::unexpected(synced.error());
  const std::scoped_lock guard(mutex_);
  catalogue_.erase(catalogue_.begin());
  return true;
}

std::optional<Error> FileJournal::trouble() const {
  const std::scoped_lock guard(mutex_);
  for (const auto& trouble : troubles_)
    if (trouble) return trouble;
  return std::nullopt;
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
    if (const auto done = retire(); !done) return false;
    for (const auto& segment : live_)
      if (segment->number <= current_->number && !segment->file->sync()) return false;
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
  {
    const std::scoped_lock guard(mutex_);
    const auto entry = std::ranges::find(catalogue_, segment, &Entry::number);
    if (entry == catalogue_.end()) return fail(ErrorCode::missing, 0, 0, 0, "a segment that was not removed");
    if (entry->live != nullptr) return SegmentView{.bytes = entry->live->image, .is_live = true, .owner = entry->live};
  }
  auto opened = disk_.open(segment_name(segment), OpenMode::read);
  if (!opened) return std::unexpected(opened.error());
  std::shared_ptr<File> file = std::move(*opened);
  const auto bytes = file->map();
  if (!bytes) return std::unexpected(bytes.error());
  return SegmentView{.bytes = *bytes, .owner = std::move(file)};
}

Result<std::unique_ptr<Reader>> FileJournal::read_after(Sequence after) const {
  if (after > last()) return fail(ErrorCode::out_of_range, 0, 0, 0, "a record that is there");
  std::uint64_t number = 0;
  {
    const std::uint64_t using_now = position_.load(std::memory_order_acquire) >> 32U;
    const std::scoped_lock guard(mutex_);
    for (const Entry& entry : catalogue_) {
      if (entry.number > using_now) break;
      const Sequence first = entry.live == nullptr ? entry.first : entry.live->first;
      if (first.value > after.value + 1) break;
      number = entry.number;
    }
  }
  if (number == 0) return fail(ErrorCode::missing, 0, 0, 0, "records that were not removed");
  return std::make_unique<LiveReader>(*this, number, after);
}

}  // namespace dojima::journal
