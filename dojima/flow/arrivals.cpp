#include "dojima/flow/arrivals.hpp"

#include <algorithm>
#include <stdexcept>

namespace dojima::flow {
namespace {

constexpr std::uint64_t k_second = 1'000'000'000;
constexpr std::uint64_t k_thousand = 1000;

void require(bool is_right, const char* what) {
  if (!is_right) throw std::invalid_argument(what);
}

bool is_length(time::Duration length) {
  return length >= std::chrono::microseconds{1} && length <= std::chrono::minutes{1};
}

}  // namespace

Arrivals::Arrivals(const ArrivalConfig& config, std::uint64_t rate, Random& random) : config_(config), rate_(rate) {
  require(rate >= 1 && rate <= 10'000'000, "the rate must lie between 1 and 10,000,000 per second");
  whole_gap_ = k_second / rate;
  gap_rest_ = k_second % rate;
  inverse_rate_q64_ = detail::inverse_q64(rate);
  if (config.model == ArrivalModel::bursts) {
    require(config.burst_share >= 1 && config.burst_share <= 999, "bursts take 1 to 999 thousandths of the time");
    require(config.burst_factor >= 2 && config.burst_factor <= 100, "bursts are 2 to 100 times as busy");
    require(is_length(config.burst_length), "bursts last from 1 us to 1 min");
    enter_state(random.below(k_thousand) < config.burst_share, random);
  }
  if (config.model == ArrivalModel::hawkes) {
    require(config.branching <= 990, "an arrival causes at most 990 thousandths of another");
    require(is_length(config.memory), "the memory lasts from 1 us to 1 min");
    // Its mean, so that the beginning is like the rest.
    const Wide mean = (Wide{rate} * config.branching << 32) / k_thousand *
                      static_cast<std::uint64_t>(config.memory.count()) / k_second;
    excess_q32_ = static_cast<std::uint64_t>(mean);
  }
}

time::Duration Arrivals::next(Random& random) {
  switch (config_.model) {
    case ArrivalModel::poisson:
      return next_of(random.next());
    case ArrivalModel::bursts:
      return whole_part(burst_gap(random));
    case ArrivalModel::hawkes:
      return whole_part(hawkes_gap(random));
  }
  return {};
}

void Arrivals::enter_state(bool is_busy, Random& random) {
  is_busy_ = is_busy;
  const auto busy = static_cast<std::uint64_t>(config_.burst_length.count());
  const std::uint64_t mean = is_busy ? busy : busy * (k_thousand - config_.burst_share) / config_.burst_share;
  state_left_q32_ = static_cast<Wide>(exponential_q32(random.next())) * mean;
}

/// An exponential amount of "expected arrivals" is used up, state by state, at the state's rate.
Arrivals::Wide Arrivals::burst_gap(Random& random) {
  // The calm rate is rate * 1000 / per_calm, in arrivals per second.
  const std::uint64_t per_calm = k_thousand + std::uint64_t{config_.burst_share} * (config_.burst_factor - 1);
  Wide left = exponential_q32(random.next());
  Wide gap = 0;
  for (;;) {
    const Wide rate = Wide{rate_} * k_thousand * (is_busy_ ? config_.burst_factor : 1);
    const Wide scale = Wide{k_second} * per_calm;
    const Wide needed = left * scale / rate;
    if (needed <= state_left_q32_) {
      state_left_q32_ -= needed;
      return gap + needed;
    }
    left -= std::min(left, state_left_q32_ * rate / scale);
    gap += state_left_q32_;
    enter_state(!is_busy_, random);
  }
}

/// Dassios and Zhao, "Exact simulation of Hawkes process with exponentially decaying intensity" (2013). The excess is
/// the intensity above the base, times the memory: what it will still cause. It causes its next arrival when an
/// exponential amount of it is used up, and never when it has less; what is left then needs no exponential function.
Arrivals::Wide Arrivals::hawkes_gap(Random& random) {
  const auto memory = static_cast<std::uint64_t>(config_.memory.count());
  const Wide base = static_cast<Wide>(exponential_q32(random.next())) * k_second * k_thousand /
                    (Wide{rate_} * (k_thousand - config_.branching));
  const std::uint64_t used = exponential_q32(random.next());
  const std::uint64_t caused = (std::uint64_t{config_.branching} << 32) / k_thousand;
  if (used < excess_q32_) {
    const std::uint64_t left = excess_q32_ - used;
    const Wide share_q64 = (static_cast<Wide>(left) << 64) / excess_q32_;
    const std::uint64_t fallen = used == 0 ? 0 : exponential_q32(static_cast<std::uint64_t>(share_q64));
    const Wide excited = static_cast<Wide>(fallen) * memory;
    if (excited <= base) {
      excess_q32_ = left + caused;
      return excited;
    }
  }
  excess_q32_ = scaled_by_decay(excess_q32_, base / memory) + caused;
  return base;
}

}  // namespace dojima::flow
