#pragma once

// The market data that a latency probe listens to: when each message was made, and when it came.

#include <cstdint>
#include <functional>
#include <utility>

#include "dojima/link/datagram.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app {

class ProbeFeed final : public link::DatagramReceiver {
 public:
  /// `heard` gets the time at the exchange and that of its coming, of messages of this clock in rising order.
  ProbeFeed(time::SystemClock& clock, std::function<void(time::Time at, time::Time now)> heard)
      : clock_(clock), heard_(std::move(heard)) {}

  /// What came before is left out.
  void listen() noexcept { is_listening_ = true; }
  /// Nothing of this time or later has come. Of one that does not listen nothing is lacking.
  [[nodiscard]] bool lacks(time::Time at) const noexcept { return is_listening_ && last_ < at; }
  void on_datagram(Bytes datagram, time::Time now) override;

 private:
  void hear(std::uint32_t nanosecond, time::Time now);

  time::SystemClock& clock_;
  std::function<void(time::Time at, time::Time now)> heard_;
  time::Time last_{};
  bool is_listening_ = false;
};

}  // namespace dojima::app
