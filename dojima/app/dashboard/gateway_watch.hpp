#pragma once

// A gateway on the screens of browsers: its clients' sessions and venue users, counters, how long requests and reports
// take in it, and what it logs. All of it belongs to the gateway's thread, which looks twenty times a second, never
// waits for the dashboard's and allocates nothing for it.
//
//   GatewayWatch watch(config);
//   Gateway gateway(config.gateway, fabric, scheduler, {.probe = &watch});
//   watch.attach(gateway);  station.add(watch);
//   const auto where = watch.start();

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/dashboard/screens.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::app {

class GatewayWatch final : public sched::Source, public measure::Probe {
 public:
  /// Throws std::bad_alloc.
  explicit GatewayWatch(const GatewayConfig& config);

  /// The gateway outlives the watch's last look.
  void attach(const gateway::Gateway& gateway) noexcept { gateway_ = &gateway; }
  /// Listens and begins the dashboard's thread. The error is for a person.
  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  [[nodiscard]] web::FactChannel& channel() noexcept { return screens_.channel(); }

  /// A line of the log.
  void note(std::string_view line) noexcept { channel().notice(now_, line); }
  void set_drop_copy(std::size_t copy, bool is_up) noexcept { copies_.at(copy) = is_up; }

  // sched::Source
  [[nodiscard]] time::Time next_time() override { return time::k_never; }
  std::size_t deliver(time::Time) override { return 0; }
  std::size_t finish(time::Time now) override;

  // measure::Probe
  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t, std::uint64_t) override {}

 private:
  /// A request on its way.
  struct Entered {
    std::uint64_t number = ~std::uint64_t{0};
    time::Ticks in, back_in;
  };
  static constexpr std::size_t k_entered = 4096;
  static constexpr std::size_t k_stages = 3;

  void tell_session(web::SessionFact fact) noexcept;
  void tell_reject(std::uint16_t session, std::string_view why) noexcept;
  void look_at_sessions() noexcept;
  void look_at_counters() noexcept;
  void tell_latency(std::size_t stage, time::Ticks from, time::Ticks until) noexcept;
  void flush(web::LatencyFact& latencies) noexcept;

  gateway::GatewayStages stages_;
  gateway::VenueUsers users_;
  Screens screens_;
  const gateway::Gateway* gateway_ = nullptr;
  std::vector<web::SessionFact> sessions_;  // as they were sent last: clients, venue users, drop copies
  std::size_t clients_;
  std::vector<bool> copies_;
  std::vector<Entered> entered_;
  std::array<web::LatencyFact, k_stages> latencies_{};
  time::Time now_{}, next_look_{};
};

}  // namespace dojima::app
