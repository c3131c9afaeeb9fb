#pragma once

// Fields that several requests have, and only in some dialects: a value for one that is not there cannot be carried.
// For the writers of requests. Stateless, no allocation.

#include "dojima/market/order.hpp"
#include "dojima/mit/codec/composer.hpp"

namespace dojima::mit {

[[nodiscard]] inline bool is_side(market::Side side) noexcept {
  return side == market::Side::buy || side == market::Side::sell;
}

template <class M>
void put_passive(Composer<M>& composer, std::uint8_t passive) {
  if constexpr (requires { M::passive_only_order; }) {
    composer.put(M::passive_only_order, passive);
  } else {
    composer.require(passive == 0, M::client_order_id, passive, "no PassiveOnlyOrder: the venue's protocol has none");
  }
}

template <class M>
void put_group(Composer<M>& composer, std::uint8_t group) {
  if constexpr (requires { M::group_id; }) {
    composer.put(M::group_id, group);
  } else {
    composer.require(group == 0, M::client_order_id, group, "no GroupID: the venue's protocol has none");
  }
}

template <class M>
void put_minimum(Composer<M>& composer, market::Quantity minimum) {
  if constexpr (requires { M::minimum_quantity; }) {
    composer.put(M::minimum_quantity, minimum.lots);
  } else {
    composer.require(minimum.lots == 0, M::client_order_id, minimum.lots,
                     "no MinimumQuantity: the venue's protocol has none");
  }
}

template <class M>
void put_offset(Composer<M>& composer, std::int32_t offset_bp) {
  if constexpr (requires { M::offset; }) {
    composer.put(M::offset, offset_bp);
  } else {
    composer.require(offset_bp == 0, M::client_order_id, offset_bp, "no Offset: the venue's protocol has none");
  }
}

}  // namespace dojima::mit
