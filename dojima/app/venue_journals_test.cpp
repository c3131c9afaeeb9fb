// The journals of a venue on real disks: begun, gone on with, refused, and followed by threads.

#include "dojima/app/venue_journals.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

#include "dojima/app/config.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::app {
namespace {

class VenueJournalsTest : public ::testing::Test {
 protected:
  VenueJournalsTest() : folder_(std::filesystem::temp_directory_path() / "dojima-venue-XXXXXX") {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
    config_.journal.directory = folder_ + "/day";
    config_.journal.segment_megabytes = 1;
    config_.journal.snapshot_every = 50;
    config_.orders = 500;
  }
  ~VenueJournalsTest() override { std::filesystem::remove_all(folder_); }

  std::expected<std::unique_ptr<VenueJournals>, std::string> open() {
    lines_.clear();
    return VenueJournals::open(config_, now_, [this](const std::string& line) { lines_.push_back(line); });
  }
  [[nodiscard]] bool has_logged(std::string_view text) const {
    return std::ranges::any_of(lines_, [text](const std::string& of) { return of.find(text) != std::string::npos; });
  }

  std::string folder_;
  VenueConfig config_ = default_venue();
  time::Time now_ = time::from_nanoseconds(1'800'000'000'000'000'000);
  std::vector<std::string> lines_;
};

TEST_F(VenueJournalsTest, go_on_where_they_ended_and_are_followed) {
  std::uint64_t digest = 0;
  {
    auto journals = open();
    ASSERT_TRUE(journals) << journals.error();
    EXPECT_TRUE(has_logged("new"));
    sched::Scheduler scheduler(simulate::Exchange::timers(config_), now_);
    simulate::Exchange exchange(config_, scheduler, {}, (*journals)->take_partitions());
    std::atomic<int> wakes{0};
    (*journals)->start(exchange.journaled(), [&wakes] { ++wakes; });
    venue::Partition& partition = *exchange.partitions().front();
    market::NewOrder order;
    order.header.instrument = config_.instruments.front().id;
    order.terms.limit = config_.instruments.front().reference;
    order.terms.quantity = order.terms.displayed = {100};
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    for (int count = 0; count < 200; ++count) ASSERT_TRUE(partition.submit(order.header, now_));
    digest = partition.digest();
    const auto has_snapshot = [this] {
      for (const auto& entry : std::filesystem::directory_iterator(config_.journal.directory + "/partition-1"))
        if (entry.path().extension() == ".snapshot") return true;
      return false;
    };
    for (int count = 0; count < 1000 && !has_snapshot(); ++count)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    EXPECT_TRUE(has_snapshot());
    EXPECT_TRUE((*journals)->news().empty());
    (*journals)->stop();
  }
  auto journals = open();
  ASSERT_TRUE(journals) << journals.error();
  EXPECT_TRUE(has_logged("from the snapshot of"));
  const auto partitions = (*journals)->take_partitions();
  EXPECT_EQ(partitions.front()->recovery().digest, digest);
  EXPECT_EQ(partitions.front()->partition().live_orders(), 200u);
}

TEST_F(VenueJournalsTest, are_refused_with_what_where_and_what_to_do) {
  ASSERT_TRUE(open());
  config_.levels += 1;
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("limits.levels"), std::string::npos) << refused.error();
  EXPECT_NE(refused.error().find("what to do"), std::string::npos) << refused.error();
  config_.levels -= 1;
  const auto first = open();
  ASSERT_TRUE(first);
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find("only one process"), std::string::npos) << second.error();
  config_.journal.directory = "/proc/none/day";
  EXPECT_FALSE(open());
}

}  // namespace
}  // namespace dojima::app
