#include "dojima/mitch/feed/feed_publisher.hpp"

#include <utility>

namespace dojima::mitch {

void FeedPublisher::on_unit(Bytes unit) {
  const bool is_heartbeat = load(unit, UnitHeader::message_count_place) == 0;
  has_sent_ = true;
  ++(is_heartbeat ? counts_.heartbeats : counts_.units);
  if (!is_heartbeat) counts_.bytes += unit.size();
  for (link::DatagramSender* const line : lines_)
    if (!line->send(unit)) ++counts_.failed;
  if (file_ != nullptr && !is_heartbeat) file_->on_unit(unit);
}

/// At least one unit in two intervals, and no timer is moved for each of many.
void FeedPublisher::on_silence(time::Time now) {
  if (!std::exchange(has_sent_, false)) {
    writer_.heartbeat();
    has_sent_ = false;
  }
  silence_.arm(now + heartbeat_);
}

}  // namespace dojima::mitch
