#include "dojima/time/zone_rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::time {
namespace {

constexpr std::chrono::hours k_offset_max{24};

}  // namespace

ZoneRules::ZoneRules(std::string name, std::chrono::seconds offset, std::vector<Change> changes)
    : name_(std::move(name)), offset_(offset), changes_(std::move(changes)) {
  const auto is_too_large = [](std::chrono::seconds value) { return std::chrono::abs(value) > k_offset_max; };
  if (is_too_large(offset_) || std::ranges::any_of(changes_, is_too_large, &Change::offset))
    throw std::invalid_argument("time zone " + name_ + ": an offset is larger than 24 hours");
  if (std::ranges::adjacent_find(changes_, std::ranges::greater_equal{}, &Change::at) != changes_.end())
    throw std::invalid_argument("time zone " + name_ + ": the changes of its offset do not ascend");
}

std::size_t ZoneRules::segment_of(Time at) const noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(changes_, at, {}, &Change::at) - changes_.begin());
}

std::chrono::seconds ZoneRules::offset(Time at) const noexcept {
  return segment_offset(segment_of(at));
}

LocalTime ZoneRules::local(Time at) const noexcept {
  DOJIMA_ASSERT(at >= k_begin && at < k_end, "a zone is asked for an instant from 1900 to 2261", at);
  return LocalTime{at.time_since_epoch() + offset(at)};
}

Time ZoneRules::utc(LocalTime local, WhenTwice which) const noexcept {
  const Time as_utc{local.time_since_epoch()};
  DOJIMA_ASSERT(as_utc >= k_begin - k_offset_max && as_utc < k_end + k_offset_max,
                "a zone is asked for a local time from 1900 to 2261", as_utc);
  // Offsets are bounded, so only these segments can show it.
  const std::size_t first = segment_of(as_utc - k_offset_max);
  const std::size_t last = segment_of(as_utc + k_offset_max);
  Time found = k_never, behind_gap = k_never;
  for (std::size_t segment = first; segment <= last; ++segment) {
    const Time at = as_utc - segment_offset(segment);
    const bool is_begun = segment == 0 || at >= changes_[segment - 1].at;
    const bool is_over = segment < changes_.size() && at >= changes_[segment].at;
    if (is_begun && !is_over && (found == k_never || which == WhenTwice::last)) found = at;
    // Past the end of one segment and in front of the next: the clocks skip it.
    if (is_over && as_utc - changes_[segment].offset < changes_[segment].at)
      behind_gap = std::min(behind_gap, changes_[segment].at);
  }
  const Time result = found == k_never ? behind_gap : found;
  DOJIMA_ASSERT(result != k_never, "a local time is shown or skipped", as_utc);
  return result;
}

}  // namespace dojima::time
