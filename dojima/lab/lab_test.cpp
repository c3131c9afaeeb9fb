#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <thread>

#include "dojima/lab/allocation_counter.hpp"
#include "dojima/lab/bench_harness.hpp"
#include "dojima/lab/probe.hpp"

namespace dojima::lab {
namespace {

TEST(AllocationCounter, counts_this_threads_allocations_only) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  const auto before = heap_allocations();
  auto number = std::make_unique<int>(1);
  keep(number);  // or the compiler may leave the allocation out
  const auto one = heap_allocations() - before;
  EXPECT_EQ(one, 1u);
  struct alignas(64) Wide {
    char bytes[64];
  };
  const auto before_wide = heap_allocations();
  auto wide = std::make_unique<Wide>();
  keep(wide);
  const auto of_wide = heap_allocations() - before_wide;
  EXPECT_EQ(of_wide, 1u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.get()) % 64, 0u);
  std::uint64_t others = 0;
  std::thread thread([&] {
    const auto start = heap_allocations();
    ::operator delete(::operator new(100));  // called by name, so the compiler may not leave it out
    others = heap_allocations() - start;
  });
  const auto mine = heap_allocations();
  thread.join();
  const auto still_mine = heap_allocations();
  EXPECT_EQ(others, 1u);
  EXPECT_EQ(still_mine, mine);
}

TEST(StageColumns, keeps_the_first_mark_of_each_number) {
  StageColumns columns(2, 4);
  columns.mark_at(0, 1, time::Ticks{100});
  columns.mark_at(0, 1, time::Ticks{200});
  columns.mark_at(1, 4, time::Ticks{300});
  EXPECT_EQ(columns.at(0, 1).count, 100u);
  EXPECT_EQ(columns.at(0, 0).count, 0u);
  EXPECT_EQ(columns.at(1, 4).count, 0u);
  EXPECT_EQ(columns.dropped(1), 1u);
  columns.mark(1, 3);
  EXPECT_GT(columns.at(1, 3).count, 0u);
}

TEST(StageColumns, joins_the_gateways_number_with_the_clients) {
  StageColumns columns(1, 4);
  columns.bind(2, 77);
  columns.bind(9, 1);
  EXPECT_EQ(columns.client_number(2), 77u);
  EXPECT_EQ(columns.client_number(0), StageColumns::k_unbound);
}

}  // namespace
}  // namespace dojima::lab
