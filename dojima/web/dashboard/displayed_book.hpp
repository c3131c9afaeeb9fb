#pragma once

// What everybody sees of one instrument's book: levels with their orders, oldest first, kept from the book's reports.
// Hidden, dark and waiting orders are never shown; of an iceberg only its peak. The rules are those of the market data
// feed (mitch::BookPublisher). For the screens' thread: it allocates. O(log levels) per report.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <unordered_map>

#include "dojima/market/report.hpp"

namespace dojima::web {

class DisplayedBook {
 public:
  struct Level {
    std::int64_t quantity = 0;       ///< displayed
    std::list<std::uint64_t> queue;  ///< order ids, oldest first
  };
  struct Order {
    std::int64_t price = 0;
    std::int64_t displayed = 0;
    std::int64_t leaves = 0;
    market::Side side = market::Side::none;
    std::list<std::uint64_t>::iterator place;
  };
  /// By price, the lowest first.
  using Levels = std::map<std::int64_t, Level>;

  /// A report of this book. One that does not fit what is here changes nothing and is counted.
  void apply(const market::BookReport& report);
  void add(std::uint64_t id, market::Side side, std::int64_t price, std::int64_t displayed, std::int64_t leaves);
  void clear();

  [[nodiscard]] const Levels& levels(market::Side side) const noexcept {
    return side == market::Side::buy ? bids_ : asks_;
  }
  /// None: it is not on display.
  [[nodiscard]] const Order* find(std::uint64_t id) const;
  [[nodiscard]] std::size_t orders() const noexcept { return orders_.size(); }
  [[nodiscard]] std::uint64_t misfits() const noexcept { return misfits_; }

 private:
  [[nodiscard]] Levels& levels_of(market::Side side) noexcept { return side == market::Side::buy ? bids_ : asks_; }
  void show(const market::BookReport& report);
  void keep(std::uint64_t id, std::int64_t displayed, std::int64_t leaves, bool loses_place);
  void cross(std::uint64_t id, std::int64_t quantity);
  void hide(std::uint64_t id);

  Levels bids_, asks_;
  std::unordered_map<std::uint64_t, Order> orders_;
  std::uint64_t misfits_ = 0;
};

}  // namespace dojima::web
