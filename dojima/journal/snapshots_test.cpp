#include "dojima/journal/snapshots.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <numeric>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

const Identity k_identity = Identity::of("test");

std::vector<std::byte> state_of(std::uint64_t sequence, std::size_t size = 3000) {
  std::vector<std::byte> bytes(size);
  for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<std::byte>(at * 31 + sequence);
  return bytes;
}

Result<void> take(Disk& disk, std::uint64_t sequence, std::size_t size = 3000) {
  auto writer = SnapshotWriter::begin(
      disk, {.identity = k_identity, .sequence = {sequence}, .digest = sequence * 7, .version = 3});
  if (!writer) return std::unexpected(writer.error());
  const std::vector<std::byte> state = state_of(sequence, size);
  const std::size_t middle = size / 3;
  if (auto done = writer->append(Bytes(state).first(middle)); !done) return done;
  if (auto done = writer->append(Bytes(state).subspan(middle)); !done) return done;
  return writer->finish();
}

/// The newest good one, which must say what it should; 0: none.
std::uint64_t newest(Disk& disk, std::size_t size = 3000) {
  const auto found = newest_snapshot(disk, k_identity);
  EXPECT_TRUE(found);
  if (!found || !found->snapshot) return 0;
  const Snapshot& snapshot = *found->snapshot;
  const std::uint64_t sequence = snapshot.info().sequence.value;
  EXPECT_EQ(snapshot.info().digest, sequence * 7);
  EXPECT_EQ(snapshot.info().version, 3u);
  EXPECT_TRUE(std::ranges::equal(snapshot.bytes(), state_of(sequence, size)));
  return sequence;
}

TEST(Snapshots, give_back_the_newest_state) {
  SimulatedDisk disk;
  EXPECT_EQ(newest(disk), 0u);
  EXPECT_TRUE(take(disk, 5));
  EXPECT_TRUE(take(disk, 12));
  EXPECT_EQ(newest(disk), 12u);
  EXPECT_EQ(newest_snapshot(disk, k_identity, {11})->snapshot->info().sequence.value, 5u);
  EXPECT_EQ(*disk.list(), (std::vector<std::string>{snapshot_name({5}), snapshot_name({12})}));
}

TEST(Snapshots, may_be_empty_and_larger_than_a_piece) {
  SimulatedDisk disk;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{5} << 19) + 3}) {
    EXPECT_TRUE(take(disk, 5, size));
    EXPECT_EQ(newest(disk, size), 5u);
  }
}

TEST(Snapshots, are_passed_over_when_a_bit_flips_anywhere) {
  SimulatedDisk disk;
  ASSERT_TRUE(take(disk, 5, 100));
  ASSERT_TRUE(take(disk, 12, 100));
  const std::string name = snapshot_name({12});
  const std::vector<std::byte> good = disk.contents(name);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    disk.put(name, bytes);
    ASSERT_EQ(newest(disk, 100), 5u) << bit;
    ASSERT_EQ(newest_snapshot(disk, k_identity)->passed_over[0].file, name);
  }
  disk.put(name, good);
  EXPECT_EQ(newest(disk, 100), 12u);
}

TEST(Snapshots, are_passed_over_when_cut_anywhere_and_when_named_wrongly) {
  SimulatedDisk disk;
  ASSERT_TRUE(take(disk, 5, 100));
  ASSERT_TRUE(take(disk, 12, 100));
  const std::string name = snapshot_name({12});
  const std::vector<std::byte> good = disk.contents(name);
  for (std::size_t size = 0; size < good.size(); ++size) {
    disk.put(name, Bytes(good).first(size));
    ASSERT_EQ(newest(disk, 100), 5u) << size;
  }
  disk.put(name, good);
  disk.put(snapshot_name({13}), good);
  EXPECT_EQ(newest(disk, 100), 12u);
  EXPECT_EQ(newest_snapshot(disk, Identity::of("other"))->passed_over.size(), 3u);
}

TEST(Snapshots, survive_a_loss_of_power_whole_or_not_at_all) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SimulatedDisk disk({.seed = seed, .writes_back = true});
    ASSERT_TRUE(take(disk, 5));
    disk.lose_power_at(1 + seed % 12);
    const bool is_taken = take(disk, 12).has_value();
    disk.lose_power();
    disk.restart();
    const std::uint64_t left = newest(disk);
    EXPECT_TRUE(left == 12 || (left == 5 && !is_taken)) << left;
    const auto found = newest_snapshot(disk, k_identity);
    EXPECT_TRUE(found->passed_over.empty());
  }
}

TEST(Snapshots, leave_the_one_before_whichever_call_fails) {
  for (const int number : {EIO, ENOSPC, EROFS}) {
    for (std::uint64_t call = 1;; ++call) {
      SimulatedDisk disk({.seed = call});
      ASSERT_TRUE(take(disk, 5));
      const std::uint64_t before = disk.calls();
      disk.fail_at(call, number);
      const auto taken = take(disk, 12);
      if (disk.calls() < before + call) break;
      if (!taken) {
        EXPECT_EQ(taken.error().got, number);
      }
      EXPECT_TRUE(newest(disk) == 12 || (!taken && newest(disk) == 5));
      EXPECT_TRUE(take(disk, 13));
      EXPECT_EQ(newest(disk), 13u);
    }
  }
}

TEST(Snapshots, that_are_not_finished_leave_nothing) {
  SimulatedDisk disk;
  {
    auto writer = SnapshotWriter::begin(disk, {.identity = k_identity, .sequence = {5}});
    EXPECT_TRUE(writer->append(state_of(5)));
  }
  EXPECT_TRUE(disk.list()->empty());
}

TEST(Snapshots, release_the_records_before_the_oldest_that_is_kept) {
  SimulatedDisk disk;
  FileJournalOptions options = testing::small(Durability::process);
  const auto journal = testing::open_journal(disk, options);
  const auto work = [&] {
    while (journal->work()) {
    }
  };
  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) {
    ASSERT_TRUE(testing::write_next(*journal));
    if (sequence % 100 == 0) {
      ASSERT_TRUE(take(disk, sequence));
    }
    work();
  }
  EXPECT_EQ(keep_snapshots(disk, 5, *journal, k_identity)->value, 0u);
  work();
  EXPECT_EQ(testing::count_good(*journal), 400u);
  // One that is bad does not count.
  std::vector<std::byte> bytes = disk.contents(snapshot_name({300}));
  bytes[1000] ^= std::byte{1};
  disk.put(snapshot_name({300}), bytes);
  EXPECT_EQ(keep_snapshots(disk, 2, *journal, k_identity)->value, 200u);
  work();
  EXPECT_EQ(disk.open(snapshot_name({100}), OpenMode::read).error().code, ErrorCode::missing);
  EXPECT_TRUE(disk.open(snapshot_name({200}), OpenMode::read));
  EXPECT_FALSE(journal->read_after({0}));
  EXPECT_EQ(testing::count_good(*journal, 200), 400u);
}

}  // namespace
}  // namespace dojima::journal
