#pragma once

// How long a gateway takes, of one request in sixteen: a probe that keeps the newest requests in a small table and
// notes each answered one in histograms of /metrics. Belongs to the gateway's loop; no allocation after construction.
//
//   GatewayTimes times(board, config.stages, watch.get());      // stages.one_in: as many as the watch wants
//   gateway::Gateway gateway(config, fabric, scheduler, {.probe = &times});
//
// | stage   | from                           | to                                    |
// |---------|--------------------------------|---------------------------------------|
// | request | a client's request came in     | it is handed to the venue's session   |
// | venue   | then                           | the venue's answer came in            |
// | report  | then                           | it is handed to the client's session  |

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/gateway/config.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::app {

class GatewayTimes final : public measure::Probe {
 public:
  static constexpr std::uint32_t k_one_in = 16;

  /// `next`: whose marks these are besides; null: nobody's. The board outlives it.
  GatewayTimes(measure::GaugeBoard& board, const gateway::GatewayStages& stages, measure::Probe* next);

  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t number, std::uint64_t client_number) override;

 private:
  struct Came {
    std::uint64_t number = 0;
    time::Ticks in{}, out{}, back{};  // 0: not there yet; in: it has been answered
  };
  static constexpr std::size_t k_requests = 4096;  // a power of two

  void answered(Came& came);

  measure::GaugeHistogram &answer_, &request_, &venue_, &report_;
  gateway::GatewayStages stages_;
  measure::Probe* next_;
  std::array<Came, k_requests> came_{};
};

}  // namespace dojima::app
