#pragma once

// The gateway's probe for a batch of orders: when each passed which stage.

#include <array>
#include <atomic>
#include <cstdint>

#include "dojima/measure/probe.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::bench {

/// Written by the gateway's thread, read by another one that has the answer to the request. The latest 1,024 requests.
class StageMarks final : public measure::Probe {
 public:
  static constexpr std::size_t k_stages = 4;  // gateway::GatewayStages
  void mark(std::uint8_t stage, std::uint64_t number) override {
    if (is_on) marks_[number % k_kept][stage].store(time::read_ticks().count, std::memory_order_relaxed);
  }
  bool is_on = true;
  void bind(std::uint64_t, std::uint64_t) override {}
  [[nodiscard]] time::Ticks at(std::uint8_t stage, std::uint64_t number) const noexcept {
    return time::Ticks{marks_[number % k_kept][stage].load(std::memory_order_relaxed)};
  }

 private:
  static constexpr std::size_t k_kept = 1024;
  std::array<std::array<std::atomic<std::uint64_t>, k_stages>, k_kept> marks_{};
};

}  // namespace dojima::bench
