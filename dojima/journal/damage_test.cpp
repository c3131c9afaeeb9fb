// What a journal makes of its files when something happened to them: cut at any byte, any bit flipped, segments
// missing.

#include <gtest/gtest.h>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::count_good;
using testing::open_journal;
using testing::small;
using testing::write_next;

using Files = std::vector<std::pair<std::string, std::vector<std::byte>>>;

Files files_of(SimulatedDisk& disk) {
  Files files;
  const std::vector<std::string> names = *disk.list();
  for (const std::string& name : names) files.emplace_back(name, disk.contents(name));
  return files;
}

/// A journal of `count` records as it lies there when the process has ended, with or without a proper end.
Files make_journal(const FileJournalOptions& options, std::uint64_t count, bool is_closed, std::uint64_t batch = 4) {
  SimulatedDisk disk;
  const auto journal = open_journal(disk, options);
  for (std::uint64_t written = 1; written <= count; ++written) {
    EXPECT_TRUE(write_next(*journal));
    if (written % batch == 0) journal->work();
  }
  while (journal->work()) {
  }
  if (is_closed) {
    EXPECT_TRUE(journal->close());
  } else {
    journal->abandon();
  }
  return files_of(disk);
}

struct Damaged {
  explicit Damaged(const Files& files) {
    for (const auto& [name, bytes] : files) disk.put(name, bytes);
  }
  void flip(std::string_view name, std::size_t bit) {
    std::vector<std::byte> bytes = disk.contents(name);
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    disk.put(name, bytes);
  }
  SimulatedDisk disk;
};

/// Where each record of the last begun segment begins, and at last where they end.
std::vector<std::size_t> offsets_of(const std::vector<std::byte>& segment, std::uint64_t first, std::uint64_t last) {
  std::vector<std::size_t> offsets;
  std::size_t at = 128;
  for (std::uint64_t sequence = first; sequence <= last;) {
    const auto word = load_little<std::uint32_t>(segment, at + 4);
    if (word >> 24U != 255) {
      offsets.push_back(at);
      ++sequence;
    }
    at += 24 + ((word & 0xff'ffffU) + 7) / 8 * 8;
  }
  offsets.push_back(at);
  return offsets;
}

/// Flips bits of a journal that was closed, every `step`-th, one at a time.
void flip_bits(const FileJournalOptions& options, std::size_t step) {
  const Files files = make_journal(options, 90, true);
  ASSERT_GE(files.size(), 4u);
  for (std::size_t file = 0; file < files.size(); ++file) {
    const auto& [name, bytes] = files[file];
    // Every bit of header and records; behind them one of each byte.
    std::size_t end = bytes.size();
    while (end > 0 && bytes[end - 1] == std::byte{}) --end;
    const bool is_last = file + 1 < files.size() && files[file + 1].second[0] == std::byte{};
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += bit / 8 < end ? step : 8 * step + bit % 7) {
      Damaged damaged(files);
      damaged.flip(name, bit);
      const auto found = survey(damaged.disk);
      ASSERT_TRUE(found);
      ASSERT_NE(found->verdict, Verdict::whole) << name << " bit " << bit;
      ASSERT_FALSE(found->advice.empty());
      // Before the mark at the end everything is known to be on the disk.
      if (bit / 8 < end && !(is_last && bit / 8 >= end - 24)) {
        ASSERT_EQ(found->verdict, Verdict::damaged) << name << " bit " << bit;
        const auto opened = FileJournal::open(damaged.disk, options);
        ASSERT_FALSE(opened);
        ASSERT_EQ(opened.error().place.file, name) << bit;
        ASSERT_LE(opened.error().place.offset, bit / 8);
      } else if (found->verdict == Verdict::torn_tail) {
        ASSERT_EQ(found->last.value, 90u);
      }
    }
  }
}

class DamageOf : public ::testing::TestWithParam<Durability> {
 public:
  FileJournalOptions options = small(GetParam());
};
using DamageOfLong = DamageOf;
INSTANTIATE_TEST_SUITE_P(Each, DamageOfLong,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& of) { return std::string(name_of(of.param)); });
INSTANTIATE_TEST_SUITE_P(Each, DamageOf, ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& of) { return std::string(name_of(of.param)); });

TEST_P(DamageOf, is_none_when_the_last_three_records_are_cut_at_any_byte) {
  const Files files = make_journal(options, 30, false, 30);
  const auto& [name, segment] = files.front();
  const std::vector<std::size_t> offsets = offsets_of(segment, 1, 30);
  for (std::size_t cut = offsets[27]; cut <= offsets[30]; ++cut) {
    for (const bool is_short : {false, true}) {
      Damaged damaged(files);
      std::vector<std::byte> bytes = segment;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(cut), bytes.end(), std::byte{});
      if (is_short) bytes.resize(cut);
      damaged.disk.put(name, bytes);
      std::uint64_t whole = 27;
      while (whole < 30 && offsets[whole + 1] <= cut) ++whole;
      // The zeros at a record's end may have been its own.
      const auto journal = open_journal(damaged.disk, options);
      ASSERT_NE(journal, nullptr) << cut;
      const std::uint64_t last = journal->last().value;
      EXPECT_GE(last, whole) << cut;
      EXPECT_LE(last, whole + 1) << cut;
      if (last > whole) {
        EXPECT_LT(offsets[whole + 1] - cut, 8u);
      }
      EXPECT_EQ(count_good(*journal), last);
      for (int more = 0; more < 100; ++more) {
        while (journal->work()) {
        }
        ASSERT_TRUE(write_next(*journal));
      }
      journal->close();
      EXPECT_EQ(survey(damaged.disk)->verdict, Verdict::whole);
      EXPECT_EQ(count_good(*open_journal(damaged.disk, options)), last + 100);
    }
  }
}

TEST_P(DamageOf, is_found_where_a_bit_of_a_closed_journal_flips) {
  flip_bits(options, 13);
}

TEST_P(DamageOfLong, is_found_wherever_a_bit_of_a_closed_journal_flips) {
  flip_bits(options, 1);
}

TEST_P(DamageOf, does_not_keep_the_records_before_it_from_being_read) {
  const Files files = make_journal(options, 90, true);
  Damaged damaged(files);
  damaged.flip(files[0].first, 3000 * 8);
  const auto found = survey(damaged.disk);
  EXPECT_EQ(found->verdict, Verdict::damaged);
  const auto reader = read_directory(damaged.disk, *found);
  const std::vector<std::string> texts = testing::read_on(**reader);
  EXPECT_EQ(texts.size(), found->last.value);
  EXPECT_GT(texts.size(), 10u);
  for (std::size_t at = 0; at < texts.size(); ++at) EXPECT_EQ(texts[at], testing::text_of(at + 1));
}

TEST_P(DamageOf, that_is_repaired_is_forgotten) {
  const Files files = make_journal(options, 90, true);
  Damaged damaged(files);
  damaged.flip(files[0].first, 3000);
  EXPECT_FALSE(FileJournal::open(damaged.disk, options));
  damaged.flip(files[0].first, 3000);
  EXPECT_EQ(count_good(*open_journal(damaged.disk, options)), 90u);
}

TEST_P(DamageOf, is_a_segment_that_is_missing) {
  const Files files = make_journal(options, 200, true);
  for (std::size_t missing = 1; missing + 1 < files.size(); ++missing) {
    if (files[missing + 1].second[0] == std::byte{}) break;
    Damaged damaged(files);
    EXPECT_TRUE(damaged.disk.remove(files[missing].first));
    const auto opened = FileJournal::open(damaged.disk, options);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().place.file, files[missing].first);
    EXPECT_TRUE(opened.error().what.starts_with("damaged behind record ")) << opened.error().what;
    EXPECT_TRUE(opened.error().what.ends_with(": a segment is missing")) << opened.error().what;
  }
}

TEST_P(DamageOf, is_a_segment_of_another_journal) {
  const Files files = make_journal(options, 200, true);
  FileJournalOptions other = options;
  other.identity = Identity::of("other");
  const Files others = make_journal(other, 200, true);
  Damaged damaged(files);
  damaged.disk.put(files[1].first, others[1].second);
  const auto opened = FileJournal::open(damaged.disk, options);
  ASSERT_FALSE(opened);
  EXPECT_FALSE(opened.error().advice.empty());
}

TEST(Damage, of_a_process_journal_that_a_loss_of_power_may_have_left_is_cut_only_on_demand) {
  FileJournalOptions options = small(Durability::process);
  const Files files = make_journal(options, 90, false);
  // A page of the newest segment that never got to the disk, good records behind it.
  Damaged damaged(files);
  const auto found = survey(damaged.disk);
  const SegmentInfo& newest = found->segments[found->current];
  std::vector<std::byte> bytes = damaged.disk.contents(newest.file);
  const std::vector<std::size_t> offsets = offsets_of(bytes, newest.first.value, newest.last.value);
  ASSERT_GT(offsets.size(), 4u);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(offsets[1]),
            bytes.begin() + static_cast<std::ptrdiff_t>(offsets[2]), std::byte{});
  damaged.disk.put(newest.file, bytes);

  const auto hole = survey(damaged.disk);
  EXPECT_EQ(hole->verdict, Verdict::hole);
  EXPECT_EQ(hole->last, newest.first);
  EXPECT_GT(hole->intact_behind, 0u);
  const auto refused = FileJournal::open(damaged.disk, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().place, (Place{newest.file, offsets[1], {newest.first.value + 1}}));
  EXPECT_NE(refused.error().advice.find("cut_holes"), std::string::npos);

  options.cut_holes = true;
  const auto journal = open_journal(damaged.disk, options);
  EXPECT_EQ(journal->last(), newest.first);
  EXPECT_EQ(count_good(*journal), newest.first.value);
}

TEST(Damage, of_a_batch_that_was_being_written_is_no_damage) {
  const FileJournalOptions options = small(Durability::power);
  const Files files = make_journal(options, 30, false, 30);  // one batch
  Damaged damaged(files);
  std::vector<std::byte> bytes = files.front().second;
  const std::vector<std::size_t> offsets = offsets_of(bytes, 1, 30);
  bytes[offsets[9] + 30] ^= std::byte{1};
  damaged.disk.put(files.front().first, bytes);
  const auto journal = open_journal(damaged.disk, options);
  EXPECT_EQ(journal->recovery().verdict, Verdict::torn_tail);
  EXPECT_EQ(journal->recovery().place, (Place{files.front().first, offsets[9], {10}}));
  EXPECT_EQ(count_good(*journal), 9u);
  EXPECT_TRUE(journal->close());
  EXPECT_EQ(survey(damaged.disk)->verdict, Verdict::whole);  // nothing of the batch is left
}

TEST(Damage, of_a_batch_that_a_later_one_knows_is_damage) {
  const FileJournalOptions options = small(Durability::power);
  const Files files = make_journal(options, 30, false, 10);
  Damaged damaged(files);
  std::vector<std::byte> bytes = files.front().second;
  bytes[offsets_of(bytes, 1, 30)[9] + 30] ^= std::byte{1};
  damaged.disk.put(files.front().first, bytes);
  const auto opened = FileJournal::open(damaged.disk, options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().place.sequence.value, 10u);
}

TEST(Damage, is_bytes_behind_a_finished_segment_and_a_first_segment_that_is_gone) {
  const FileJournalOptions options = small(Durability::process);
  const Files files = make_journal(options, 200, true);
  Damaged behind(files);
  behind.flip(files[0].first, 4095 * 8);
  EXPECT_EQ(survey(behind.disk)->verdict, Verdict::damaged);
  // Released segments are gone, too: from the second on it is a journal. Only spare ones are none.
  Damaged released(files);
  EXPECT_TRUE(released.disk.remove(files[0].first));
  EXPECT_GT(open_journal(released.disk, options)->recovery().first.value, 1u);
  Damaged gone(files);
  for (const auto& [name, bytes] : files)
    if (bytes[0] != std::byte{}) static_cast<void>(gone.disk.remove(name));
  EXPECT_EQ(survey(gone.disk)->verdict, Verdict::damaged);
  EXPECT_FALSE(FileJournal::open(gone.disk, options));
}

}  // namespace
}  // namespace dojima::journal
