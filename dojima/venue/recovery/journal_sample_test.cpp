// The journal directory of a partition as each released version wrote it stays in tests/samples: every later version
// comes to the same state from it. It was written by write_day() with k_options below: a day with an opening and a
// closing auction, a flow of every kind of command, a snapshot in the middle, segments of 16 KiB.
// DOJIMA_WRITE_GOLDEN=1 writes it anew and prints the digest; only a new version of the format needs that, in a folder
// of its own.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::venue::testing {
namespace {

const std::string k_folder = source_folder() + "/tests/samples/venue-journal-v1/partition-1";
constexpr DayOptions k_options{.commands = 350};
constexpr std::uint64_t k_digest = 0xe3515a0835fed2bb;
constexpr std::uint64_t k_last = 392, k_snapshot = 233, k_trades = 51, k_live_orders = 16;

void write_sample() {
  journal::SimulatedDisk disk;
  WrittenDay day;
  ASSERT_NO_FATAL_FAILURE(write_day(disk, k_options, day));
  std::filesystem::create_directories(k_folder);
  const auto names = disk.list();
  for (const std::string& name : *names) {
    const std::vector<std::byte> bytes = disk.contents(name);
    std::ofstream(k_folder + "/" + name, std::ios::binary) << as_text(bytes);
  }
  std::printf("digest %llx, last %llu, trades %zu, live orders %llu\n", static_cast<unsigned long long>(day.digest),
              static_cast<unsigned long long>(day.last), day.trades.size(),
              static_cast<unsigned long long>(day.live_orders));
}

/// A copy: what opens it writes to it.
void read_sample(journal::SimulatedDisk& disk) {
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    disk.put(entry.path().filename().string(), as_bytes(text));
  }
}

TEST(VenueJournalSample, is_written_when_it_is_asked_for) {
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) write_sample();
  EXPECT_TRUE(std::filesystem::is_directory(k_folder));
}

TEST(VenueJournalSample, of_version_1_replays_to_its_digest_from_the_snapshot_and_from_the_first_record) {
  journal::SimulatedDisk disk;
  read_sample(disk);
  for (const bool from_snapshot : {true, false}) {
    const auto replayed = replay_directory(disk, {.from_snapshot = from_snapshot});
    ASSERT_TRUE(replayed) << replayed.error().what;
    EXPECT_EQ(replayed->recovery.journal.verdict, journal::Verdict::whole);
    EXPECT_EQ(replayed->recovery.snapshot.value, from_snapshot ? k_snapshot : 0);
    EXPECT_EQ(replayed->recovery.last.value, k_last);
    EXPECT_EQ(replayed->recovery.digest, k_digest);
    ASSERT_NE(replayed->replayer->partition(), nullptr);
    const Partition& partition = *replayed->replayer->partition();
    EXPECT_EQ(partition.live_orders(), k_live_orders);
    EXPECT_EQ(partition.next_trade() & 0xffff, k_trades + 1);
    EXPECT_FALSE(replayed->replayer->settings().config.segments.empty());
  }
}

TEST(VenueJournalSample, of_version_1_recovers_and_goes_on) {
  using namespace std::chrono_literals;
  journal::SimulatedDisk disk;
  read_sample(disk);
  auto opened = JournaledPartition::open(disk, journal_options(journal_settings(), k_start + 8h));
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_EQ((*opened)->recovery().digest, k_digest);
  EXPECT_EQ((*opened)->recovery().snapshot.value, k_snapshot);
  EXPECT_TRUE((*opened)->recovery().changes.empty());
  auto order = make_order({.lots = 1, .ticks = 10, .instrument = k_silk});
  EXPECT_TRUE((*opened)->partition().submit(order.header, k_start + 8h));
}

}  // namespace
}  // namespace dojima::venue::testing
