#pragma once

// Where prices of one side lie in a window of ticks. Keys rise from the best price to the worst on either side, and so
// do places.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "dojima/market/order.hpp"

namespace dojima::recorded {

class TickPlaces {
 public:
  /// `tick` > 0.
  TickPlaces(market::Side side, std::int64_t tick) : flip_(side == market::Side::buy ? -1 : 0) { use_tick(tick); }

  [[nodiscard]] std::int64_t key_of(std::int64_t price) const noexcept { return price ^ flip_; }
  [[nodiscard]] std::int64_t price_of_key(std::int64_t key) const noexcept { return key ^ flip_; }

  /// Its place, or something that is none: outside, or between ticks. A division by the tick that cannot have a
  /// remainder is a multiplication by the inverse of its odd part modulo 2^64 and a rotation; a remainder shows in the
  /// upper bits (as in market::TickTable).
  [[nodiscard]] std::size_t place_of(std::int64_t price) const noexcept {
    const std::uint64_t distance = static_cast<std::uint64_t>(key_of(price)) - static_cast<std::uint64_t>(base_key_);
    return std::rotr(distance * inverse_, shift_);
  }
  [[nodiscard]] std::int64_t price_of(std::size_t place) const noexcept {
    return price_of_key(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(base_key_) + place * static_cast<std::uint64_t>(tick_)));
  }

  [[nodiscard]] std::int64_t tick() const noexcept { return tick_; }
  /// The key of place 0.
  [[nodiscard]] std::int64_t base_key() const noexcept { return base_key_; }
  /// `tick` > 0.
  void use_tick(std::int64_t tick) noexcept {
    tick_ = tick;
    const auto magnitude = static_cast<std::uint64_t>(tick);
    shift_ = std::countr_zero(magnitude);
    inverse_ = inverse_of(magnitude >> shift_);
  }
  void begin_at(std::int64_t key) noexcept { base_key_ = key; }

 private:
  /// Newton's iteration: each step doubles the number of right bits, and an odd number is its own inverse modulo 8.
  [[nodiscard]] static std::uint64_t inverse_of(std::uint64_t odd) noexcept {
    std::uint64_t inverse = odd;
    for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    return inverse;
  }

  std::int64_t base_key_ = 0;
  std::uint64_t inverse_ = 1;  // of the tick's odd part
  int shift_ = 0;              // its even part is 2^shift
  std::int64_t flip_;          // all bits for bids, none for asks
  std::int64_t tick_ = 1;
};

}  // namespace dojima::recorded
