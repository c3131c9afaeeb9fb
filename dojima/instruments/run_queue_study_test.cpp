#include "dojima/instruments/run_queue_study.hpp"

#include <gtest/gtest.h>

#include "dojima/instruments/cpu_list.hpp"

namespace dojima::instruments {
namespace {

using namespace std::chrono_literals;

TEST(RunQueueStudyLong, splits_the_time_of_threads_into_running_waiting_and_sleeping) {
  const auto cpus = allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  // One processor: all that one thread computes, another waits for.
  const RunQueuePlan plan{.cpus = {cpus.front()}, .threads = 4, .burst = 1ms, .sleep = 500us, .length = 300ms};
  const auto study = measure_run_queue(plan, [] { return true; });
  if (!study) GTEST_SKIP() << study.error();
  EXPECT_GT(study->bursts, 20u);
  EXPECT_GE(study->seconds, 0.3);
  EXPECT_NEAR(study->ran_ns + study->waited_ns + study->slept_ns, 4e9 * study->seconds, 4e7 * study->seconds);
  EXPECT_NEAR(study->mean_run_ns(), 1e6, 0.5e6);
  EXPECT_GT(study->mean_wait_ns(), 0.5e6) << "four threads that ask for two and a half processors";
  EXPECT_LE(study->ran_ns, 1.05e9 * study->seconds) << "no more than the one there is";
}

TEST(RunQueueStudy, refuses_what_cannot_be_measured) {
  const auto always = [] { return true; };
  EXPECT_FALSE(measure_run_queue({.cpus = {0}, .threads = 0}, always).has_value());
  EXPECT_FALSE(measure_run_queue({.cpus = {}, .threads = 2}, always).has_value());
  EXPECT_EQ(measure_run_queue({.cpus = {1023}, .threads = 1, .length = 1ms}, always).error(),
            "a thread may not run on these processors");
}

}  // namespace
}  // namespace dojima::instruments
