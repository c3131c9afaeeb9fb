#pragma once

// The quotes of the clients: which orders are the sides of a venue user's quote in an instrument, as far as the venue
// has said. What is here follows from the open orders. O(1) expected, no allocation after construction, one thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/base/fixed_map.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

[[nodiscard]] inline bool is_quote_side(const Order& order) noexcept {
  return (order.terms.flags & market::k_quote) != 0;
}

class QuoteOrders {
 public:
  /// Pairs of a user and an instrument that ever have a quote.
  static constexpr std::size_t k_most = 1 << 16;

  /// `records` outlives this; `pairs`: of users and instruments. Throws std::bad_alloc.
  QuoteOrders(const Records& records, std::size_t pairs)
      : records_(records), sides_(std::min(std::max(pairs, std::size_t{1}), k_most)) {}

  /// The slot of the open order on that side; none: there is no such one.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t user, std::uint32_t instrument,
                                                  market::Side side) const noexcept {
    const Sides* const sides = sides_.find({user, instrument});
    if (sides == nullptr) return std::nullopt;
    const Place& place = sides->at(side);
    if (place.slot == k_no_slot || !records_.has_order(place.slot)) return std::nullopt;
    const Order& order = records_.order_at(place.slot);
    const bool is_there = order.generation == place.generation && is_open(order.state);
    return is_there ? std::optional(place.slot) : std::nullopt;
  }
  /// The open order on the other side of the quote that the order is, or was, one of.
  [[nodiscard]] std::optional<std::uint32_t> find_other(const Order& order) const noexcept {
    return is_quote_side(order) ? find(order.user, order.instrument, market::opposite(order.terms.side)) : std::nullopt;
  }
  [[nodiscard]] bool has_room(std::uint32_t user, std::uint32_t instrument) const noexcept {
    return sides_.size() != sides_.capacity() || sides_.find({user, instrument}) != nullptr;
  }
  /// The order in this slot is one side from now on. There must be room.
  void set(std::uint32_t slot) noexcept {
    const Order& order = records_.order_at(slot);
    const Key key{order.user, order.instrument};
    Sides sides;
    if (const Sides* const known = sides_.find(key); known != nullptr) sides = *known;
    sides.at(order.terms.side) = {slot, order.generation};
    [[maybe_unused]] const bool is_set = sides_.assign(key, sides);
    DOJIMA_ASSERT(is_set, "there is room for the quote of an order", slot, order.user, order.instrument);
  }

 private:
  struct Key {
    std::uint32_t user = 0;
    std::uint32_t instrument = 0;
  };
  struct Place {
    std::uint32_t slot = k_no_slot;
    std::uint32_t generation = 0;
  };
  struct Sides {
    Place bid, ask;
    [[nodiscard]] Place& at(market::Side side) noexcept { return side == market::Side::buy ? bid : ask; }
    [[nodiscard]] const Place& at(market::Side side) const noexcept { return side == market::Side::buy ? bid : ask; }
  };

  const Records& records_;
  FixedMap<Key, Sides> sides_;
};

}  // namespace dojima::gateway
