#include "dojima/queueing/formulas/jackson.hpp"

#include <gtest/gtest.h>

#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(Jackson, tandem_has_the_reference_value) {
  const auto tandem =
      *jackson({.stations = {{.arrival_rate = 1, .service_rate = 2}, {.service_rate = 1.25}}, .routing = {0, 1, 0, 0}});
  expect_close(tandem.system, 5);
  expect_close(tandem.response, 5);
}

TEST(Jackson, counts_what_comes_back) {
  // Half of what is served comes back: twice the flow.
  const auto loop = *jackson({.stations = {{.arrival_rate = 0.4, .service_rate = 1}}, .routing = {0.5}});
  expect_close(loop.stations[0].means.throughput, 0.8);
  expect_close(loop.system, 4);
  expect_close(loop.response, 10);
}

TEST(Jackson, names_the_station_that_is_wrong) {
  const auto answer =
      jackson({.stations = {{.arrival_rate = 1, .service_rate = 2}, {.service_rate = 0.5}}, .routing = {0, 1, 0, 0}});
  EXPECT_EQ(answer.error().text, "station 2: load 2: the queue grows by 0.5 a second");
  EXPECT_EQ(jackson({.stations = {{.arrival_rate = 1}}, .routing = {1}}).error().kind, RefusalKind::impossible);
  EXPECT_EQ(jackson({.stations = {{.arrival_rate = 1}}, .routing = {1.5}}).error().text,
            "station 1: more than all goes on (1.5)");
  EXPECT_EQ(jackson({}).error().kind, RefusalKind::impossible);
}

}  // namespace
}  // namespace dojima::queueing
