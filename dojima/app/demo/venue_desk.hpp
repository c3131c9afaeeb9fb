#pragma once

// The operator's desk of a demo's venue: `dojima admin` and /metrics of a venue that lives as long as the demo. Belongs
// to the venue's loop.

#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "dojima/app/demo/settings.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/operator_log.hpp"

namespace dojima::app {
class AdminDesk;
class VenueAdmin;
}  // namespace dojima::app

namespace dojima::app::demo {

class VenueDesk {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static std::size_t timers(const Settings& settings);

  /// All outlive it.
  VenueDesk(const Settings& settings, simulate::Exchange& exchange, venue::OperatorLog& operations,
            sched::Scheduler& scheduler);
  ~VenueDesk();
  VenueDesk(const VenueDesk&) = delete;
  VenueDesk& operator=(const VenueDesk&) = delete;

  /// Begins to answer; where, as a line for a person. `wake` is called from another thread when a command waits. The
  /// error is for a person. Once.
  [[nodiscard]] std::expected<std::string, std::string> start(std::function<void()> wake);
  /// Answers nobody any more: before what `wake` uses is gone.
  void stop();
  /// Asked by the loop every turn.
  [[nodiscard]] sched::Source& source() noexcept;
  /// Commands that were carried out or refused so far.
  [[nodiscard]] std::uint64_t commands() const noexcept;

 private:
  VenueConfig config_;
  measure::GaugeBoard gauges_;
  std::unique_ptr<VenueAdmin> admin_;
  std::unique_ptr<AdminDesk> desk_;
};

}  // namespace dojima::app::demo
