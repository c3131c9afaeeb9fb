// A reader of a directory that another process writes: every record once, in order, whatever the writer does.

#include "dojima/journal/tailer.hpp"

#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

#include "dojima/journal/journal_test_support.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::journal {
namespace {

using testing::open_journal, testing::small, testing::text_of, testing::work, testing::write_next;

/// Reads on behind `after`, each record as it should be. The number of the last one.
std::uint64_t read_on(Tailer& tailer, std::uint64_t after) {
  while (true) {
    const auto record = tailer.next();
    EXPECT_TRUE(record) << (record ? "" : record.error().expected);
    if (!record || !*record) return after;
    EXPECT_EQ((*record)->sequence.value, after + 1);
    EXPECT_EQ(as_text((*record)->bytes), text_of(++after));
    if (::testing::Test::HasFailure()) return after;
  }
}

Tailer tailer_of(Disk& disk) {
  return Tailer(disk, small(Durability::process).identity);
}

class TailerOf : public ::testing::TestWithParam<Durability> {};

INSTANTIATE_TEST_SUITE_P(each_durability, TailerOf,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& made) { return std::string(name_of(made.param)); });

TEST_P(TailerOf, waits_for_a_journal_that_is_not_begun) {
  SimulatedDisk disk;
  Tailer tailer = tailer_of(disk);
  EXPECT_EQ(read_on(tailer, 0), 0u);
  EXPECT_EQ(tailer.segment(), 0u);
  const auto journal = open_journal(disk, small(GetParam()));
  EXPECT_EQ(read_on(tailer, 0), 0u);
  ASSERT_TRUE(write_next(*journal));
  work(*journal);
  EXPECT_EQ(read_on(tailer, 0), 1u);
  EXPECT_EQ(tailer.last().value, 1u);
}

TEST_P(TailerOf, reads_what_a_real_disk_has_while_it_is_written) {
  const testing::TemporaryDirectory directory;
  const auto disk = std::move(*RealDisk::open(directory.path()));
  const auto other = std::move(*RealDisk::open(directory.path()));
  const auto journal = open_journal(*disk, small(GetParam()));
  Tailer tailer = tailer_of(*other);
  std::uint64_t read = 0;
  for (int count = 0; count < 400; ++count) {
    work(*journal);
    ASSERT_TRUE(write_next(*journal));
    if (count % 7 == 0) read = read_on(tailer, read);
  }
  work(*journal);
  EXPECT_EQ(read_on(tailer, read), 400u);
  EXPECT_GT(tailer.segment(), 2u);
  EXPECT_GT(tailer.synced().value, 0u);
  EXPECT_LE(tailer.synced(), journal->last());
}

/// Writers come and go in every way that a process can, and the reader looks in between, whenever it likes.
void lives(Durability durability, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) { return random() % below; };
  SimulatedDisk disk({.seed = seed});
  Tailer tailer = tailer_of(disk);
  std::uint64_t read = 0, released = 0;
  bool is_anew = false;
  for (int life = 0; life < 6; ++life) {
    auto journal = open_journal(disk, small(durability));
    ASSERT_NE(journal, nullptr);
    ASSERT_GE(journal->last().value, read) << "what was read is there";
    if (draw(2) == 0) disk.end_process_at(1 + draw(400));
    for (std::uint64_t step = draw(300); step > 0; --step) {
      for (std::uint64_t count = draw(6); count > 0; --count) write_next(*journal);
      if (draw(3) == 0) journal->work();
      if (!disk.has_power()) break;  // its process has ended: nobody sees what it writes from here on
      if (draw(40) == 0) journal->release(journal->synced()), released = journal->synced().value;
      if (draw(2) != 0) continue;
      const auto record = tailer.next();
      if (!disk.has_power()) break;
      if (!record) {
        ASSERT_EQ(record.error().code, ErrorCode::missing) << record.error().expected;
        ASSERT_LT(read, released) << "nothing else removes records";
        tailer.rewind();
        is_anew = true;
        continue;
      }
      if (!*record) continue;
      if (std::exchange(is_anew, false)) read = (*record)->sequence.value - 1;
      ASSERT_EQ((*record)->sequence.value, read + 1);
      ASSERT_EQ(as_text((*record)->bytes), text_of(++read));
    }
    if (draw(3) == 0) journal->close();
    disk.end_process();
    journal.reset();
    disk.restart();
  }
}

TEST_P(TailerOf, gives_each_record_once_through_many_lives_of_the_writer) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) lives(GetParam(), seed);
}

TEST_P(TailerOf, says_that_records_were_removed_before_it_read_them) {
  SimulatedDisk disk;
  const auto journal = open_journal(disk, small(GetParam()));
  Tailer tailer = tailer_of(disk);
  ASSERT_TRUE(write_next(*journal));
  work(*journal);
  ASSERT_EQ(read_on(tailer, 0), 1u);
  while (journal->segment_in_use() < 6) {
    work(*journal);
    ASSERT_TRUE(write_next(*journal));
  }
  work(*journal);
  journal->release(journal->synced());
  work(*journal);
  // The segment that it has open is read to its end all the same.
  auto record = tailer.next();
  while (record && *record) record = tailer.next();
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::missing);
  EXPECT_LT(tailer.last(), journal->last());
  tailer.rewind();
  record = tailer.next();
  ASSERT_TRUE(record && *record);
  const std::uint64_t first = (*record)->sequence.value;
  EXPECT_GT(first, 1u);
  EXPECT_EQ(read_on(tailer, first), journal->last().value);
}

TEST(Tailer, refuses_the_journal_of_another) {
  SimulatedDisk disk;
  auto options = small(Durability::process);
  options.identity = Identity::of("else");
  const auto journal = open_journal(disk, options);
  Tailer tailer = tailer_of(disk);
  const auto record = tailer.next();
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::refused);
}

TEST(Tailer, stops_in_front_of_bytes_that_are_no_record_until_they_are_one) {
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::power));
  ASSERT_TRUE(write_next(*journal));
  ASSERT_TRUE(write_next(*journal));
  work(*journal);
  const std::vector<std::byte> whole = disk.contents(segment_name(1));
  std::vector<std::byte> torn = whole;
  const std::size_t last = journal->last_location().offset();
  torn[last + 24] ^= std::byte{1};
  disk.put(segment_name(1), torn);
  Tailer tailer = tailer_of(disk);
  EXPECT_EQ(read_on(tailer, 0), 1u);
  EXPECT_STREQ(tailer.obstacle(), "the sum of the record is wrong");
  disk.put(segment_name(1), whole);
  EXPECT_EQ(read_on(tailer, 1), 2u);
  EXPECT_EQ(tailer.obstacle(), nullptr);
}

TEST(Tailer, notices_that_what_it_read_is_gone) {
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::process));
  ASSERT_TRUE(write_next(*journal));
  const std::vector<std::byte> before = disk.contents(segment_name(1));
  ASSERT_TRUE(write_next(*journal));
  Tailer tailer = tailer_of(disk);
  EXPECT_EQ(read_on(tailer, 0), 2u);
  disk.put(segment_name(1), before);  // a copy that somebody brought back
  const auto record = tailer.next();
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::missing);
}

/// The process ends and another one is begun on what it left: by the one that was handed the lock.
TEST(FileJournalLock, can_be_taken_before_the_journal_is_opened) {
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::process));
  ASSERT_TRUE(write_next(*journal));
  EXPECT_FALSE(disk.lock());
  ASSERT_TRUE(journal->close());
  auto lock = disk.lock();
  ASSERT_TRUE(lock);
  EXPECT_FALSE(FileJournal::open(disk, small(Durability::process)));
  auto opened = FileJournal::open(disk, small(Durability::process), std::move(*lock));
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->last().value, 1u);
  EXPECT_FALSE(disk.lock());
}

}  // namespace
}  // namespace dojima::journal
