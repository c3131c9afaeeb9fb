#include "dojima/queueing/load_step.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/forecast_test_support.hpp"

namespace dojima::queueing {
namespace {

StepRepeat repeat_of(double p50, double p99, bool is_contended) {
  return {.p50 = {10, 5, 15},
          .p99 = {100, 50, 150},
          .measured_p50 = p50,
          .measured_p99 = p99,
          .is_contended = is_contended};
}

TEST(LoadStep, is_judged_by_what_a_second_capture_has) {
  const Trace low = captured(0.4, 6'000, 1);
  const Trace high = captured(0.6, 6'000, 2);
  const StepRepeat repeat = *judge_step(low, high, {.rate = 300'000}, {.replicates = 20}, {});
  EXPECT_NEAR(repeat.low_load, 0.4, 0.03);
  EXPECT_NEAR(repeat.high_load, 0.6, 0.04);
  EXPECT_TRUE(repeat.covers_p50()) << repeat.measured_p50;
  EXPECT_TRUE(repeat.covers_p99()) << repeat.measured_p99;
  EXPECT_EQ(repeat.share_close, 1) << "virtual time is not contended";
  EXPECT_FALSE(repeat.is_contended);
  EXPECT_EQ(judge_step(low, high, {.rate = 600'000}, {}, {}).error().kind, RefusalKind::unstable);
  EXPECT_EQ(judge_step(captured(0.4, 500, 1), high, {}, {}, {}).error().kind, RefusalKind::impossible);
}

TEST(LoadStep, knows_a_capture_whose_server_was_away_while_it_idled) {
  Trace high = captured(0.6, 3'000, 2);
  std::vector<measure::ServiceRecord>& part = high.parts[0];
  for (std::size_t i = 0; i < 200; ++i) {  // everybody starts later, and no service says why
    part[i].start_ns += 500;
    part[i].end_ns += 500;
  }
  const StepRepeat repeat = *judge_step(captured(0.4, 3'000, 1), high, {.rate = 300'000}, {.replicates = 20}, {});
  EXPECT_LT(repeat.share_close, 0.99);
  EXPECT_TRUE(repeat.is_contended);
}

TEST(LoadStep, verdict_takes_both_figures_and_no_contended_repeat) {
  std::vector<StepRepeat> repeats(8, repeat_of(5, 150, false));
  EXPECT_EQ(verdict_of(repeats, 8), StepVerdict::met) << "both ends belong to the interval";
  repeats[0] = repeat_of(4.9, 100, false);
  EXPECT_EQ(verdict_of(repeats, 8), StepVerdict::missed);
  repeats[0] = repeat_of(10, 150.1, false);
  EXPECT_EQ(verdict_of(repeats, 8), StepVerdict::missed);
  repeats[0] = repeat_of(10, 100, true);
  EXPECT_EQ(verdict_of(repeats, 8), StepVerdict::undecidable);
  EXPECT_EQ(verdict_of(repeats, 7), StepVerdict::met);
  repeats[1] = repeat_of(10, 150.1, false);
  EXPECT_EQ(verdict_of(repeats, 7), StepVerdict::undecidable) << "the contended one covers neither";
  EXPECT_EQ(verdict_of({}, 8), StepVerdict::missed);
}

}  // namespace
}  // namespace dojima::queueing
