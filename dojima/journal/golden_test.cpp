// A directory of each format that was ever released stays in tests/samples: it must recover, and the newest is what is
// written today. DOJIMA_WRITE_GOLDEN=1 writes it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/journal/journal_test_support.hpp"
#include "dojima/journal/snapshots.hpp"

namespace dojima::journal {
namespace {

const std::string k_folder = source_folder() + "/tests/samples/journal-v1";
constexpr std::uint64_t k_records = 100;
constexpr std::uint64_t k_snapshot = 60;

using FileTexts = std::map<std::string, std::string>;

/// The sample's journal, made anew: batches of four, a snapshot, a proper end.
FileTexts make_sample() {
  SimulatedDisk disk;
  {
    const auto journal = testing::open_journal(disk, testing::small(Durability::power));
    while (journal->last().value < k_records) {
      EXPECT_TRUE(testing::write_next(*journal));
      if (journal->last().value % 4 == 0) journal->work();
      if (journal->last().value != k_snapshot) continue;
      auto writer = SnapshotWriter::begin(
          disk, {.identity = Identity::of("test"), .sequence = {k_snapshot}, .digest = 0x1234, .version = 1});
      EXPECT_TRUE(writer->append(as_bytes(testing::text_of(k_snapshot))));
      EXPECT_TRUE(writer->finish());
    }
  }
  FileTexts files;
  const std::vector<std::string> names = *disk.list();
  for (const std::string& name : names) files[name] = as_text(disk.contents(name));
  return files;
}

FileTexts read_sample() {
  FileTexts files;
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  return files;
}

TEST(JournalSample, is_what_is_written_today) {
  const FileTexts made = make_sample();
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(k_folder);
    for (const auto& [name, text] : made) std::ofstream(k_folder + "/" + name, std::ios::binary) << text;
  }
  const FileTexts kept = read_sample();
  ASSERT_EQ(made.size(), kept.size());
  for (const auto& [name, text] : made) EXPECT_TRUE(kept.contains(name) && kept.at(name) == text) << name;
}

TEST(JournalSample, of_version_1_recovers) {
  SimulatedDisk disk;
  for (const auto& [name, text] : read_sample()) disk.put(name, as_bytes(text));
  const auto journal = testing::open_journal(disk, testing::small(Durability::power));
  ASSERT_NE(journal, nullptr);
  EXPECT_EQ(journal->recovery().verdict, Verdict::whole);
  EXPECT_EQ(testing::count_good(*journal), k_records);
  const auto found = newest_snapshot(disk, Identity::of("test"));
  ASSERT_TRUE(found && found->snapshot);
  EXPECT_EQ(found->snapshot->info().sequence.value, k_snapshot);
  EXPECT_EQ(found->snapshot->info().digest, 0x1234u);
  EXPECT_EQ(as_text(found->snapshot->bytes()), testing::text_of(k_snapshot));
  EXPECT_TRUE(testing::write_next(*journal));
}

}  // namespace
}  // namespace dojima::journal
