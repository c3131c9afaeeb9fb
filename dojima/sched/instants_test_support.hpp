#pragma once

// Instants of tests, which begin at 0.

#include <cstdint>

#include "dojima/time/time.hpp"

namespace dojima::sched {

inline time::Time at(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

}  // namespace dojima::sched
