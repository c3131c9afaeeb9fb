#pragma once

// The client order ids by which users know their live orders. They are not checked for being unique: the latest order
// of an id has it, and an earlier one is then known by its order id only, also after the later one has ended. O(1), no
// allocation after construction. One thread.

#include <cstddef>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/market/order.hpp"

namespace dojima::venue {

class OrderNames {
 public:
  /// For `orders` live orders at a time. Throws std::bad_alloc.
  explicit OrderNames(std::size_t orders) : orders_(orders) {}

  /// From now on the user means this order by that id; an empty id means nothing.
  void assign(const Text<20>& client_order_id, std::uint16_t user, market::OrderId order) {
    if (client_order_id.is_empty()) return;
    const bool has_room = orders_.assign(Key{.client_order_id = client_order_id, .user = user}, order);
    DOJIMA_ASSERT(has_room, "there is a name for every live order", orders_.size(), order, user);
  }

  /// The order ended or got another id; an id that a later order has is left alone.
  void release(const Text<20>& client_order_id, std::uint16_t user, market::OrderId order) {
    const Key key{.client_order_id = client_order_id, .user = user};
    const market::OrderId* named = orders_.find(key);
    if (named != nullptr && *named == order) orders_.erase(key);
  }

  /// The order that the user means by the id; 0: none.
  [[nodiscard]] market::OrderId find(const Text<20>& client_order_id, std::uint16_t user) const {
    const market::OrderId* named = orders_.find(Key{.client_order_id = client_order_id, .user = user});
    return named != nullptr ? *named : market::OrderId{};
  }

 private:
  struct Key {
    Text<20> client_order_id;
    std::uint16_t user = 0;
    std::uint16_t reserved = 0;
  };

  FixedMap<Key, market::OrderId> orders_;
};

}  // namespace dojima::venue
