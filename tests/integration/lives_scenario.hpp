#pragma once

// Lives in which a test says what happens, step by step.

#include "tests/integration/lives.hpp"

#include <string>
#include <utility>
#include <vector>

namespace dojima::integration {

/// A day on which nothing is started again by itself.
inline LivesOptions calm(std::uint64_t seed = 1) {
  return {.seed = seed, .network = {.delay = 50us}};
}

struct Scenario {
  explicit Scenario(const LivesOptions& options = calm()) : lives(options) {
    lives.is_restarting = false;
    lives.has_log = true;
    lives.settle();
    lives.log.clear();
  }
  /// What the clients have received since the last look.
  std::vector<std::string> received() {
    lives.run(10ms);
    lives.listen();
    return std::exchange(lives.log, {});
  }
  std::string last_report() {
    const std::vector<std::string> all = received();
    return all.empty() ? "nothing" : all.back();
  }
  Lives lives;
  Lives::Trader& ann = *lives.traders[0];
  Lives::Trader& bob = *lives.traders[1];
};

}  // namespace dojima::integration
