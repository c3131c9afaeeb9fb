#pragma once

// How long a venue takes, of one request in sixteen (or as many as its dashboard times) whose id is a number (as a
// gateway's are) and of one command in sixteen: probes of its front and its partitions that keep the newest requests in
// a small table and note each answered one in histograms of /metrics. No allocation after construction; each histogram
// has one writer at a time, the venue's loop or the thread to which a partition is lent.
//
//   VenueTimes times(board, watch ? watch->probe() : simulate::ExchangeProbe{}, partition_numbers);
//   simulate::Exchange exchange(config, scheduler, times.probe());
//   times.attach(exchange);
//   station.add(... all others ...); station.add(times.reading()); station.add_behind_sockets(times.sent());
//
// | stage   | from                                     | to                                          |
// |---------|------------------------------------------|---------------------------------------------|
// | read    | the loop turns to its sockets            | the request has been read and decoded       |
// | journal | its command has its place                | it is written into the journal              |
// | match   | then                                     | its reports are in the report log           |
// | report  | the request came in                      | its answer is taken from there to be sent   |
// | encode  | then                                     | it is written into the session's output     |
// | send    | then                                     | the loop has given it to the network        |

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dojima/measure/gauges.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app {

class VenueTimes final : public measure::Probe {
 public:
  static constexpr std::uint32_t k_one_in = 16;

  /// `next`: whose marks these are besides, with its stages and how many it wants; its probe may be null. The board
  /// outlives it. `partitions`: their numbers, in their order.
  VenueTimes(measure::GaugeBoard& board, const simulate::ExchangeProbe& next,
             std::span<const std::uint8_t> partitions = {});
  ~VenueTimes();
  VenueTimes(const VenueTimes&) = delete;
  VenueTimes& operator=(const VenueTimes&) = delete;

  [[nodiscard]] simulate::ExchangeProbe probe() noexcept;
  /// Its partitions are marked from now on. It must go before this does.
  void attach(simulate::Exchange& exchange) noexcept;
  /// Asked by the loop right before its sockets.
  [[nodiscard]] sched::Source& reading() noexcept { return reading_; }
  /// Asked right behind them.
  [[nodiscard]] sched::Source& sent() noexcept { return sent_; }

  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t number, std::uint64_t client_number) override;

 private:
  class OfPartition;
  struct Came {
    std::uint64_t number = 0;
    time::Ticks at{};  // 0: it has been answered
    time::Ticks taken{};
  };
  struct Reading final : sched::Source {
    std::size_t deliver(time::Time) override;
    time::Ticks began{};  // 0: nobody has said so
  };
  struct Sent final : sched::Source {
    explicit Sent(measure::GaugeHistogram& of) : seconds(of) {}
    std::size_t deliver(time::Time) override { return 0; }
    std::size_t finish(time::Time) override;
    measure::GaugeHistogram& seconds;
    std::array<time::Ticks, 64> written{};  // answers of this instant; those beyond are not counted
    std::size_t answers = 0;
  };
  static constexpr std::size_t k_requests = 4096;  // a power of two
  static constexpr std::uint8_t k_taken = 254;     // no stage of whoever comes next

  [[nodiscard]] static measure::GaugeHistogram& stage(measure::GaugeBoard& board, std::string_view name);
  void mark_in(Came& came, std::uint64_t number);
  void mark_out(Came& came);

  measure::GaugeHistogram &answer_, &read_, &report_, &encode_;
  std::vector<std::unique_ptr<OfPartition>> partitions_;
  simulate::ExchangeProbe next_;
  Reading reading_;
  Sent sent_;
  std::array<Came, k_requests> came_{};
};

}  // namespace dojima::app
