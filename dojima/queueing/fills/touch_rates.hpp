#pragma once

// How often orders come to the best prices of a recorded day, leave them and improve on them: the rates of the
// birth-death forecast (birth_death.hpp), by how wide the spread is.
//
//   TouchRatesCounter counter(instrument, tick, order_quantity);
//   counter.take(events, instruments);
//   const TouchRates rates = counter.rates(3);          // at a spread of three ticks
//
// O(1) an event, and the orders of the instrument.

#include <array>
#include <cstdint>
#include <span>

#include "dojima/queueing/fills/birth_death.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/time/time.hpp"

namespace dojima::queueing {

class TouchRatesCounter {
 public:
  /// `tick` and `order_quantity` > 0.
  TouchRatesCounter(std::uint32_t instrument, std::int64_t tick, std::int64_t order_quantity);

  void take(std::span<const recorded::RecordedEvent> events, std::span<const recorded::RecordedInstrument> instruments);
  /// At a spread of so many ticks, at least 1. An execution rate of 0: there was no execution, no forecast.
  [[nodiscard]] TouchRates rates(std::int64_t spread) const noexcept;

 private:
  static constexpr std::size_t k_spreads = 8;  // 1, 2, 3-4, 5-8, ..., 65 and more
  [[nodiscard]] static std::size_t spread_class(std::int64_t ticks) noexcept;
  void note(const QueueChange& change);
  void note_time(time::Time now);

  struct Spread {
    double seconds = 0, improvements = 0;
  };

  std::uint32_t instrument_;
  std::int64_t tick_;
  double order_quantity_;
  TouchFollower follower_;
  Touch touch_;
  time::Time last_ = recorded::k_unknown_time;
  double seconds_ = 0, arrived_ = 0, executed_ = 0, cancelled_ = 0;
  double waiting_ = 0;  // orders times seconds
  std::array<Spread, k_spreads> spreads_{};
};

}  // namespace dojima::queueing
