// What every journal does that can be read back: in memory, and on disk with each durability.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/journal/journal_test_support.hpp"
#include "dojima/journal/memory_journal.hpp"

namespace dojima::journal {
namespace {

using testing::read_all;
using testing::read_on;
using testing::text_of;
using testing::write;
using testing::write_next;

struct InMemory {
  static constexpr bool k_waits = false;
  MemoryJournal journal{{.capacity = std::size_t{1} << 20, .largest_record = 200}};
  ReadableJournal& get() { return journal; }
  void work() {}
};

template <Durability Which>
struct OnSimulatedDisk {
  static constexpr bool k_waits = false;
  SimulatedDisk disk;
  std::unique_ptr<FileJournal> journal = testing::open_journal(disk, testing::small(Which));
  ReadableJournal& get() { return *journal; }
  void work() {
    while (journal->work()) {
    }
  }
};

template <Durability Which>
struct OnRealDisk {
  static constexpr bool k_waits = true;
  testing::TemporaryDirectory directory;
  std::unique_ptr<RealDisk> disk = std::move(*RealDisk::open(directory.path()));
  std::unique_ptr<FileJournal> journal = testing::open_journal(*disk, testing::small(Which));
  ReadableJournal& get() { return *journal; }
  void work() {
    while (journal->work()) {
    }
  }
};

template <class Made>
class JournalSuite : public ::testing::Test {
 public:
  Made made;
  ReadableJournal& journal = made.get();
  /// Writes `count` records, the worker's step after every few.
  void fill(std::uint64_t count) {
    for (std::uint64_t written = 0; written < count; ++written) {
      if (written % 8 == 0) made.work();
      ASSERT_TRUE(write_next(journal));
    }
    made.work();
  }
};

using Journals = ::testing::Types<InMemory, OnSimulatedDisk<Durability::none>, OnSimulatedDisk<Durability::process>,
                                  OnSimulatedDisk<Durability::power>, OnRealDisk<Durability::process>,
                                  OnRealDisk<Durability::power>>;
TYPED_TEST_SUITE(JournalSuite, Journals);

TYPED_TEST(JournalSuite, numbers_records_from_one_and_gives_them_back_in_their_order) {
  EXPECT_EQ(this->journal.last().value, 0u);
  EXPECT_TRUE(write(this->journal, "a"));
  EXPECT_TRUE(write(this->journal, "12345678"));
  EXPECT_TRUE(write(this->journal, "123456789"));
  EXPECT_EQ(this->journal.last().value, 3u);
  EXPECT_EQ(read_all(this->journal), (std::vector<std::string>{"a", "12345678", "123456789"}));
}

TYPED_TEST(JournalSuite, is_durable_up_to_its_last_record_once_its_worker_has_worked) {
  EXPECT_EQ(this->journal.durable(), this->journal.last());
  this->fill(300);
  EXPECT_EQ(this->journal.durable().value, 300u);
}

TYPED_TEST(JournalSuite, gives_room_that_is_aligned_to_eight_bytes) {
  for (std::size_t size = 1; size <= 20; ++size) {
    const Room room = this->journal.prepare(size);
    EXPECT_EQ(room.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.data()) % 8, 0u);
    room[0] = std::byte{'x'};
    this->journal.commit(size);
  }
}

TYPED_TEST(JournalSuite, commits_less_than_was_prepared) {
  const Room room = this->journal.prepare(100);
  std::ranges::fill(room, std::byte{'x'});
  EXPECT_EQ(this->journal.commit(1).value, 1u);
  write(this->journal, "next");
  EXPECT_EQ(read_all(this->journal), (std::vector<std::string>{"x", "next"}));
}

TYPED_TEST(JournalSuite, forgets_what_was_prepared_and_not_committed) {
  std::ranges::fill(this->journal.prepare(200), std::byte{'x'});
  EXPECT_TRUE(write(this->journal, "record"));
  EXPECT_EQ(read_all(this->journal), std::vector<std::string>{"record"});
}

TYPED_TEST(JournalSuite, refuses_a_record_above_the_largest_and_takes_the_largest) {
  EXPECT_FALSE(write(this->journal, std::string(201, 'x')));
  EXPECT_TRUE(this->journal.prepare_essential(201).empty());
  EXPECT_EQ(this->journal.last().value, 0u);
  EXPECT_TRUE(write(this->journal, std::string(200, 'x')));
}

TYPED_TEST(JournalSuite, takes_essential_records_like_all_others) {
  const Room room = this->journal.prepare_essential(3);
  std::ranges::copy(as_bytes("one"), room.begin());
  this->journal.commit(3);
  EXPECT_EQ(read_all(this->journal), std::vector<std::string>{"one"});
}

TYPED_TEST(JournalSuite, lets_a_reader_go_on_when_more_has_come) {
  const auto reader = std::move(*this->journal.read_after({0}));
  std::uint64_t read = 0;
  for (const std::uint64_t count : {0u, 1u, 1u, 30u, 0u, 200u, 1u}) {
    this->fill(count);
    const auto texts = read_on(*reader, read);
    EXPECT_EQ(texts.size(), count);
    for (const std::string& text : texts) EXPECT_EQ(text, text_of(++read));
  }
}

TYPED_TEST(JournalSuite, reads_behind_any_record) {
  this->fill(300);
  for (std::uint64_t after = 0; after <= 300; ++after) EXPECT_EQ(testing::count_good(this->journal, after), 300u);
  EXPECT_FALSE(this->journal.read_after({301}));
}

TYPED_TEST(JournalSuite, takes_no_memory_while_it_is_written_and_read) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  this->fill(1);
  const auto reader = std::move(*this->journal.read_after({0}));
  static_cast<void>(reader->next());
  const std::uint64_t before = heap_allocations();
  for (int count = 0; count < 50; ++count) {  // into the next segment, too
    const Room room = this->journal.prepare(100);
    room[0] = std::byte{1};
    this->journal.commit(100);
  }
  EXPECT_EQ(heap_allocations(), before);
  for (int count = 0; count < 10; ++count) EXPECT_TRUE(reader->next()->has_value());
  EXPECT_EQ(heap_allocations(), before);
}

TYPED_TEST(JournalSuite, gives_back_whatever_it_took) {
  if (TypeParam::k_waits) GTEST_SKIP() << "a hundred journals on a real disk take seconds; the simulated one is asked";
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& texts) {
    TypeParam one;
    std::vector<std::string> taken;
    for (const std::string& text : texts) {
      if (!text.empty() && write(one.get(), text)) taken.push_back(text);
      if (text.size() % 3 == 0) one.work();
    }
    RC_ASSERT(read_all(one.get()) == taken);
  }));
}

}  // namespace
}  // namespace dojima::journal
