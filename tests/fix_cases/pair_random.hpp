#pragma once

// Randomness of a run: SplitMix64, one draw, one step.

#include <chrono>
#include <cstdint>
#include <initializer_list>

#include "dojima/time/time.hpp"

namespace dojima::pairs {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t draw() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return draw() % bound; }
  bool one_in(std::uint64_t bound) { return below(bound) == 0; }
  template <class Value>
  Value any(std::initializer_list<Value> values) {
    return values.begin()[below(values.size())];
  }
  time::Duration within(time::Duration most) {
    return time::Duration{static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.count()) + 1))};
  }

 private:
  std::uint64_t state_;
};

}  // namespace dojima::pairs
