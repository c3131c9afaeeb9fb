// The directory of FIX stores of each format that was ever released stays in tests/samples: it must recover, and the
// newest is what is written today. DOJIMA_WRITE_GOLDEN=1 writes it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using Files = std::map<std::string, std::string>;

std::string folder_of(int version) {
  return source_folder() + "/tests/samples/fix-store-v" + std::to_string(version);
}
constexpr int k_newest = 2;
constexpr time::Time k_begun = time::Time{std::chrono::sys_days{std::chrono::year{2026} / 7 / 20}};

const testing::Model k_first{.outgoing = 43, .incoming = 17, .messages = [] {
                               std::map<std::uint64_t, std::string> messages;
                               for (std::uint64_t number = 1; number <= 42; ++number)
                                 messages[number] =
                                     std::string(number % 7 * 40 + 1, static_cast<char>('a' + number % 26));
                               return messages;
                             }()};
const testing::Model k_second{.outgoing = 3, .incoming = 1, .messages = {{2, "TWO"}}};

/// Every kind of record, over three segments.
Files make_sample() {
  journal::SimulatedDisk disk;
  {
    const auto stores = testing::open_stores(disk, testing::small(journal::Durability::process));
    MessageStore& first = testing::store_of(*stores, "A");
    MessageStore& second = testing::store_of(*stores, "B");
    EXPECT_TRUE(testing::put(second, "ONE"));
    for (const auto& [number, text] : k_first.messages) {
      EXPECT_TRUE(testing::put(first, text));
      testing::work(*stores);
    }
    first.set_next_incoming({17});
    second.set_next_outgoing({9});
    second.begin_anew({1}, k_begun);
    second.begin_anew({2}, k_begun);
    EXPECT_TRUE(testing::put(second, "TWO"));
  }
  Files files;
  const std::vector<std::string> names = *disk.list();
  for (const std::string& name : names) files[name] = as_text(disk.contents(name));
  return files;
}

Files read_sample(int version) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(version))) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  return files;
}

TEST(FixStoreSample, is_what_is_written_today) {
  const Files made = make_sample();
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(folder_of(k_newest));
    for (const auto& [name, text] : made) std::ofstream(folder_of(k_newest) + "/" + name, std::ios::binary) << text;
  }
  const Files kept = read_sample(k_newest);
  ASSERT_EQ(made.size(), kept.size());
  for (const auto& [name, text] : made) EXPECT_TRUE(kept.contains(name) && kept.at(name) == text) << name;
}

TEST(FixStoreSample, of_every_version_recovers_and_goes_on) {
  for (int version = 1; version <= k_newest; ++version) {
    SCOPED_TRACE(version);
    journal::SimulatedDisk disk;
    for (const auto& [name, text] : read_sample(version)) disk.put(name, as_bytes(text));
    const auto stores = testing::open_stores(disk, testing::small(journal::Durability::process));
    ASSERT_NE(stores, nullptr);
    EXPECT_EQ(stores->journal().recovery().verdict, journal::Verdict::whole);
    EXPECT_EQ(stores->sessions(), 2u);
    EXPECT_EQ(testing::model_of(testing::store_of(*stores, "A")), k_first);
    testing::Model second = k_second;
    if (version > 1) second.begun = k_begun;  // version 1 says nothing of it
    EXPECT_EQ(testing::model_of(testing::store_of(*stores, "B")), second);
    EXPECT_TRUE(testing::put(testing::store_of(*stores, "A"), "more"));
  }
}

}  // namespace
}  // namespace dojima::fix
