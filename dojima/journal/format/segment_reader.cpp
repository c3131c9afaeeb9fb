#include "dojima/journal/format/segment_reader.hpp"

namespace dojima::journal {

Result<std::optional<Record>> SegmentReader::next() {
  const Sequence newest = last();
  while (walk_.read < newest) {
    if (walk_.segment.empty()) {
      if (const auto begun = begin(); !begun) return std::unexpected(begun.error());
    }
    // There are more records, so they are in the next one.
    if (walk_.is_at_end()) {
      ++number_;
      walk_.segment = {};
      continue;
    }
    StoredRecord record;
    const std::size_t offset = walk_.offset;
    if (!walk_.step(record))
      return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(walk_.offset), 0, walk_.wrong);
    if (record.kind != k_mark && record.sequence > after_)
      return Record{record.sequence, record.payload, record.kind, Location::of(number_, offset)};
  }
  return std::nullopt;
}

Result<void> SegmentReader::begin() {
  const auto bytes = segment(number_);
  if (!bytes) return std::unexpected(bytes.error());
  const auto header = read_header(*bytes);
  if (!header) return fail(ErrorCode::malformed, 0, 0, 0, header.error());
  const Sequence first = header->header.first;
  if (has_begun_ && (first.value != walk_.read.value + 1 || header->header.previous != walk_.sum))
    return fail(ErrorCode::malformed, 0, 0, 0, "a segment that follows the one before");
  has_begun_ = true;
  walk_ = {.segment = *bytes, .largest = header->header.largest_record, .read = {first.value - 1}, .sum = header->sum};
  return {};
}

}  // namespace dojima::journal
