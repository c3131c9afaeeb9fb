#pragma once

// A standby as its operator sees it: how far it is behind the gateway that it follows.

#include <memory>
#include <span>
#include <string>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/measure/gauges.hpp"

namespace dojima::app {

class GatewayStandby;

class StandbyAdmin final : public AdminTarget {
 public:
  /// All outlive it. Makes the figures.
  StandbyAdmin(const GatewayStandby& standby, measure::GaugeBoard& board);
  ~StandbyAdmin();
  StandbyAdmin(const StandbyAdmin&) = delete;
  StandbyAdmin& operator=(const StandbyAdmin&) = delete;

  [[nodiscard]] std::span<const AdminVerb> verbs() const override;
  using AdminTarget::on_command;
  AdminAnswer on_command(std::span<const std::string> words, time::Time now) override;
  void publish(time::Time now) override;
  [[nodiscard]] std::string waits_for() const override;

 private:
  struct Figures;
  const GatewayStandby& standby_;
  std::unique_ptr<Figures> figures_;
  unsigned published_ = 0;
};

}  // namespace dojima::app
