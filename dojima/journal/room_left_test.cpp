// How much a journal says that it surely takes, and who is notified when it takes more.

#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>

#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/journal_test_support.hpp"
#include "dojima/journal/journal_thread.hpp"

namespace dojima::journal {
namespace {

using testing::open_journal;
using testing::small;
using testing::work;

bool put(FileJournal& journal, std::size_t size, bool is_essential) {
  const Room room = is_essential ? journal.prepare_essential(size) : journal.prepare(size);
  if (room.empty()) return false;
  std::ranges::fill(room, std::byte{'x'});
  journal.commit(size);
  return true;
}

TEST(JournalRoom, says_how_many_spare_segments_and_bytes_are_left) {
  SimulatedDisk disk;
  const auto journal = open_journal(disk, small(Durability::process));
  work(*journal);
  const RoomLeft begun = journal->room_left();
  EXPECT_EQ(begun.spares, 2u);
  EXPECT_LT(begun.bytes, 4096u);
  ASSERT_TRUE(put(*journal, 100, false));
  EXPECT_EQ(journal->room_left(), (RoomLeft{2, begun.bytes - FileJournal::bytes_of(100)}));
  while (journal->room_left().spares == 2) ASSERT_TRUE(put(*journal, 100, false));
  EXPECT_EQ(journal->room_left(), (RoomLeft{1, 4096 - 128 - FileJournal::bytes_of(100)})) << "behind its header";
  work(*journal);
  EXPECT_EQ(journal->room_left().spares, 2u);
}

/// Records of any sizes that together take what is said to be left find room; what is not said may find some.
TEST(JournalRoom, is_there_for_records_of_any_sizes) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    SimulatedDisk disk;
    FileJournalOptions options = small(round % 3 == 0 ? Durability::power : Durability::process);
    options.spare_segments = 1 + static_cast<unsigned>(random() % 4);
    const bool is_essential = random() % 2 == 0;
    const auto journal = open_journal(disk, options);
    work(*journal);
    const std::size_t ready = journal->sure_room_when_ready(is_essential);
    EXPECT_LE(ready, journal->sure_room(is_essential));
    for (std::uint64_t before = random() % 60; before != 0; --before) {
      ASSERT_TRUE(put(*journal, 1 + random() % 200, false));
      work(*journal);
      ASSERT_GE(journal->sure_room(is_essential), ready) << "all spare segments are ready";
    }
    std::size_t left = journal->sure_room(is_essential);
    for (;;) {
      const std::size_t size = 1 + random() % 200;
      if (FileJournal::bytes_of(size) > left) break;
      left -= FileJournal::bytes_of(size);
      ASSERT_TRUE(put(*journal, size, is_essential)) << "round " << round << ", " << left << " bytes left";
    }
  }
}

TEST(JournalRoom, of_ordinary_records_is_none_while_they_are_refused) {
  SimulatedDisk disk;
  const auto journal = open_journal(disk, small(Durability::power));
  work(*journal);
  EXPECT_GT(journal->sure_room(false), 0u);
  const JournalReadiness before = journal->readiness();
  disk.fail_writes(EIO);
  ASSERT_TRUE(put(*journal, 10, false));
  journal->work();
  EXPECT_FALSE(put(*journal, 10, false));
  EXPECT_EQ(journal->sure_room(false), 0u);
  EXPECT_GT(journal->sure_room(true), 0u);
  EXPECT_NE(journal->readiness(), before);
  disk.fail_writes(0);
  work(*journal);
  EXPECT_GT(journal->sure_room(false), 0u);
  EXPECT_EQ(journal->readiness(), before);
  // Without spare segments there is the reserve alone.
  while (put(*journal, 200, false)) {
  }
  EXPECT_EQ(journal->room_left().spares, 1u);
  while (put(*journal, 200, true)) {
  }
  EXPECT_EQ(journal->room_left().spares, 0u);
  EXPECT_EQ(journal->sure_room(false), 0u);
  EXPECT_EQ(journal->sure_room(true), 0u);
}

TEST(JournalRoom, is_notified_by_the_thread_when_there_is_more) {
  const testing::TemporaryDirectory directory;
  const auto disk = std::move(*RealDisk::open(directory.path()));
  const auto journal = open_journal(*disk, small(Durability::process));
  while (put(*journal, 200, true)) {
  }
  EXPECT_EQ(journal->sure_room(false), 0u);
  std::atomic<std::uint64_t> times = 0;
  {
    const JournalThread thread(*journal, {.on_room = [&times] { ++times; }});
    while (times < 2) std::this_thread::yield();
  }
  EXPECT_EQ(times, 2u) << "once for each spare segment";
  EXPECT_EQ(journal->room_left().spares, 2u);
}

}  // namespace
}  // namespace dojima::journal
