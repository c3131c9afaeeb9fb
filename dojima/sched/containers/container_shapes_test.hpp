#pragma once

// The containers and shapes that the suite of container_suite_test.hpp is run over.

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched::every_container {

using namespace std::chrono_literals;

inline Time at(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

/// A scheduler over a container that is made in a way of its own.
template <class Queue, auto... Shape>
class Over final : public BasicScheduler<Queue> {
 public:
  explicit Over(std::size_t capacity, Time start = Time{}) : BasicScheduler<Queue>(capacity, 0, start, Shape...) {}
};

/// Cut into rungs, poured and spilled as often as can be.
inline constexpr RunWheelShape k_narrow_packed{
    .slot_bits = 10, .block_bits = 6, .fan_bits = 6, .chunk_bytes = 128, .most_gathered = 32, .is_staging = true};
inline constexpr RunWheelShape k_narrow_wide{
    .slot_bits = 13, .block_bits = 5, .fan_bits = 6, .chunk_bytes = 128, .is_packed = false, .most_gathered = 32};
inline constexpr RunWheelShape k_buckets{.sort = SlotSort::buckets, .prefetch_ahead = 0};
inline constexpr RunWheelShape k_radix{.slot_bits = 23, .is_packed = false, .sort = SlotSort::radix};
inline constexpr RunWheelShape k_wide_slots{
    .slot_bits = 26, .block_bits = 5, .fan_bits = 8, .chunk_bytes = 512, .is_packed = false};

/// As for a million and for ten million entries.
inline constexpr RunWheelShape k_large{.prefetch_ahead = 32, .is_staging = true};
inline constexpr RunWheelShape k_largest{.slot_bits = 18, .block_bits = 12, .prefetch_ahead = 32, .is_staging = true};

using FlatMultimap = Over<containers::FlatQueue>;
using Intrusive = Over<containers::BucketQueue<containers::NodePlace::intrusive>>;

}  // namespace dojima::sched::every_container
