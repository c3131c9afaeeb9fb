#include "dojima/backtest/file_events.hpp"

namespace dojima::backtest {

VenueEvents::VenueEvents(std::vector<FileEvents> files, const std::vector<VenueSettings>& venues,
                         std::span<const DaySurvey> surveys) {
  for (std::size_t venue = 0; venue < files.size(); ++venue) {
    sources_.push_back({.file = std::move(files[venue]), .first = static_cast<std::uint32_t>(instruments_.size())});
    for (RecordedInstrument instrument : surveys[venue].instruments) {
      instrument.symbol = venues[venue].name + ":" + instrument.symbol;
      instruments_.push_back(std::move(instrument));
      venue_of_.push_back(venue);
    }
  }
  for (Source& source : sources_) load(source);
}

/// The next event of a file is at hand, at a time that is not before the last one's.
void VenueEvents::load(Source& source) {
  if (source.at == source.batch.size()) {
    source.batch = source.file.next_batch();
    source.at = 0;
  }
  if (source.batch.empty()) {
    source.time = time::k_never;
    return;
  }
  const RecordedEvent& event = source.batch[source.at];
  const Time at = event.event_time != recorded::k_unknown_time ? event.event_time : event.replay_time();
  if (at != recorded::k_unknown_time) source.time = std::max(source.time, at);
}

std::span<const RecordedEvent> VenueEvents::next_batch() {
  constexpr std::size_t k_batch = 4096;
  merged_.clear();
  while (merged_.size() < k_batch) {
    Source& next = *std::ranges::min_element(sources_, {}, &Source::time);
    if (next.time == time::k_never) break;
    merged_.push_back(next.batch[next.at]);
    merged_.back().instrument += next.first;
    ++next.at;
    load(next);
  }
  return merged_;
}

std::string VenueEvents::trouble() const {
  for (const Source& source : sources_)
    if (std::string trouble = source.file.trouble(); !trouble.empty()) return trouble;
  return {};
}

}  // namespace dojima::backtest
