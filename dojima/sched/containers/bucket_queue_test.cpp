#include "dojima/sched/containers/bucket_queue.hpp"

#include <gtest/gtest.h>
#include <memory>

#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"

namespace dojima::sched::containers {
namespace {

using namespace std::chrono_literals;

template <class Scheduler>
std::size_t bytes_after(std::size_t count) {
  auto model = std::make_unique<HoldModel<Scheduler>>(std::make_unique<Scheduler>(count), count, HoldDelay::uniform);
  while (model->fired() < 2 * count) model->step(1ms);
  return model->scheduler().queue().bytes_in_use();
}

TEST(BucketQueue, counts_the_nodes_of_its_pool_only_when_they_were_taken) {
  constexpr std::size_t k_count = 50'000;
  const std::size_t external = bytes_after<ExternalScheduler>(k_count);
  const std::size_t hybrid = bytes_after<HybridScheduler>(k_count);
  EXPECT_EQ(bytes_after<IntrusiveScheduler>(k_count), hybrid) << "each event has its own node, the pool is untouched";
  EXPECT_GE(external, hybrid + k_count * sizeof(Node<false>));
  EXPECT_EQ(HybridScheduler(k_count).queue().k_bytes_in_event, sizeof(Node<false>));
  EXPECT_EQ(ExternalScheduler(k_count).queue().k_bytes_in_event, 0u);
}

/// The hold model's events find their model by the user pointer, so one that is not handed on ends the program.
template <class Scheduler>
std::uint64_t sequence_of() {
  constexpr std::size_t k_count = 500;
  HoldModel<Scheduler, HoldHash::firing_sequence> model(std::make_unique<Scheduler>(k_count), k_count, HoldDelay::grid);
  while (model.fired() < 20 * k_count) model.step(1ms);
  return model.hash();
}

TEST(Rivals, with_users_fire_the_sequence_of_those_without) {
  const std::uint64_t without = sequence_of<HeapScheduler>();
  EXPECT_EQ(sequence_of<UserHeapScheduler>(), without);
  EXPECT_EQ(sequence_of<UserTreeScheduler>(), without);
  EXPECT_EQ(sequence_of<UserFlatScheduler>(), without);
  EXPECT_EQ(sequence_of<UserExternalScheduler>(), without);
  EXPECT_EQ(sequence_of<UserIntrusiveScheduler>(), without);
  EXPECT_EQ(sequence_of<UserHybridScheduler>(), without);
  EXPECT_EQ(sequence_of<HybridScheduler>(), without);
}

}  // namespace
}  // namespace dojima::sched::containers
