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
    std::list<std::uint64_t> queue;  ///< order ids, oldest first; empty where orders are not known
    std::uint32_t counted = 0;       ///< how many orders there are then; 0: not known
    [[nodiscard]] std::size_t orders() const noexcept { return queue.empty() ? counted : queue.size(); }
  };
  struct Order {
    std::int64_t price = 0;
    std::int64_t displayed = 0;
    std::int64_t leaves = 0;
    market::Side side = market::Side::none;
    std::uint16_t owner = 0;  ///< as Fact::owner
    std::list<std::uint64_t>::iterator place;
  };
  /// By price, the lowest first.
  using Levels = std::map<std::int64_t, Level>;

  /// A report of this book. One that does not fit what is here changes nothing and is counted.
  void apply(const market::BookReport& report, std::uint16_t owner = 0);
  void add(std::uint64_t id, market::Side side, std::int64_t price, std::int64_t displayed, std::int64_t leaves,
           std::uint16_t owner = 0);
  /// What rests at a price of a book whose orders are not known; quantity 0: nothing. `own` of them are an owner's,
  /// the same at all levels.
  void set_level(market::Side side, std::int64_t price, std::int64_t quantity, std::uint32_t orders,
                 std::uint16_t owner = 0, std::uint32_t own = 0);
  void clear();

  [[nodiscard]] const Levels& levels(market::Side side) const noexcept {
    return side == market::Side::buy ? bids_ : asks_;
  }
  /// None: it is not on display.
  [[nodiscard]] const Order* find(std::uint64_t id) const;
  [[nodiscard]] std::size_t orders() const noexcept { return orders_.size(); }
  /// How many orders of an owner stand at a price. O(1).
  [[nodiscard]] std::uint32_t owned(std::uint16_t owner, market::Side side, std::int64_t price) const;
  [[nodiscard]] std::uint64_t misfits() const noexcept { return misfits_; }

 private:
  [[nodiscard]] Levels& levels_of(market::Side side) noexcept { return side == market::Side::buy ? bids_ : asks_; }
  struct Place {
    std::int64_t price = 0;
    std::uint16_t owner = 0;
    market::Side side = market::Side::none;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    [[nodiscard]] std::size_t operator()(const Place& place) const noexcept;
  };
  void show(const market::BookReport& report, std::uint16_t owner);
  void keep(std::uint64_t id, std::int64_t displayed, std::int64_t leaves, bool loses_place);
  void cross(std::uint64_t id, std::int64_t quantity);
  void hide(std::uint64_t id);

  Levels bids_, asks_;
  std::unordered_map<std::uint64_t, Order> orders_;
  std::unordered_map<Place, std::uint32_t, PlaceHash> owned_;  // orders of those whose owner is known
  std::uint64_t misfits_ = 0;
};

}  // namespace dojima::web
