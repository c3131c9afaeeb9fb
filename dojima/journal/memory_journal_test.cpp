#include "dojima/journal/memory_journal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::write;

std::vector<std::string> read_by_cursor(const MemoryJournal& journal) {
  std::vector<std::string> records;
  MemoryJournal::Cursor cursor;
  while (const auto record = journal.read(cursor)) {
    records.emplace_back(as_text(record->bytes));
    EXPECT_EQ(record->sequence.value, records.size());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record->bytes.data()) % 8, 0u);
  }
  return records;
}

TEST(MemoryJournal, numbers_records_from_one_and_gives_them_back_in_their_order) {
  MemoryJournal journal({.capacity = 1024});
  EXPECT_EQ(journal.last().value, 0u);
  EXPECT_TRUE(write(journal, "a"));
  EXPECT_TRUE(write(journal, "12345678"));
  EXPECT_TRUE(write(journal, "123456789"));
  EXPECT_EQ(journal.last().value, 3u);
  EXPECT_EQ(read_by_cursor(journal), (std::vector<std::string>{"a", "12345678", "123456789"}));
}

TEST(MemoryJournal, is_durable_up_to_its_last_record) {
  MemoryJournal journal({.capacity = 1024});
  EXPECT_EQ(journal.durable(), journal.last());
  write(journal, "record");
  EXPECT_EQ(journal.durable().value, 1u);
}

TEST(MemoryJournal, commits_less_than_was_prepared) {
  MemoryJournal journal({.capacity = 1024});
  const Room room = journal.prepare(100);
  room[0] = std::byte{'x'};
  EXPECT_EQ(journal.commit(1).value, 1u);
  EXPECT_EQ(read_by_cursor(journal), std::vector<std::string>{"x"});
}

TEST(MemoryJournal, forgets_what_was_prepared_and_not_committed) {
  MemoryJournal journal({.capacity = 1024});
  EXPECT_EQ(journal.prepare(8).size(), 8u);
  EXPECT_TRUE(write(journal, "record"));
  EXPECT_EQ(read_by_cursor(journal), std::vector<std::string>{"record"});
}

TEST(MemoryJournal, refuses_when_full_and_keeps_what_it_has) {
  MemoryJournal journal({.capacity = 40});
  EXPECT_TRUE(write(journal, "12345678"));             // 16 of 40
  EXPECT_FALSE(write(journal, std::string(17, 'x')));  // 8 + 24 of the 24 left
  EXPECT_EQ(journal.last().value, 1u);
  EXPECT_TRUE(write(journal, std::string(16, 'y')));
  EXPECT_EQ(journal.used(), 40u);
  EXPECT_FALSE(write(journal, "z"));
  EXPECT_EQ(read_by_cursor(journal), (std::vector<std::string>{"12345678", std::string(16, 'y')}));
}

TEST(MemoryJournal, refuses_a_record_above_the_largest) {
  for (const Keep keep : {Keep::none, Keep::all}) {
    MemoryJournal journal({.keep = keep, .capacity = 1024, .largest_record = 16});
    EXPECT_FALSE(write(journal, std::string(17, 'x')));
    EXPECT_TRUE(write(journal, std::string(16, 'x')));
  }
}

TEST(MemoryJournal, that_keeps_nothing_only_counts_and_is_never_full) {
  MemoryJournal journal({.keep = Keep::none, .capacity = 0, .largest_record = 64});
  for (int record = 0; record < 10'000; ++record) ASSERT_TRUE(write(journal, std::string(64, 'x')));
  EXPECT_EQ(journal.last().value, 10'000u);
  EXPECT_EQ(journal.used(), 0u);
  EXPECT_TRUE(read_by_cursor(journal).empty());
}

TEST(MemoryJournal, lets_a_reader_go_on_when_more_has_come) {
  MemoryJournal journal({.capacity = 1024});
  MemoryJournal::Cursor cursor;
  EXPECT_FALSE(journal.read(cursor));
  write(journal, "one");
  EXPECT_EQ(as_text(journal.read(cursor)->bytes), "one");
  EXPECT_FALSE(journal.read(cursor));
  write(journal, "two");
  const auto record = journal.read(cursor);
  EXPECT_EQ(as_text(record->bytes), "two");
  EXPECT_EQ(record->sequence.value, 2u);
}

RC_GTEST_PROP(MemoryJournal, gives_back_whatever_it_took, (const std::vector<std::string>& texts)) {
  MemoryJournal journal({.capacity = 2048, .largest_record = 64});
  std::vector<std::string> taken;
  for (const std::string& text : texts)
    if (!text.empty() && write(journal, text)) taken.push_back(text);
  RC_ASSERT(read_by_cursor(journal) == taken);
}

}  // namespace
}  // namespace dojima::journal
