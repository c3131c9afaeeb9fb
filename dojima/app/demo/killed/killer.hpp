#pragma once

// Kills servers while clients trade on, evenly over the flow, and starts again what is down for long enough.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "dojima/app/demo/killed/servers.hpp"
#include "dojima/app/demo/run.hpp"

namespace dojima::app::demo {

class Killer {
 public:
  /// Both outlive it.
  Killer(const Settings& settings, Servers& servers) : settings_(settings), servers_(servers), random_(settings.seed) {}

  /// The flow begins.
  void begin(time::Time now);
  /// Starts again what is down for long enough, and sees to who has ended by himself. Called every few milliseconds.
  void look_after(time::Time now);
  /// Behind look_after(), while requests flow.
  void kill_if_due(time::Time now);

  [[nodiscard]] bool is_all_up() const noexcept { return down_ == nullptr; }
  [[nodiscard]] const std::vector<Kill>& kills() const noexcept { return kills_; }
  /// Why the run cannot go on; empty: it can.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  void plan_next();
  [[nodiscard]] ServerProcess& victim();

  const Settings& settings_;
  Servers& servers_;
  std::mt19937_64 random_;
  std::string failure_;
  time::Time flow_begin_{}, next_{};
  ServerProcess* down_ = nullptr;  // what is killed or comes back
  time::Time killed_at_{}, start_at_{};
  std::vector<Kill> kills_;
};

}  // namespace dojima::app::demo
