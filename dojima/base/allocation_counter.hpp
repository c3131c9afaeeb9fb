#pragma once

// Counts heap allocations per thread. A program that calls anything declared here gets the global operator new and
// delete replaced by counting ones (they forward to malloc and free); others are untouched. Sanitizer builds keep
// their own operators: there the counter says that it is not available.
//
//   const auto before = heap_allocations();
//   steady_state();
//   EXPECT_EQ(heap_allocations() - before, 0u);

#include <cstdint>

namespace dojima {

/// Calls of operator new by this thread so far; 0 where counting is not available.
[[nodiscard]] std::uint64_t heap_allocations() noexcept;

/// Whether this build counts.
[[nodiscard]] bool counts_heap_allocations() noexcept;

}  // namespace dojima
