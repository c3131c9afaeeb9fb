// The files of a day are written once it is over, beside the venue, and again where that failed or was broken off.

#include "dojima/app/days/day_keeper.hpp"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <vector>

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

class DayKeeperTest : public ::testing::Test {
 protected:
  DayKeeperTest() {
    std::string name = (std::filesystem::temp_directory_path() / "dojima-day-keeper-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~DayKeeperTest() override { std::filesystem::remove_all(folder_); }
  /// Fails as often as is said; then makes the folder.
  DayWriter writer(int failures) {
    return [this, failures](const std::string& journal, std::uint64_t day, const std::string& folder,
                            const std::stop_token&) mutable -> std::expected<std::string, std::string> {
      EXPECT_EQ(journal, "journal");
      const std::lock_guard lock(mutex_);
      written_.push_back(day);
      if (failures-- > 0) return std::unexpected(std::string("no room"));
      std::filesystem::create_directories(folder);
      return "3 orders";
    };
  }
  void look(DayKeeper& keeper, std::uint64_t day, int times) {
    for (int count = 0; count < times; ++count) {
      keeper.look(day, now_ += 1s, [this](const std::string& line) { lines_.push_back(line); });
      std::this_thread::sleep_for(2ms);
    }
  }
  std::filesystem::path folder_;
  time::Time now_{1h};
  std::mutex mutex_;
  std::vector<std::uint64_t> written_;
  std::vector<std::string> lines_;
};

TEST_F(DayKeeperTest, writes_the_day_that_is_over_once_and_says_where) {
  const std::string files = (folder_ / "files").string();
  {
    DayKeeper keeper("journal", files, writer(0));
    look(keeper, 0, 3);
    EXPECT_TRUE(written_.empty()) << "the first day goes on";
    look(keeper, 1, 20);
    EXPECT_EQ(written_, (std::vector<std::uint64_t>{0}));
    look(keeper, 2, 20);
  }
  EXPECT_EQ(written_, (std::vector<std::uint64_t>{0, 1}));
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_EQ(lines_[0], "the files of day 0 are in " + files + "/day-0: 3 orders");
  EXPECT_FALSE(std::filesystem::exists(files + "/day-0.part"));
  // In the next life they are there.
  DayKeeper again("journal", files, writer(0));
  look(again, 2, 5);
  EXPECT_EQ(written_.size(), 2u);
}

TEST_F(DayKeeperTest, tries_again_and_gives_up_in_words) {
  const std::string files = (folder_ / "files").string();
  DayKeeper keeper("journal", files, writer(2));
  look(keeper, 3, 30);
  EXPECT_EQ(written_, (std::vector<std::uint64_t>{2, 2, 2}));
  DayKeeper vain("journal", files, writer(100));
  look(vain, 8, 60);
  EXPECT_EQ(written_.size(), 3u + DayKeeper::k_tries);
  EXPECT_EQ(lines_.back(), "the files of day 7 could not be written: no room; dojima journal day --day 7 tries again");
}

}  // namespace
}  // namespace dojima::app
