// A journal's directory with anything in it. The first byte says what the rest is: 0 the bytes of a segment, 1 those of
// a snapshot, 2 changes to a good journal (file, place, new byte). Whatever it is: looking at it ends, opening refuses
// it with a place or gives a journal whose records read well, are a beginning of the good ones' when it was good, and
// can be added to; and what was recovered once is whole the next time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/journal/snapshots.hpp"

namespace {

using namespace dojima;
using namespace dojima::journal;

constexpr std::size_t k_segment = 4096;

FileJournalOptions options() {
  return {.identity = Identity::of("test"),
          .durability = Durability::power,
          .segment_bytes = k_segment,
          .largest_record = 200,
          .spare_segments = 1,
          .cut_holes = true};
}

std::string text_of(std::uint64_t sequence) {
  return std::string(1 + sequence * 37 % 190, static_cast<char>('a' + sequence % 26));
}

bool write_next(FileJournal& journal) {
  const std::string text = text_of(journal.last().value + 1);
  const Room room = journal.prepare(text.size());
  if (room.empty()) return false;
  std::ranges::copy(as_bytes(text), room.begin());
  journal.commit(text.size());
  return true;
}

/// A good journal of two and a half segments.
void make_journal(SimulatedDisk& disk) {
  auto journal = std::move(*FileJournal::open(disk, options()));
  for (int count = 0; count < 70; ++count) {
    DOJIMA_ASSERT(write_next(*journal), "there is room");
    while (journal->work()) {
    }
  }
}

/// Opens whatever is there. `is_known`: its records must be those of the good journal.
void recover(SimulatedDisk& disk, bool is_known) {
  std::uint64_t last = 0;
  {
    auto opened = FileJournal::open(disk, options());
    if (!opened) {
      DOJIMA_ASSERT(!opened.error().advice.empty() && !opened.error().what.empty(), "a refusal explains itself");
      return;
    }
    FileJournal& journal = **opened;
    DOJIMA_ASSERT(write_next(journal), "what was recovered can be written");
    while (journal.work()) {
    }
    const auto reader = journal.read_after({journal.recovery().first.value - 1});
    DOJIMA_ASSERT(reader.has_value(), "the oldest record is there");
    std::uint64_t read = journal.recovery().first.value - 1;
    for (auto record = (*reader)->next();; record = (*reader)->next()) {
      DOJIMA_ASSERT(record.has_value(), "what was recovered can be read");
      if (!*record) break;
      ++read;
      DOJIMA_ASSERT((*record)->sequence.value == read, "records are numbered one by one", read);
      DOJIMA_ASSERT(!is_known || as_text((*record)->bytes) == text_of(read), "no record is invented", read);
    }
    last = journal.last().value;
    DOJIMA_ASSERT(read == last, "all records are read", read, last);
    DOJIMA_ASSERT(journal.close(), "nothing fails here");
  }
  const auto found = survey(disk);
  DOJIMA_ASSERT(found->verdict == Verdict::whole && found->last.value == last, "what was recovered is whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  SimulatedDisk disk;
  if (data[0] == 0) {
    std::vector<std::byte> segment(rest.begin(), rest.end());
    segment.resize(std::max(k_segment, std::min(segment.size(), 4 * k_segment)));
    disk.put(segment_name(1), segment);
    recover(disk, false);
  } else if (data[0] == 1) {
    disk.put(snapshot_name({5}), rest);
    const auto found = newest_snapshot(disk, Identity::of("test"));
    DOJIMA_ASSERT(found.has_value(), "the directory can be read");
    if (found->snapshot)
      DOJIMA_ASSERT(found->snapshot->bytes().size() + 128 == rest.size(), "a good snapshot is all of its file");
  } else {
    make_journal(disk);
    const std::vector<std::string> names = *disk.list();
    for (std::size_t at = 0; at + 4 <= rest.size() && at < 400; at += 4) {
      const std::string& name = names[std::to_integer<std::size_t>(rest[at]) % names.size()];
      std::vector<std::byte> bytes = disk.contents(name);
      const std::size_t place = load_little<std::uint16_t>(rest, at + 1);
      if (place < bytes.size()) bytes[place] = rest[at + 3];
      if (place == 0xffff) bytes.resize(bytes.size() * std::to_integer<std::size_t>(rest[at + 3]) / 256);
      disk.put(name, bytes);
    }
    recover(disk, true);
  }
  return 0;
}
