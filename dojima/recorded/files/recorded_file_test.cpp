#include "dojima/recorded/files/recorded_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dojima/recorded/files/data_info.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

class RecordedFiles : public testing::Test {
 protected:
  RecordedFiles()
      : folder_(std::filesystem::temp_directory_path() / ("dojima-recorded-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~RecordedFiles() override { std::filesystem::remove_all(folder_); }
  RecordedFiles(const RecordedFiles&) = delete;
  RecordedFiles& operator=(const RecordedFiles&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RecordedFiles, either_file_of_a_pair_opens_both) {
  const std::string messages = write("RICE_2020-07-20_1_2_message_1.csv", "34200,1,11,100,1000000,1\n");
  const std::string book = write("RICE_2020-07-20_1_2_orderbook_1.csv", "9999999999,0,1000000,100\n");
  for (const std::string& named : {messages, book}) {
    auto file = RecordedFile::open(named);
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->names(), (std::vector<std::string>{messages, book}));
    EXPECT_EQ(read_all(file->reader()).events.size(), 3u);
    EXPECT_EQ(file->reader().instruments().at(0).symbol, "RICE");
    EXPECT_EQ(file->trouble(), "");
    EXPECT_EQ(file->progress(), 1.0);
  }
  auto alone = RecordedFile::open(messages, {.has_book = false});
  ASSERT_TRUE(alone);
  EXPECT_EQ(read_all(alone->reader()).events.size(), 1u);
}

TEST_F(RecordedFiles, trouble_names_the_file_that_it_is_in) {
  const std::string messages = write("RICE_2020-07-21_1_2_message_1.csv", "34200,1,11,100,1000000,1\n");
  const std::string book = write("RICE_2020-07-21_1_2_orderbook_1.csv", "hello\n");
  auto file = RecordedFile::open(messages);
  ASSERT_TRUE(file) << file.error();
  static_cast<void>(read_all(file->reader()));
  EXPECT_TRUE(file->trouble().starts_with(book + ": line 1 (byte 0): no row of a LOBSTER order book"))
      << file->trouble();
}

TEST(DataInfo, counts_kinds_times_gaps_and_latencies) {
  std::vector<RecordedEvent> events(4);
  const auto at = [](std::int64_t nanoseconds) { return time::from_nanoseconds(nanoseconds); };
  events[0] = {.event_time = at(10), .receive_time = at(7), .kind = EventKind::execute};
  events[1] = {.event_time = at(8), .receive_time = at(20), .instrument = 1, .kind = EventKind::trade};
  events[2] = {.receive_time = at(21), .other = 5, .sequence = 9, .instrument = 1, .kind = EventKind::gap};
  events[3] = {.event_time = at(1), .receive_time = at(22), .kind = EventKind::level, .flags = k_snapshot};
  DataInfo info;
  info.add(events);
  EXPECT_EQ(info.events(), 4u);
  EXPECT_EQ(info.count(EventKind::trade), 1u);
  EXPECT_EQ(info.gaps(), 1u);
  EXPECT_EQ(info.missing(), 4u);
  EXPECT_EQ(info.event_time().first, at(1));
  EXPECT_EQ(info.event_time().last, at(10));
  EXPECT_EQ(info.event_time().steps_back, 2u);
  EXPECT_EQ(info.receive_time().steps_back, 0u);
  EXPECT_EQ(info.least_latency().count(), -3);
  EXPECT_EQ(info.most_latency().count(), 12) << "snapshots do not count";
  ASSERT_EQ(info.instruments().size(), 2u);
  EXPECT_EQ(info.instruments()[0].trades, 1u);
  EXPECT_EQ(info.instruments()[1].time.last, at(21));
  EXPECT_FALSE(DataInfo().has_latency());
}

}  // namespace
}  // namespace dojima::recorded
