#include "dojima/link/interruptions.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::link {

using time::Duration, time::Time;

Interruptions::Interruptions(std::vector<Gap> gaps, Duration span) : gaps_(std::move(gaps)), span_(span) {
  Duration end{0}, away{0};
  for (const Gap& gap : gaps_) {
    DOJIMA_ASSERT(gap.at >= end && gap.length > Duration{0}, "gaps come one after the other", gap.at.count(),
                  gap.length.count(), end.count());
    end = gap.at + gap.length;
    away += gap.length;
  }
  DOJIMA_ASSERT(gaps_.empty() || (end <= span && away < span), "a recording is longer than its gaps", end.count(),
                span.count());
}

void Interruptions::begin(Time from, Duration offset) {
  if (gaps_.empty()) return;
  DOJIMA_ASSERT(offset >= Duration{0} && offset < span_, "a place in the recording", offset.count(), span_.count());
  round_ = from - offset;
  const auto first = std::ranges::find_if(gaps_, [&](const Gap& gap) { return gap.at + gap.length > offset; });
  next_ = static_cast<std::size_t>(first - gaps_.begin());
  if (first == gaps_.end()) {
    next_ = 0;
    round_ += span_;
  }
  is_begun_ = true;
}

Interruptions::Stretch Interruptions::work(Time earliest, Duration length) {
  if (!is_begun_) return {earliest, earliest + length};
  Time at = earliest;
  for (; next_begin() <= at; pass()) at = std::max(at, next_end());
  const Time start = at;
  for (; at + length > next_begin(); pass()) {
    length -= next_begin() - at;
    at = next_end();
  }
  return {start, at + length};
}

void Interruptions::pass() noexcept {
  if (++next_ < gaps_.size()) return;
  next_ = 0;
  round_ += span_;
}

}  // namespace dojima::link
