#include "dojima/journal/record_access.hpp"

#include <utility>

#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {

Result<const SegmentView*> RecordAccess::segment(std::uint64_t number) {
  if (held_[0].number == number) return &held_[0].view;
  std::swap(held_[0], held_[1]);
  if (held_[0].number == number) return &held_[0].view;
  held_[0] = {};
  auto view = journal_.view(number);
  if (!view) return std::unexpected(view.error());
  held_[0] = {.number = number, .view = std::move(*view)};
  return &held_[0].view;
}

Result<Record> RecordAccess::read(Location at) {
  const auto found = segment(at.segment());
  if (!found) return std::unexpected(found.error());
  const SegmentView& view = **found;
  const auto no_record = [&](const char* wrong) {
    return fail(ErrorCode::malformed, 0, at.offset(), static_cast<std::int64_t>(at.segment()), wrong);
  };
  if (at.offset() < k_segment_header || at.offset() >= view.bytes.size() || is_blank(view.bytes, at.offset()))
    return no_record("a record");
  const auto record =
      view.is_live ? record_at(view.bytes, at.offset()) : read_record(view.bytes, at.offset(), k_largest_size);
  if (!record) return no_record(record.error());
  if (record->kind == k_mark) return no_record("a record that is no mark");
  return Record{record->sequence, record->payload, record->kind, at};
}

}  // namespace dojima::journal
