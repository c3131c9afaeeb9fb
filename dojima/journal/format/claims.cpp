#include "dojima/journal/format/claims.hpp"

#include <algorithm>

#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {
namespace {

/// Calls `visit(offset, record)` with each record until it gives false.
template <class Visit>
void for_each_record(Bytes segment, std::size_t end, Visit visit) noexcept {
  for (std::size_t offset = k_segment_header; offset < end;) {
    const auto record = record_at(segment, offset);
    if (!record || !visit(offset, *record)) return;
    offset += record_bytes(record->payload.size());
  }
}

}  // namespace

Sequence claimed_synced(Bytes segment, std::size_t end) noexcept {
  Sequence known;
  if (const auto read = read_header(segment)) known = read->header.synced;
  for_each_record(segment, end, [&known](std::size_t, const StoredRecord& record) {
    known = std::max(known, record.synced());
    return true;
  });
  return known;
}

std::size_t offset_behind(Bytes segment, std::size_t end, Sequence known) noexcept {
  std::size_t behind = 0;
  for_each_record(segment, end, [&](std::size_t offset, const StoredRecord& record) {
    if (record.sequence > known) return false;
    if (record.kind != k_mark) behind = offset + record_bytes(record.payload.size());
    return true;
  });
  return behind;
}

}  // namespace dojima::journal
