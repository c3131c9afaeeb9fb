// A journal with its thread on a real disk, and what is left of one when its process is killed.

#include "dojima/journal/journal_thread.hpp"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::open_journal;
using testing::small;
using testing::text_of;
using testing::write_next;

FileJournalOptions larger(Durability durability) {
  FileJournalOptions options = small(durability);
  options.segment_bytes = std::size_t{1} << 16;
  options.spare_segments = 4;
  return options;
}

TEST(JournalThread, makes_durable_what_is_written_and_wakes_who_waits) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power}) {
    const testing::TemporaryDirectory directory;
    const auto disk = std::move(*RealDisk::open(directory.path()));
    const auto journal = open_journal(*disk, larger(durability));
    std::atomic<std::uint64_t> wakings = 0;
    {
      const JournalThread thread(*journal, {.on_durable = [&wakings] { ++wakings; }});
      // Another reader, while it is written.
      std::jthread follower([&](const std::stop_token&) {
        const auto reader = std::move(*journal->read_after({0}));
        for (std::uint64_t read = 0; read < 5000;) {
          const auto record = reader->next();
          ASSERT_TRUE(record) << record.error().expected;
          if (!*record) {
            std::this_thread::yield();
            continue;
          }
          ASSERT_EQ(as_text((*record)->bytes), text_of(++read));
        }
      });
      while (journal->last().value < 5000)
        if (!write_next(*journal)) std::this_thread::yield();
      while (journal->durable() < journal->last()) std::this_thread::yield();
    }
    EXPECT_EQ(journal->durable().value, 5000u);
    if (durability == Durability::power) {
      EXPECT_GT(wakings.load(), 0u);
    }
    EXPECT_TRUE(journal->close());
  }
}

TEST(JournalThread, syncs_the_segment_in_use_now_and_then) {
  for (const Durability durability : {Durability::none, Durability::process}) {
    const testing::TemporaryDirectory directory;
    const auto disk = std::move(*RealDisk::open(directory.path()));
    const auto journal = open_journal(*disk, larger(durability));
    ASSERT_TRUE(write_next(*journal));
    const JournalThread thread(*journal, {.sync_every = std::chrono::milliseconds{1}});
    while (journal->synced() < journal->last()) std::this_thread::yield();
    EXPECT_EQ(journal->segment_in_use(), 1u);
  }
}

TEST(JournalThread, rests_when_nothing_comes_and_is_woken_by_what_does) {
  for (const Durability durability : {Durability::none, Durability::power}) {
    const testing::TemporaryDirectory directory;
    const auto disk = std::move(*RealDisk::open(directory.path()));
    const auto journal = open_journal(*disk, larger(durability));
    // A record that does not wake it would wait for an hour.
    const JournalThread thread(*journal, {.longest_nap = std::chrono::microseconds{20},
                                          .rest = std::chrono::hours{1},
                                          .sync_every = std::chrono::nanoseconds{0}});
    for (int record = 0; record < 20; ++record) {
      while (!journal->is_resting()) std::this_thread::yield();
      ASSERT_TRUE(write_next(*journal));
      EXPECT_FALSE(journal->is_resting());
      while (durability == Durability::power && journal->synced() < journal->last()) std::this_thread::yield();
    }
  }
}

TEST(JournalThread, rests_on_while_records_need_nobody_and_has_the_next_segment_ready_in_time) {
  const testing::TemporaryDirectory directory;
  const auto disk = std::move(*RealDisk::open(directory.path()));
  const auto journal = open_journal(*disk, larger(Durability::process));
  const JournalThread thread(*journal, {.rest = std::chrono::hours{1}, .sync_every = std::chrono::nanoseconds{0}});
  while (!journal->is_resting()) std::this_thread::yield();
  const std::uint64_t newest = journal->readiness().newest;
  ASSERT_TRUE(write_next(*journal));
  EXPECT_TRUE(journal->is_resting()) << "it has nothing to do";
  while (journal->segment_in_use() == 1) ASSERT_TRUE(write_next(*journal));
  while (journal->readiness().newest == newest) std::this_thread::yield();
  journal->release(journal->last());
  while (journal->read_after({0}).has_value()) std::this_thread::yield();
}

TEST(JournalThread, ends_at_once_while_it_rests) {
  const testing::TemporaryDirectory directory;
  const auto disk = std::move(*RealDisk::open(directory.path()));
  const auto journal = open_journal(*disk, larger(Durability::process));
  for (int life = 0; life < 10; ++life) {
    const JournalThread thread(*journal, {.longest_nap = std::chrono::microseconds{20}, .rest = std::chrono::hours{1}});
    while (life % 2 == 0 && !journal->is_resting()) std::this_thread::yield();
  }
}

/// What the child says it was promised; shared with it.
struct Witness {
  std::atomic<std::uint64_t> durable{0};
  std::atomic<std::uint64_t> last{0};
};

[[noreturn]] void write_until_killed(const std::string& path, Durability durability, Witness& witness) {
  const auto disk = std::move(*RealDisk::open(path));
  auto opened = FileJournal::open(*disk, larger(durability));
  if (!opened) ::_exit(3);
  FileJournal& journal = **opened;
  const JournalThread thread(journal);
  while (true) {
    // Half made records, too.
    if (journal.last().value % 7 == 0) std::ranges::fill(journal.prepare(150), std::byte{'x'});
    if (!write_next(journal)) std::this_thread::yield();
    witness.last = journal.last().value;
    witness.durable = journal.durable().value;
  }
}

/// Kills a writer `times` times at random instants; each goes on where the one before was. On a machine so busy that
/// none of them came to write, more are killed.
void kill_writers(Durability durability, int times) {
  const testing::TemporaryDirectory directory;
  void* shared = ::mmap(nullptr, sizeof(Witness), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Witness& witness = *new (shared) Witness;
  std::uint64_t random = 42;
  for (int time = 0; time < times || (time < 50 * times && witness.durable == 0); ++time) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(directory.path(), durability, witness);
    random = random * 6364136223846793005U + 1442695040888963407U;
    // Some die while they recover.
    ::usleep(static_cast<useconds_t>(random >> 33U) % 30'000);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself with " << WEXITSTATUS(status);

    const auto disk = std::move(*RealDisk::open(directory.path()));
    const auto journal = open_journal(*disk, larger(durability));
    ASSERT_NE(journal, nullptr);
    const std::uint64_t good = testing::count_good(*journal);
    ASSERT_GE(good, witness.durable.load()) << "time " << time;
    ASSERT_LE(good, witness.last.load() + 1) << "time " << time;
    witness.durable = good;
    witness.last = good;
    if (time % 2 == 0) journal->abandon();
  }
  EXPECT_GT(witness.durable.load(), 0u);
  ::munmap(shared, sizeof(Witness));
}

TEST(KilledProcess, loses_nothing_that_was_durable) {
  kill_writers(Durability::process, 4);
}

TEST(KilledProcessLong, loses_nothing_that_was_durable_however_often_it_is_killed) {
  kill_writers(Durability::process, 40);
}

TEST(KilledProcessLong, loses_nothing_that_was_durable_against_a_loss_of_power) {
  kill_writers(Durability::power, 40);
}

}  // namespace
}  // namespace dojima::journal
