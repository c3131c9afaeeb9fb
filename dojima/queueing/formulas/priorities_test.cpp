#include "dojima/queueing/formulas/priorities.hpp"

#include <gtest/gtest.h>

#include "dojima/queueing/formulas/general_queues.hpp"
#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

const std::vector<PriorityClass> k_two = {{0.3, Law::exponential(1)}, {0.4, Law::exponential(1)}};

TEST(Priorities, have_the_reference_values) {
  const auto waits = *nonpreemptive(k_two);
  expect_close(waits[0].wait, 1);
  expect_close(waits[1].wait, 10 / 3.0);
  const auto responses = *preemptive_resume(k_two);
  expect_close(responses[0].response, 1.428571428571);
  expect_close(responses[1].response, 4.761904761905);
}

TEST(Priorities, conserve_work) {
  // Kleinrock's law: the waits weighted by the work of their class are those of a queue without classes.
  for (const double load : {0.001, 0.5, 0.999}) {
    const std::vector<PriorityClass> classes = {{0.2 * load, Law::constant(2)}, {0.6 * load, Law::erlang(1, 2)}};
    const auto waits = *nonpreemptive(classes);
    const double rest = (0.2 * load * 4 + 0.6 * load * 1.5) / 2;
    expect_close(0.4 * load * waits[0].wait + 0.6 * load * waits[1].wait, load * rest / (1 - load), 1e-11);
    for (const Means& means : waits) expect_little(means);
  }
}

TEST(Priorities, refuse_an_overload_of_all_classes_together) {
  EXPECT_EQ(nonpreemptive(std::vector<PriorityClass>{{0.6, Law::constant(1)}, {0.7, Law::constant(1)}}).error().text,
            "load 1.3: the queue grows by 0.3 a second");
  EXPECT_EQ(preemptive_resume({}).error().kind, RefusalKind::impossible);
}

TEST(Interruptions, of_no_rate_leave_the_queue_as_it_is) {
  const Law service = Law::erlang(1, 2);
  const Station quiet = *interrupted_mg1(0.8, service, {});
  expect_close(quiet.means.wait, mg1(0.8, service)->means.wait);
}

TEST(Interruptions, cost_more_than_the_time_they_take) {
  const Station station = *interrupted_mg1(0.5, Law::exponential(1), {.rate = 0.1, .length = Law::exponential(2)});
  // First and second moment of the completion time by hand: 1.2 and 2 * 1.44 + 0.1 * 8.
  expect_close(station.means.load, 0.6);
  expect_close(station.means.response, 1.2 + 0.5 * 3.68 / (2 * 0.4) + 0.1 * 8 / (2 * 1.2));
  EXPECT_EQ(interrupted_mg1(0.9, Law::exponential(1), {.rate = 0.1, .length = Law::exponential(2)}).error().kind,
            RefusalKind::unstable);
}

}  // namespace
}  // namespace dojima::queueing
