#include "dojima/journal/survey.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "dojima/base/assert.hpp"
#include "dojima/journal/file/mapped_file.hpp"
#include "dojima/journal/file/survey_end.hpp"
#include "dojima/journal/format/file_names.hpp"
#include "dojima/journal/format/segment.hpp"
#include "dojima/journal/format/segment_reader.hpp"

namespace dojima::journal {
namespace {

class Surveyor {
 public:
  Surveyor(Disk& disk, const SurveyOptions& options) : disk_(disk), options_(options) {}

  Result<Survey> run() {
    if (const auto listed = list(); !listed) return std::unexpected(listed.error());
    for (std::size_t at = 0; at < found_.segments.size(); ++at) {
      const auto goes_on = follow(at);
      if (!goes_on) return std::unexpected(goes_on.error());
      if (!*goes_on) break;
    }
    if (found_.verdict == Verdict::damaged) return std::move(found_);
    if (const auto done = judge_end(disk_, found_, wrong_); !done) return std::unexpected(done.error());
    return std::move(found_);
  }

 private:
  Result<void> list() {
    const auto names = disk_.list();
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      if (name.ends_with(k_unfinished)) found_.unfinished.push_back(name);
      if (const auto number = number_of(name, k_segment_suffix)) {
        SegmentInfo& segment = found_.segments.emplace_back();
        segment.number = *number;
        segment.file = name;
      }
    }
    found_.current = found_.segments.size();
    return {};
  }

  /// Reads a segment that may follow what was read. False: nothing follows, or damage.
  Result<bool> follow(std::size_t at) {
    SegmentInfo& segment = found_.segments[at];
    if (at > 0 && segment.number != found_.segments[at - 1].number + 1) {
      damage({.file = segment_name(found_.segments[at - 1].number + 1), .sequence = found_.next()},
             "a segment is missing", "bring the file back from a copy");
      return false;
    }
    const auto mapped = map_file(disk_, segment.file);
    if (!mapped) return std::unexpected(mapped.error());
    segment.bytes = mapped->bytes.size();
    const auto header = read_header(mapped->bytes);
    const char* const why = header ? foreign(at, *header) : header.error();
    if (why != nullptr) {
      // A spare one is all zeros. Otherwise, if the records before ended well, this is the place.
      if (wrong_.empty() && !is_zero(mapped->bytes)) {
        wrong_ = why;
        found_.place = {.file = segment.file};
      }
      return false;
    }
    begin(at, *header, mapped->bytes);
    return true;
  }

  /// Why the header is not that of the segment that follows what was read; null: it is.
  [[nodiscard]] const char* foreign(std::size_t at, const ReadHeader& read) const noexcept {
    const SegmentHeader& header = read.header;
    if (header.number != found_.segments[at].number) return "the segment has another number than its name";
    if (at == 0) return nullptr;
    if (header.identity != found_.identity) return "a segment of another journal";
    if (!is_walked_) return nullptr;  // trusted: nobody knows where the one before ends
    if (header.first != found_.next()) return "the next segment begins with another record";
    if (header.previous != found_.sum) return "the next segment follows another record";
    return nullptr;
  }

  void begin(std::size_t at, const ReadHeader& read, Bytes bytes) {
    const SegmentHeader& header = read.header;
    SegmentInfo& segment = found_.segments[at];
    if (at == 0) {
      found_.identity = header.identity;
      found_.first = header.first;
    }
    if (at > 0 && is_walked_) rest_must_be_zero(at - 1);
    if (at > 0 && !is_walked_) found_.segments[at - 1].last = {header.first.value - 1};
    found_.durability = header.durability;
    found_.current = at;
    segment.is_begun = true;
    segment.first = header.first;
    Walk walk{.segment = bytes, .largest = header.largest_record, .read = {header.first.value - 1}, .sum = read.sum};
    is_walked_ = !is_trusted(at);
    if (is_walked_) {
      segment.is_read = true;
      StoredRecord record;
      while (!walk.is_at_end() && walk.step(record)) {
      }
      wrong_ = walk.is_at_end() ? "" : walk.wrong;
      if (bytes.size() < header.bytes && wrong_.empty()) wrong_ = "the file is too short";
    }
    segment.last = found_.last = walk.read;
    segment.end = walk.offset;
    found_.sum = walk.sum;
    found_.place = {.file = segment.file, .offset = walk.offset, .sequence = found_.next()};
    segment.wanted = header.bytes;
    found_.largest_record = header.largest_record;
  }

  /// All of its records are up to the trusted one, because the next segment begins so.
  bool is_trusted(std::size_t at) {
    if (options_.trusted.value == 0 || at + 1 == found_.segments.size()) return false;
    const auto mapped = map_file(disk_, found_.segments[at + 1].file);
    if (!mapped) return false;
    const auto header = read_header(mapped->bytes);
    return header && header->header.first.value <= options_.trusted.value + 1;
  }

  /// Behind the records of a segment that is followed by another.
  void rest_must_be_zero(std::size_t at) {
    const SegmentInfo& segment = found_.segments[at];
    const auto mapped = map_file(disk_, segment.file);
    if (!mapped || is_zero(mapped->bytes.subspan(std::min<std::size_t>(segment.end, mapped->bytes.size())))) return;
    if (found_.what.empty()) {
      damage({.file = segment.file, .offset = segment.end, .sequence = {segment.last.value + 1}},
             "bytes behind the last record of a finished segment",
             "no record is lost; fill the file from that offset on with zeros");
    }
  }

  void damage(Place place, std::string_view what, std::string_view advice) {
    found_.verdict = Verdict::damaged;
    found_.place = std::move(place);
    found_.what = what;
    found_.advice = advice;
  }

  Disk& disk_;
  SurveyOptions options_;
  Survey found_;
  std::string wrong_;       // why the walk ended where it did; empty: at zeros
  bool is_walked_ = false;  // the segment read last, to its end
};

class DirectoryReader final : public SegmentReader {
 public:
  DirectoryReader(Disk& disk, std::uint64_t number, Sequence after, Sequence last)
      : SegmentReader(number, after), disk_(disk), last_(last) {}

 private:
  Result<Bytes> segment(std::uint64_t number) override {
    auto mapped = map_file(disk_, segment_name(number));
    if (!mapped) return std::unexpected(mapped.error());
    mapped_ = std::move(*mapped);
    return mapped_.bytes;
  }
  Sequence last() const override { return last_; }

  Disk& disk_;
  Sequence last_;
  MappedFile mapped_;
};

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::whole:
      return "whole";
    case Verdict::torn_tail:
      return "torn tail";
    case Verdict::hole:
      return "hole";
    case Verdict::damaged:
      break;
  }
  return "damaged";
}

Result<Survey> survey(Disk& disk, const SurveyOptions& options) {
  return Surveyor(disk, options).run();
}

Result<std::unique_ptr<Reader>> read_directory(Disk& disk, const Survey& found, Sequence after) {
  if (after > found.last) return fail(ErrorCode::out_of_range, 0, 0, 0, "a record that is there");
  std::uint64_t number = 0;
  for (const SegmentInfo& segment : found.segments)
    if (segment.is_begun && segment.first.value <= after.value + 1) number = segment.number;
  if (number == 0 && found.is_begun()) return fail(ErrorCode::missing, 0, 0, 0, "records that were not removed");
  return std::make_unique<DirectoryReader>(disk, number, after, found.last);
}

std::string segment_name(std::uint64_t number) {
  return file_name(number, k_segment_suffix);
}

}  // namespace dojima::journal
