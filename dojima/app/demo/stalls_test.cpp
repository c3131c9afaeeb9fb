#include "dojima/app/demo/stalls.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/demo/presentation.hpp"
#include "dojima/app/demo/run.hpp"

namespace dojima::app::demo {
namespace {

using namespace std::chrono_literals;
using Gap = link::Interruptions::Gap;

StallPlan stalls_of(std::string_view csv) {
  auto plan = parse_stalls(csv);
  EXPECT_TRUE(plan.has_value()) << plan.error();
  return std::move(plan).value_or(StallPlan{});
}

std::string refusal_of_stalls(std::string_view csv) {
  const auto plan = parse_stalls(csv);
  return plan ? "accepted" : plan.error();
}

TEST(DemoStalls, are_read_as_a_recording_of_gaps_has_them) {
  const StallPlan plan = stalls_of("cpu,at_ns,duration_ns\n3,100,20\n3,120,5\n0,90,1000\n");
  ASSERT_EQ(plan.processors.size(), 2u);
  EXPECT_EQ(plan.processors[0], (std::vector<Gap>{{100ns, 20ns}, {120ns, 5ns}}));
  EXPECT_EQ(plan.processors[1], (std::vector<Gap>{{90ns, 1000ns}}));
  EXPECT_EQ(plan.span, 1090ns);
  EXPECT_EQ(interruptions_of({}, 0).work(time::Time{5ns}, 3ns).end, time::Time{8ns});
}

TEST(DemoStalls, say_what_is_wrong_and_where) {
  EXPECT_EQ(refusal_of_stalls(""), "has no gap in it");
  EXPECT_EQ(refusal_of_stalls("cpu,at_ns,duration_ns\n"), "has no gap in it");
  EXPECT_EQ(refusal_of_stalls("at_ns,duration_ns\n1,2\n"),
            "line 1 is not \"cpu,at_ns,duration_ns\", as dojima lab jitter --gaps writes it");
  for (const char* line : {"0,1", "0,1,2,3", "0,-1,2", "0,1,2 ", "0,1,99999999999999", "x,1,2"})
    EXPECT_EQ(refusal_of_stalls("cpu,at_ns,duration_ns\n" + std::string(line) + "\n"),
              "line 2 is not CPU,AT_NS,DURATION_NS within an hour")
        << line;
  EXPECT_EQ(refusal_of_stalls("cpu,at_ns,duration_ns\n0,1,2\n0,5,0\n"), "line 3 is a gap of no length");
  EXPECT_EQ(refusal_of_stalls("cpu,at_ns,duration_ns\n0,1,9\n1,3,2\n0,5,1\n"),
            "line 4 begins before the gap of that processor in front of it has ended");
  EXPECT_EQ(refusal_of_stalls("cpu,at_ns,duration_ns\n0,0,9\n1,3,2\n"), "leaves a processor no time between its gaps");
  EXPECT_EQ(read_stalls("/nowhere/gaps.csv").error(), "/nowhere/gaps.csv: cannot be read");
}

Settings stalled(std::string_view csv, std::uint64_t seed = 1) {
  auto services = parse_service_plan(std::vector<std::string>{"constant:20us"});
  return {.seconds = 0.2,
          .clients = 2,
          .rate = 5000,
          .seed = seed,
          .is_virtual = true,
          .services = std::move(services).value(),
          .stalls = csv.empty() ? StallPlan{} : stalls_of(csv),
          .keeps_services = true};
}

DemoResult stalled_demo(const Settings& settings) {
  auto result = run(settings);
  EXPECT_TRUE(result.has_value()) << result.error();
  EXPECT_TRUE(result->is_ok()) << text_of(*result);
  return std::move(result).value();
}

const PartLatency& whole_way(const DemoResult& result) {
  return result.measured.parts.back();
}

/// A gap of two milliseconds every twenty, of either processor.
constexpr std::string_view k_csv = "cpu,at_ns,duration_ns\n0,1000000,2000000\n1,11000000,2000000\n1,19999999,1\n";

TEST(DemoStalls, need_services_that_they_interrupt) {
  Settings settings = stalled(k_csv);
  settings.services = {};
  EXPECT_NE(complaint(settings), nullptr);
  EXPECT_EQ(complaint(stalled(k_csv)), nullptr);
}

TEST(StalledDemo, has_the_same_tail_every_time_and_another_one_without_stalls) {
  const DemoResult first = stalled_demo(stalled(k_csv));
  const DemoResult again = stalled_demo(stalled(k_csv));
  EXPECT_EQ(text_of(first), text_of(again)) << "to the digit";
  EXPECT_EQ(whole_way(first).nanoseconds.value_at(0.999), whole_way(again).nanoseconds.value_at(0.999));
  const DemoResult none = stalled_demo(stalled(""));
  EXPECT_GT(whole_way(first).nanoseconds.value_at(0.999), 2'000'000u);
  EXPECT_LT(whole_way(none).nanoseconds.value_at(0.999), 1'000'000u);
  EXPECT_LT(whole_way(first).nanoseconds.value_at(0.5), whole_way(none).nanoseconds.value_at(0.5) * 3 / 2)
      << "most requests meet no gap";
  EXPECT_NE(text_of(stalled_demo(stalled(k_csv, 2))), text_of(first)) << "the seed decides where they begin";
}

/// First come, first served, by threads that are away: Lindley's recursion with gaps, for each host.
TEST(StalledDemo, makes_everybody_wait_for_what_came_before_and_for_the_gaps) {
  const Settings settings = stalled(k_csv);
  const DemoResult result = stalled_demo(settings);
  for (const std::uint16_t kind : {k_gateway_kind, k_venue_kind}) {
    const std::size_t host = kind == k_gateway_kind ? 0 : 1;
    link::Interruptions gaps = interruptions_of(settings.stalls, host);
    gaps.begin(time::Time{}, offset_of(settings.stalls, host, settings.seed));
    time::Time free{};
    std::size_t longer = 0;
    for (const measure::ServiceRecord& record : result.services) {
      if (record.kind != kind) continue;
      const time::Time arrival{time::Duration{static_cast<std::int64_t>(record.arrival_ns)}};
      const auto done = gaps.work(std::max(arrival, free), 20us);
      EXPECT_EQ(time::nanoseconds_of(done.start), static_cast<std::int64_t>(record.start_ns));
      EXPECT_EQ(time::nanoseconds_of(done.end), static_cast<std::int64_t>(record.end_ns));
      longer += done.end - done.start > time::Duration{20us} || done.start > std::max(arrival, free);
      free = done.end;
    }
    EXPECT_GE(longer, 5u) << "gaps that nobody met show nothing";
  }
}

}  // namespace
}  // namespace dojima::app::demo
