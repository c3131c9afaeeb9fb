#include "dojima/measure/histogram.hpp"

#include <cmath>

namespace dojima::measure {

std::uint64_t rank_of(double share, std::uint64_t count, RankRule rule) noexcept {
  DOJIMA_ASSERT(count > 0 && share >= 0 && share <= 1, "a share of some values");
  const auto n = static_cast<double>(count);
  if (rule == RankRule::hdr_histogram) {
    // Multiplied and divided in its order, on percent, and cut after adding a half: the last bit decides ranks.
    const auto rounded = static_cast<std::uint64_t>(std::floor(share * 100.0 * n / 100.0 + 0.5));
    return std::clamp<std::uint64_t>(rounded, 1, count);
  }
  // 0.07 x 100 is a little more than 7 in doubles, yet 7 / 100 is the double 0.07: the division decides.
  auto rank = static_cast<std::uint64_t>(share * n);
  if (rank > 0) --rank;
  while (rank < count && static_cast<double>(rank) / n < share) ++rank;
  return std::max<std::uint64_t>(rank, 1);
}

std::uint64_t HistogramView::count() const noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t cell : counts) sum += cell;
  return sum;
}

double HistogramView::mean() const noexcept {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  double sum = 0;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    if (counts[index] != 0) sum += static_cast<double>(counts[index]) * static_cast<double>(layout.middle_of(index));
  }
  return sum / static_cast<double>(total);
}

double HistogramView::standard_deviation() const noexcept {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  const double centre = mean();
  double sum = 0;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    if (counts[index] == 0) continue;
    const double distance = static_cast<double>(layout.middle_of(index)) - centre;
    sum += distance * distance * static_cast<double>(counts[index]);
  }
  return std::sqrt(sum / static_cast<double>(total));
}

namespace {

/// The cell of a rank; the last cell when there are fewer values.
std::size_t cell_of_rank(std::span<const std::uint64_t> counts, std::uint64_t rank) noexcept {
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    seen += counts[index];
    if (seen >= rank) return index;
  }
  return counts.empty() ? 0 : counts.size() - 1;
}

}  // namespace

std::uint64_t HistogramView::value_of_rank(std::uint64_t rank) const noexcept {
  const std::size_t index = cell_of_rank(counts, rank);
  if (overflow != 0 && index + 1 == layout.counters()) return max;
  return std::clamp(layout.highest_of(index), min, max);
}

std::uint64_t HistogramView::value_at(double share, RankRule rule) const noexcept {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  const std::uint64_t rank = rank_of(share, total, rule);
  if (rule == RankRule::ceiling) return value_of_rank(rank);
  const std::size_t index = cell_of_rank(counts, rank);
  return share == 0 ? layout.lowest_of(index) : layout.highest_of(index);
}

std::uint64_t HistogramView::count_up_to(std::uint64_t value) const noexcept {
  const std::size_t last = layout.index_of(std::min(value, layout.largest()));
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index <= last && index < counts.size(); ++index) sum += counts[index];
  return sum;
}

std::size_t HistogramView::used_counters() const noexcept {
  std::size_t used = counts.size();
  while (used > 0 && counts[used - 1] == 0) --used;
  return used;
}

StoredHistogram::StoredHistogram(const HistogramView& view)
    : layout(view.layout),
      counts(view.counts.begin(), view.counts.end()),
      min(view.min),
      max(view.max),
      overflow(view.overflow) {}

StoredHistogram::StoredHistogram(HistogramLayout of, std::vector<std::uint64_t> cells)
    : layout(of), counts(std::move(cells)) {
  DOJIMA_ASSERT(counts.size() <= layout.counters(), "no more counts than the layout has");
  const std::size_t used = view().used_counters();
  if (used == 0) return;
  const auto first = std::find_if(counts.begin(), counts.end(), [](std::uint64_t cell) { return cell != 0; });
  min = layout.lowest_of(static_cast<std::size_t>(first - counts.begin()));
  max = layout.highest_of(used - 1);
}

bool StoredHistogram::merge(const HistogramView& other) {
  if (other.layout != layout) return false;
  if (other.used_counters() == 0) return true;
  const bool was_empty = view().used_counters() == 0;
  if (counts.size() < other.counts.size()) counts.resize(other.counts.size());
  for (std::size_t index = 0; index < other.counts.size(); ++index) counts[index] += other.counts[index];
  min = was_empty ? other.min : std::min(min, other.min);
  max = was_empty ? other.max : std::max(max, other.max);
  overflow += other.overflow;
  return true;
}

}  // namespace dojima::measure
