#include "dojima/app/trade/probe/probe_trips.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <tuple>
#include <utility>

namespace dojima::app {

std::string ProbeTrips::add(ProbeKind kind, time::Time sent, time::Time at_exchange, time::Time received) {
  if (kind != ProbeKind::feed && halves_) at_exchange = sent + (received - sent) / 2;
  if (at_exchange < sent && at_exchange + k_probe_turn >= sent) {
    ++reached_back_;
    at_exchange = sent;
  }
  if (at_exchange < sent || received < at_exchange)
    return fmt::format(
        "the venue's clock is {} ns {} this machine's: its times say nothing here; --halves takes it to work in the "
        "middle of a round trip",
        at_exchange < sent ? (sent - at_exchange).count() : (at_exchange - received).count(),
        at_exchange < sent ? "behind" : "before");
  trips_.push_back({kind, sent, at_exchange, received});
  return {};
}

/// A trade is reported twice, and its own time may be that of an answer before it: those of a kind rise.
std::vector<ProbeTrip> ProbeTrips::take_sorted() {
  std::sort(trips_.begin(), trips_.end(), [](const ProbeTrip& a, const ProbeTrip& b) {
    return std::tie(a.at_exchange, a.received, a.sent) < std::tie(b.at_exchange, b.received, b.sent);
  });
  std::array<const ProbeTrip*, k_probe_kinds> last{};
  std::vector<ProbeTrip> kept;
  kept.reserve(trips_.size());
  for (const ProbeTrip& trip : trips_) {
    const ProbeTrip*& before = last[static_cast<std::size_t>(trip.kind)];
    if (before != nullptr && (trip.sent <= before->sent || trip.at_exchange <= before->at_exchange)) continue;
    kept.push_back(trip);
    before = &kept.back();
  }
  trips_.clear();
  return kept;
}

}  // namespace dojima::app
