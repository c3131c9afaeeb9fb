#pragma once

// When threads really ran at the same time. A thread that works in small chunks stamps the end of each; a chunk that
// took far longer than usual held an interruption, and the thread may not have run. What is left are intervals in which
// it ran for certain, and what the intervals of all threads have in common is the time in which they overlapped.
// Threads that take turns on one processor have nothing in common, whatever their first and last stamp say. Pure; O(n).

#include <cstdint>
#include <span>
#include <vector>

namespace dojima::instruments {

struct RunInterval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const RunInterval&, const RunInterval&) = default;
};

/// The intervals in which the thread ran, from the stamps between its chunks (one more than chunks, ascending): chunks
/// of more than eight times the median length are left out, neighbours are put together.
[[nodiscard]] std::vector<RunInterval> running_intervals(std::span<const std::uint64_t> stamps);

/// What both have in common; both in ascending order.
[[nodiscard]] std::vector<RunInterval> common_intervals(std::span<const RunInterval> a, std::span<const RunInterval> b);

[[nodiscard]] std::uint64_t total_length(std::span<const RunInterval> intervals);

/// The lengths of those chunks that lie wholly within one of the intervals.
[[nodiscard]] std::vector<std::uint64_t> chunks_within(std::span<const std::uint64_t> stamps,
                                                       std::span<const RunInterval> intervals);

}  // namespace dojima::instruments
