#pragma once

// A run on one thread in which no request is made before its due time by the clock: an open loop against gateway and
// venue in this process, without sockets. The thread does one instant after the other, all the way from the client and
// back, so it is a single server: a request that falls due while it is busy waits, and what it waits is recorded with
// its service. What gateway and venue took is recorded too.

#include <cstdint>
#include <vector>

#include "dojima/app/demo/run.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/clients.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app::demo {

/// Jumps from instant to instant; from begin() to end() only once the clock says that the next one has come, and keeps
/// when the thread began and ended each. Spins.
class OpenLoopPacer final : public sched::Pacer {
 public:
  /// Memory for `capacity` instants; later ones are not kept.
  OpenLoopPacer(time::Time start, std::size_t capacity);

  [[nodiscard]] time::Time advance(time::Time next) override;

  /// Time `at` is now, and the clock decides from here on. Instants are kept from the first that found the thread idle
  /// on.
  void begin(time::Time at) noexcept;
  void end() noexcept { is_paced_ = false; }
  /// What has to be taken off a Time to have the Ticks at which it comes. After begin().
  [[nodiscard]] std::int64_t time_minus_ticks() const noexcept;
  /// Arrival: when it was due; in nanoseconds since begin().
  [[nodiscard]] const std::vector<measure::ServiceRecord>& instants() const noexcept { return instants_; }
  [[nodiscard]] time::Time begun() const noexcept { return begin_; }

 private:
  [[nodiscard]] std::uint64_t since_begin(std::int64_t ticks) const noexcept;

  time::Time now_;
  time::Time begin_{};
  std::int64_t begin_ticks_ = 0;
  bool is_paced_ = false;
  bool has_idled_ = false;
  bool is_open_ = false;  // the last record has no end yet
  std::vector<measure::ServiceRecord> instants_;
};

/// The stages of a run by the counter, and its instants.
class TimedRun {
 public:
  TimedRun(const Settings& settings, time::Time start);

  [[nodiscard]] OpenLoopPacer& pacer() noexcept { return pacer_; }
  [[nodiscard]] simulate::ExchangeProbe venue_probe() noexcept;
  [[nodiscard]] measure::Probe* gateway_probe() noexcept { return &columns_; }
  /// Its Times are aligned with the counter when the flow begins.
  [[nodiscard]] simulate::ClientProbe client_probe() noexcept { return {.columns = &columns_}; }
  [[nodiscard]] Measured latencies(const simulate::Ledger& ledger) const { return join_stages(columns_, ledger); }
  /// Of the gateway, of the venue, of the whole road; nobody waits within the thread, so at the stages arrival is
  /// start.
  [[nodiscard]] std::vector<measure::ServiceRecord> services() const;

 private:
  OpenLoopPacer pacer_;
  measure::StageColumns columns_;
};

}  // namespace dojima::app::demo
