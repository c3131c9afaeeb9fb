#include "dojima/mitch/feed/published_feed.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {

void PublishedFeed::on_unit(Bytes bytes) {
  const Result<Unit> unit = read_unit(bytes);
  DOJIMA_ASSERT(unit.has_value(), "a writer's units are sound", bytes.size());
  const UnitHeader& header = unit->header();
  DOJIMA_ASSERT(last_ == 0 || header.sequence_number == last_ + 1, "units follow one another", header.sequence_number,
                last_);
  std::uint32_t number = header.sequence_number;
  for (const Bytes message : *unit) {
    window_.put(number, message);
    if (!books_.apply(message)) ++misfits_;
    last_ = number++;
  }
  lines_.on_unit(bytes);
}

std::uint32_t PublishedFeed::oldest() const noexcept {
  if (last_ == 0) return 0;
  const auto kept = static_cast<std::uint32_t>(std::min<std::size_t>(kept_, last_));
  return last_ - kept + 1;
}

}  // namespace dojima::mitch
