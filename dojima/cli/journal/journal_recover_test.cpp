// `dojima journal recover`, `snapshot` and `archive` on a directory that a venue's partitions wrote.

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/journal/journal_test_support.hpp"
#include "dojima/journal/snapshots.hpp"

namespace dojima::cli {
namespace {

using journal_testing::artefact_in;
using journal_testing::cell_in;
using journal_testing::flip_a_byte;
using journal_testing::Journals;
using journal_testing::lines_in;
using journal_testing::read;
using journal_testing::table_in;
using journal_testing::write;

// ---- recover, snapshot ----------------------------------------------------------------------------------------------

TEST_F(Journals, recover_comes_to_the_state_that_was_there) {
  const Outcome outcome = journal("recover", {"--orders"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, fmt::format("partition-1: recovers: whole, up to record {}", days_[0].last)))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "orders that rest")) << outcome.out;
  for (const bool from_first : {false, true}) {
    const auto artefact = json_of("recover", k_success,
                                  from_first ? std::vector<std::string>{"--from-first"} : std::vector<std::string>{});
    const evidence::Table& recovered = table_in(artefact, "recovered");
    for (std::size_t at = 0; at < 2; ++at) {
      EXPECT_EQ(*cell_in(recovered, at, "digest").text(), fmt::format("{:016x}", days_[at].digest));
      EXPECT_EQ(*cell_in(recovered, at, "orders").integer(), static_cast<std::int64_t>(days_[at].live_orders));
      EXPECT_EQ(*cell_in(recovered, at, "trades").integer(), static_cast<std::int64_t>(days_[at].trades.size()));
    }
    EXPECT_EQ(*cell_in(recovered, 0, "snapshot").integer() == 0, from_first);
  }
}

TEST_F(Journals, recover_shows_the_state_in_numbers) {
  const auto artefact = json_of("recover", k_success, {"--orders"});
  const evidence::Table& recovered = table_in(artefact, "recovered");
  const evidence::Table& orders = table_in(artefact, "orders");
  ASSERT_EQ(recovered.rows.size(), 2u);
  std::size_t row = 0;
  for (int number = 1; number <= 2; ++number) {
    const auto at = static_cast<std::size_t>(number - 1);
    const venue::ReplayedPartition found = replayed(number);
    const venue::Partition& partition = *found.replayer->partition();
    EXPECT_EQ(*cell_in(recovered, at, "last").integer(), static_cast<std::int64_t>(days_[at].last));
    EXPECT_TRUE(cell_in(recovered, at, "last_time").text()->starts_with("20270115-15:0")) << "the day ends at 15:00";
    EXPECT_EQ(*cell_in(recovered, at, "reports").integer(), static_cast<std::int64_t>(partition.reports().end()));
    std::int64_t open_sessions = 0;
    for (std::uint16_t user = 0; user < partition.users(); ++user)
      open_sessions += partition.is_logged_on(user) ? 1 : 0;
    ASSERT_GT(open_sessions, 0);
    EXPECT_EQ(*cell_in(recovered, at, "open_sessions").integer(), open_sessions);
    for (const market::Instrument& instrument : partition.instruments())
      for (const market::Side side : {market::Side::buy, market::Side::sell})
        partition.book(instrument.id)->each_resting(side, [&](const book::RestingOrder& order) {
          ASSERT_LT(row, orders.rows.size());
          EXPECT_EQ(*cell_in(orders, row, "order").text(), fmt::format("{:016x}", order.id.value));
          EXPECT_EQ(*cell_in(orders, row, "instrument").text(), instrument.symbol);
          EXPECT_EQ(*cell_in(orders, row, "side").text(), side == market::Side::buy ? "buy" : "sell");
          EXPECT_EQ(std::stod(*cell_in(orders, row, "price").text()), static_cast<double>(order.price.units) / 1e8);
          EXPECT_EQ(*cell_in(orders, row, "leaves").integer(), order.leaves.lots);
          EXPECT_EQ(*cell_in(orders, row, "user").integer(), order.owner);
          ++row;
        });
  }
  EXPECT_GT(row, 5u);
  EXPECT_EQ(row, orders.rows.size());
  const auto without = json_of("recover");
  EXPECT_EQ(std::ranges::find(without.tables(), "orders", &evidence::Table::name), without.tables().end());
}

TEST_F(Journals, of_a_snapshot_alone_are_journals_too) {
  const std::int64_t record = std::stoll(snapshot().filename().string());
  std::vector<std::filesystem::path> segments;
  for (const auto& entry : std::filesystem::directory_iterator(partition(1)))
    if (entry.path().extension() == ".segment") segments.push_back(entry.path());
  for (const auto& segment : segments) std::filesystem::remove(segment);
  const Outcome outcome = call({"journal", "info", partition(1).string(), "--no-progress"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, fmt::format("{:020}.snapshot", record))) << outcome.out;
}

TEST_F(Journals, recover_stops_at_damage_and_says_where) {
  flip_a_byte(segment(2));
  const Outcome outcome = journal("recover");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: recovers: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  where: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  what to do: ")) << outcome.out;
}

TEST_F(Journals, snapshot_writes_the_last_state_from_which_a_start_goes_on) {
  const Outcome outcome = journal("snapshot");
  EXPECT_EQ(outcome.status, k_success) << outcome.out << outcome.err;
  const auto recovered = table_in(json_of("recover"), "recovered");
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(*cell_in(recovered, at, "snapshot").integer(), static_cast<std::int64_t>(days_[at].last));
    EXPECT_EQ(*cell_in(recovered, at, "replayed").integer(), 0);
    EXPECT_EQ(*cell_in(recovered, at, "digest").text(), fmt::format("{:016x}", days_[at].digest));
  }
}

TEST_F(Journals, snapshot_is_not_written_beside_a_running_venue_or_of_damaged_records) {
  flip_a_byte(segment(2));
  const auto disk = journal::RealDisk::open(partition(1).string());
  const auto running = (*disk)->lock();
  ASSERT_TRUE(running);
  const Outcome outcome = journal("snapshot");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1: is free: a venue runs on it")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: recovers: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(table_in(json_of("snapshot", k_failed), "snapshots").rows.empty());
  EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(partition(2)),
                                  [](const auto& entry) { return entry.path().extension() == ".snapshot"; }),
            0);
  // Whoever only reads needs no lock.
  for (const char* what : {"info", "recover"}) EXPECT_TRUE(contains(journal(what).out, "partition-1")) << what;
}

TEST_F(Journals, snapshot_that_cannot_be_written_fails_and_says_why) {
  std::filesystem::create_directories(partition(2) / (journal::snapshot_name({days_[1].last}) + ".new"));
  const Outcome outcome = journal("snapshot");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: snapshot is written: Is a directory, trying to open a file"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "ok      partition-1: snapshot is written")) << outcome.out;
}

// ---- archive --------------------------------------------------------------------------------------------------------

TEST_F(Journals, archive_gives_back_the_same_files) {
  const std::string out = path() + "/archive";
  const Outcome outcome = journal("archive", {"--out", out});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    if (!entry.is_regular_file()) continue;
    ++count;
    const std::string packed = entry.path().string();
    ASSERT_EQ(entry.path().extension(), ".zst");
    ASSERT_EQ(std::system(("unzstd -q --keep '" + packed + "'").c_str()), 0) << "zstd is installed (./dev setup)";
    const std::string unpacked = packed.substr(0, packed.size() - 4);
    EXPECT_EQ(read(unpacked), read(folder_ / std::filesystem::relative(unpacked, out)));
  }
  EXPECT_EQ(count, 3u) << "a segment of each, and a snapshot";
  const auto archived = table_in(json_of("archive", k_success, {"--out", out + "-2"}), "archived");
  ASSERT_EQ(archived.rows.size(), 3u);
  for (std::size_t row = 0; row < 3; ++row) {
    const std::filesystem::path file =
        std::filesystem::path(*cell_in(archived, row, "journal").text()) / *cell_in(archived, row, "file").text();
    EXPECT_EQ(*cell_in(archived, row, "bytes").integer(),
              static_cast<std::int64_t>(std::filesystem::file_size(folder_ / file)));
    EXPECT_EQ(*cell_in(archived, row, "packed").integer(),
              static_cast<std::int64_t>(std::filesystem::file_size(out + "-2/" + file.string() + ".zst")));
  }
  const auto again = table_in(json_of("archive", k_success, {"--out", out}), "archived");
  EXPECT_TRUE(again.rows.empty());
  EXPECT_EQ(again.notes.at(0), "3 files were there already and are left alone");
}

TEST_F(Journals, archive_of_damaged_records_says_so) {
  flip_a_byte(segment(2));
  const Outcome outcome = journal("archive", {"--out", path() + "/archive"});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: records are whole: damaged behind record ")) << outcome.out;
}

TEST_F(Journals, archive_that_cannot_be_written_fails_file_by_file) {
  const std::string file = path() + "/file";
  write(file, "in the way");
  const Outcome outcome = journal("archive", {"--out", file});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1/" + journal::segment_name(1) + ": archived: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "cannot be made: ")) << outcome.out;
  EXPECT_EQ(journal("archive").status, k_usage) << "--out is required";
}

}  // namespace
}  // namespace dojima::cli
