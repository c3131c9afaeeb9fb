#include "dojima/app/admin/gateway_times.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::app {
namespace {

std::string figure_of(const measure::GaugeBoard& board, const std::string& figure) {
  const std::string text = board.prometheus(), name = figure + " ";
  const std::size_t at = text.find(name);
  return at == std::string::npos ? "none" : text.substr(at + name.size(), text.find('\n', at) - at - name.size());
}

std::vector<std::string> counts_of(const measure::GaugeBoard& board) {
  std::vector<std::string> counts{figure_of(board, "dojima_gateway_answer_seconds_count")};
  for (const char* stage : {"request", "venue", "report"})
    counts.push_back(figure_of(board, std::string("dojima_gateway_stage_seconds_count{stage=\"") + stage + "\"}"));
  return counts;
}

TEST(GatewayTimes, are_noted_of_one_request_in_sixteen_once_for_each_stage) {
  measure::GaugeBoard board;
  const gateway::GatewayStages stages;
  GatewayTimes times(board, stages, nullptr);
  const auto before = heap_allocations();
  for (std::uint64_t number = 0; number < 1600; ++number) {
    times.mark(stages.in, number);
    times.bind(number, 1);
    if (number % 32 == 0) times.mark(stages.out, number);
    if (number % 32 == 0) times.mark(stages.back_in, number);
    times.mark(stages.back_out, number);  // of the others: the gateway's own refusal
    times.mark(stages.back_in, number);   // a fill
    times.mark(stages.back_out, number);
  }
  EXPECT_EQ(heap_allocations(), before);
  EXPECT_EQ(counts_of(board), (std::vector<std::string>{"100", "50", "50", "50"}));
}

TEST(GatewayTimes, pass_all_marks_on_to_who_watches_as_well) {
  struct Watcher final : measure::Probe {
    void mark(std::uint8_t, std::uint64_t number) override { marks.push_back(number); }
    void bind(std::uint64_t number, std::uint64_t client_number) override { bound.emplace_back(number, client_number); }
    std::vector<std::uint64_t> marks;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> bound;
  } watcher;
  measure::GaugeBoard board;
  const gateway::GatewayStages stages;
  GatewayTimes times(board, stages, &watcher);
  for (std::uint64_t number = 15; number < 18; ++number) times.mark(stages.in, number);
  times.bind(15, 7);
  EXPECT_EQ(watcher.marks, (std::vector<std::uint64_t>{15, 16, 17}));
  EXPECT_EQ(watcher.bound, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{15, 7}}));
}

}  // namespace
}  // namespace dojima::app
