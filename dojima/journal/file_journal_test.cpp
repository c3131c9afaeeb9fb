// What only a journal on disk does: coming back, refusing, going on.

#include "dojima/journal/file_journal.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::count_good;
using testing::open_journal;
using testing::small;
using testing::text_of;
using testing::work;
using testing::write_next;

void fill(FileJournal& journal, std::uint64_t count) {
  for (std::uint64_t written = 0; written < count; ++written) {
    if (written % 8 == 0) work(journal);
    ASSERT_TRUE(write_next(journal)) << journal.last().value;
  }
}

class FileJournalOf : public ::testing::TestWithParam<Durability> {
 public:
  SimulatedDisk disk;
  FileJournalOptions options = small(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Each, FileJournalOf,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& of) { return std::string(name_of(of.param)); });

TEST_P(FileJournalOf, comes_back_after_it_was_closed) {
  for (std::uint64_t round = 0; round < 5; ++round) {
    const auto journal = open_journal(disk, options);
    EXPECT_EQ(journal->recovery().verdict, Verdict::whole) << journal->recovery().what;
    EXPECT_EQ(journal->last().value, round * 100);
    EXPECT_EQ(journal->durable().value, round * 100);
    EXPECT_EQ(count_good(*journal), round * 100);
    fill(*journal, 100);
    EXPECT_EQ(count_good(*journal), round * 100 + 100);
    EXPECT_TRUE(journal->close());
  }
}

TEST_P(FileJournalOf, comes_back_when_it_was_empty) {
  for (int round = 0; round < 3; ++round) {
    const auto journal = open_journal(disk, options);
    EXPECT_EQ(journal->last().value, 0u);
    EXPECT_EQ(journal->recovery().verdict, Verdict::whole);
    if (round == 1) journal->abandon();
  }
}

TEST_P(FileJournalOf, keeps_what_was_durable_when_the_process_ends) {
  std::uint64_t durable = 0;
  {
    const auto journal = open_journal(disk, options);
    fill(*journal, 150);
    durable = GetParam() == Durability::none ? 0 : journal->durable().value;
    journal->abandon();
  }
  const auto journal = open_journal(disk, options);
  EXPECT_GE(count_good(*journal), durable);
  EXPECT_GT(journal->last().value, 100u);
  EXPECT_EQ(journal->durable(), journal->last());
}

/// Of every moment: also of what an earlier process has left.
TEST_P(FileJournalOf, knows_how_many_files_it_has_and_how_large_they_are) {
  const auto of_disk = [this] {
    JournalFiles files;
    const auto names = disk.list();
    for (const std::string& name : *names)
      if (auto file = disk.open(name, OpenMode::read); file && name != "lock") {
        ++files.segments;
        files.bytes += *(*file)->size();
      }
    return files;
  };
  for (int life = 0; life < 3; ++life) {
    const auto journal = open_journal(disk, options);
    EXPECT_EQ(journal->files(), of_disk()) << "life " << life;
    fill(*journal, 150);
    work(*journal);
    EXPECT_EQ(journal->files(), of_disk()) << "life " << life;
    const std::uint64_t before = journal->files().segments;
    EXPECT_GT(before, 3u);
    journal->release(journal->last());
    work(*journal);
    EXPECT_EQ(journal->files(), of_disk()) << "life " << life;
    EXPECT_LT(journal->files().segments, before) << "life " << life;
  }
}

/// What a killed process has left is not on the disk yet: nobody waits for that, and nothing says that it is there.
TEST(FileJournal, of_mapped_memory_begins_before_the_disk_has_what_an_earlier_process_left) {
  SimulatedDisk disk;
  FileJournalOptions options = small(Durability::process);
  options.spare_segments = 4;
  std::uint64_t written = 0, segment = 0;
  {
    const auto journal = open_journal(disk, options);
    while (write_next(*journal)) ++written;
    segment = journal->segment_in_use();
    EXPECT_GT(segment, 3u) << "several are full and not synced";
    journal->abandon();
  }
  const auto journal = open_journal(disk, options);
  EXPECT_EQ(journal->last().value, written);
  EXPECT_EQ(journal->durable().value, written);
  EXPECT_EQ(journal->synced().value, 0u);
  ASSERT_TRUE(write_next(*journal));
  work(*journal);
  const std::uint64_t synced = journal->synced().value;
  EXPECT_GT(synced, written / 2) << "all full segments";
  EXPECT_LE(synced, written);
  EXPECT_EQ(count_good(*journal), written + 1);
  disk.lose_power();
  journal->abandon();
  disk.restart();
  options.cut_holes = true;
  EXPECT_GE(count_good(*open_journal(disk, options)), synced);
}

/// Where nobody waits for the disk: a journal that is quiet in the middle of a segment.
TEST_P(FileJournalOf, knows_what_is_on_the_disk_before_a_segment_ends) {
  const auto journal = open_journal(disk, options);
  fill(*journal, 3);
  work(*journal);
  if (GetParam() == Durability::power) {
    EXPECT_EQ(journal->synced().value, 3u);
    EXPECT_FALSE(journal->sync_in_use()) << "there is nothing to do";
    return;
  }
  EXPECT_EQ(journal->synced().value, 0u);
  EXPECT_TRUE(journal->sync_in_use());
  EXPECT_EQ(journal->synced().value, 3u);
  EXPECT_FALSE(journal->sync_in_use()) << "nothing is new";
  ASSERT_TRUE(write_next(*journal));
  EXPECT_EQ(journal->synced().value, 3u);
  disk.fail_at(1, EIO);
  EXPECT_FALSE(journal->sync_in_use());
  EXPECT_EQ(journal->synced().value, 3u);
  EXPECT_TRUE(journal->trouble());
  EXPECT_TRUE(write_next(*journal)) << "records are taken all the same";
  EXPECT_TRUE(journal->sync_in_use());
  EXPECT_FALSE(journal->trouble());
  EXPECT_EQ(journal->synced().value, 5u);
  disk.lose_power();
  journal->abandon();
  disk.restart();
  options.cut_holes = true;
  EXPECT_EQ(count_good(*open_journal(disk, options)), 5u);
}

/// The kernel takes pages that it has written back away for writing; they are asked back before records come.
TEST(FileJournal, of_mapped_memory_is_made_ready_again_when_the_segment_in_use_was_synced) {
  const auto calls_of = [](Durability durability) {
    SimulatedDisk disk;
    const auto journal = open_journal(disk, small(durability));
    fill(*journal, 3);
    work(*journal);
    const std::uint64_t before = disk.calls();
    EXPECT_TRUE(journal->sync_in_use());
    return disk.calls() - before;
  };
  EXPECT_EQ(calls_of(Durability::process), calls_of(Durability::none) + 1);
}

TEST_P(FileJournalOf, refuses_a_second_user_of_the_directory) {
  const auto journal = open_journal(disk, options);
  const auto second = FileJournal::open(disk, options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error.code, ErrorCode::refused);
  fill(*journal, 10);
  EXPECT_TRUE(journal->close());
  EXPECT_EQ(open_journal(disk, options)->last().value, 10u);
}

TEST_P(FileJournalOf, refuses_a_directory_of_another_journal) {
  fill(*open_journal(disk, options), 10);
  options.identity = Identity::of("other");
  const auto opened = FileJournal::open(disk, options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().error.code, ErrorCode::refused);
}

TEST_P(FileJournalOf, goes_on_with_other_options_in_a_segment_of_their_own) {
  fill(*open_journal(disk, options), 100);
  for (const Durability other : {Durability::none, Durability::process, Durability::power}) {
    const auto journal = open_journal(
        disk, {.identity = options.identity, .durability = other, .segment_bytes = 8192, .largest_record = 1000});
    const std::uint64_t before = count_good(*journal);
    EXPECT_GE(before, 100u);
    fill(*journal, 200);
    EXPECT_EQ(count_good(*journal), before + 200);
  }
  const auto found = survey(disk);
  EXPECT_EQ(found->verdict, Verdict::whole);
  EXPECT_EQ(found->last.value, 700u);
}

TEST_P(FileJournalOf, removes_segments_that_are_released_and_reads_what_is_left) {
  {
    const auto journal = open_journal(disk, options);
    fill(*journal, 400);
    journal->release({200});
    work(*journal);
    EXPECT_EQ(journal->read_after({0}).error().code, ErrorCode::missing);
    EXPECT_EQ(count_good(*journal, 200), 400u);
    EXPECT_EQ(disk.open(segment_name(1), OpenMode::read).error().code, ErrorCode::missing);
  }
  const auto journal = open_journal(disk, options);
  EXPECT_GT(journal->recovery().first.value, 100u);
  EXPECT_LE(journal->recovery().first.value, 201u);
  EXPECT_EQ(count_good(*journal, 200), 400u);
  // Everything but the segment in use.
  journal->release({400});
  work(*journal);
  EXPECT_EQ(count_good(*journal, 400), 400u);
}

TEST_P(FileJournalOf, is_read_by_tools_beside_its_writer) {
  const auto journal = open_journal(disk, options);
  fill(*journal, 200);
  const Room room = journal->prepare(1);
  room[0] = std::byte{'k'};
  journal->commit(1, 42);
  work(*journal);
  const auto found = survey(disk);
  EXPECT_EQ(found->verdict, Verdict::whole);
  const auto reader = std::move(*read_directory(disk, *found, {150}));
  for (std::uint64_t sequence = 151; sequence <= 200; ++sequence) {
    const auto record = reader->next();
    ASSERT_TRUE(record && *record);
    EXPECT_EQ(as_text((*record)->bytes), text_of(sequence));
    EXPECT_EQ((*record)->kind, 1);
  }
  EXPECT_EQ((**reader->next()).kind, 42);
  EXPECT_FALSE(reader->next()->has_value());
  EXPECT_FALSE(read_directory(disk, *found, {202}));
}

TEST_P(FileJournalOf, does_not_read_again_what_a_snapshot_holds) {
  fill(*open_journal(disk, options), 400);
  std::vector<std::byte> first = disk.contents(segment_name(1));
  first[2000] ^= std::byte{1};
  disk.put(segment_name(1), first);
  EXPECT_FALSE(FileJournal::open(disk, options));
  options.trusted = {200};
  const auto journal = open_journal(disk, options);
  EXPECT_EQ(count_good(*journal, 200), 400u);
  const auto reader = std::move(*journal->read_after({0}));
  Result<std::optional<Record>> record = reader->next();
  while (record && *record) record = reader->next();
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::malformed);
}

TEST_P(FileJournalOf, keeps_its_last_spare_segment_for_essential_records_when_the_disk_is_full) {
  const auto journal = open_journal(disk, options);
  disk.set_capacity(0);
  std::uint64_t ordinary = 0;
  while (write_next(*journal)) {
    work(*journal);
    ++ordinary;
  }
  EXPECT_GT(ordinary, 80u);  // two segments of 4 KiB
  EXPECT_EQ(journal->trouble()->got, ENOSPC);
  std::uint64_t essential = 0;
  while (true) {
    const std::string text = text_of(journal->last().value + 1);
    const Room room = journal->prepare_essential(text.size());
    if (room.empty()) break;
    std::ranges::copy(as_bytes(text), room.begin());
    journal->commit(text.size());
    work(*journal);
    EXPECT_FALSE(write_next(*journal)) << "the reserve is not for this";
    ++essential;
  }
  EXPECT_GT(essential, 40u);
  EXPECT_FALSE(write_next(*journal));
  EXPECT_EQ(journal->durable(), journal->last());

  disk.set_capacity(std::uint64_t{1} << 30);
  work(*journal);
  EXPECT_FALSE(journal->trouble());
  EXPECT_TRUE(write_next(*journal));
  EXPECT_EQ(count_good(*journal), ordinary + essential + 1);
}

TEST_P(FileJournalOf, refuses_while_the_disk_cannot_be_written_and_goes_on_when_it_can) {
  const auto journal = open_journal(disk, options);
  fill(*journal, 10);
  work(*journal);
  for (const int number : {EIO, EROFS, ENOSPC}) {
    const Sequence before = journal->durable();
    const std::uint64_t last = journal->last().value;
    disk.fail_writes(number);
    while (write_next(*journal)) journal->work();
    EXPECT_EQ(journal->trouble()->got, number);
    if (GetParam() == Durability::power) {
      EXPECT_EQ(journal->durable(), before);
      EXPECT_EQ(journal->last().value, last + 1) << "refused at once";
    }
    disk.fail_writes(0);
    work(*journal);
    EXPECT_FALSE(journal->trouble());
    EXPECT_EQ(journal->durable(), journal->last());
    EXPECT_TRUE(write_next(*journal));
  }
  EXPECT_TRUE(journal->close());
  EXPECT_EQ(count_good(*open_journal(disk, options)), journal->last().value);
}

TEST_P(FileJournalOf, cannot_begin_on_a_disk_that_is_full_or_read_only) {
  disk.set_capacity(100);
  EXPECT_EQ(FileJournal::open(disk, options).error().error.got, ENOSPC);
  EXPECT_TRUE(disk.list()->empty());
  disk.set_capacity(1 << 20);
  disk.fail_writes(EROFS);
  EXPECT_EQ(FileJournal::open(disk, options).error().error.got, EROFS);
  disk.fail_writes(0);
  EXPECT_TRUE(FileJournal::open(disk, options));
}

TEST(FileJournal, refuses_options_that_cannot_be) {
  SimulatedDisk disk;
  const auto is_refused = [&](FileJournalOptions options) {
    const auto opened = FileJournal::open(disk, options);
    return !opened && opened.error().error.code == ErrorCode::out_of_range && !opened.error().advice.empty();
  };
  EXPECT_TRUE(is_refused({.segment_bytes = 5000}));
  EXPECT_TRUE(is_refused({.segment_bytes = std::size_t{1} << 32}));
  EXPECT_TRUE(is_refused({.segment_bytes = 4096, .largest_record = 4096}));
  EXPECT_TRUE(is_refused({.largest_record = 0}));
  EXPECT_TRUE(is_refused({.largest_record = std::size_t{1} << 24}));
  EXPECT_TRUE(is_refused({.spare_segments = 0}));
  EXPECT_TRUE(is_refused({.spare_segments = 9}));
}

TEST(FileJournal, is_durable_against_a_loss_of_power_only_behind_its_worker) {
  SimulatedDisk disk;
  const auto journal = open_journal(disk, small(Durability::power));
  for (int count = 0; count < 5; ++count) write_next(*journal);
  EXPECT_EQ(journal->durable().value, 0u);
  EXPECT_TRUE(journal->work(FileJournal::Publish::later));
  EXPECT_EQ(journal->durable().value, 0u);
  journal->publish();
  EXPECT_EQ(journal->durable().value, 5u);
}

TEST(FileJournal, makes_one_write_of_all_that_has_come) {
  using namespace std::chrono_literals;
  SimulatedDisk disk({.sync_cost = 70us});
  const auto journal = open_journal(disk, small(Durability::power));
  work(*journal);
  static_cast<void>(disk.take_elapsed());
  for (int count = 0; count < 20; ++count) write_next(*journal);
  work(*journal);
  EXPECT_EQ(disk.take_elapsed(), 70us);
  EXPECT_EQ(journal->durable().value, 20u);
}

TEST(FileJournal, needs_nothing_of_the_disk_while_it_is_written) {
  SimulatedDisk disk;
  for (const Durability durability : {Durability::none, Durability::process, Durability::power}) {
    const auto journal = open_journal(disk, small(durability));
    const std::uint64_t before = disk.calls();
    while (write_next(*journal)) {
    }
    EXPECT_EQ(disk.calls(), before);
    work(*journal);
  }
}

TEST(FileJournal, leaves_only_segments_of_full_size_under_their_names) {
  SimulatedDisk disk;
  {
    const auto journal = open_journal(disk, small(Durability::process));
    fill(*journal, 300);
  }
  const std::vector<std::string> names = *disk.list();
  for (const std::string& name : names) {
    EXPECT_TRUE(name.ends_with(".segment")) << name;
    EXPECT_EQ(disk.contents(name).size(), 4096u);
  }
}

}  // namespace
}  // namespace dojima::journal
