#pragma once

// What the tests of `dojima journal` share: a directory that a venue's partitions wrote, and looks into what commands
// print.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/journal/survey.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::cli::journal_testing {

using venue::testing::DayOptions;
using venue::testing::WrittenDay;

inline std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

inline void flip_a_byte(const std::filesystem::path& file) {
  std::string bytes = read(file);
  ASSERT_FALSE(bytes.empty());
  bytes[bytes.size() / 2] ^= 1;
  write(file, bytes);
}

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// What `--json` printed, read again.
inline evidence::Artefact artefact_in(const Outcome& outcome) {
  EXPECT_TRUE(evidence::verify(outcome.out).is_right()) << outcome.out;
  const auto document = evidence::parse_document(outcome.out);
  EXPECT_TRUE(document.has_value());
  auto artefact = evidence::Artefact::from(*document);
  EXPECT_TRUE(artefact.has_value());
  return std::move(*artefact);
}

inline const evidence::Table& table_in(const evidence::Artefact& artefact, std::string_view name) {
  const auto found = std::ranges::find(artefact.tables(), name, &evidence::Table::name);
  EXPECT_NE(found, artefact.tables().end()) << name;
  return *found;
}

inline const evidence::Cell& cell_in(const evidence::Table& table, std::size_t row, std::string_view column) {
  return table.rows.at(row).at(table.column(column));
}

class Journals : public ::testing::Test {
 protected:
  Journals() : folder_(std::filesystem::temp_directory_path() / "dojima-journals-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
    for (std::uint8_t number = 1; number <= 2; ++number) {
      auto disk = journal::RealDisk::open(partition(number).string());
      DayOptions options{.partition = number, .seed = number, .commands = 140, .has_snapshot = number == 1};
      write_day(**disk, options, days_[number - 1U]);
    }
  }
  ~Journals() override { std::filesystem::remove_all(folder_); }
  Journals(const Journals&) = delete;
  Journals& operator=(const Journals&) = delete;

  [[nodiscard]] std::string path() const { return folder_.string(); }
  [[nodiscard]] std::filesystem::path partition(int number) const {
    return folder_ / ("partition-" + std::to_string(number));
  }
  [[nodiscard]] std::filesystem::path segment(int number, std::uint64_t which = 1) const {
    return partition(number) / journal::segment_name(which);
  }
  [[nodiscard]] std::filesystem::path snapshot() const {
    for (const auto& entry : std::filesystem::directory_iterator(partition(1)))
      if (entry.path().extension() == ".snapshot") return entry.path();
    ADD_FAILURE() << "there is a snapshot";
    return {};
  }
  Outcome journal(const std::string& what, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"journal", what, path(), "--no-progress"});
    return call(words);
  }
  Outcome replay(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"replay", path(), "--no-progress"});
    return call(words);
  }
  evidence::Artefact json_of(const std::string& what, int status = k_success,
                             std::vector<std::string> words = {}) const {
    words.emplace_back("--json");
    const Outcome outcome = journal(what, words);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return artefact_in(outcome);
  }

  /// What the directory of a partition comes to, not by way of the command.
  [[nodiscard]] venue::ReplayedPartition replayed(int number) const {
    const auto disk = journal::RealDisk::open(partition(number).string());
    auto found = venue::replay_directory(**disk);
    EXPECT_TRUE(found);
    return std::move(*found);
  }

  std::filesystem::path folder_;
  WrittenDay days_[2];
};

}  // namespace dojima::cli::journal_testing
