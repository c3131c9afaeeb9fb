#include "dojima/queueing/trace_study.hpp"

#include <gtest/gtest.h>

#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

using measure::ServiceRecord;

/// One server, first come first served; services of 100 to 299 ns, every thousandth 50 us longer.
std::vector<ServiceRecord> served(std::size_t count, std::uint32_t group, std::uint64_t seed) {
  Random random(seed);
  std::vector<ServiceRecord> records;
  LindleyQueue queue;
  std::uint64_t arrival = 1'000;
  for (std::size_t i = 0; i < count; ++i) {
    arrival += random.below(600);
    const std::uint64_t service = 100 + random.below(200) + (i % 1000 == 999 ? 50'000 : 0);
    const std::uint64_t start = arrival + queue.serve(arrival, service);
    records.push_back({.arrival_ns = arrival, .start_ns = start, .end_ns = start + service, .group = group});
  }
  return records;
}

TEST(Trace, is_split_by_kind_and_group_and_put_in_order) {
  const std::vector<ServiceRecord> records = {{.arrival_ns = 9, .start_ns = 9, .end_ns = 10, .kind = 3, .group = 2},
                                              {.arrival_ns = 5, .start_ns = 6, .end_ns = 9, .kind = 3, .group = 2},
                                              {.arrival_ns = 7, .start_ns = 7, .end_ns = 8, .kind = 3, .group = 1},
                                              {.arrival_ns = 1, .start_ns = 1, .end_ns = 2, .kind = 0, .group = 2}};
  EXPECT_EQ(kinds_of(records), (std::vector<std::uint16_t>{0, 3}));
  const Trace trace = *trace_of(records, 3);
  ASSERT_EQ(trace.parts.size(), 2u);
  EXPECT_EQ(trace.parts[1][0].arrival_ns, 5u);
  EXPECT_EQ(trace.size(), 3u);
  EXPECT_NEAR(trace.seconds(), 6e-9, 1e-18);
  EXPECT_NEAR(trace.arrivals()[1][1], 4e-9, 1e-18);
  EXPECT_EQ(trace_of(records, 7).error().text, "the trace has no request of kind 7");
}

TEST(Trace, has_waits_without_the_first_tenth_of_each_part) {
  std::vector<ServiceRecord> records;
  for (std::uint64_t i = 0; i < 20; ++i)
    records.push_back({.arrival_ns = 10 * i, .start_ns = 10 * i + i, .end_ns = 10 * i + 9, .group = i < 9 ? 1u : 2u});
  const std::vector<double> waits = settled_waits(*trace_of(records, 0));
  ASSERT_EQ(waits.size(), 19u) << "none of nine, one of eleven is left out";
  EXPECT_EQ(waits[0], 0);
  EXPECT_EQ(waits[8], 8);
  EXPECT_EQ(waits[9], 10);
  EXPECT_EQ(waits[18], 19);
}

TEST(Services, are_distinguished_from_stalls) {
  const Trace trace = *trace_of(served(20'000, 0, 1), 0);
  const ServiceStudy study = study_services(trace, {});
  EXPECT_EQ(study.stalls, 20u);
  EXPECT_NEAR(study.calm_mean, 199.5, 2);
  EXPECT_NEAR(study.stall_mean, 50'000, 200);
  EXPECT_NEAR(study.stalls_per_second, 20 / trace.seconds(), 1e-6);
  EXPECT_GT(study.scv, 50 * study.calm_scv);
  EXPECT_NEAR(study.correlation[0], 0, 0.05);
  EXPECT_EQ(study_services(trace, 1e9).stalls, 0u);
  EXPECT_NEAR(study.load, study.mean * 20'000 * 1e-9 / trace.seconds(), 1e-12);
}

TEST(Replay, gives_the_waits_of_a_single_server_again) {
  std::vector<ServiceRecord> records = served(5'000, 0, 1);
  const std::vector<ServiceRecord> more = served(3'000, 1, 2);
  records.insert(records.end(), more.begin(), more.end());
  const ReplayCheck check = replay(*trace_of(records, 0), 0);
  EXPECT_EQ(check.largest_difference_ns, 0);
  EXPECT_EQ(check.share_close, 1);
  EXPECT_EQ(check.most_in_service, 1u);
  EXPECT_EQ(check.mean_measured, check.mean_replayed);
  EXPECT_GT(check.p99_measured, 0);
}

TEST(Replay, takes_services_of_no_length_for_what_they_are) {
  const std::vector<ServiceRecord> records = {{.arrival_ns = 5, .start_ns = 9, .end_ns = 20},
                                              {.arrival_ns = 4, .start_ns = 9, .end_ns = 9},
                                              {.arrival_ns = 1, .start_ns = 1, .end_ns = 9}};
  EXPECT_EQ(replay(*trace_of(records, 0), 0).most_in_service, 1u);
}

TEST(Replay, sees_a_server_too_many) {
  std::vector<ServiceRecord> records = served(1'000, 0, 1);
  for (ServiceRecord& record : records) {  // nobody waits
    record.end_ns -= record.start_ns - record.arrival_ns;
    record.start_ns = record.arrival_ns;
  }
  const ReplayCheck check = replay(*trace_of(records, 0), 20);
  EXPECT_GT(check.most_in_service, 1u);
  EXPECT_GT(check.largest_difference_ns, 1'000);
  EXPECT_LT(check.share_close, 0.9);
}

}  // namespace
}  // namespace dojima::queueing
