#include "dojima/recorded/files/data_info.hpp"

#include <algorithm>

namespace dojima::recorded {
namespace {

bool is_trade(EventKind kind) noexcept {
  return kind == EventKind::execute || kind == EventKind::trade || kind == EventKind::hidden_trade;
}

}  // namespace

void DataInfo::add(std::span<const RecordedEvent> events) {
  events_ += events.size();
  for (const RecordedEvent& event : events) {
    ++kinds_[static_cast<std::size_t>(event.kind)];
    if (event.kind == EventKind::gap && event.sequence > event.other) missing_ += event.sequence - event.other;
    event_time_.add(event.event_time);
    receive_time_.add(event.receive_time);
    const bool is_news = !event.has(k_snapshot);
    if (is_news && event.event_time != k_unknown_time && event.receive_time != k_unknown_time) {
      least_latency_ = std::min(least_latency_, event.receive_time - event.event_time);
      most_latency_ = std::max(most_latency_, event.receive_time - event.event_time);
    }
    if (event.instrument >= instruments_.size()) instruments_.resize(event.instrument + 1);
    OfInstrument& instrument = instruments_[event.instrument];
    ++instrument.events;
    instrument.trades += is_trade(event.kind) ? 1U : 0U;
    instrument.time.add(event.replay_time());
  }
}

}  // namespace dojima::recorded
