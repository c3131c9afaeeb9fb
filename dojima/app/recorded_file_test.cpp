#include "dojima/app/recorded_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dojima/app/data_info.hpp"
#include "dojima/app/exchange.hpp"
#include "dojima/flow/command_log_reader.hpp"
#include "dojima/flow/reader_test_support.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::app {
namespace {

using flow::EventKind;
using flow::RecordedEvent;

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
    EXPECT_EQ(flow::read_all(file->reader()).events.size(), 3u);
    EXPECT_EQ(file->reader().instruments().at(0).symbol, "RICE");
    EXPECT_EQ(file->trouble(), "");
    EXPECT_EQ(file->progress(), 1.0);
  }
  auto alone = RecordedFile::open(messages, {.has_book = false});
  ASSERT_TRUE(alone);
  EXPECT_EQ(flow::read_all(alone->reader()).events.size(), 1u);
}

TEST_F(RecordedFiles, trouble_names_the_file_that_it_is_in) {
  const std::string messages = write("RICE_2020-07-21_1_2_message_1.csv", "34200,1,11,100,1000000,1\n");
  const std::string book = write("RICE_2020-07-21_1_2_orderbook_1.csv", "hello\n");
  auto file = RecordedFile::open(messages);
  ASSERT_TRUE(file) << file.error();
  static_cast<void>(flow::read_all(file->reader()));
  EXPECT_TRUE(file->trouble().starts_with(book + ": line 1 (byte 0): no row of a LOBSTER order book"))
      << file->trouble();
}

/// An exchange that keeps its journal, with two orders of its first user.
TEST(CommandLog, of_an_exchange_is_read_back_as_the_same_commands) {
  VenueConfig config = default_venue();
  config.keep_journal = true;
  sched::Scheduler scheduler(Exchange::timers(config) + 16);
  Exchange exchange(config, scheduler);
  venue::Partition& partition = *exchange.partitions().front();
  for (int times = 0; times < 2; ++times) {
    market::NewOrder order;
    order.header.instrument = config.instruments.front().id;
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    order.terms.limit = config.instruments.front().reference;
    order.terms.quantity.lots = 5;
    order.terms.displayed.lots = 5;
    ASSERT_TRUE(partition.submit(order.header, time::from_nanoseconds(1000 + times)));
  }
  const std::string log = exchange.command_log(0);
  EXPECT_EQ(flow::guess_format(as_bytes(log)), flow::Format::commands);
  flow::MemorySource source(log);
  flow::CommandLogReader reader(source);
  const flow::ReadEvents all = flow::read_all(reader);
  EXPECT_EQ(all.trouble, "");
  EXPECT_EQ(all.events.size(), partition.last_command().value);
  EXPECT_EQ(std::ranges::count(all.events, EventKind::request, &RecordedEvent::kind), 2);
}

TEST(DataInfo, counts_kinds_times_gaps_and_latencies) {
  std::vector<RecordedEvent> events(4);
  const auto at = [](std::int64_t nanoseconds) { return time::from_nanoseconds(nanoseconds); };
  events[0] = {.event_time = at(10), .receive_time = at(7), .kind = EventKind::execute};
  events[1] = {.event_time = at(8), .receive_time = at(20), .instrument = 1, .kind = EventKind::trade};
  events[2] = {.receive_time = at(21), .other = 5, .sequence = 9, .instrument = 1, .kind = EventKind::gap};
  events[3] = {.event_time = at(1), .receive_time = at(22), .kind = EventKind::level, .flags = flow::k_snapshot};
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
}  // namespace dojima::app
