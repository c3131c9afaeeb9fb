#include "dojima/base/allocation_counter.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <new>
#include <thread>

namespace dojima {
namespace {

// Called by name, so that the compiler may not leave them out.
TEST(AllocationCounter, counts_this_threads_allocations_only) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  const auto before = heap_allocations();
  ::operator delete(::operator new(4));
  EXPECT_EQ(heap_allocations() - before, 1u);
  void* const wide = ::operator new(64, std::align_val_t{64});
  EXPECT_EQ(heap_allocations() - before, 2u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 64, 0u);
  ::operator delete(wide, std::align_val_t{64});
  std::uint64_t others = 0;
  std::thread thread([&] {
    const auto start = heap_allocations();
    ::operator delete(::operator new(100));
    others = heap_allocations() - start;
  });
  const auto after_start = heap_allocations();  // making a thread may take memory
  thread.join();
  EXPECT_EQ(others, 1u);
  EXPECT_EQ(heap_allocations(), after_start);
}

}  // namespace
}  // namespace dojima
