#pragma once

// When requests arrive: a Poisson process, bursts (a Poisson process whose rate jumps between a calm and a busy state,
// MMPP with two states), or a self-exciting process (Hawkes with an exponential kernel: every arrival makes more of
// them likelier for a while). All have the same mean rate, and all are exact and made of integer arithmetic, so that
// they give the same times on every machine.
//
//   Arrivals arrivals({.model = ArrivalModel::hawkes, .branching = 700}, 20'000, random);
//   due += arrivals.next(random);
//
// `next` allocates nothing; O(1), for bursts O(1 + changes of state in between).

#include <cstdint>

#include "dojima/flow/random.hpp"
#include "dojima/time/time.hpp"

namespace dojima::flow {

enum class ArrivalModel : std::uint8_t { poisson, bursts, hawkes };

struct ArrivalConfig {
  ArrivalModel model = ArrivalModel::poisson;
  // Bursts.
  std::uint32_t burst_share = 100;          ///< thousandths of the time that are busy, 1 to 999
  std::uint32_t burst_factor = 10;          ///< how many times the calm rate the busy one is, 2 to 100
  time::Duration burst_length{50'000'000};  ///< mean length of a burst; exponential; 1 us to 1 min
  // Hawkes.
  std::uint32_t branching = 700;      ///< arrivals that one arrival causes, in thousandths: 0 to 990
  time::Duration memory{10'000'000};  ///< the excitement falls to 1/e in this time, 1 us to 1 min
};

class Arrivals {
 public:
  /// `rate` in arrivals per second, 1 to 10,000,000. Draws once for bursts. Throws std::invalid_argument when a value
  /// is out of its range.
  Arrivals(const ArrivalConfig& config, std::uint64_t rate, Random& random);

  /// The gap to the next arrival. What is rounded off is carried to the next gap.
  [[nodiscard]] time::Duration next(Random& random);

  /// Whether each gap takes exactly one draw, which can be made before the gap is worked out: Poisson.
  [[nodiscard]] bool takes_one_draw() const noexcept { return config_.model == ArrivalModel::poisson; }
  /// As next(), where it takes one draw, of the next value of `random`.
  [[nodiscard]] time::Duration next_of(std::uint64_t draw) noexcept { return whole_part(poisson_gap(draw)); }

 private:
  __extension__ using Wide = unsigned __int128;

  /// Exponential gaps of mean 1 / rate, in ns and units of 2^-32: the draw times a second over the rate. The draw is
  /// below 2^38 and the rate below 2^24, so what is left to divide is below 2^62.
  [[nodiscard]] Wide poisson_gap(std::uint64_t draw) const noexcept {
    const std::uint64_t gap = exponential_q32(draw);
    return static_cast<Wide>(gap) * whole_gap_ + detail::quotient(gap * gap_rest_, rate_, inverse_rate_q64_);
  }
  [[nodiscard]] time::Duration whole_part(Wide gap) noexcept {
    gap += part_q32_;
    part_q32_ = static_cast<std::uint64_t>(gap & 0xffffffff);
    return time::Duration{static_cast<std::int64_t>(gap >> 32)};
  }
  [[nodiscard]] Wide burst_gap(Random& random);
  [[nodiscard]] Wide hawkes_gap(Random& random);
  void enter_state(bool is_busy, Random& random);

  ArrivalConfig config_;
  std::uint64_t rate_;
  std::uint64_t whole_gap_ = 0;  // of the mean gap in ns ...
  std::uint64_t gap_rest_ = 0;   // ... and what the division leaves
  std::uint64_t inverse_rate_q64_;
  std::uint64_t part_q32_ = 0;    // of a nanosecond, so that rounding adds up to nothing
  std::uint64_t excess_q32_ = 0;  // Hawkes: arrivals that what has happened so far will still cause, in the mean
  Wide state_left_q32_ = 0;       // bursts: ns
  bool is_busy_ = false;
};

}  // namespace dojima::flow
