#pragma once

// How long a venue takes from a request that has come in to its answer that leaves, of one request in sixteen whose id
// is a number (as a gateway's are): a probe that keeps the newest requests in a small table and notes each answered one
// in a histogram of /metrics. Belongs to the venue's loop; no allocation after construction.
//
//   AnswerTimes times(board, watch ? watch->probe() : simulate::ExchangeProbe{});
//   simulate::Exchange exchange(config, scheduler, times.probe());

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/measure/gauges.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app {

class AnswerTimes final : public measure::Probe {
 public:
  static constexpr std::uint32_t k_one_in = 16;

  /// `next`: whose marks these are besides, with its stages and how many it wants; its probe may be null. The board
  /// outlives it.
  AnswerTimes(measure::GaugeBoard& board, const simulate::ExchangeProbe& next);

  [[nodiscard]] simulate::ExchangeProbe probe() noexcept;

  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t number, std::uint64_t client_number) override;

 private:
  struct Came {
    std::uint64_t number = 0;
    time::Ticks at{};  // 0: it has been answered
  };
  static constexpr std::size_t k_requests = 4096;  // a power of two

  measure::GaugeHistogram& seconds_;
  simulate::ExchangeProbe next_;
  std::array<Came, k_requests> came_{};
};

}  // namespace dojima::app
