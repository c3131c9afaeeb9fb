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

constexpr time::Time k_begun = time::from_nanoseconds(1'784'548'800'000'000'000);

std::string folder_of(int version) {
  return std::string(DOJIMA_SOURCE_FOLDER) + "/tests/samples/fix-store-v" + std::to_string(version);
}

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
    first.set_numbers_begun(k_begun);
    EXPECT_TRUE(stores->set_verifier({"FIX.4.4", "VENUE", "A"}, "verifier"));
    second.reset(k_begun);
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
    std::filesystem::create_directories(folder_of(2));
    for (const auto& [name, text] : made) std::ofstream(folder_of(2) + "/" + name, std::ios::binary) << text;
  }
  const Files kept = read_sample(2);
  ASSERT_EQ(made.size(), kept.size());
  for (const auto& [name, text] : made) EXPECT_TRUE(kept.contains(name) && kept.at(name) == text) << name;
}

TEST(FixStoreSample, of_every_version_recovers_and_goes_on) {
  for (const int version : {1, 2}) {
    journal::SimulatedDisk disk;
    for (const auto& [name, text] : read_sample(version)) disk.put(name, as_bytes(text));
    const auto stores = testing::open_stores(disk, testing::small(journal::Durability::process));
    ASSERT_NE(stores, nullptr) << version;
    EXPECT_EQ(stores->journal().recovery().verdict, journal::Verdict::whole) << version;
    EXPECT_EQ(stores->sessions(), 2u) << version;
    // Version 1 says nothing of when numbers began, and knows no verifier.
    testing::Model first = k_first, second = k_second;
    if (version > 1) first.begun = second.begun = k_begun;
    EXPECT_EQ(testing::model_of(testing::store_of(*stores, "A")), first) << version;
    EXPECT_EQ(testing::model_of(testing::store_of(*stores, "B")), second) << version;
    EXPECT_EQ(stores->verifier({"FIX.4.4", "VENUE", "A"}), version > 1 ? "verifier" : "") << version;
    EXPECT_TRUE(testing::put(testing::store_of(*stores, "A"), "more")) << version;
  }
}

}  // namespace
}  // namespace dojima::fix
