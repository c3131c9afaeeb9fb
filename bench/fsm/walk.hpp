#pragma once

// A walk of one or 64 sessions through one table of states x events, every cell a row of its own with an action of its
// own. Event i is session i modulo 64's. Every competitor keeps the state of each session in memory: which session
// comes next is not known to the compiler, so it can keep none in registers, not even the only one.

#include "work.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// Where event `event` leads from `state`. Event 0 goes round all states.
[[nodiscard]] constexpr std::size_t next_state(std::size_t state, std::size_t event, std::size_t states) {
  return event == 0 ? (state + 1) % states : (state * (2 * event + 1) + event) % states;
}

/// The events, and how many sessions they are for: 1 or k_sessions.
struct Walk {
  std::vector<std::uint16_t> events;
  std::size_t sessions;

  [[nodiscard]] std::size_t mask() const { return sessions - 1; }
};

/// A competitor: `Way` has `void run(const Walk& walk)` and `Sessions& sessions()`.
template <class Way>
class Walking final : public harness::Competitor {
 public:
  explicit Walking(Walk walk) : walk_(std::move(walk)) {
    way_->run(walk_);
    digest_ = digest_of(way_->sessions());
  }
  harness::Operations run() override {
    way_->run(walk_);
    harness::keep(*way_);
    return harness::Operations{}.add("", k_events).digest(digest_);
  }

 private:
  Walk walk_;
  std::unique_ptr<Way> way_ = std::make_unique<Way>();
  std::uint64_t digest_ = 0;
};

using MakeWalking = std::unique_ptr<harness::Competitor> (*)(Walk walk);

template <class Way>
std::unique_ptr<harness::Competitor> walking(Walk walk) {
  return std::make_unique<Walking<Way>>(std::move(walk));
}

using WalkUnit = std::vector<std::pair<std::string, MakeWalking>>;

// walk_unit.cpp.in
WalkUnit walk_7_2_Trivial();
WalkUnit walk_7_2_FixLike();
WalkUnit walk_10_5_Trivial();
WalkUnit walk_10_5_FixLike();
WalkUnit walk_64_2_Trivial();
WalkUnit walk_64_2_FixLike();

// walk_msm.cpp.in: the peer, one unit a machine; it has 50 rows at most.
MakeWalking walk_msm_7_2_Trivial();
MakeWalking walk_msm_7_2_FixLike();
MakeWalking walk_msm_10_5_Trivial();
MakeWalking walk_msm_10_5_FixLike();

}  // namespace dojima::bench
