#pragma once

// A book of price levels, for feeds that tell levels and not orders: what stands in total at which price of which side.
// Takes `level` and `clear` events; crossed input is taken as it is. Levels lie in a sorted row per side, the best one
// last: changes near the best price, which nearly all are, cost O(log levels) and move little; a change in the depth
// moves the levels that are better. Memory grows with the levels and is kept. One thread.
//
//   LevelBook book;
//   book.apply(event);
//   if (const auto bid = book.best(market::Side::buy)) use(bid->price, bid->quantity);

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/flow/recorded.hpp"

namespace dojima::flow {

struct BookLevel {
  std::int64_t price = 0;     ///< in the instrument's price units
  std::int64_t quantity = 0;  ///< > 0
  std::uint64_t orders = 0;   ///< 0: not told
  friend bool operator==(const BookLevel&, const BookLevel&) = default;
};

class LevelBook {
 public:
  /// `level`, `clear`: applied. False: another kind, or no side or price; nothing changed.
  bool apply(const RecordedEvent& event);

  /// Quantity 0: nothing stands there any more. `side` must be buy or sell.
  void set(market::Side side, std::int64_t price, std::int64_t quantity, std::uint64_t orders = 0);
  /// `none`: both sides.
  void clear(market::Side side) noexcept;

  [[nodiscard]] std::optional<BookLevel> best(market::Side side) const noexcept {
    const std::vector<BookLevel>& levels = side_of(side);
    return levels.empty() ? std::nullopt : std::optional(levels.back());
  }
  /// The worst level first, the best one last. Valid until the next change.
  [[nodiscard]] std::span<const BookLevel> levels(market::Side side) const noexcept { return side_of(side); }
  /// What stands at a price; 0: nothing.
  [[nodiscard]] std::int64_t quantity_at(market::Side side, std::int64_t price) const noexcept;
  /// The best bid is not below the best ask.
  [[nodiscard]] bool is_crossed() const noexcept {
    return !bids_.empty() && !asks_.empty() && bids_.back().price >= asks_.back().price;
  }

 private:
  [[nodiscard]] const std::vector<BookLevel>& side_of(market::Side side) const noexcept {
    return side == market::Side::buy ? bids_ : asks_;
  }
  std::vector<BookLevel> bids_, asks_;
};

}  // namespace dojima::flow
