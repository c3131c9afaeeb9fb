#pragma once

// Gateway and venue of a run in virtual time as hosts that take time for every message (link/busy_host.hpp): who waited
// how long where. Their threads are interrupted where there are stalls. Marks of virtual time make the latencies of the
// requests' first answers; the services themselves make the load of each place and, where they are kept, service traces
// that `dojima queue` reads.
//
//   ServedRun served(settings, network, scheduler);
//   VenuePart venue(settings, scheduler, served.venue_probe(), board);
//   venue.exchange().start(served.venue_fabric(), ...);
//   ...
//   result.measured = served.latencies(clients.ledger());

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/app/demo/run.hpp"
#include "dojima/app/demo/service_times.hpp"
#include "dojima/app/demo/settings.hpp"
#include "dojima/link/busy_host.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/simulate/clients.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app::demo {

/// Where services begin, behind the columns of simulate::Stage; its stages "in" are the arrivals at a busy host.
enum class ServiceStart : std::uint8_t { gateway = simulate::k_stages, venue, gateway_back };
inline constexpr std::size_t k_served_stages = simulate::k_stages + 3;

/// The parts between neighbouring stages, in order; the whole way comes last.
inline constexpr std::array<std::string_view, k_served_stages> k_served_parts = {
    "client: due to sent",    "network to gateway",     "gateway: waiting",  "gateway: serving",
    "network to venue",       "venue: waiting",         "venue: serving",    "network to gateway, back",
    "gateway, back: waiting", "gateway, back: serving", "network to client", "total: due to answered"};

/// The services of one host: what arrived while the flow was made.
class ServingLog final : public link::ServiceObserver {
 public:
  /// `keeps`: every one of them, as a record of that kind.
  ServingLog(std::uint16_t kind, bool keeps) : kind_(kind), keeps_(keeps) {}
  void on_served(const link::Served& served) override;

  /// Only what arrives from then on counts.
  void begin(time::Time at) noexcept { begin_ = at; }
  [[nodiscard]] const StationLoad& load(Serving serving) const { return loads_.at(static_cast<std::size_t>(serving)); }
  [[nodiscard]] const std::vector<measure::ServiceRecord>& records() const noexcept { return records_; }

 private:
  std::uint16_t kind_;
  bool keeps_;
  time::Time begin_ = time::k_never;
  std::array<StationLoad, k_servings> loads_{};
  std::vector<measure::ServiceRecord> records_{};
};

class ServedRun {
 public:
  /// Scheduler entries that it needs.
  static constexpr std::size_t k_timers = 2 * link::BusyHost::k_timers;

  /// `settings.services` says something. Network and scheduler outlive it.
  ServedRun(const Settings& settings, link::Fabric& network, sched::Scheduler& scheduler);

  [[nodiscard]] link::Fabric& venue_fabric() noexcept { return venue_host_; }
  [[nodiscard]] link::Fabric& gateway_fabric() noexcept { return gateway_host_; }
  [[nodiscard]] simulate::ExchangeProbe venue_probe() noexcept;
  [[nodiscard]] measure::Probe* gateway_probe() noexcept { return &marks_; }
  [[nodiscard]] simulate::ClientProbe client_probe() noexcept { return {.columns = &columns_, .is_virtual = true}; }

  /// The flow begins now: what arrives from now on counts.
  void begin_flow(time::Time now);
  [[nodiscard]] Measured latencies(const simulate::Ledger& ledger) const;
  /// Places that take time, with their loads over `flow_seconds`.
  [[nodiscard]] std::vector<StationLoad> loads(double flow_seconds) const;
  /// Every service, by host and in order of arrival; empty unless `settings.keeps_services`.
  [[nodiscard]] std::vector<measure::ServiceRecord> services() const;

 private:
  /// Cuts messages and draws their services.
  class Model final : public link::ServiceModel {
   public:
    Model(const Settings& settings, bool is_gateway);
    link::Work take(Bytes bytes, bool is_accepted) override;

   private:
    [[nodiscard]] link::Work timed(std::size_t size, Serving serving);
    bool is_gateway_;
    std::array<bool, k_servings> takes_time_{};
    std::vector<ServiceDraws> draws_;  // by Serving
  };

  /// Marks of virtual time: what the gateway and the venue handle is the message in hand of their host.
  class Marks final : public measure::Probe {
   public:
    explicit Marks(ServedRun& run) : run_(run) {}
    void mark(std::uint8_t stage, std::uint64_t number) override;
    void bind(std::uint64_t number, std::uint64_t client_number) override;

   private:
    void mark_served(std::uint8_t arrival, ServiceStart start, const link::BusyHost& host, std::uint64_t number);
    ServedRun& run_;
  };

  const ServicePlan plan_;
  const StallPlan stalls_;
  std::uint64_t seed_;
  sched::Scheduler& scheduler_;
  measure::StageColumns columns_;
  Marks marks_{*this};
  Model gateway_model_;
  Model venue_model_;
  ServingLog gateway_log_;
  ServingLog venue_log_;
  link::BusyHost gateway_host_;
  link::BusyHost venue_host_;
};

}  // namespace dojima::app::demo
