// Reports brought back from a partition's journal are those that it gave.

#include "dojima/venue/recovery/report_archive.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "dojima/journal/simulated_disk.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"
#include "dojima/venue/recovery/report_port.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

/// A partition on a disk, after some trading, and every report that it gave.
struct Traded {
  Traded() {
    auto opened = JournaledPartition::open(disk, journal_options(journal_settings(), k_start));
    EXPECT_TRUE(opened);
    journaled = std::move(*opened);
    for (int count = 0; journaled->partition().reports().first_kept().value < 200; ++count) {
      auto order = make_order({.side = count % 2 == 0 ? Side::buy : Side::sell, .lots = 1, .ticks = 100});
      order.header.user = static_cast<std::uint16_t>(count % 3);
      order.header.instrument = k_silk;
      EXPECT_TRUE(journaled->partition().submit(order.header, k_start + count * 1s).has_value());
      journaled->journal().work();
      for (auto batch = journaled->partition().reports().read(cursor, {~std::uint64_t{0}}); !batch.reports.empty();
           batch = journaled->partition().reports().read(cursor, {~std::uint64_t{0}}))
        reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
    }
  }
  /// Of a user, with these numbers.
  [[nodiscard]] std::vector<market::OwnerReport> of(std::uint16_t user, std::uint64_t from,
                                                    std::uint64_t before) const {
    std::vector<market::OwnerReport> found;
    for (const market::OwnerReport& report : reports)
      if (report.user == user && report.sequence.value >= from && report.sequence.value < before)
        found.push_back(report);
    return found;
  }
  journal::SimulatedDisk disk;
  std::unique_ptr<JournaledPartition> journaled;
  Cursor cursor;
  std::vector<market::OwnerReport> reports;
};

ArchivedReports wait_for(ReportArchive& archive) {
  while (!archive.is_ready()) std::this_thread::yield();
  return archive.take();
}

TEST(ReportArchive, gives_every_report_of_a_user_that_the_log_gave) {
  Traded venue;
  ASSERT_GT(venue.of(1, 5, 100).size(), 10u);
  ReportArchive archive(*venue.journaled);
  ASSERT_TRUE(archive.begin(1, {5}, {~std::uint64_t{0}}));
  EXPECT_FALSE(archive.begin(1, {5}, {~std::uint64_t{0}})) << "one at a time";
  const ArchivedReports all = wait_for(archive);
  EXPECT_TRUE(all.is_found);
  EXPECT_FALSE(all.is_cut);
  EXPECT_EQ(all.reports, venue.of(1, 5, ~std::uint64_t{0}));
  EXPECT_EQ(all.covers, venue.reports.back().sequence);
  ASSERT_TRUE(archive.begin(2, {1}, {100}));
  const ArchivedReports some = wait_for(archive);
  EXPECT_EQ(some.reports, venue.of(2, 1, 100));
  EXPECT_EQ(some.covers.value, 99u);
}

TEST(ReportArchive, gives_the_reports_of_the_present_day_only) {
  Traded venue;
  Partition& partition = venue.journaled->partition();
  ASSERT_TRUE(partition.begin_next_day(k_start + 100h).has_value());
  venue.reports.clear();
  for (int count = 0; count < 40; ++count) {
    auto order = make_order({.side = count % 2 == 0 ? Side::buy : Side::sell, .lots = 1, .ticks = 100});
    order.header.user = 1;
    order.header.instrument = k_silk;
    ASSERT_TRUE(partition.submit(order.header, k_start + 101h).has_value());
    venue.journaled->journal().work();
  }
  for (auto batch = partition.reports().read(venue.cursor, {~std::uint64_t{0}}); !batch.reports.empty();
       batch = partition.reports().read(venue.cursor, {~std::uint64_t{0}}))
    venue.reports.insert(venue.reports.end(), batch.reports.begin(), batch.reports.end());
  ReportArchive archive(*venue.journaled, {.has_thread = false});
  ASSERT_TRUE(archive.begin(1, {1}, {30}));
  const ArchivedReports found = archive.take();
  EXPECT_TRUE(found.is_found);
  ASSERT_GT(found.reports.size(), 20u);
  EXPECT_EQ(found.reports, venue.of(1, 1, 30));
}

TEST(ReportArchive, stops_where_it_is_enough_and_says_so) {
  Traded venue;
  ReportArchive archive(*venue.journaled, {.most = 7, .has_thread = false});
  ASSERT_TRUE(archive.begin(0, {1}, {~std::uint64_t{0}}));
  ASSERT_TRUE(archive.is_ready());
  const ArchivedReports found = archive.take();
  EXPECT_TRUE(found.is_cut);
  ASSERT_EQ(found.reports.size(), 7u);
  EXPECT_EQ(found.reports.back(), venue.of(0, 1, ~std::uint64_t{0})[6]);
}

TEST(ReportArchive, what_nobody_waits_for_keeps_nobody_waiting) {
  Traded venue;
  ReportArchive archive(*venue.journaled, {.has_thread = false});
  ASSERT_TRUE(archive.begin(0, {1}, {50}));
  archive.abandon();
  ASSERT_TRUE(archive.begin(1, {1}, {50}));
  EXPECT_EQ(archive.take().reports, venue.of(1, 1, 50));
}

/// Sessions take turns: one that waits comes when the archive is free, be it that the one before has gone away with
/// what was read for it, and begins at the first report of its own.
TEST(ArchivedPart, of_a_session_that_is_gone_holds_up_no_other) {
  Traded venue;
  ReportArchive archive(*venue.journaled, {.has_thread = false});
  const market::Sequence from{1}, before{50};
  ArchivedPart gone(true), next(true);
  EXPECT_TRUE(gone.is_needed());
  EXPECT_TRUE(gone.ask(archive, std::uint16_t{0}, from, before));
  EXPECT_FALSE(gone.ask(archive, std::uint16_t{0}, from, before)) << "it has asked";
  EXPECT_FALSE(next.ask(archive, std::uint16_t{1}, from, before)) << "it is busy";
  EXPECT_FALSE(next.take(archive)) << "what is there is not for it";
  gone.abandon(&archive);
  EXPECT_FALSE(gone.is_needed());
  EXPECT_FALSE(gone.take(archive));
  EXPECT_TRUE(next.ask(archive, std::uint16_t{1}, from, before));
  EXPECT_FALSE(next.is_there());
  EXPECT_TRUE(next.take(archive));
  EXPECT_TRUE(next.is_there());
  const std::vector<market::OwnerReport> expected = venue.of(1, 1, 50);
  ASSERT_GT(expected.size(), 2u);
  std::vector<market::OwnerReport> sent;
  for (; const market::OwnerReport* const report = next.next(); next.count_sent()) sent.push_back(*report);
  EXPECT_EQ(sent, expected);
  // What it has, it does not wait for: the archive is free meanwhile.
  ArchivedPart third(true);
  EXPECT_TRUE(third.ask(archive, std::uint16_t{2}, from, before));
  next.abandon(&archive);
  EXPECT_TRUE(third.take(archive));
  EXPECT_EQ(third.found().reports, venue.of(2, 1, 50));
}

TEST(ReportArchive, a_journal_that_cannot_be_read_gives_nothing) {
  Traded venue;
  ReportArchive archive(*venue.journaled, {.has_thread = false});
  venue.disk.lose_power();
  ASSERT_TRUE(archive.begin(0, {1}, {50}));
  EXPECT_FALSE(archive.take().is_found);
}

}  // namespace
}  // namespace dojima::venue::testing
