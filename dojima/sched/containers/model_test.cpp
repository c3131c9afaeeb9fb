// Random scripts against the obvious model: schedules, cancels, re-arms and destroyed timers, also inside callbacks,
// leaps of hours and years, a full scheduler.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/containers/script_test.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {
namespace {

using containers::BucketQueue;
using containers::BucketShape;
using containers::NodePlace;

std::vector<std::uint8_t> any_script() {
  const auto length = *rc::gen::inRange<std::size_t>(0, 600);
  return *rc::gen::container<std::vector<std::uint8_t>>(length, rc::gen::arbitrary<std::uint8_t>());
}

/// Operations and times drawn one by one, so that most of a script happens at about the same time.
std::vector<std::uint8_t> crowded_script() {
  const auto length = *rc::gen::inRange<std::size_t>(0, 300);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < length; ++i) {
    bytes.push_back(*rc::gen::arbitrary<std::uint8_t>());
    bytes.push_back(static_cast<std::uint8_t>(*rc::gen::inRange(0, 5) * 16 + *rc::gen::inRange(0, 16)));
  }
  return bytes;
}

template <class Queue, class... Arguments>
void expect_agreement(bool has_one_entry, const Arguments&... arguments) {
  RC_ASSERT((script::agrees_with_model<Queue>(any_script(), has_one_entry, arguments...)));
  RC_ASSERT((script::agrees_with_model<Queue>(crowded_script(), has_one_entry, arguments...)));
}

RC_GTEST_PROP(SchedulerModel, agrees_with_the_run_wheel_as_it_is_made_for_small_capacities, ()) {
  expect_agreement<RunWheel<false>>(false, RunWheelShape::for_capacity(script::k_capacity));
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_run_wheel_of_large_capacities, ()) {
  expect_agreement<RunWheel<false>>(false, RunWheelShape::for_capacity(10'000'000));
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_run_wheel_with_users, ()) {
  expect_agreement<RunWheel<true>>(false, RunWheelShape{});
}
RC_GTEST_PROP(SchedulerModel, agrees_with_any_shape_of_the_run_wheel, ()) {
  RunWheelShape shape;
  shape.is_packed = *rc::gen::arbitrary<bool>();
  shape.slot_bits = *rc::gen::inRange(10U, shape.is_packed ? 21U : 31U);
  shape.block_bits = *rc::gen::inRange(6U, 9U);
  shape.fan_bits = *rc::gen::inRange(6U, 9U);
  shape.chunk_bytes = *rc::gen::element<std::size_t>(128, 512, 2048);
  shape.most_gathered = *rc::gen::element<std::size_t>(32, 100, k_most_keys);
  shape.max_prepared = *rc::gen::element<std::size_t>(64, 200, SIZE_MAX);
  shape.sort = *rc::gen::element(SlotSort::automatic, SlotSort::buckets, SlotSort::radix);
  shape.prefetch_ahead = *rc::gen::element(0U, 16U, 64U);
  shape.is_staging = *rc::gen::arbitrary<bool>();
  // With 20 bits no event can be packed, and the first one changes the ring to wide entries.
  shape.address_bits = *rc::gen::element(47U, 20U);
  if (*rc::gen::arbitrary<bool>()) {
    expect_agreement<RunWheel<false>>(false, shape);
  } else {
    expect_agreement<RunWheel<true>>(false, shape);
  }
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_ordered_rivals, ()) {
  expect_agreement<containers::HeapQueue<false>>(false);
  expect_agreement<containers::TreeQueue<false>>(false);
  expect_agreement<containers::FlatQueue<false>>(false);
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_ordered_rivals_with_users, ()) {
  expect_agreement<containers::HeapQueue<true>>(false);
  expect_agreement<containers::TreeQueue<true>>(false);
  expect_agreement<containers::FlatQueue<true>>(false);
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_options_of_the_article, ()) {
  expect_agreement<BucketQueue<NodePlace::external>>(false);
  expect_agreement<BucketQueue<NodePlace::intrusive>>(true);
  expect_agreement<BucketQueue<NodePlace::hybrid>>(false);
  expect_agreement<BucketQueue<NodePlace::hybrid>>(false, BucketShape{.buckets_per_entry = 4, .prefetch_ahead = 8});
}
RC_GTEST_PROP(SchedulerModel, agrees_with_the_options_of_the_article_with_users, ()) {
  expect_agreement<BucketQueue<NodePlace::external, true>>(false);
  expect_agreement<BucketQueue<NodePlace::intrusive, true>>(true);
  expect_agreement<BucketQueue<NodePlace::hybrid, true>>(false);
}

}  // namespace
}  // namespace dojima::sched
