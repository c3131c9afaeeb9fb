// How a FileJournal begins: what the survey found is cut where it must be, brought to the disk, and gone on with.

#include <algorithm>
#include <utility>
#include <vector>

#include "dojima/journal/file/live_segment.hpp"
#include "dojima/journal/file/new_segment.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/format/claims.hpp"
#include "dojima/journal/format/file_names.hpp"
#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {
namespace {

constexpr std::size_t k_page = 4096;

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

/// Writes what is not known to be on the disk once more, zeros behind it too: a sync may have forgotten it.
Result<void> write_again(File& file, Bytes contents, std::size_t end, Sequence known) {
  const std::size_t begin = offset_behind(contents, end, known);
  if (begin == end) return {};
  return file.write_through(begin, contents.subspan(begin));
}

/// The first bytes of a file.
Result<std::vector<std::byte>> read_beginning(Disk& disk, const std::string& name, std::uint64_t bytes) {
  auto file = disk.open(name, OpenMode::read);
  if (!file) return std::unexpected(file.error());
  std::vector<std::byte> beginning(static_cast<std::size_t>(bytes));
  const auto read = (*file)->read(0, beginning);
  if (!read) return std::unexpected(read.error());
  if (*read != beginning.size()) return fail(ErrorCode::incomplete, 0, 0, static_cast<std::int64_t>(*read), "records");
  return beginning;
}

}  // namespace

/// What is done once, before the thread that writes and the worker begin.
class FileJournal::Opening {
 public:
  explicit Opening(FileJournal& journal) : journal_(journal) {}
  [[nodiscard]] std::optional<Trouble> recover(std::unique_ptr<File> lock);

 private:
  [[nodiscard]] std::optional<Trouble> resume(const Survey& found);
  [[nodiscard]] std::optional<Trouble> set_aside(const Survey& found, std::size_t keep);
  [[nodiscard]] std::optional<Trouble> go_on_in(const Survey& found);
  [[nodiscard]] std::optional<Trouble> cut(const Survey& found);
  [[nodiscard]] Result<void> make_durable(const SegmentInfo& info, Sequence known);
  [[nodiscard]] std::optional<Trouble> sync_later(const SegmentInfo& info, Sequence known);
  [[nodiscard]] std::optional<Trouble> begin_to_write(const Survey& found);

  FileJournal& journal_;
};

FileJournal::FileJournal(Disk& disk, const FileJournalOptions& options)
    : disk_(disk), options_(options), durability_(options.durability) {}

std::expected<std::unique_ptr<FileJournal>, Trouble> FileJournal::open(Disk& disk, const FileJournalOptions& options,
                                                                       std::unique_ptr<File> lock) {
  if (options.segment_bytes % k_page != 0 || options.segment_bytes >= std::uint64_t{1} << 32U)
    return std::unexpected(wrong_options("segments of a multiple of 4096 bytes below 4 GiB"));
  if (options.largest_record == 0 || options.largest_record > k_largest_size)
    return std::unexpected(wrong_options("a largest record of 1 byte to 16 MiB"));
  if (k_segment_header + record_bytes(options.largest_record) > options.segment_bytes)
    return std::unexpected(wrong_options("a segment that holds the largest record"));
  if (options.spare_segments == 0 || options.spare_segments > k_spares_most)
    return std::unexpected(wrong_options("1 to 8 spare segments"));

  std::unique_ptr<FileJournal> journal(new FileJournal(disk, options));
  if (auto trouble = Opening(*journal).recover(std::move(lock))) {
    journal->abandon();
    return std::unexpected(std::move(*trouble));
  }
  return journal;
}

std::optional<Trouble> FileJournal::Opening::recover(std::unique_ptr<File> lock) {
  if (lock == nullptr) {
    auto held = journal_.disk_.lock();
    if (!held) {
      return Trouble{.error = held.error(),
                     .what = "the directory cannot be locked",
                     .advice = "only one process may use a journal: end the other one"};
    }
    lock = std::move(*held);
  }
  journal_.lock_ = std::move(lock);
  const auto found = survey(journal_.disk_, {.trusted = journal_.options_.trusted});
  if (!found) return trouble_of(found.error(), "the directory cannot be read");
  if (found->verdict == Verdict::damaged || (found->verdict == Verdict::hole && !journal_.options_.cut_holes)) {
    return Trouble{.error = {.code = ErrorCode::malformed, .expected = "records that follow each other"},
                   .place = found->place,
                   .what = std::string(name_of(found->verdict)) + " behind record " +
                           std::to_string(found->last.value) + ": " + found->what,
                   .advice = found->advice};
  }
  if (found->is_begun() && found->identity != journal_.options_.identity) {
    return Trouble{.error = {.code = ErrorCode::refused, .expected = "a journal of the same identity"},
                   .place = {.file = found->segments[found->current].file},
                   .what = "the directory holds the journal of another",
                   .advice = "give each journal a directory of its own"};
  }
  return resume(*found);
}

/// Takes out what is behind the end, and goes on there.
std::optional<Trouble> FileJournal::Opening::resume(const Survey& found) {
  journal_.recovery_ = {
      .first = found.first, .last = found.last, .verdict = found.verdict, .place = found.place, .what = found.what};
  for (const std::string& name : found.unfinished)
    if (const auto done = journal_.disk_.remove(name); !done)
      return trouble_of(done.error(), "a file cannot be removed", name);
  const std::size_t keep = found.is_begun() ? found.current + 1 : 0;
  if (auto trouble = set_aside(found, keep)) return trouble;
  if (const auto done = journal_.disk_.sync_names(); !done)
    return trouble_of(done.error(), "the directory cannot be synced");

  for (std::size_t at = 0; at < keep; ++at)
    journal_.catalogue_.add(found.segments[at].number, found.segments[at].first, found.segments[at].bytes, nullptr);
  if (found.is_begun()) {
    if (auto trouble = go_on_in(found)) return trouble;
  } else {
    journal_.newest_ = (found.segments.empty() ? 1 : found.segments.front().number) - 1;
    journal_.populated_ = Location::of(journal_.newest_ + 1, 0).value;
  }
  return begin_to_write(found);
}

/// Takes segments that are neither good nor blank out of the journal, and with them what is behind.
std::optional<Trouble> FileJournal::Opening::set_aside(const Survey& found, std::size_t keep) {
  const auto is_blank = [](const SegmentInfo& segment) { return segment.is_blank; };
  const auto& segments = found.segments;
  const auto bad = std::find_if_not(segments.begin() + static_cast<std::ptrdiff_t>(keep), segments.end(), is_blank);
  // From the last one on, so that at no time one is missing between others.
  for (auto at = segments.end(); at != bad;) {
    --at;
    const std::string aside = at->file + std::string(k_cut);
    const auto done = at->is_blank ? journal_.disk_.remove(at->file) : journal_.disk_.rename(at->file, aside);
    if (!done) return trouble_of(done.error(), "a segment cannot be set aside", at->file);
    if (!at->is_blank) journal_.recovery_.set_aside.push_back(aside);
  }
  return std::nullopt;
}

/// The segment that has the end: cut, and with all before it on the disk before new records can say so. With `process`
/// nobody waits for the disk: what is not known to be there, the worker brings there behind the start.
std::optional<Trouble> FileJournal::Opening::go_on_in(const Survey& found) {
  const SegmentInfo& info = found.segments[found.current];
  if (found.verdict != Verdict::whole)
    if (auto trouble = cut(found)) return trouble;
  auto loaded = journal_.load_segment(info.number);
  if (!loaded) return trouble_of(loaded.error(), "the newest segment cannot be opened", info.file);
  LiveSegment& segment = **loaded;
  const auto end = static_cast<std::size_t>(info.end);
  const Sequence known = claimed_synced(segment.image, end);
  const bool is_later = journal_.durability_ == Durability::process && found.verdict == Verdict::whole;
  for (std::size_t at = 0; at < found.current; ++at) {
    if (!found.segments[at].is_read) continue;
    if (is_later) {
      if (auto trouble = sync_later(found.segments[at], known)) return trouble;
      continue;
    }
    if (const auto done = make_durable(found.segments[at], known); !done)
      return trouble_of(done.error(), "a segment cannot be synced", found.segments[at].file);
  }
  segment.unsure_behind = known;
  if (!is_later) {
    if (const auto done = journal_.make_sure(segment, end); !done)
      return trouble_of(done.error(), "the newest segment cannot be written", info.file);
    if (const auto done = segment.file->sync(); !done)
      return trouble_of(done.error(), "the newest segment cannot be synced", info.file);
  }
  segment.first = info.first;
  journal_.catalogue_.attach(*loaded);
  journal_.live_.push_back(*loaded);
  journal_.current_ = &segment;
  journal_.image_ = segment.image;
  journal_.offset_ = end;
  journal_.sum_ = found.sum;
  journal_.last_ = journal_.written_ = found.last.value;
  journal_.synced_ = is_later ? std::min(known, found.last).value : found.last.value;
  journal_.newest_ = info.number;
  journal_.position_ = journal_.written_position_ = journal_.populated_ =
      Location::of(info.number, journal_.offset_).value;
  return std::nullopt;
}

/// The good part of the newest segment goes into a new file, which takes its place in one step. Zeros written over the
/// rest would not do: if syncing them fails, a later process takes for cut what the next loss of power brings back.
std::optional<Trouble> FileJournal::Opening::cut(const Survey& found) {
  const SegmentInfo& info = found.segments[found.current];
  const auto beginning = read_beginning(journal_.disk_, info.file, info.end);
  if (!beginning) return trouble_of(beginning.error(), "the newest segment cannot be read", info.file);
  const auto write = [&] {
    return write_segment_file(journal_.disk_, info.file, *beginning, static_cast<std::size_t>(info.wanted),
                              Through::yes);
  };
  auto done = write();
  // A full disk has room where spare segments were, and for one of them again where the old file was.
  for (auto at = found.segments.rbegin(); !done && done.error().code == ErrorCode::no_room && at->is_blank; ++at) {
    if (!journal_.disk_.remove(at->file)) break;
    done = write();
  }
  if (!done) return trouble_of(done.error(), "the torn tail cannot be cut", info.file);
  return std::nullopt;
}

/// A segment of which nobody holds the contents: what is not known to be on the disk is written again.
Result<void> FileJournal::Opening::make_durable(const SegmentInfo& info, Sequence known) {
  auto file = journal_.disk_.open(info.file, OpenMode::write);
  if (!file) return std::unexpected(file.error());
  if (info.last > known) {
    std::vector<std::byte> contents(static_cast<std::size_t>(info.bytes));
    if (const auto read = (*file)->read(0, contents); !read) return std::unexpected(read.error());
    if (auto done = write_again(**file, contents, static_cast<std::size_t>(info.end), known); !done) return done;
  }
  return (*file)->sync();
}

/// A full segment that an earlier process left: it is one of those that the worker retires.
std::optional<Trouble> FileJournal::Opening::sync_later(const SegmentInfo& info, Sequence known) {
  if (info.last <= known && journal_.live_.empty()) return std::nullopt;  // it is on the disk
  auto loaded = journal_.load_segment(info.number);
  if (!loaded) return trouble_of(loaded.error(), "a segment cannot be opened", info.file);
  LiveSegment& segment = **loaded;
  segment.first = info.first;
  segment.unsure_behind = known;
  segment.end = static_cast<std::size_t>(info.end);
  journal_.catalogue_.attach(*loaded);
  journal_.live_.push_back(std::move(*loaded));
  return std::nullopt;
}

/// Without a segment to write into there is no journal; anything less than all spares is trouble that may pass.
std::optional<Trouble> FileJournal::Opening::begin_to_write(const Survey& found) {
  while (true) {
    const auto made = journal_.supply();
    if (!made && journal_.catalogue_.size() == 0) return trouble_of(made.error(), "no segment can be made");
    static_cast<void>(journal_.troubles_.note(JournalTask::supply, made));
    if (!made || !*made) break;
  }
  if (journal_.current_ == nullptr) {
    journal_.next_segment();
    // Records without it are known to be damage.
    const std::vector<std::byte> header(journal_.image_.begin(), journal_.image_.begin() + k_segment_header);
    if (const auto done = journal_.current_->file->write_through(0, header); !done)
      return trouble_of(done.error(), "the first segment cannot be written", journal_.current_->name);
    journal_.position_ = journal_.written_position_ = Location::of(journal_.current_->number, journal_.offset_).value;
  }
  if (journal_.recovery_.first.value == 0) journal_.recovery_.first = {1};
  // A segment is of one kind from its beginning to its end.
  if (found.is_begun() &&
      (found.durability != journal_.durability_ || found.largest_record != journal_.options_.largest_record)) {
    if (journal_.newest_ == journal_.current_->number)
      return trouble_of(journal_.troubles_.of(JournalTask::supply).value_or(Error{}), "no segment can be made");
    journal_.next_segment();
  }
  journal_.mark();
  return std::nullopt;
}

/// Writes what an earlier process left once more, up to `end`, unless it is known to be on the disk.
Result<void> FileJournal::make_sure(LiveSegment& segment, std::size_t end) {
  if (!segment.unsure_behind) return {};
  const auto done = write_again(*segment.file, segment.image.first(end), end, *segment.unsure_behind);
  if (done) segment.unsure_behind.reset();
  return done;
}

/// A segment that is on the disk already.
Result<std::shared_ptr<LiveSegment>> FileJournal::load_segment(std::uint64_t number) {
  auto segment = std::make_shared<LiveSegment>();
  segment->number = number;
  segment->name = segment_name(number);
  auto file = disk_.open(segment->name, OpenMode::write);
  if (!file) return std::unexpected(file.error());
  segment->file = std::move(*file);
  if (durability_ == Durability::process) {
    const auto room = segment->file->map();
    if (!room) return std::unexpected(room.error());
    segment->image = *room;
    return segment;
  }
  const auto bytes = segment->file->size();
  if (!bytes) return std::unexpected(bytes.error());
  const auto size = static_cast<std::size_t>(*bytes);
  segment->memory = std::make_unique<std::byte[]>(size);
  segment->image = {segment->memory.get(), size};
  if (const auto read = segment->file->read(0, segment->image); !read) return std::unexpected(read.error());
  return segment;
}

}  // namespace dojima::journal
