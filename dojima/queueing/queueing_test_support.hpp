#pragma once

#include <cmath>
#include <gtest/gtest.h>

namespace dojima::queueing {

/// Reference values have 13 digits.
inline void expect_close(double got, double expected, double relative = 1e-12) {
  EXPECT_NEAR(got, expected, std::fabs(expected) * relative) << "relative error " << got / expected - 1;
}

/// Means that hold for every queue without loss, by Little's law.
template <class AnyMeans>
void expect_little(const AnyMeans& means) {
  expect_close(means.queue, means.throughput * means.wait, 1e-9);
  expect_close(means.system, means.throughput * means.response, 1e-9);
}

}  // namespace dojima::queueing
