#include "dojima/journal/file/survey_end.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "dojima/journal/file/mapped_file.hpp"
#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {
namespace {

/// Records and headers that are good in themselves and would come later.
void search_behind(Survey& found, Bytes bytes, std::size_t from) {
  if (from == 0) {
    if (const auto read = read_header(bytes); read && read->header.first > found.last) {
      ++found.intact_behind;
      found.known_synced = std::max(found.known_synced, read->header.synced);
      // It is begun only when all before are written.
      if (read->header.durability == Durability::power)
        found.known_synced = std::max(found.known_synced, Sequence{read->header.first.value - 1});
    }
  }
  const std::uint64_t most = found.last.value + (std::uint64_t{1} << 40U);
  for (std::size_t at = padded(from); at + k_record_header <= bytes.size(); at += k_record_alignment) {
    const auto sequence = load_little<std::uint64_t>(bytes, at + 8);
    if (sequence <= found.last.value || sequence > most) continue;
    if (load_little<std::uint64_t>(bytes, at) == 0) continue;
    const auto record = read_record(bytes, at, k_largest_size);
    if (!record) continue;
    ++found.intact_behind;
    found.known_synced = std::max(found.known_synced, record->synced());
  }
}

Verdict verdict_of(const Survey& found) noexcept {
  if (found.known_synced > found.last) return Verdict::damaged;
  // Nothing was ever readable, and yet somebody has begun.
  if (!found.is_begun() && found.intact_behind > 0) return Verdict::damaged;
  if (!found.segments.empty() && !found.is_begun() && found.segments.front().number != 1) return Verdict::damaged;
  if (found.intact_behind > 0 && found.durability == Durability::process) return Verdict::hole;
  return Verdict::torn_tail;
}

std::string advice_of(const Survey& found) {
  const std::string next_one = std::to_string(found.next().value);
  switch (found.verdict) {
    case Verdict::whole:
      break;
    case Verdict::torn_tail:
      return "nothing to do: opening the journal cuts it, and nothing that was durable is lost";
    case Verdict::hole:
      return "if the machine has lost power, records from " + next_one +
             " on are lost: open with `cut_holes`; if not, " + "the file was damaged: bring it back from a copy";
    case Verdict::damaged:
      return "records up to " + std::to_string(found.known_synced.value) +
             " were on the disk: bring the file back from a copy, or go on from one of the directory";
  }
  return {};
}

}  // namespace

Result<void> judge_end(Disk& disk, Survey& found, std::string_view wrong) {
  bool is_blank_behind = true;
  const std::size_t from = found.current < found.segments.size() ? found.current : 0;
  for (std::size_t at = from; at < found.segments.size(); ++at) {
    const auto mapped = map_file(disk, found.segments[at].file);
    if (!mapped) return std::unexpected(mapped.error());
    found.segments[at].bytes = mapped->bytes.size();
    const bool has_end = at == found.current;
    if (has_end && mapped->bytes.size() < found.segments[at].wanted) is_blank_behind = false;
    const Bytes behind = has_end ? mapped->bytes.subspan(found.segments[at].end) : mapped->bytes;
    found.segments[at].is_blank = !has_end && is_zero(behind);
    if (is_zero(behind)) continue;
    is_blank_behind = false;
    if (!has_end && found.place.file.empty()) found.place.file = found.segments[at].file;
    search_behind(found, mapped->bytes, has_end ? found.segments[at].end : 0);
  }
  if (is_blank_behind && (found.is_begun() || found.segments.empty() || found.segments.front().number == 1)) return {};
  found.what = wrong.empty() ? "bytes that are no record" : wrong;
  found.verdict = verdict_of(found);
  found.advice = advice_of(found);
  found.place.sequence = found.next();
  return {};
}

}  // namespace dojima::journal
