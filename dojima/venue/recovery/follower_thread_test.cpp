// A partition that trades on one thread, its journal's slow work on another, and a follower that writes snapshots on a
// third: as a venue runs them, on a real disk. The thread sanitizer watches (tests/threads).

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

class VenueThreads : public ::testing::TestWithParam<journal::Durability> {
 protected:
  VenueThreads() : folder_(std::filesystem::temp_directory_path() / "dojima-threads-XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    disk_ = std::move(*journal::RealDisk::open(folder_));
  }
  ~VenueThreads() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::unique_ptr<JournaledPartition> open() const {
    auto options = journal_options(journal_settings(), k_start);
    options.journal.durability = GetParam();
    options.journal.spare_segments = 4;
    auto opened = JournaledPartition::open(*disk_, options);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return opened ? std::move(*opened) : nullptr;
  }

  /// Waits for what the other threads do; a minute is for ever.
  template <class Condition>
  static bool wait_for(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  std::string folder_;
  std::unique_ptr<journal::RealDisk> disk_;
};

INSTANTIATE_TEST_SUITE_P(each_durability, VenueThreads,
                         ::testing::Values(journal::Durability::none, journal::Durability::process,
                                           journal::Durability::power),
                         [](const auto& of) { return std::string(journal::name_of(of.param)); });

/// Submits commands as long as the journal has room, and reads what may leave. Gives how many reports did.
std::uint64_t trade(JournaledPartition& venue, StateFlow& flow, Cursor& cursor) {
  std::uint64_t left = 0;
  for (int count = 0; count < 20; ++count) {
    auto command = flow.next();
    std::visit([&](auto& each) { static_cast<void>(venue.partition().submit(each.header, k_start)); }, command);
  }
  const market::Sequence durable{venue.journal().durable().value};
  for (auto batch = venue.partition().reports().read(cursor, durable); !batch.reports.empty();
       batch = venue.partition().reports().read(cursor, durable)) {
    for (const OwnerReport& report : batch.reports) EXPECT_LE(report.command, durable);
    left += batch.reports.size();
  }
  return left;
}

TEST_P(VenueThreads, follow_a_partition_that_trades_and_a_start_comes_to_its_state) {
  std::uint64_t digest = 0, last = 0;
  {
    const auto venue = open();
    ASSERT_NE(venue, nullptr);
    std::atomic<int> wakes{0};
    Follower follower(*venue, {.every_commands = 250, .keep = 2});
    StateFlow flow(1);
    venue->partition().observe(&flow);
    {
      journal::JournalThread slow(venue->journal(), {.on_durable = [&wakes] { ++wakes; }});
      const FollowerThread follows(follower);
      Cursor cursor;
      std::uint64_t left = 0;
      ASSERT_TRUE(wait_for([&] {
        for (int turn = 0; turn < 5; ++turn) left += trade(*venue, flow, cursor);
        // What an operator is shown, in the same thread.
        EXPECT_FALSE(venue->journal().trouble());
        EXPECT_FALSE(follower.state().is_lost);
        return venue->partition().last_command().value >= 1000 && follower.state().snapshots >= 2;
      }));
      ASSERT_TRUE(wait_for([&] {
        return venue->journal().durable().value == venue->partition().last_command().value &&
               follower.state().at.value == venue->partition().last_command().value;
      }));
      EXPECT_GT(left, 100U);
      EXPECT_TRUE(GetParam() != journal::Durability::power || wakes > 0);
    }
    EXPECT_EQ(follower.state().failures, 0U);
    venue->partition().dismiss(static_cast<const ReportSink*>(&flow));
    digest = venue->partition().digest();
    last = venue->partition().last_command().value;
  }
  const auto again = open();
  ASSERT_NE(again, nullptr);
  EXPECT_GT(again->recovery().snapshot.value, 0U);
  EXPECT_EQ(again->recovery().digest, digest);
  EXPECT_EQ(again->recovery().last.value, last);
}

}  // namespace
}  // namespace dojima::venue::testing
