// What every disk does, asked of the real one and of the simulated one, and what only the simulated one can do.

#include "dojima/journal/disk.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "dojima/journal/real_disk.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::journal {
namespace {

struct Simulated {
  SimulatedDisk disk;
  Disk& get() { return disk; }
};

struct Real {
  Real() : path(std::filesystem::temp_directory_path() / "dojima-disk-XXXXXX") {
    if (mkdtemp(path.data()) == nullptr) std::abort();
    disk = std::move(*RealDisk::open(path + "/made"));
  }
  ~Real() { std::filesystem::remove_all(path); }
  Disk& get() { return *disk; }
  std::string path;
  std::unique_ptr<RealDisk> disk;
};

std::string text_of(Disk& disk, std::string_view name) {
  const auto file = disk.open(name, OpenMode::read);
  if (!file) return "no file";
  std::string text(static_cast<std::size_t>(*(*file)->size()), ' ');
  EXPECT_EQ(*(*file)->read(0, std::as_writable_bytes(std::span(text))), text.size());
  return text;
}

void put(Disk& disk, std::string_view name, std::string_view text) {
  EXPECT_TRUE((*disk.open(name, OpenMode::create))->write(0, as_bytes(text)));
}

template <class Made>
class DiskSuite : public ::testing::Test {
 public:
  Made made;
  Disk& disk = made.get();
};
using Disks = ::testing::Types<Simulated, Real>;
TYPED_TEST_SUITE(DiskSuite, Disks);

TYPED_TEST(DiskSuite, reads_what_was_written_and_less_at_the_end) {
  auto file = std::move(*this->disk.open("a", OpenMode::create));
  EXPECT_TRUE(file->write(0, as_bytes("0123456789")));
  EXPECT_TRUE(file->write_through(4, as_bytes("xy")));
  EXPECT_TRUE(file->sync());
  char part[8];
  EXPECT_EQ(*file->read(3, std::as_writable_bytes(std::span(part))), 7u);
  EXPECT_EQ(std::string_view(part, 7), "3xy6789");
  EXPECT_EQ(*file->read(10, std::as_writable_bytes(std::span(part))), 0u);
  EXPECT_EQ(*file->size(), 10u);
}

TYPED_TEST(DiskSuite, shares_mapped_memory_with_the_file) {
  put(this->disk, "a", "0123456789");
  {
    auto file = std::move(*this->disk.open("a", OpenMode::write));
    const Room room = *file->map();
    EXPECT_EQ(as_text(room), "0123456789");
    EXPECT_TRUE(file->populate(0, room.size()));
    room[0] = std::byte{'X'};
    EXPECT_EQ(text_of(this->disk, "a"), "X123456789");
    EXPECT_TRUE(file->write(1, as_bytes("Y")));
    EXPECT_EQ(as_text(room), "XY23456789");
  }
  auto file = std::move(*this->disk.open("a", OpenMode::read));
  EXPECT_EQ(as_text(*file->map()), "XY23456789");
}

TYPED_TEST(DiskSuite, lists_renames_and_removes) {
  put(this->disk, "b", "second");
  put(this->disk, "a", "first");
  EXPECT_EQ(*this->disk.list(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(this->disk.rename("a", "b"));
  EXPECT_EQ(text_of(this->disk, "b"), "first");
  EXPECT_TRUE(this->disk.sync_names());
  EXPECT_TRUE(this->disk.remove("b"));
  EXPECT_TRUE(this->disk.list()->empty());
  EXPECT_EQ(this->disk.remove("b").error().got, ENOENT);
  EXPECT_EQ(this->disk.rename("b", "a").error().got, ENOENT);
  EXPECT_EQ(this->disk.open("b", OpenMode::read).error().code, ErrorCode::missing);
}

TYPED_TEST(DiskSuite, empties_a_file_that_is_created_again) {
  put(this->disk, "a", "first");
  put(this->disk, "a", "x");
  EXPECT_EQ(text_of(this->disk, "a"), "x");
}

TYPED_TEST(DiskSuite, is_locked_by_one_at_a_time) {
  {
    const auto held = this->disk.lock();
    EXPECT_TRUE(held);
    EXPECT_EQ(this->disk.lock().error().code, ErrorCode::refused);
  }
  EXPECT_TRUE(this->disk.lock());
}

TYPED_TEST(DiskSuite, knows_its_free_space) {
  EXPECT_GT(*this->disk.free_bytes(), 0u);
}

TEST(RealDisk, says_the_errno_when_there_can_be_no_directory) {
  EXPECT_EQ(RealDisk::open("/nowhere/at/all").error().got, ENOENT);
}

// ------------------------------------------------------------------------------------------------ the simulated one

constexpr std::size_t k_sectors = 6;
std::string pattern(char letter) {
  return std::string(k_sectors * SimulatedDisk::k_sector, letter);
}

/// The first letter of each sector; every sector must be of one letter.
std::string sectors_of(SimulatedDisk& disk, std::string_view name) {
  const std::vector<std::byte> bytes = disk.contents(name);
  std::string letters;
  for (std::size_t at = 0; at < bytes.size(); at += SimulatedDisk::k_sector) {
    letters += std::to_integer<char>(bytes[at]);
    for (std::size_t next = at; next < at + SimulatedDisk::k_sector; ++next) EXPECT_EQ(bytes[next], bytes[at]);
  }
  return letters;
}

TEST(SimulatedDisk, loses_any_subset_of_unsynced_sectors_with_the_power_and_nothing_else) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SimulatedDisk disk({.seed = seed});
    auto file = std::move(*disk.open("a", OpenMode::create));
    ASSERT_TRUE(file->write(0, as_bytes(pattern('o'))));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(disk.sync_names());
    ASSERT_TRUE(file->write(0, as_bytes(pattern('n'))));
    disk.lose_power();
    EXPECT_EQ(file->sync().error().got, EIO);
    disk.restart();
    seen.insert(sectors_of(disk, "a"));
  }
  EXPECT_EQ(seen.size(), std::size_t{1} << k_sectors);
}

TEST(SimulatedDisk, keeps_what_was_written_through_and_of_mapped_memory_what_was_synced) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedDisk disk({.seed = seed});
    auto file = std::move(*disk.open("a", OpenMode::create));
    ASSERT_TRUE(file->write_through(0, as_bytes(pattern('o'))));
    ASSERT_TRUE(disk.sync_names());
    const Room room = *file->map();
    std::fill_n(room.begin(), SimulatedDisk::k_sector, std::byte{'n'});
    ASSERT_TRUE(file->sync());
    std::fill_n(room.begin() + SimulatedDisk::k_sector, SimulatedDisk::k_sector, std::byte{'l'});
    disk.lose_power();
    disk.restart();
    const std::string left = sectors_of(disk, "a");
    EXPECT_TRUE(left == "nooooo" || left == "nloooo") << left;
  }
}

TEST(SimulatedDisk, keeps_a_first_part_of_the_changes_of_names) {
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SimulatedDisk disk({.seed = seed});
    put(disk, "a", "text");
    ASSERT_TRUE(disk.rename("a", "b"));
    ASSERT_TRUE(disk.remove("b"));
    disk.lose_power();
    disk.restart();
    seen.insert(*disk.list());
  }
  EXPECT_EQ(seen, (std::set<std::vector<std::string>>{{}, {"a"}, {"b"}}));
}

TEST(SimulatedDisk, may_forget_what_a_failed_sync_should_have_written) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimulatedDisk disk({.seed = seed});
    auto file = std::move(*disk.open("a", OpenMode::create));
    ASSERT_TRUE(file->write_through(0, as_bytes(pattern('o'))));
    ASSERT_TRUE(disk.sync_names());
    ASSERT_TRUE(file->write(0, as_bytes(pattern('n'))));
    disk.fail_at(1, EIO);
    ASSERT_FALSE(file->sync());
    ASSERT_TRUE(file->sync());  // and says that all is well
    disk.lose_power();
    disk.restart();
    lost += sectors_of(disk, "a") != "nnnnnn" ? 1 : 0;
  }
  EXPECT_GT(lost, 50);
}

TEST(SimulatedDisk, keeps_what_is_written_again_after_a_failed_sync) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimulatedDisk disk({.seed = seed});
    auto file = std::move(*disk.open("a", OpenMode::create));
    ASSERT_TRUE(file->write_through(0, as_bytes(pattern('o'))));
    ASSERT_TRUE(disk.sync_names());
    disk.fail_at(1, EIO);
    ASSERT_FALSE(file->write_through(0, as_bytes(pattern('n'))));
    ASSERT_TRUE(file->write_through(0, as_bytes(pattern('n'))));
    disk.lose_power();
    disk.restart();
    EXPECT_EQ(sectors_of(disk, "a"), "nnnnnn");
  }
}

TEST(SimulatedDisk, fails_a_chosen_call_and_loses_power_during_another) {
  SimulatedDisk disk;
  disk.fail_at(2, ENOSPC);
  EXPECT_TRUE(disk.list());
  EXPECT_EQ(disk.list().error().got, ENOSPC);
  EXPECT_TRUE(disk.list());
  disk.lose_power_at(1);
  EXPECT_FALSE(disk.list());
  EXPECT_FALSE(disk.has_power());
  EXPECT_FALSE(disk.list());
  disk.restart();
  EXPECT_TRUE(disk.list());
}

TEST(SimulatedDisk, keeps_what_a_process_had_written_when_it_ended_and_nothing_that_follows) {
  SimulatedDisk disk;
  put(disk, "mapped", "before");
  auto file = std::move(*disk.open("mapped", OpenMode::write));
  const Room memory = *file->map();
  memory[0] = std::byte{'B'};
  disk.end_process();
  memory[1] = std::byte{'E'};  // as code does that does not know yet
  EXPECT_FALSE(disk.open("new", OpenMode::create));
  EXPECT_FALSE(file->write(0, as_bytes("x")));
  disk.restart();
  EXPECT_EQ(text_of(disk, "mapped"), "Before");
  EXPECT_EQ(text_of(disk, "new"), "no file");
}

TEST(SimulatedDisk, ends_a_process_in_front_of_a_chosen_call) {
  SimulatedDisk disk;
  disk.end_process_at(2);
  const auto file = disk.open("a", OpenMode::create);
  ASSERT_TRUE(file);
  EXPECT_FALSE((*file)->write(0, as_bytes("lost")));
  EXPECT_FALSE(disk.list());
  disk.restart();
  EXPECT_EQ(text_of(disk, "a"), "");
  EXPECT_TRUE(disk.list()) << "only once";
}

TEST(SimulatedDisk, is_full_read_only_and_slow_on_demand) {
  using namespace std::chrono_literals;
  SimulatedDisk disk({.capacity = 10, .call_cost = 1us, .sync_cost = 70us});
  auto file = std::move(*disk.open("a", OpenMode::create));
  EXPECT_EQ(file->write(0, as_bytes("0123456789a")).error().got, ENOSPC);
  EXPECT_EQ(*file->size(), 10u);
  EXPECT_EQ(*disk.free_bytes(), 0u);
  disk.fail_writes(EROFS);
  EXPECT_EQ(file->write(0, as_bytes("x")).error().got, EROFS);
  EXPECT_EQ(disk.open("b", OpenMode::create).error().code, ErrorCode::refused);
  EXPECT_TRUE(disk.open("a", OpenMode::read));
  disk.fail_writes(0);
  EXPECT_EQ(disk.take_elapsed(), 7us);
  disk.delay_at(1, 1s);
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(disk.take_elapsed(), 1s + 71us);
}

TEST(SimulatedDisk, is_the_same_disk_with_the_same_seed) {
  const auto run = [](std::uint64_t seed) {
    SimulatedDisk disk({.seed = seed, .writes_back = true});
    auto file = std::move(*disk.open("a", OpenMode::create));
    EXPECT_TRUE(file->write(0, as_bytes(pattern('o'))));
    EXPECT_TRUE(disk.sync_names());
    for (const char letter : {'p', 'q', 'r'}) EXPECT_TRUE(file->write(0, as_bytes(pattern(letter))));
    disk.lose_power();
    disk.restart();
    return disk.contents("a");
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace dojima::journal
