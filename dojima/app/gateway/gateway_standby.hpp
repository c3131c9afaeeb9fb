#pragma once

// `dojima gateway --follow` as an object: it follows the journal of a running gateway and becomes that gateway when its
// process has ended. What it does meanwhile can be watched: [standby] of the configuration says where.
//
//   auto standby = GatewayStandby::make(config, log);
//   const auto ports = (*standby)->start();
//   auto server = (*standby)->run(stop);                  // null: asked to stop
//   (*server)->start(patience); (*server)->run(stop);
//
// One thread.

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_journal_follower.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/station.hpp"
#include "dojima/measure/gauges.hpp"

namespace dojima::app {

class AdminDesk;
class StandbyAdmin;

class GatewayStandby {
 public:
  using Log = GatewayServer::Log;

  /// Begins to follow `config.journal.directory`. The error is text for a person. Throws std::bad_alloc,
  /// std::system_error.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayStandby>, std::string> make(const GatewayConfig& config,
                                                                                        Log log);
  ~GatewayStandby();
  GatewayStandby(const GatewayStandby&) = delete;
  GatewayStandby& operator=(const GatewayStandby&) = delete;

  /// Takes the port of [standby], if there is one. The error is text for a person.
  [[nodiscard]] std::expected<void, std::string> start();
  /// What a person wants to know at start, a line each.
  [[nodiscard]] std::vector<std::string> describe() const;

  /// Follows until the writer is gone, and gives the gateway on its journal, which has no port yet. Null: `stops()`
  /// said so before. The error is text for a person: what is written cannot be understood, or not be gone on with.
  template <class Stops>
  [[nodiscard]] std::expected<std::unique_ptr<GatewayServer>, std::string> run(Stops stops) {
    station_.run([&] { return !is_over_ && !stops(); });
    return finish();
  }

  /// What follows, for whoever watches.
  [[nodiscard]] const GatewayJournalFollower& follower() const noexcept { return *follower_; }
  /// For so long there has been more than was read; 0: all was read when it was looked at last.
  [[nodiscard]] time::Duration behind() const noexcept { return behind_; }

 private:
  GatewayStandby(const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournalFollower> follower);
  void on_poll(time::Time now);
  [[nodiscard]] std::expected<std::unique_ptr<GatewayServer>, std::string> finish();

  const GatewayConfig config_;
  Log log_;
  std::unique_ptr<GatewayJournalFollower> follower_;
  Station station_;
  sched::TimerOf<&GatewayStandby::on_poll> poll_;
  time::Time read_all_at_{};
  time::Duration behind_{};
  std::string reported_;  // what waits, as it was reported last
  bool is_over_ = false;
  std::unique_ptr<GatewayJournal> taken_;
  std::string failure_;
  time::Time taken_at_{};
  measure::GaugeBoard gauges_;
  std::unique_ptr<StandbyAdmin> admin_;
  std::unique_ptr<AdminDesk> desk_;
  std::string watched_at_;
};

}  // namespace dojima::app
