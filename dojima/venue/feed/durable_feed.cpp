#include "dojima/venue/feed/durable_feed.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::venue {

void DurableFeed::on_unit(Bytes unit) {
  const Sequence command = partition_.last_command();
  if (units_.empty() && command <= partition_.durable()) return out_.on_unit(unit);
  DOJIMA_ASSERT(units_.empty() || units_.back().command <= command, "units follow the order of their commands",
                units_.empty() ? command : units_.back().command, command);
  units_.push_back({command, unit.size()});
  bytes_.insert(bytes_.end(), unit.begin(), unit.end());
}

std::size_t DurableFeed::release() {
  if (units_.empty()) return 0;
  const Sequence durable = partition_.durable();
  std::size_t released = 0;
  for (; !units_.empty() && units_.front().command <= durable; units_.pop_front(), ++released) {
    out_.on_unit(Bytes(bytes_).subspan(first_, units_.front().size));
    first_ += units_.front().size;
  }
  if (units_.empty() || first_ > bytes_.size() / 2) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return released;
}

}  // namespace dojima::venue
