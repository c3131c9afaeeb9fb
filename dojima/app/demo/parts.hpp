#pragma once

// The three parts of a demo as the loops see them: after every turn each publishes its facts and does what the phase
// asks of it. A part lives in one thread; only the board is shared.

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/demo/day_feed.hpp"
#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/settings.hpp"
#include "dojima/app/demo/venue_desk.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/simulate/checks.hpp"
#include "dojima/simulate/clients.hpp"
#include "dojima/simulate/day_log.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/simulate/tape.hpp"

namespace dojima::app {
class VenueWatch;
}  // namespace dojima::app

namespace dojima::app::demo {

class Part {
 public:
  virtual ~Part() = default;
  /// The turn is over; `phase` may have changed since the last one.
  virtual void after_turn(Phase phase, time::Time now) = 0;
};

/// The screens of a demo's venue; null where the settings want none. `next` takes the marks as well.
[[nodiscard]] std::unique_ptr<VenueWatch> make_watch(const Settings& settings, const simulate::ExchangeProbe& next,
                                                     std::function<bool(std::string_view)> on_pace = {});
/// Opens the screens, and says where they are. The error is for a person.
[[nodiscard]] std::expected<void, std::string> start_watch(const Settings& settings, VenueWatch* watch);

/// Commands that a venue refused for a reason.
struct Refusals {
  market::Reason reason = market::Reason::none;
  std::uint64_t count = 0;
};

/// Opens the operator's desk, and says where it is; nothing for null. The error is for a person.
[[nodiscard]] std::expected<void, std::string> start_desk(const Settings& settings, VenueDesk* desk,
                                                          std::function<void()> wake);

class VenuePart final : public Part {
 public:
  VenuePart(const Settings& settings, sched::Scheduler& scheduler, simulate::ExchangeProbe probe, Board& board,
            simulate::JournaledPartitions journaled = {});
  [[nodiscard]] simulate::Exchange& exchange() noexcept { return exchange_; }
  [[nodiscard]] const simulate::Exchange& exchange() const noexcept { return exchange_; }
  /// Null where there is no trading day.
  [[nodiscard]] const simulate::DayLog* day() const noexcept { return day_.get(); }
  [[nodiscard]] const simulate::VenueSnapshot& snapshot() const noexcept { return snapshot_; }
  /// Null: nobody is answered.
  [[nodiscard]] VenueDesk* desk() noexcept { return desk_.get(); }
  [[nodiscard]] const VenueDesk* desk() const noexcept { return desk_.get(); }
  /// Of the market data, when everything had been answered; none: nobody reads it.
  [[nodiscard]] const std::optional<simulate::Check>& feed_check() const noexcept { return feed_check_; }
  /// Refusals of all partitions by then, by reason, those that there were.
  [[nodiscard]] const std::vector<Refusals>& refusals() const noexcept { return refusals_; }
  void after_turn(Phase phase, time::Time now) override;
  /// What the partitions' threads took of their processors while the flow ran and drained.
  [[nodiscard]] time::Duration thread_time() const noexcept { return thread_time_; }

 private:
  [[nodiscard]] time::Duration thread_time_now() const;

  venue::OperatorLog operations_;
  simulate::Exchange exchange_;
  std::vector<std::unique_ptr<simulate::Tape>> tapes_;
  std::unique_ptr<DayFeed> feed_;    // null: nobody reads it
  std::unique_ptr<VenueDesk> desk_;  // null: nobody is answered
  std::optional<simulate::Check> feed_check_;
  std::vector<Refusals> refusals_;
  std::unique_ptr<simulate::DayLog> day_;
  Board& board_;
  simulate::VenueSnapshot snapshot_;
  bool is_captured_ = false;
  bool is_flowing_ = false;
  time::Duration thread_time_{0};  // at the beginning of the flow, then what it took
};

class GatewayPart final : public Part {
 public:
  GatewayPart(const Settings& settings, link::Fabric& fabric, sched::Scheduler& scheduler, measure::Probe* probe,
              Board& board);
  [[nodiscard]] gateway::Gateway& gateway() noexcept { return gateway_; }
  /// As it was when everything had been answered.
  [[nodiscard]] const gateway::GatewayCounters& counters() const noexcept { return counters_; }
  void after_turn(Phase phase, time::Time now) override;

 private:
  gateway::Gateway gateway_;
  Board& board_;
  gateway::GatewayCounters counters_;
  bool is_captured_ = false;
  bool is_stopped_ = false;
};

class ClientsPart final : public Part {
 public:
  ClientsPart(const Settings& settings, link::Fabric& fabric, const link::Address& gateway, sched::Scheduler& scheduler,
              simulate::ClientProbe probe, Board& board);
  [[nodiscard]] simulate::Clients& clients() noexcept { return clients_; }
  void after_turn(Phase phase, time::Time now) override;

 private:
  simulate::Clients clients_;
  link::Fabric& fabric_;
  link::Address gateway_;
  Board& board_;
  Phase seen_ = Phase::meeting;
};

}  // namespace dojima::app::demo
