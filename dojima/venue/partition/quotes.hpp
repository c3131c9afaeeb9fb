#pragma once

// The users' quotes: which live orders are the sides of a user's quote in an instrument. A user has one quote in each.
// What is here follows from the orders that are live, so it is no state of its own. O(1) expected, no allocation after
// construction. One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/order.hpp"

namespace dojima::venue {

/// Order ids; 0: that side is not quoted.
struct QuoteSides {
  market::OrderId bid;
  market::OrderId ask;

  [[nodiscard]] market::OrderId& at(market::Side side) noexcept { return side == market::Side::buy ? bid : ask; }
  [[nodiscard]] market::OrderId at(market::Side side) const noexcept { return side == market::Side::buy ? bid : ask; }
};

class Quotes {
 public:
  /// Quotes at a time, of all users.
  static constexpr std::size_t k_most = 1 << 16;

  /// Of the orders in this table, which must outlive it; `pairs`: of users and instruments. Throws std::bad_alloc.
  Quotes(const book::OrderTable& orders, std::size_t pairs)
      : orders_(orders), sides_(std::min({pairs, orders.capacity(), k_most})) {}

  [[nodiscard]] QuoteSides find(std::uint16_t user, std::uint32_t instrument) const noexcept {
    const QuoteSides* sides = sides_.find({instrument, user});
    return sides != nullptr ? *sides : QuoteSides{};
  }
  /// Nobody has one.
  [[nodiscard]] bool is_empty() const noexcept { return sides_.size() == 0; }
  /// Whether there is room for a quote of somebody who has none in the instrument.
  [[nodiscard]] bool is_full() const noexcept { return sides_.size() == sides_.capacity(); }

  /// The live order in this slot is one side of its owner's quote from now on. There must be room.
  void add(book::Slot slot) {
    const book::Order& order = orders_[slot];
    const Key key{order.instrument, order.owner};
    QuoteSides* sides = sides_.find(key);
    if (sides == nullptr) {
      const bool has_room = sides_.insert(key, {});
      DOJIMA_ASSERT(has_room, "a full table of quotes is seen before an order of one is added", order.instrument,
                    order.owner, sides_.size());
      sides = sides_.find(key);
    }
    sides->at(order.side) = orders_.id(slot);
  }
  /// The order in this slot is over.
  void remove(book::Slot slot) noexcept {
    const book::Order& order = orders_[slot];
    const Key key{order.instrument, order.owner};
    QuoteSides* sides = sides_.find(key);
    if (sides == nullptr || sides->at(order.side) != orders_.id(slot)) return;
    sides->at(order.side) = {};
    if (sides->at(market::opposite(order.side)).value == 0) sides_.erase(key);
  }

 private:
  struct Key {
    std::uint32_t instrument = 0;
    std::uint32_t user = 0;
  };

  const book::OrderTable& orders_;
  FixedMap<Key, QuoteSides> sides_;
};

}  // namespace dojima::venue
