#include "dojima/sched/containers/any_scheduler_test.hpp"

namespace dojima::sched::every_container {
namespace {

template <class Queue>
class Over final : public AnyScheduler {
 public:
  template <class... Shape>
  Over(std::size_t capacity, Time start, const Shape&... shape) : scheduler_(capacity, start, shape...) {}

  SchedulerBase& base() override { return scheduler_; }
  [[nodiscard]] const SchedulerBase& base() const override { return scheduler_; }
  [[nodiscard]] bool schedule(Scheduled& event, Time at) override { return scheduler_.schedule(event, at); }
  [[nodiscard]] Time next_due() const override { return scheduler_.next_due(); }
  SchedulerBase::Fired check(Time now, std::size_t max_events) override { return scheduler_.check(now, max_events); }

 private:
  struct Open final : BasicScheduler<Queue> {
    template <class... Shape>
    Open(std::size_t capacity, Time start, const Shape&... shape)
        : BasicScheduler<Queue>(capacity, 0, start, shape...) {}
  };
  Open scheduler_;
};

/// What users make.
class Usual final : public AnyScheduler {
 public:
  Usual(std::size_t capacity, Time start) : scheduler_(capacity, start) {}

  SchedulerBase& base() override { return scheduler_; }
  [[nodiscard]] const SchedulerBase& base() const override { return scheduler_; }
  [[nodiscard]] bool schedule(Scheduled& event, Time at) override { return scheduler_.schedule(event, at); }
  [[nodiscard]] Time next_due() const override { return scheduler_.next_due(); }
  SchedulerBase::Fired check(Time now, std::size_t max_events) override { return scheduler_.check(now, max_events); }

 private:
  Scheduler scheduler_;
};

template <class Queue, class... Shape>
ContainerCase container(const char* name, Shape... shape) {
  return {name,
          [=](std::size_t capacity, Time start) { return std::make_unique<Over<Queue>>(capacity, start, shape...); }};
}

/// Cut into rungs, poured and spilled as often as can be.
constexpr RunWheelShape k_narrow_packed{
    .slot_bits = 10, .block_bits = 6, .fan_bits = 6, .chunk_bytes = 128, .most_gathered = 32, .is_staging = true};
constexpr RunWheelShape k_narrow_wide{
    .slot_bits = 13, .block_bits = 5, .fan_bits = 6, .chunk_bytes = 128, .is_packed = false, .most_gathered = 32};
constexpr RunWheelShape k_buckets{.sort = SlotSort::buckets, .prefetch_ahead = 0};
constexpr RunWheelShape k_radix{.slot_bits = 23, .is_packed = false, .sort = SlotSort::radix};
constexpr RunWheelShape k_wide_slots{
    .slot_bits = 26, .block_bits = 5, .fan_bits = 8, .chunk_bytes = 512, .is_packed = false};
/// As for a million and for ten million entries.
constexpr RunWheelShape k_large{.prefetch_ahead = 32, .is_staging = true};
constexpr RunWheelShape k_largest{.slot_bits = 18, .block_bits = 12, .prefetch_ahead = 32, .is_staging = true};

std::vector<ContainerCase> all_containers() {
  using containers::BucketQueue, containers::NodePlace;
  using Hybrid = BucketQueue<NodePlace::hybrid>;
  std::vector<ContainerCase> all{
      container<containers::HeapQueue<false>>("priority_queue"),
      container<containers::TreeQueue<false>>("multimap"),
      container<containers::FlatQueue<false>>("flat_multimap"),
      container<BucketQueue<NodePlace::external>>("option_1_external"),
      container<BucketQueue<NodePlace::intrusive>>("option_2_intrusive"),
      container<Hybrid>("option_3_hybrid"),
      container<Hybrid>("option_3_tuned", containers::BucketShape{.buckets_per_entry = 4, .prefetch_ahead = 8}),
      {"run_wheel", [](std::size_t capacity, Time start) { return std::make_unique<Usual>(capacity, start); }},
      container<RunWheel<false>>("narrow_packed", k_narrow_packed),
      container<RunWheel<false>>("narrow_wide", k_narrow_wide),
      container<RunWheel<false>>("buckets", k_buckets),
      container<RunWheel<false>>("radix", k_radix),
      container<RunWheel<false>>("slots_of_67_ms", k_wide_slots),
      container<RunWheel<false>>("large", k_large),
      container<RunWheel<false>>("largest", k_largest),
      container<containers::HeapQueue<true>>("priority_queue_user"),
      container<containers::TreeQueue<true>>("multimap_user"),
      container<BucketQueue<NodePlace::external, true>>("option_1_user"),
      container<RunWheel<true>>("run_wheel_user", RunWheelShape{}),
      container<RunWheel<true>>("user_narrow_packed", k_narrow_packed),
      container<RunWheel<true>>("user_narrow", k_narrow_wide),
      container<RunWheel<true>>("user_buckets", k_buckets),
      container<RunWheel<true>>("user_large", k_large),
  };
  all[2].is_linear = true;
  all[4].has_one_node = true;
  return all;
}

}  // namespace

const std::vector<ContainerCase>& every_container() {
  static const std::vector<ContainerCase> k_all = all_containers();
  return k_all;
}

}  // namespace dojima::sched::every_container
