#include "dojima/venue/report_log.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/base/state.hpp"

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

TEST(ReportLog, reports_to_a_reader_that_was_overtaken_how_much_it_lost) {
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

TEST(ReportLogGrowing, goes_on_in_its_usual_ring_while_nothing_would_be_lost) {
  ReportLog log(16, 64);
  EXPECT_EQ(log.most(), 64u);
  std::uint64_t number = 0;
  for (std::uint64_t command = 1; command <= 100; ++command) {
    log.keep_from(log.end());
    for (int report = 0; report < 4; ++report) append(log, ++number, command);  // a quarter
  }
  EXPECT_EQ(log.capacity(), 16u);
  EXPECT_EQ(log.first_kept(), market::Sequence{number - 15});
}

TEST(ReportLogGrowing, makes_room_for_a_command_with_more_reports_than_half_of_it_and_keeps_what_there_was) {
  ReportLog log(16, 64);
  std::uint64_t number = 0;
  for (std::uint64_t command = 1; command <= 30; ++command) append(log, ++number, command);
  for (int report = 0; report < 32; ++report) append(log, ++number, 31);
  EXPECT_EQ(log.capacity(), 64u);
  Cursor cursor = log.find({25});
  std::uint64_t lost = 0;
  const std::vector<std::uint64_t> read = read_all(log, cursor, 31, lost);
  ASSERT_EQ(read.size(), 38u) << "6 before the command, and its own";
  EXPECT_EQ(read.front(), 25u);
  EXPECT_EQ(read.back(), number);
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(log.most(), 64u);
  for (std::uint64_t command = 32; command <= 100; ++command) append(log, ++number, command);
  EXPECT_EQ(log.first_kept(), market::Sequence{number - 63}) << "it goes round in the larger ring";
}

TEST(ReportLogGrowing, makes_room_while_many_commands_wait_for_who_must_not_lose_any) {
  ReportLog log(16, 64);
  log.keep_from(0);
  for (std::uint64_t number = 1; number <= 40; ++number) append(log, number, number);
  EXPECT_EQ(log.capacity(), 64u);
  Cursor cursor;
  std::uint64_t lost = 0;
  EXPECT_EQ(read_all(log, cursor, 40, lost).size(), 40u);
  EXPECT_EQ(lost, 0u);
  ReportLog careless(16, 64);
  for (std::uint64_t number = 1; number <= 40; ++number) append(careless, number, number);
  EXPECT_EQ(careless.capacity(), 16u) << "nobody waits";
}

TEST(ReportLogGrowing, saves_what_it_still_has) {
  ReportLog log(16, 64);
  std::uint64_t number = 0;
  for (std::uint64_t command = 1; command <= 100; ++command) append(log, ++number, command);
  for (int report = 0; report < 9; ++report) append(log, ++number, 101);
  ASSERT_EQ(log.capacity(), 64u);
  const market::Sequence first = log.first_kept();
  EXPECT_GT(first.value, 90u) << "what had gone before stays gone";
  std::vector<std::byte> saved;
  StateWriter out([&](Bytes piece) { saved.insert(saved.end(), piece.begin(), piece.end()); });
  log.save(out, 1000);
  out.flush();
  ReportLog other(64);
  StateReader in(saved);
  ASSERT_TRUE(other.load(in));
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ(other.first_kept(), first);
  EXPECT_EQ(other.end(), log.end());
  EXPECT_EQ(other.next_number(), log.next_number());
  append(other, number + 1, 102);
}

/// A front: up to a quarter waits for it when a command begins, and it reads when that is over.
RC_GTEST_PROP(ReportLogGrowing, loses_nothing_for_who_is_a_quarter_behind_whatever_one_command_causes,
              (const std::vector<std::uint8_t>& commands)) {
  const auto capacity = *rc::gen::inRange<std::size_t>(4, 33);
  const auto most = capacity + *rc::gen::inRange<std::size_t>(0, 200);
  ReportLog log(capacity, most);
  Cursor cursor;
  std::uint64_t number = 0, command = 0, seen = 0, lost = 0;
  for (const std::uint8_t step : commands) {
    ++command;
    const std::size_t largest = std::max(capacity, most) / 2, reports = step % (largest + 1);
    for (std::size_t report = 0; report < reports; ++report) append(log, ++number, command);
    if (log.end() - cursor.position <= log.capacity() / 4 && step % 3 == 0) continue;  // it comes later
    for (const std::uint64_t sequence : read_all(log, cursor, command, lost)) RC_ASSERT(sequence == ++seen);
    RC_ASSERT(lost == 0u);
  }
  RC_ASSERT(log.capacity() == capacity || log.capacity() == most);
}

}  // namespace
}  // namespace dojima::venue
