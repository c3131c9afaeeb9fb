// Cutting a torn tail on a disk that fails meanwhile: whatever the failed call left, and whatever the kernel then took
// for written although it was not, no later loss of power may bring the old tail back behind new records.

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::count_good;
using testing::open_journal;
using testing::read_all;
using testing::small;
using testing::text_of;
using testing::write;
using testing::write_next;

/// A directory that a loss of power left with something behind its last good record. False: this seed left nothing.
bool tear(SimulatedDisk& disk, const FileJournalOptions& options, std::uint64_t seed) {
  auto journal = open_journal(disk, options);
  const std::uint64_t records = 24 + seed % 5 * 16 + seed % 8;
  while (journal->last().value < records && write_next(*journal))
    if (journal->last().value % 16 == 0) journal->work();
  // With `power` the first call writes the batch.
  disk.lose_power_at(options.durability == Durability::power ? 1 : 1 + seed % 2);
  for (int step = 0; step < 4 && disk.has_power(); ++step) journal->work();
  disk.lose_power();
  journal->abandon();
  journal.reset();
  disk.restart();
  const auto found = survey(disk);
  return found && (found->verdict == Verdict::torn_tail || found->verdict == Verdict::hole);
}

/// Larger than those before the cut, so that sectors remain at the end of a segment that no record lies in.
std::string text_behind_the_cut(std::uint64_t sequence) {
  return std::to_string(sequence) + std::string(1200, 'n');
}

/// Goes on until the segment that was cut and another one are full and on the disk. Gives what is known to be there.
std::uint64_t fill_two_segments(FileJournal& journal) {
  const std::uint64_t first = journal.segment_in_use();
  // One call may still fail; nothing is written then, and the next step goes on.
  for (int record = 0; record < 100 && journal.segment_in_use() < first + 3; ++record) {
    static_cast<void>(write(journal, text_behind_the_cut(journal.last().value + 1)));
    for (int step = 0; step < 4; ++step) journal.work();
  }
  return journal.synced().value;
}

/// A start during which the `call`-th call of the disk fails, one without failures, some work, and then no power.
/// False: there were not so many calls.
bool cut_with_failing_call(Durability durability, std::uint64_t seed, std::uint64_t call, bool& was_torn) {
  SimulatedDisk disk({.seed = seed});
  FileJournalOptions options = small(durability);
  options.cut_holes = true;
  options.largest_record = 1300;
  was_torn = tear(disk, options, seed);
  if (!was_torn) return false;
  const std::uint64_t before = disk.calls();
  disk.fail_at(call, EIO);
  auto opened = FileJournal::open(disk, options);
  const bool was_reached = disk.calls() - before >= call;
  if (!opened) opened = FileJournal::open(disk, options);
  EXPECT_TRUE(opened) << opened.error().what;
  if (!opened) return false;
  const std::uint64_t cut = (*opened)->last().value;
  const std::uint64_t synced = fill_two_segments(**opened);
  EXPECT_GT(synced, cut) << "the test does what it is for";
  (*opened)->abandon();
  opened = std::unexpected(Trouble{});
  disk.lose_power();
  disk.restart();
  const auto journal = open_journal(disk, options);
  if (journal == nullptr) return false;
  const std::vector<std::string> texts = read_all(*journal);
  EXPECT_GE(texts.size(), synced);
  for (std::uint64_t at = 1; at <= texts.size(); ++at)
    EXPECT_EQ(texts[at - 1], at <= cut ? text_of(at) : text_behind_the_cut(at));
  return was_reached;
}

void cut_with_each_call_failing(std::uint64_t seeds) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power}) {
    std::uint64_t torn = 0, most = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      bool was_torn = true;
      std::uint64_t call = 1;
      while (cut_with_failing_call(durability, seed, call, was_torn) && !::testing::Test::HasFailure()) ++call;
      ASSERT_FALSE(::testing::Test::HasFailure())
          << name_of(durability) << ", seed " << seed << ", call " << call << " of the start";
      torn += was_torn ? 1U : 0U;
      most = std::max(most, call);
    }
    EXPECT_GT(torn, seeds / 4) << name_of(durability);
    EXPECT_GT(most, 10U) << name_of(durability);
  }
}

TEST(TornTail, never_comes_back_however_its_cutting_failed) {
  cut_with_each_call_failing(8);
}

TEST(TornTailLong, never_comes_back_however_its_cutting_failed) {
  cut_with_each_call_failing(300);
}

/// Cutting needs a new file for a while; the room of a spare segment will do.
TEST(TornTail, is_cut_on_a_full_disk) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power}) {
    SCOPED_TRACE(name_of(durability));
    SimulatedDisk disk;
    const FileJournalOptions options = small(durability);
    auto journal = open_journal(disk, options);
    for (int record = 0; record < 10; ++record) ASSERT_TRUE(write_next(*journal));
    for (int step = 0; step < 4; ++step) journal->work();
    journal->abandon();
    journal.reset();
    const std::string name = segment_name(1);
    std::vector<std::byte> bytes = disk.contents(name);
    std::fill_n(bytes.end() - 300, 100, std::byte{0x5a});
    disk.put(name, bytes);
    ASSERT_EQ(survey(disk)->verdict, Verdict::torn_tail);

    disk.set_capacity(3 * options.segment_bytes);  // what is there already
    journal = open_journal(disk, options);
    ASSERT_NE(journal, nullptr);
    EXPECT_EQ(count_good(*journal), 10U);
    EXPECT_EQ(survey(disk)->verdict, Verdict::whole);
    for (int step = 0; step < 4; ++step) journal->work();
    EXPECT_FALSE(journal->trouble()) << "both spare segments are there again";
    EXPECT_TRUE(write_next(*journal));
  }
}

}  // namespace
}  // namespace dojima::journal
