#include "dojima/instruments/studies/overlap.hpp"

#include <algorithm>

namespace dojima::instruments {

std::vector<RunInterval> running_intervals(std::span<const std::uint64_t> stamps) {
  if (stamps.size() < 2) return {};
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 1; i < stamps.size(); ++i) lengths.push_back(stamps[i] - stamps[i - 1]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  const std::uint64_t limit = 8 * *middle;
  std::vector<RunInterval> intervals;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] - stamps[i - 1] > limit) continue;
    if (!intervals.empty() && intervals.back().end == stamps[i - 1]) {
      intervals.back().end = stamps[i];
    } else {
      intervals.push_back({stamps[i - 1], stamps[i]});
    }
  }
  return intervals;
}

std::vector<RunInterval> common_intervals(std::span<const RunInterval> a, std::span<const RunInterval> b) {
  std::vector<RunInterval> common;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t begin = std::max(a[i].begin, b[j].begin);
    const std::uint64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) common.push_back({begin, end});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

std::uint64_t total_length(std::span<const RunInterval> intervals) {
  std::uint64_t total = 0;
  for (const RunInterval& interval : intervals) total += interval.end - interval.begin;
  return total;
}

std::vector<std::uint64_t> chunks_within(std::span<const std::uint64_t> stamps,
                                         std::span<const RunInterval> intervals) {
  std::vector<std::uint64_t> lengths;
  std::size_t at = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    while (at < intervals.size() && intervals[at].end < stamps[i]) ++at;
    if (at < intervals.size() && intervals[at].begin <= stamps[i - 1]) lengths.push_back(stamps[i] - stamps[i - 1]);
  }
  return lengths;
}

}  // namespace dojima::instruments
