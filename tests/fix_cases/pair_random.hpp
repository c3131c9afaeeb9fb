#pragma once

// Randomness of a run: SplitMix64, one draw, one step.

#include <chrono>
#include <cstdint>
#include <initializer_list>

#include "dojima/base/splitmix.hpp"
#include "dojima/time/time.hpp"

namespace dojima::pairs {

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t draw() { return random_.next(); }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t bound) { return below(bound) == 0; }
  template <class Value>
  Value any(std::initializer_list<Value> values) {
    return values.begin()[below(values.size())];
  }
  time::Duration within(time::Duration most) {
    return time::Duration{static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.count()) + 1))};
  }

 private:
  SplitMix64 random_;
};

}  // namespace dojima::pairs
