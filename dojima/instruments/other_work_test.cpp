#include "dojima/instruments/other_work.hpp"

#include <gtest/gtest.h>

#include "dojima/instruments/cpu_list.hpp"

namespace dojima::instruments {
namespace {

TEST(OtherWork, counts_what_processors_did_and_what_the_host_took) {
  const std::string stat =
      "cpu  9 9 9 9 9 9 9 9 9 9\n"
      "cpu0 100 20 30 4000 500 6 7 8 90 10\n"
      "cpu1 1 0 0 9000 0 0 0 2 0 0\n"
      "cpu10 5 0 0 0 0 0 0 0 0 0\n"
      "intr 12 3\n";
  EXPECT_EQ(busy_ticks(stat, {0}), 100 + 20 + 30 + 6 + 7 + 8) << "neither idle nor waiting for a disk";
  EXPECT_EQ(busy_ticks(stat, {0, 1}), 171 + 3);
  EXPECT_EQ(busy_ticks(stat, {10}), 5);
  EXPECT_EQ(busy_ticks(stat, {0, 2}), std::nullopt);
  EXPECT_EQ(busy_ticks("", {0}), std::nullopt);
}

TEST(OtherWork, does_not_count_what_this_process_does) {
  const auto cpus = allowed_cpus();
  const OtherWork others(cpus);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{60};
  while (std::chrono::steady_clock::now() < end) {
  }
  const auto share = others.share();
  if (!share) GTEST_SKIP() << "skipped: this kernel does not count the work of processors";
  EXPECT_GE(*share, 0);
  EXPECT_LE(*share, 1);
  EXPECT_EQ(OtherWork({}).share(), std::nullopt);
}

}  // namespace
}  // namespace dojima::instruments
