#include "dojima/instruments/studies/core_threads.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdexcept>

#include "dojima/instruments/cpu_list.hpp"

namespace dojima::instruments {
namespace {

const auto k_until_done = [] { return true; };

TEST(CpuList, reads_the_form_of_the_kernel) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("1,1"), (std::vector<int>{1, 1}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  for (const char* wrong : {"a", "1,", ",1", "3-1", "-1", "1-", "5000", "0-4095,0-4095"}) {
    EXPECT_FALSE(parse_cpu_list(wrong).has_value()) << wrong;
  }
  EXPECT_EQ(cpus_text({0, 2}), "0, 2");
}

TEST(CoreThreads, run_on_the_processors_named_and_leave_the_caller_where_it_was) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::vector<std::vector<int>> seen(2);
  const auto outcome = run_on_cores(
      {before.back(), before.back()}, {}, [&](std::size_t index, const StopFlag&) { seen[index] = allowed_cpus(); },
      k_until_done);
  ASSERT_TRUE(outcome.has_value()) << outcome.error();
  EXPECT_EQ(seen, (std::vector<std::vector<int>>{{before.back()}, {before.back()}}));
  EXPECT_FALSE(outcome->was_stopped);
  EXPECT_TRUE(outcome->applied.has("cpu " + std::to_string(before.back())));
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(CoreThreads, begin_nowhere_when_one_cannot_be_placed) {
  std::atomic<int> begun = 0;
  const auto outcome =
      run_on_cores({allowed_cpus().front(), 1023}, {}, [&](std::size_t, const StopFlag&) { ++begun; }, k_until_done);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_NE(outcome.error().find("processor 1023"), std::string::npos) << outcome.error();
  EXPECT_EQ(begun, 0);
}

TEST(CoreThreads, end_when_the_caller_says_so_and_when_it_throws) {
  const int cpu = allowed_cpus().front();
  const auto until_stopped = [](std::size_t, const StopFlag& stop) {
    while (!stop.is_set()) sched_yield();
  };
  const auto outcome = run_on_cores({cpu}, {}, until_stopped, [] { return false; });
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->was_stopped);
  EXPECT_THROW(
      (void)run_on_cores({cpu}, {}, until_stopped, []() -> bool { throw std::runtime_error("the display broke"); }),
      std::runtime_error);
}

TEST(CoreThreads, never_spin_in_real_time_where_the_kernel_would_not_take_the_processor_back) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "dojima_rt_budget";
  std::filesystem::create_directories(root / "proc/sys/kernel");
  const auto trouble_with = [&root](const char* runtime) {
    std::ofstream(root / "proc/sys/kernel/sched_rt_runtime_us") << runtime;
    std::ofstream(root / "proc/sys/kernel/sched_rt_period_us") << "1000000\n";
    return real_time_trouble(root);
  };
  EXPECT_FALSE(trouble_with("950000\n").has_value());
  EXPECT_TRUE(trouble_with("-1\n").has_value());
  EXPECT_TRUE(trouble_with("1000000\n").has_value());
  EXPECT_TRUE(real_time_trouble(root / "nowhere").has_value());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace dojima::instruments
