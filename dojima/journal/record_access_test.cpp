// Single records by their places: while they are in memory, when their segments are files, and when these are gone.

#include "dojima/journal/record_access.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/journal/journal_test_support.hpp"

namespace dojima::journal {
namespace {

using testing::open_journal;
using testing::small;
using testing::text_of;
using testing::work;
using testing::write_next;

/// Writes `count` records and gives their places.
std::vector<Location> filled_places(FileJournal& journal, std::uint64_t count) {
  std::vector<Location> places;
  for (std::uint64_t written = 0; written < count; ++written) {
    work(journal);
    EXPECT_TRUE(write_next(journal));
    places.push_back(journal.last_location());
  }
  return places;
}

class JournalRecordAccess : public ::testing::TestWithParam<Durability> {
 public:
  SimulatedDisk disk;
};

TEST_P(JournalRecordAccess, gives_every_record_by_its_place_in_memory_and_from_files) {
  auto journal = open_journal(disk, small(GetParam()));
  EXPECT_EQ(journal->last_location(), Location{});
  const std::vector<Location> places = filled_places(*journal, 200);
  ASSERT_GT(places.back().segment(), places.front().segment() + 2);
  EXPECT_EQ(places.back().segment(), journal->segment_in_use());
  RecordAccess access(*journal);
  for (std::uint64_t step = 0; step < 400; ++step) {
    const std::uint64_t at = step * 89 % 200;
    const auto record = access.read(places[at]);
    ASSERT_TRUE(record) << at;
    EXPECT_EQ(record->sequence.value, at + 1);
    EXPECT_EQ(as_text(record->bytes), text_of(at + 1));
    EXPECT_EQ(record->location, places[at]);
  }
}

TEST_P(JournalRecordAccess, readers_name_the_places_and_they_stay_good_in_the_next_life) {
  std::vector<Location> written;
  {
    auto journal = open_journal(disk, small(GetParam()));
    written = filled_places(*journal, 100);
  }
  auto journal = open_journal(disk, small(GetParam()));
  const auto reader = journal->read_after({});
  ASSERT_TRUE(reader);
  RecordAccess access(*journal);
  for (std::uint64_t at = 0; at < 100; ++at) {
    const auto record = (*reader)->next();
    ASSERT_TRUE(record && *record);
    EXPECT_EQ((*record)->location, written[at]);
    const auto again = access.read((*record)->location);
    ASSERT_TRUE(again);
    EXPECT_EQ(as_text(again->bytes), text_of(at + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(each_durability, JournalRecordAccess,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& made) { return std::string(name_of(made.param)); });

TEST(JournalRecordAccessTrouble, says_what_is_gone_and_what_is_no_record) {
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::process));
  const std::vector<Location> places = filled_places(*journal, 200);
  journal->release({150});
  work(*journal);
  RecordAccess access(*journal);
  EXPECT_EQ(access.read(places[0]).error().code, ErrorCode::missing);
  EXPECT_TRUE(access.read(places[199]));
  EXPECT_EQ(access.read(Location::of(places[199].segment(), 4096)).error().code, ErrorCode::malformed);
  EXPECT_EQ(access.read(Location::of(places[199].segment(), 0)).error().code, ErrorCode::malformed);
  EXPECT_EQ(access.read(Location::of(99, 128)).error().code, ErrorCode::missing);
}

TEST(JournalRecordAccessTrouble, a_file_that_changed_is_found_out) {
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::power));
  const std::vector<Location> places = filled_places(*journal, 200);
  work(*journal);
  const std::string name = segment_name(places[3].segment());
  std::vector<std::byte> bytes = disk.contents(name);
  bytes[places[3].offset() + 25] ^= std::byte{1};
  disk.put(name, bytes);
  RecordAccess access(*journal);
  EXPECT_TRUE(access.read(places[2]));
  const auto damaged = access.read(places[3]);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::malformed);
}

TEST(JournalRecordAccessTrouble, reading_what_was_just_written_takes_no_memory) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  SimulatedDisk disk;
  auto journal = open_journal(disk, small(Durability::process));
  RecordAccess access(*journal);
  ASSERT_TRUE(write_next(*journal));
  ASSERT_TRUE(access.read(journal->last_location()));
  const std::uint64_t before = heap_allocations();
  bool is_good = true;
  for (int count = 0; count < 10; ++count) {
    const Room room = journal->prepare(8);
    std::fill(room.begin(), room.end(), std::byte{7});
    journal->commit(8);
    is_good &= access.read(journal->last_location()).has_value();
  }
  EXPECT_TRUE(is_good);
  EXPECT_EQ(heap_allocations(), before);
}

}  // namespace
}  // namespace dojima::journal
