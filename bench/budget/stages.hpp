#pragma once

// The stages of an order's way by the functions that begin them, as ARCHITECTURE.md's map has them, and what a profile
// says of each.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/harness/call_profile.hpp"
#include "dojima/harness/flame_graph.hpp"

namespace dojima::bench {

struct Stage {
  std::string_view name;
  std::string_view meaning;
  bool is_of_the_road = true;  ///< else it stands in for what a live run has instead
};

[[nodiscard]] std::span<const Stage> stages() noexcept;
[[nodiscard]] std::span<const harness::StageRule> stage_rules() noexcept;

/// What one stage cost, all requests together.
struct StageCost {
  double instructions = 0;
  double first_level_misses = 0;
  double last_level_misses = 0;
  double branches = 0;
  double branch_misses = 0;
  double allocations = 0;
  double bytes_copied = 0;
  harness::FlameGraph flames{};
};

struct RoadCost {
  std::vector<StageCost> stages;    ///< in the order of stages()
  StageCost unknown;                ///< of functions that no rule knows
  std::vector<std::string> unused;  ///< functions of rules that the run never came to
};

/// `copies`: the profile of dojima-budget-copies; null: bytes are not counted.
[[nodiscard]] RoadCost cost_of(const harness::CallProfile& profile, const harness::CallProfile* copies);

/// The costliest stacks that no rule knows, a line each: for whoever keeps the rules.
[[nodiscard]] std::vector<std::string> unknown_stacks(const harness::CallProfile& profile, std::size_t most);

}  // namespace dojima::bench
