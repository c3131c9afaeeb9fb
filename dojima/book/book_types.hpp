#pragma once

// The values that a book takes at construction and shows of itself.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dojima/book/order_table.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

using market::Reason;

struct BookLimits {
  std::size_t levels = 4096;        ///< occupied price levels per side, >= 1
  std::size_t hidden_levels = 256;  ///< levels per side with hidden orders, >= 1
  std::size_t stop_levels = 256;    ///< stop prices per side, >= 1
};

/// An order as it rests in the book.
struct RestingOrder {
  OrderId id;
  Side side = Side::none;
  Price price;
  Quantity leaves;
  Quantity displayed;
  std::uint16_t owner = 0;
  Place place = Place::lit;
};

/// What rests at a price, undisplayed reserves of icebergs included, hidden and dark orders not.
struct PriceLevel {
  Price price;
  Quantity total;
  friend bool operator==(const PriceLevel&, const PriceLevel&) = default;
};

/// A mirrored book in continuous trading whose best bid is not below its best ask, hidden levels included, dark orders
/// not.
struct Crossing {
  Price bid;
  Price ask;
  OrderId order;  ///< of the report that made it so
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// What mirror() has seen of crossed input.
struct Crossings {
  std::uint64_t count = 0;      ///< reports that made the book crossed, or crossed at other prices
  std::optional<Crossing> now;  ///< none: it is not crossed
  Crossing last;                ///< when `count` is not 0
};

}  // namespace dojima::book
