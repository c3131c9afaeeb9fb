// The promises of a journal against a disk that loses power, or fails in one call, at any instant. The long suite runs
// DOJIMA_JOURNAL_RUNS seeds for each
// durability, 1,000 unless it says otherwise.

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>

#include "dojima/base/splitmix.hpp"
#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::count_good;
using testing::open_journal;
using testing::small;
using testing::write_next;

/// What a run has promised so far, whatever happens.
struct Promises {
  std::uint64_t durable = 0;  // if the process ends
  std::uint64_t synced = 0;   // if the power goes
  std::uint64_t last = 0;     // nothing above was ever written
};

/// Writes and lets the worker work until `steps` are done or the power is gone.
void use(FileJournal& journal, SimulatedDisk& disk, SplitMix64& random, std::uint64_t steps, Promises& promises) {
  for (std::uint64_t step = 0; step < steps && disk.has_power(); ++step) {
    switch (random.below(6)) {
      case 0:
        journal.work();
        break;
      case 1:
        journal.work(FileJournal::Publish::later);
        if (random.below(2) == 0) journal.publish();
        break;
      case 2:
        static_cast<void>(journal.sync_in_use());
        break;
      case 3:
        if (!journal.prepare(1 + random.below(200)).empty() && random.below(2) == 0) break;
        [[fallthrough]];
      default:
        for (std::uint64_t count = random.below(12); count > 0 && write_next(journal); --count) {
        }
    }
    promises.durable = journal.durability() == Durability::none ? 0 : journal.durable().value;
    promises.synced = std::max(promises.synced, journal.synced().value);
    promises.last = std::max(promises.last, journal.last().value);
    EXPECT_GE(journal.last(), journal.durable());
  }
}

/// Every record says what it should, unless the power goes meanwhile.
void read_again(const FileJournal& journal, const SimulatedDisk& disk) {
  const auto reader = std::move(*journal.read_after({0}));
  std::uint64_t read = 0;
  while (true) {
    const auto record = reader->next();
    ASSERT_TRUE(record || !disk.has_power());
    if (!record) return;
    if (!*record) break;
    ASSERT_EQ(as_text((*record)->bytes), testing::text_of(++read));
  }
  ASSERT_EQ(read, journal.last().value);
}

/// Lives of one journal, each ended by a loss of power, of a process, or properly.
void live_and_die(std::uint64_t seed, Durability durability) {
  SplitMix64 random(seed);
  SimulatedDisk disk({.seed = seed, .writes_back = true});
  FileJournalOptions options = small(durability);
  options.cut_holes = durability == Durability::process;
  Promises promises;
  for (int life = 0; life < 4; ++life) {
    const std::uint64_t end = random.below(6);
    if (end < 4) disk.lose_power_at(1 + random.below(end == 0 ? 40 : 160));
    auto opened = FileJournal::open(disk, options);
    if (opened) {
      FileJournal& journal = **opened;
      const std::uint64_t good = journal.last().value;
      ASSERT_LE(good, promises.last) << "nothing is invented";
      ASSERT_GE(good, promises.durable) << "nothing promised is lost";
      read_again(journal, disk);
      promises = {.durable = journal.synced().value, .synced = journal.synced().value, .last = good};
      use(journal, disk, random, random.below(120), promises);
      if (disk.has_power() && end == 4) {
        ASSERT_TRUE(journal.close());
        promises.durable = promises.synced = promises.last;
      } else if (disk.has_power() && end == 5) {
        journal.abandon();
      } else {
        disk.lose_power();
        journal.abandon();
      }
    } else {
      ASSERT_FALSE(disk.has_power()) << opened.error().what << " in " << opened.error().place.file << " at "
                                     << opened.error().place.offset << ": " << opened.error().advice;
    }
    if (!disk.has_power()) promises.durable = promises.synced;
    opened = std::unexpected(Trouble{});
    disk.restart();
  }
  const auto journal = open_journal(disk, options);
  ASSERT_NE(journal, nullptr);
  const std::uint64_t good = count_good(*journal);
  ASSERT_LE(good, promises.last);
  ASSERT_GE(good, promises.durable);
}

void run_seeds(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Durability durability : {Durability::power, Durability::process, Durability::none}) {
      SCOPED_TRACE(name_of(durability));
      live_and_die(seed, durability);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(PowerLoss, takes_nothing_that_was_durable) {
  run_seeds(1, 40);
}

TEST(PowerLossLong, takes_nothing_that_was_durable_in_many_runs) {
  const char* runs = std::getenv("DOJIMA_JOURNAL_RUNS");
  run_seeds(1'000'000, runs == nullptr ? 1000 : std::strtoull(runs, nullptr, 10));
}

/// One life writes and ends, as a process does whose sync has failed; the next one only opens, and then the power goes.
TEST(PowerLoss, takes_nothing_that_a_failed_sync_of_an_earlier_process_forgot) {
  for (const Durability durability : {Durability::power, Durability::process, Durability::none}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SimulatedDisk disk({.seed = seed});
      FileJournalOptions options = small(durability);
      options.cut_holes = true;
      auto journal = open_journal(disk, options);
      while (write_next(*journal) && journal->last().value < 70)
        if (journal->last().value % 8 == 0) static_cast<void>(journal->work());
      disk.fail_writes(EIO);
      static_cast<void>(journal->work());
      disk.fail_writes(0);
      journal->abandon();
      journal = open_journal(disk, options);
      ASSERT_NE(journal, nullptr);
      const std::uint64_t synced = journal->synced().value;
      journal->abandon();
      disk.lose_power();
      disk.restart();
      journal = open_journal(disk, options);
      ASSERT_NE(journal, nullptr) << "seed " << seed << " " << name_of(durability);
      ASSERT_GE(count_good(*journal), synced) << "seed " << seed << " " << name_of(durability);
    }
  }
}

/// Works until nothing is left to do or the same thing keeps failing.
void settle(FileJournal& journal) {
  for (int step = 0; step < 50; ++step) journal.work();
}

/// A life in which the `call`-th call fails with `number`. False: there were not so many.
bool live_with_failing_call(std::uint64_t call, int number, Durability durability) {
  SimulatedDisk disk({.seed = call});
  const FileJournalOptions options = small(durability);
  disk.fail_at(call, number);
  auto opened = FileJournal::open(disk, options);
  if (!opened) {
    EXPECT_EQ(opened.error().error.got, number) << opened.error().what;
    EXPECT_FALSE(opened.error().what.empty() || opened.error().advice.empty());
    opened = FileJournal::open(disk, options);
  }
  EXPECT_TRUE(opened) << opened.error().what;
  if (!opened) return false;
  FileJournal& journal = **opened;
  for (int count = 0; count < 120; ++count) {
    if (count % 6 == 0) settle(journal);
    if (count % 10 == 5) static_cast<void>(journal.sync_in_use());
    if (write_next(journal)) continue;
    settle(journal);
    EXPECT_TRUE(write_next(journal)) << "one failure is overcome";
  }
  journal.release({60});
  settle(journal);
  static_cast<void>(journal.sync_in_use());
  static_cast<void>(journal.sync_in_use());  // what failed once
  EXPECT_FALSE(journal.trouble());
  EXPECT_EQ(journal.durable().value, 120u);
  EXPECT_EQ(journal.synced().value, 120u);
  if (disk.calls() + 10 < call) return false;
  if (durability != Durability::power && call % 2 == 0) {
    const std::uint64_t synced = journal.synced().value;
    journal.abandon();
    disk.lose_power();
    disk.restart();
    const auto left = survey(disk);
    EXPECT_NE(left->verdict, Verdict::damaged) << left->what;
    EXPECT_GE(left->last.value, synced);
    return true;
  }
  // A close that fails leaves what was durable; so does a loss of power behind it, however the call failed.
  const bool is_closed = journal.close();
  EXPECT_TRUE(is_closed || disk.calls() >= call);
  const bool was_called = disk.calls() >= call;
  if (durability == Durability::power) {
    disk.lose_power();
    disk.restart();
  }
  auto found = survey(disk);
  if (!found) found = survey(disk);
  EXPECT_NE(found->verdict, Verdict::damaged) << found->what;
  EXPECT_EQ(found->last.value, 120u);
  return was_called;
}

void fail_every_call(std::initializer_list<int> numbers) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power}) {
    for (const int number : numbers) {
      std::uint64_t call = 1;
      while (live_with_failing_call(call, number, durability) && !::testing::Test::HasFailure()) ++call;
      EXPECT_GT(call, 40u);
      ASSERT_FALSE(::testing::Test::HasFailure())
          << name_of(durability) << ", call " << call << " failed with errno " << number;
    }
  }
}

TEST(FailingDisk, is_overcome_whichever_call_fails) {
  fail_every_call({EIO, ENOSPC});
}

TEST(FailingDiskLong, is_overcome_whichever_call_fails_with_whichever_errno) {
  fail_every_call({EACCES, EAGAIN, EBADF, EDQUOT, EFBIG, EINTR, EINVAL, EIO, EMFILE, ENFILE, ENOENT, ENOMEM, ENOSPC,
                   EPERM, EROFS, ETIMEDOUT});
}

}  // namespace
}  // namespace dojima::journal
