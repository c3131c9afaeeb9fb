#include "dojima/app/trade/probe/probe_feed.hpp"

#include <algorithm>

#include "dojima/app/trade/latency_probe.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::app {

void ProbeFeed::on_datagram(Bytes datagram, time::Time) {
  const time::Time now = clock_.now();
  const auto unit = mitch::read_unit(datagram);
  if (!unit || !is_listening_) return;
  for (const Bytes message : *unit)
    static_cast<void>(mitch::dispatch(message, [&]<class Message>(const Message& of) {
      if constexpr (requires { of.nanosecond; }) hear(of.nanosecond, now);
    }));
}

/// A message says the nanosecond within its second; it is at most half a second old.
void ProbeFeed::hear(std::uint32_t nanosecond, time::Time now) {
  constexpr std::int64_t k_second = 1'000'000'000;
  std::int64_t age = (now.time_since_epoch().count() - nanosecond) % k_second;
  if (age > k_second / 2) age -= k_second;
  if (time::Duration{age} < -k_probe_turn) return;  // of another clock
  const time::Time at = now - time::Duration{std::max<std::int64_t>(age, 0)};
  if (at <= last_) return;
  last_ = at;
  heard_(at, now);
}

}  // namespace dojima::app
