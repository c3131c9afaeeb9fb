#include "dojima/venue/report_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::venue {
namespace {

void append(ReportLog& log, std::uint64_t sequence, std::uint64_t command) {
  log.append({.sequence = {sequence}, .command = {command}});
}

std::vector<std::uint64_t> read_all(const ReportLog& log, Cursor& cursor, std::uint64_t durable, std::uint64_t& lost) {
  std::vector<std::uint64_t> sequences;
  for (;;) {
    const auto batch = log.read(cursor, {durable});
    lost += batch.lost;
    if (batch.reports.empty()) return sequences;
    for (const auto& report : batch.reports) sequences.push_back(report.sequence.value);
  }
}

TEST(ReportLog, gives_every_reader_the_reports_in_their_order) {
  ReportLog log(4);
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) append(log, sequence, sequence);
  for (int reader = 0; reader < 2; ++reader) {
    Cursor cursor;
    std::uint64_t lost = 0;
    EXPECT_EQ(read_all(log, cursor, 3, lost), (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(lost, 0u);
    EXPECT_EQ(cursor.position, log.end());
  }
}

TEST(ReportLog, holds_back_reports_whose_command_is_not_durable) {
  ReportLog log(8);
  append(log, 1, 5);
  append(log, 2, 5);
  append(log, 3, 6);
  Cursor cursor;
  std::uint64_t lost = 0;
  EXPECT_TRUE(read_all(log, cursor, 4, lost).empty());
  EXPECT_EQ(read_all(log, cursor, 5, lost), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(read_all(log, cursor, 6, lost), (std::vector<std::uint64_t>{3}));
}

TEST(ReportLog, tells_a_reader_that_was_overtaken_how_much_it_lost) {
  ReportLog log(4);
  Cursor cursor;
  for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) append(log, sequence, 1);
  std::uint64_t lost = 0;
  EXPECT_EQ(read_all(log, cursor, 1, lost), (std::vector<std::uint64_t>{7, 8, 9, 10}));
  EXPECT_EQ(lost, 6u);
  // Once: it is behind them now.
  append(log, 11, 1);
  lost = 0;
  EXPECT_EQ(read_all(log, cursor, 1, lost), (std::vector<std::uint64_t>{11}));
  EXPECT_EQ(lost, 0u);
}

TEST(ReportLog, has_a_reader_at_its_end_see_only_what_comes) {
  ReportLog log(4);
  append(log, 1, 1);
  Cursor cursor{log.end()};
  append(log, 2, 2);
  std::uint64_t lost = 0;
  EXPECT_EQ(read_all(log, cursor, 2, lost), (std::vector<std::uint64_t>{2}));
}

TEST(ReportLogDeathTest, stops_at_a_gap_in_the_numbers_and_at_a_cursor_of_another_log) {
  ReportLog log(4);
  append(log, 1, 1);
  append(log, 0, 1);  // not numbered
  append(log, 2, 2);
  EXPECT_DEATH(append(log, 4, 2), "numbered without a gap.* = 4, 2, 2");
  EXPECT_DEATH(append(log, 2, 2), "numbered without a gap.* = 2, 2, 2");
  Cursor cursor{4};
  EXPECT_DEATH((void)log.read(cursor, {2}), "belongs to its log.* = 4, 3, 2");
#if defined(DOJIMA_SLOW_CHECKS)
  EXPECT_DEATH(append(log, 3, 1), "order of their commands.* = 1, 3");
#endif
}

RC_GTEST_PROP(ReportLog, loses_or_gives_every_report_exactly_once, (const std::vector<std::uint8_t>& steps)) {
  const auto capacity = *rc::gen::inRange<std::size_t>(1, 9);
  ReportLog log(capacity);
  Cursor cursor;
  std::uint64_t appended = 0, seen = 0, lost = 0;
  for (const std::uint8_t step : steps) {
    for (int count = 0; count < step % 12; ++count) append(log, ++appended, 1);
    for (const std::uint64_t sequence : read_all(log, cursor, 1, lost)) RC_ASSERT(sequence == ++seen + lost);
    RC_ASSERT(seen + lost == appended);
  }
}

}  // namespace
}  // namespace dojima::venue
