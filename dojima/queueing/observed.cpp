#include "dojima/queueing/observed.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

using Batches = std::array<double, Estimate::k_batches>;

/// The value of the whole with the standard error that the batches show. Additions and square roots: exact rules.
Estimate estimate_of(double value, const Batches& batches) {
  double sum = 0;
  for (const double batch : batches) sum += batch;
  const double middle = sum / Estimate::k_batches;
  double squares = 0;
  for (const double batch : batches) squares += (batch - middle) * (batch - middle);
  return {value, std::sqrt(squares / (Estimate::k_batches * (Estimate::k_batches - 1.0)))};
}

template <class Figure>
Estimate over_batches(const Ticks* begin, const Ticks* end, const Figure& figure) {
  const auto size = static_cast<std::size_t>(end - begin) / Estimate::k_batches;
  DOJIMA_ASSERT(size > 0, "at least one job to a batch");
  Batches batches{};
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i] = figure(begin + i * size, begin + (i + 1) * size);
  return estimate_of(figure(begin, end), batches);
}

std::size_t rank_of(double share, std::size_t n) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(n)));
  return std::clamp<std::size_t>(rank, 1, n) - 1;
}

}  // namespace

Observed::Observed(std::size_t jobs) {
  DOJIMA_ASSERT(jobs >= 10 * Estimate::k_batches, "enough jobs for the batches", jobs);
  values_.reserve(jobs);
}

Estimate Observed::mean() const {
  return over_batches(begin(), end(), [](const Ticks* from, const Ticks* to) {
    __extension__ unsigned __int128 sum = 0;
    for (const Ticks* value = from; value != to; ++value) sum += *value;
    return static_cast<double>(sum) / static_cast<double>(to - from);
  });
}

Estimate Observed::share_above(Ticks limit) const {
  return over_batches(begin(), end(), [limit](const Ticks* from, const Ticks* to) {
    const auto above = std::count_if(from, to, [limit](Ticks value) { return value > limit; });
    return static_cast<double>(above) / static_cast<double>(to - from);
  });
}

Estimate Observed::quantile(double share) const {
  DOJIMA_ASSERT(share > 0 && share < 1, "a share between 0 and 1", share);
  std::vector<Ticks> sorted;
  return over_batches(begin(), end(), [&](const Ticks* from, const Ticks* to) {
    sorted.assign(from, to);
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(rank_of(share, sorted.size()));
    std::nth_element(sorted.begin(), at, sorted.end());
    return static_cast<double>(*at);
  });
}

bool Observed::can_show(double share) const noexcept {
  return static_cast<double>(values_.size() - skipped()) * (1 - share) >= 10;
}

}  // namespace dojima::queueing
