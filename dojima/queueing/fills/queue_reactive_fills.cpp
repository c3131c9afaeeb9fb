#include "dojima/queueing/fills/queue_reactive_fills.hpp"

#include <algorithm>
#include <cstddef>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

using flow::QueueReactiveChange;
using market::Side;

/// An order to buy at level 0, first in, first out.
struct VirtualOrder {
  std::uint32_t ahead = 0;
  bool is_filled = false;

  void follow(const QueueReactiveChange& change) {
    if (is_filled || change.side != Side::buy) return;
    const bool is_execution = change.kind == QueueReactiveChange::Kind::executed;
    if (is_execution && change.level < 0) is_filled = true;
    if (change.level != 0 || change.kind == QueueReactiveChange::Kind::added) return;
    if (change.place < ahead) {
      --ahead;
    } else if (is_execution) {
      is_filled = true;
    }
  }
};

}  // namespace

double FillChances::within(double seconds) const {
  const auto filled = std::ranges::upper_bound(filled_s_, static_cast<float>(seconds)) - filled_s_.begin();
  return runs_ == 0 ? 0 : static_cast<double>(filled) / static_cast<double>(runs_);
}

QueueReactiveFills::QueueReactiveFills(const flow::QueueReactiveRates& rates, FillRuns runs)
    : runs_(runs), market_(rates, 0, runs.seed) {
  DOJIMA_ASSERT(runs.runs > 0 && runs.longest_s > 0, "there are runs, and they have a length", runs.runs);
}

const FillChances& QueueReactiveFills::chances(const FillState& state) {
  DOJIMA_ASSERT(state.ahead <= state.own && state.own > 0 && state.other > 0 && state.spread > 0,
                "an order waits in a market", state.ahead, state.own, state.other, state.spread);
  const auto found = known_.find(state);
  if (found != known_.end()) return found->second;
  FillChances made;
  made.runs_ = runs_.runs;
  std::size_t first = 0;
  // Seeds of one state follow from it alone, whatever was asked before.
  flow::Random seeds(runs_.seed ^ (std::uint64_t{state.ahead} << 48 | std::uint64_t{state.own} << 32 |
                                   std::uint64_t{state.other} << 16 | state.spread));
  for (std::size_t run = 0; run < runs_.runs; ++run) {
    const Run seen = simulate(state, seeds.next());
    if (seen.filled_s >= 0) made.filled_s_.push_back(static_cast<float>(seen.filled_s));
    first += seen.is_before_move ? 1 : 0;
  }
  std::ranges::sort(made.filled_s_);
  made.before_move_ = static_cast<double>(first) / static_cast<double>(runs_.runs);
  return known_.emplace(state, std::move(made)).first->second;
}

QueueReactiveFills::Run QueueReactiveFills::simulate(const FillState& state, std::uint64_t seed) {
  market_.restart(Side::buy, state.own, state.other, state.spread, seed);
  const std::int64_t mid_before = state.spread;  // doubled; the order's price is 0
  const auto longest = static_cast<std::int64_t>(runs_.longest_s * 1e9);
  VirtualOrder order{.ahead = state.ahead};
  bool has_moved = false;
  for (std::int64_t now = 0;;) {
    now += market_.next();
    // A race goes on beyond the longest time: it has to end one way or the other.
    if (now > longest && (has_moved || now > 64 * longest)) return {};
    for (const QueueReactiveChange& change : market_.changes()) order.follow(change);
    std::int64_t bid = 0, ask = 0;
    const bool has_bid = market_.best(Side::buy, bid), has_ask = market_.best(Side::sell, ask);
    if (has_ask && ask <= 0) order.is_filled = true;
    if (order.is_filled) {
      const double seconds = static_cast<double>(now) * 1e-9;
      return {now <= longest ? seconds : -1.0, !has_moved};
    }
    if (has_bid) order.ahead = bid == 0 ? std::min(order.ahead, market_.length(Side::buy, 0)) : order.ahead;
    if (has_bid && has_ask && bid + ask != mid_before) has_moved = true;
  }
}

}  // namespace dojima::queueing
