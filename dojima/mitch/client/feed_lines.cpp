#include "dojima/mitch/client/feed_lines.hpp"

#include <utility>

#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {
namespace {

constexpr std::uint32_t k_last_number = ~std::uint32_t{0} - k_unit_messages_max;

}  // namespace

FeedLines::FeedLines(const FeedContext& context, UnitReceiver& receiver)
    : context_(context), receiver_(receiver), watch_(context.scheduler, *this) {
  for (std::size_t which = 0; which < lines_.size(); ++which) {
    lines_[which].lines = this;
    lines_[which].number = which;
  }
}

void FeedLines::start(time::Time now) {
  for (Line& line : lines_) line.last = now;
  watch_.arm(now + context_.options.silence / 4);
}

void FeedLines::on_watch(time::Time now) {
  watch_.arm(now + context_.options.silence / 4);
  for (Line& line : lines_) {
    if (line.is_lost || now - line.last < context_.options.silence) continue;
    line.is_lost = true;
    context_.notify({.kind = FeedNoticeKind::line_lost, .line = line.number}, now);
  }
}

void FeedLines::take_datagram(Line& line, Bytes datagram, time::Time now) {
  const Result<Unit> unit = read_unit(datagram);
  const bool is_sound = unit && unit->size() == datagram.size() && unit->header().sequence_number != 0 &&
                        unit->header().sequence_number <= k_last_number &&
                        (unit->is_heartbeat() || !is_administrative(load_little<char>(*unit->begin(), 1)));
  if (!is_sound) {
    ++context_.counts.malformed;
    return;
  }
  ++context_.counts.units;
  line.last = now;
  if (std::exchange(line.is_lost, false))
    context_.notify({.kind = FeedNoticeKind::line_back, .line = line.number}, now);
  receiver_.on_unit(line.number, *unit, now);
}

}  // namespace dojima::mitch
