#include "dojima/app/admin/venue_times.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/base/allocation_counter.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::app {
namespace {

std::string count_of(const measure::GaugeBoard& board,
                     const std::string& figure = "dojima_venue_answer_seconds_count") {
  const std::string text = board.prometheus(), name = figure + " ";
  const std::size_t at = text.find(name);
  return at == std::string::npos ? "none" : text.substr(at + name.size(), text.find('\n', at) - at - name.size());
}

TEST(VenueTimes, are_noted_once_for_each_request_that_came_in_and_was_answered) {
  measure::GaugeBoard board;
  VenueTimes times(board, {});
  const simulate::ExchangeProbe probe = times.probe();
  EXPECT_EQ(probe.one_in, VenueTimes::k_one_in);
  const auto before = heap_allocations();
  for (std::uint64_t number = 1; number <= 1'000; ++number) probe.probe->mark(probe.in, number * 16);
  for (std::uint64_t number = 1; number <= 1'000; ++number) probe.probe->mark(probe.out, number * 16);
  EXPECT_EQ(heap_allocations(), before);
  EXPECT_EQ(count_of(board), "1000");
  probe.probe->mark(probe.out, 16);           // its fills
  probe.probe->mark(probe.out, 17'000 * 16);  // never seen
  EXPECT_EQ(count_of(board), "1000");
  // A second one in the same place: what it pushes out is not counted, and not mistaken for it.
  probe.probe->mark(probe.in, 0);
  probe.probe->mark(probe.in, 4096 * 16);
  probe.probe->mark(probe.out, 0);
  EXPECT_EQ(count_of(board), "1000");
  probe.probe->mark(probe.out, 4096 * 16);
  EXPECT_EQ(count_of(board), "1001");
}

std::string count_of_stage(const measure::GaugeBoard& board, const std::string& stage) {
  return count_of(board, "dojima_venue_stage_seconds_count{stage=\"" + stage + "\"}");
}

TEST(VenueTimes, divide_the_way_of_a_request_into_stages) {
  measure::GaugeBoard board;
  VenueTimes times(board, {});
  const simulate::ExchangeProbe probe = times.probe();
  const auto before = heap_allocations();
  for (std::uint64_t instant = 0; instant < 10; ++instant) {
    static_cast<void>(times.reading().deliver({}));
    probe.probe->mark(probe.in, instant * 32);
    probe.probe->mark(probe.in, instant * 32 + 16);
    probe.probe->mark(probe.taken, instant * 32);
    probe.probe->mark(probe.out, instant * 32);
    probe.probe->mark(probe.out, instant * 32 + 16);  // an answer of the front itself
    static_cast<void>(times.sent().finish({}));
    static_cast<void>(times.sent().finish({}));  // nothing more was written
  }
  EXPECT_EQ(heap_allocations(), before);
  EXPECT_EQ(count_of_stage(board, "read"), "20");
  EXPECT_EQ(count_of_stage(board, "report"), "10");
  EXPECT_EQ(count_of_stage(board, "encode"), "10");
  EXPECT_EQ(count_of_stage(board, "send"), "20");
  EXPECT_EQ(count_of(board), "20");
}

TEST(VenueTimes, note_one_command_in_sixteen_of_each_partition) {
  const VenueConfig config = default_venue();
  measure::GaugeBoard board;
  const std::vector<std::uint8_t> numbers = simulate::Exchange::partition_numbers(config);
  VenueTimes times(board, {}, numbers);
  sched::Scheduler scheduler(simulate::Exchange::timers(config) + 1);
  simulate::Exchange exchange(config, scheduler, times.probe());
  times.attach(exchange);
  venue::Partition& partition = *exchange.partitions().front();
  market::NewOrder order;  // of an instrument that is nowhere: refused behind the journal
  for (int command = 0; command < 160; ++command)
    ASSERT_TRUE(partition.submit(order.header, scheduler.now()).has_value());
  for (const char* stage : {"journal", "match"})
    EXPECT_EQ(count_of(board, std::string("dojima_venue_stage_seconds_count{stage=\"") + stage + "\",partition=\"" +
                                  std::to_string(numbers.front()) + "\"}"),
              "10")
        << stage;
}

TEST(VenueTimes, pass_marks_on_to_who_watches_as_well) {
  struct Watcher final : measure::Probe {
    void mark(std::uint8_t stage, std::uint64_t number) override { marks.emplace_back(stage, number); }
    void bind(std::uint64_t number, std::uint64_t client_number) override { bound.emplace_back(number, client_number); }
    std::vector<std::pair<int, std::uint64_t>> marks;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> bound;
  } watcher;
  measure::GaugeBoard board;
  VenueTimes times(board, {.probe = &watcher, .in = 4, .out = 6, .one_in = 2});
  const simulate::ExchangeProbe probe = times.probe();
  EXPECT_EQ(probe.in, 4);
  EXPECT_EQ(probe.out, 6);
  EXPECT_EQ(probe.one_in, 2u);
  probe.probe->mark(4, 8);
  probe.probe->mark(probe.taken, 8);  // which is this one's own
  probe.probe->mark(6, 8);
  probe.probe->bind(8, 9);
  EXPECT_EQ(watcher.marks, (std::vector<std::pair<int, std::uint64_t>>{{4, 8}, {6, 8}}));
  EXPECT_EQ(watcher.bound, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{8, 9}}));
  EXPECT_EQ(count_of(board), "1");
}

}  // namespace
}  // namespace dojima::app
