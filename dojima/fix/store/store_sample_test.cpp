// The directory of FIX stores of each format that was ever released stays in tests/samples: it must recover, and the
// newest is what is written today. DOJIMA_WRITE_GOLDEN=1 writes it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using Files = std::map<std::string, std::string>;

const std::string k_folder = std::string(DOJIMA_SOURCE_FOLDER) + "/tests/samples/fix-store-v1";

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
    second.reset();
    second.begin_anew({2});
    EXPECT_TRUE(testing::put(second, "TWO"));
  }
  Files files;
  const std::vector<std::string> names = *disk.list();
  for (const std::string& name : names) files[name] = as_text(disk.contents(name));
  return files;
}

Files read_sample() {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  return files;
}

TEST(FixStoreSample, is_what_is_written_today) {
  const Files made = make_sample();
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(k_folder);
    for (const auto& [name, text] : made) std::ofstream(k_folder + "/" + name, std::ios::binary) << text;
  }
  const Files kept = read_sample();
  ASSERT_EQ(made.size(), kept.size());
  for (const auto& [name, text] : made) EXPECT_TRUE(kept.contains(name) && kept.at(name) == text) << name;
}

TEST(FixStoreSample, of_version_1_recovers_and_goes_on) {
  journal::SimulatedDisk disk;
  for (const auto& [name, text] : read_sample()) disk.put(name, as_bytes(text));
  const auto stores = testing::open_stores(disk, testing::small(journal::Durability::process));
  ASSERT_NE(stores, nullptr);
  EXPECT_EQ(stores->journal().recovery().verdict, journal::Verdict::whole);
  EXPECT_EQ(stores->sessions(), 2u);
  EXPECT_EQ(testing::model_of(testing::store_of(*stores, "A")), k_first);
  EXPECT_EQ(testing::model_of(testing::store_of(*stores, "B")), k_second);
  EXPECT_TRUE(testing::put(testing::store_of(*stores, "A"), "more"));
}

}  // namespace
}  // namespace dojima::fix
