// How much a FileJournal surely takes before another spare segment is ready: what a reader of commands must keep back.

#include "dojima/journal/file/live_segment.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {

std::size_t FileJournal::bytes_of(std::size_t size) noexcept {
  return record_bytes(size);
}

RoomLeft FileJournal::room_left() const noexcept {
  return {.spares = newest_.load(std::memory_order_acquire) - current_->number, .bytes = image_.size() - offset_};
}

/// A record that finds no room at the end of a segment leaves up to its own size unused there.
std::size_t FileJournal::sure_room(const RoomLeft& left) const noexcept {
  const std::size_t bytes = left.bytes + left.spares * (options_.segment_bytes - k_segment_header);
  const std::size_t unused = (left.spares + 1) * record_bytes(options_.largest_record);
  return bytes > unused ? bytes - unused : 0;
}

std::size_t FileJournal::sure_room(bool is_essential) const noexcept {
  RoomLeft left = room_left();
  if (is_essential) return sure_room(left);
  if (left.spares == 0 || troubles_.is_failing()) return 0;
  --left.spares;
  return sure_room(left);
}

std::size_t FileJournal::sure_room_when_ready(bool is_essential) const noexcept {
  return sure_room(RoomLeft{.spares = options_.spare_segments - (is_essential ? 0U : 1U)});
}

}  // namespace dojima::journal
