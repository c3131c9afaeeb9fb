#include "dojima/sched/wheel/rung_stack.hpp"

#include <algorithm>
#include <bit>

namespace dojima::sched {
namespace {

/// None where no list can be too dense and no run long enough to be spilled. A rung in another is at least 2^(fan - 2)
/// times finer, and the first may reach over all of time. Two more, for those that lie before another instead of in it:
/// collapsing them is for when that is not enough.
std::size_t rungs_needed(const RunWheelShape& shape, std::size_t capacity, std::size_t most_gathered,
                         std::size_t spilled_from) noexcept {
  if (capacity <= most_gathered && capacity < spilled_from) return 0;
  constexpr unsigned k_bits_of_time = 63;
  const unsigned per_rung = shape.fan_bits - 2;
  return 1 + (k_bits_of_time - shape.fan_bits + per_rung - 1) / per_rung + 2;
}

}  // namespace

RungStack::RungStack(const RunWheelShape& shape, std::size_t capacity, std::size_t most_gathered,
                     std::size_t spilled_from)
    : count_(rungs_needed(shape, capacity, most_gathered, spilled_from)),
      fan_bits_(shape.fan_bits),
      lists_(count_ << fan_bits_),
      used_(words_for(lists_.size())) {
  DOJIMA_ASSERT(count_ <= k_most_rungs, "the shape's bounds give so many", count_, shape.fan_bits);
  for (std::size_t rung = 0; rung < count_; ++rung) {
    const std::size_t first = rung << fan_bits_;
    rungs_[rung].lists = &lists_[first];
    rungs_[rung].used = &used_[first / k_bits_per_word];
  }
}

Rung& RungStack::rung_of(Instant at) noexcept {
  std::size_t rung = depth_;
  while (at >= rungs_[--rung].end) DOJIMA_CHECK_SLOW(rung > 0, "the ring begins where the rungs end", at, depth_);
  return rungs_[rung];
}

bool RungStack::can_add(Instant base, Instant last) const noexcept {
  return depth_ < count_ && static_cast<unsigned>(std::bit_width(last - base)) <= bits_below() + fan_bits_;
}

void RungStack::shape_next(Instant base, Instant end, Instant last, std::size_t expected) noexcept {
  const auto bits = static_cast<unsigned>(std::bit_width(last - base));
  const unsigned below = bits_below();
  unsigned fan = std::clamp(static_cast<unsigned>(std::bit_width(expected / 32)), 4U, fan_bits_);
  if (bits > below) fan = std::max(fan, bits - below);  // so that the last rung distinguishes nanoseconds
  fan = std::min({fan, fan_bits_, bits});
  Rung& rung = next();
  rung.base = base;
  rung.end = end;
  rung.shift = bits - fan;
  rung.count = static_cast<std::size_t>((last - base) >> rung.shift) + 1;
}

}  // namespace dojima::sched
