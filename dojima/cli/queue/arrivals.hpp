#pragma once

// How requests arrive, as commands take it: one of flow's models and what shapes it.

#include <string>
#include <vector>

#include "dojima/flow/arrivals.hpp"

namespace dojima::cli {

class Command;

struct ArrivalOptions {
  std::string model = "poisson";
  int burst_share = 100;
  int burst_factor = 10;
  double burst_s = 0.05;
  double branching = 0.7;
  double memory_s = 0.01;

  /// --arrivals, of `models` with `meaning`, and the options of bursts and hawkes. What `model` holds is the default.
  void add_to(Command command, const std::vector<std::string>& models, const std::string& meaning);
  /// For a model other than Poisson's the options count.
  [[nodiscard]] flow::ArrivalConfig config() const;
};

}  // namespace dojima::cli
