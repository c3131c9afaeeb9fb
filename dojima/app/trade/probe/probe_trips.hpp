#pragma once

// The round trips of a latency probe: three times each, of two clocks that may be the same.

#include <cstdint>
#include <string>
#include <vector>

#include "dojima/app/trade/latency_probe.hpp"

namespace dojima::app {

class ProbeTrips {
 public:
  /// `halves`: the venue has another clock, and works in the middle of a round trip.
  explicit ProbeTrips(bool halves) : halves_(halves) {}

  /// Empty; or, and the trip is left out, why the venue's times say nothing here: one line for the user.
  [[nodiscard]] std::string add(ProbeKind kind, time::Time sent, time::Time at_exchange, time::Time received);
  /// Times at the exchange that were up to k_probe_turn before `sent`, and count as it.
  [[nodiscard]] std::uint64_t reached_back() const noexcept { return reached_back_; }
  /// Those of a kind in the order of their time at the exchange. Nothing is left here.
  [[nodiscard]] std::vector<ProbeTrip> take_sorted();

 private:
  bool halves_;
  std::vector<ProbeTrip> trips_;
  std::uint64_t reached_back_ = 0;
};

}  // namespace dojima::app
