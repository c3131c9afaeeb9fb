#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::cli {
namespace {

/// A folder with files of recorded data.
class DataFolder : public testing::Test {
 protected:
  DataFolder() : folder_(std::filesystem::temp_directory_path() / ("dojima-data-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~DataFolder() override { std::filesystem::remove_all(folder_); }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

const std::string k_messages = "34200.1,1,11,100,1000000,1\n34200.2,4,11,40,1000000,1\n34201.5,3,11,60,1000000,1\n";

TEST_F(DataFolder, info_shows_what_a_file_holds_and_finds_the_file_beside_it) {
  const std::string file = write("RICE_2020-07-20_34200000_57600000_message_1.csv", k_messages);
  static_cast<void>(write("RICE_2020-07-20_34200000_57600000_orderbook_1.csv",
                          "9999999999,0,1000000,100\n9999999999,0,1000000,60\n9999999999,0,-9999999999,0\n"));
  const Outcome outcome = call({"data", "info", file});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  for (const char* part : {"lobster", "orderbook_1.csv", "1 new order", "3 delete", "window", "RICE",
                           "20200720-13:30:00.100000000", "20200720-13:30:01.500000000", "1.400 s"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST_F(DataFolder, info_is_an_artefact_as_well) {
  const std::string file = write("day.csv", k_messages);
  const Outcome outcome = call({"data", "info", file, "--json", "--symbol", "RICE", "--date", "2020-07-20"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const auto document = evidence::parse_document(outcome.out);
  ASSERT_TRUE(document);
  const auto artefact = evidence::Artefact::from(*document);
  ASSERT_TRUE(artefact);
  ASSERT_EQ(artefact->tables().size(), 4u);
  EXPECT_EQ(artefact->tables()[1].rows.size(), 3u);
  EXPECT_EQ(*artefact->tables()[3].rows.at(0).at(0).text(), "RICE");
  EXPECT_TRUE(artefact->checks().at(0).ok);
}

TEST_F(DataFolder, info_of_a_damaged_file_says_where_and_counts_what_is_good) {
  const std::string file = write("cut.csv", k_messages + "34202,1,12");
  const Outcome outcome = call({"data", "info", file});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "cut.csv: line 4 (byte 79): no LOBSTER message")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "1 new order")) << outcome.out;
}

TEST_F(DataFolder, info_of_what_cannot_be_read_is_one_clear_line) {
  const auto complaint = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"data", "info"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({write("empty", "")}), "empty: the file is empty"));
  EXPECT_TRUE(
      contains(complaint({write("other", "hello, world\n")}), "of no format known here (--format takes lobster"));
  EXPECT_TRUE(contains(complaint({write("cut.gz", std::string("\x1f\x8b\x08", 3))}), "cut.gz: damaged or cut gzip"));
  EXPECT_TRUE(contains(complaint({"/nowhere/at/all"}), "cannot be opened"));
  EXPECT_TRUE(contains(complaint({std::filesystem::temp_directory_path().string()}), "is a folder"));
  const std::string file = write("day.csv", k_messages);
  EXPECT_TRUE(contains(complaint({file, "--format", "lobstr"}), "did you mean lobster?"));
  EXPECT_TRUE(contains(complaint({file, "--date", "yesterday"}), "--date takes a day such as 2012-06-21"));
}

TEST_F(DataFolder, info_takes_the_format_that_is_said) {
  const Outcome outcome = call({"data", "info", write("day.csv", k_messages), "--format", "dbn"});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "byte 0: no DBN file")) << outcome.out;
}

}  // namespace
}  // namespace dojima::cli
