#pragma once

// The orders on display in a book as the messages that add them, by priority.

#include <cstddef>
#include <cstdint>

#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {

/// The Flags of messages about one of an instrument's books.
[[nodiscard]] constexpr std::uint8_t flag_of(SubBook which) noexcept {
  if (which == SubBook::orders) return 0;
  return which == SubBook::firm_quotes ? k_firm_quote : k_private_rfq;
}

/// Calls `add` with an AddOrder or an AddAttributedOrder.
template <class Add>
void add_order(const DisplayedOrder& order, std::uint32_t instrument, SubBook which, std::uint32_t nanosecond,
               Add&& add) {
  const char side = order.side == market::Side::buy ? 'B' : 'S';
  const auto flags = static_cast<std::uint8_t>((order.is_market ? k_market_order : 0) | flag_of(which));
  if (order.attribution.is_empty() && which != SubBook::firm_quotes) {
    add(AddOrder{.nanosecond = nanosecond,
                 .order_id = order.id,
                 .side = side,
                 .quantity = order.quantity,
                 .instrument_id = instrument,
                 .price = order.price,
                 .flags = flags});
  } else {
    const auto attributed = static_cast<std::uint8_t>(which == SubBook::private_rfq ? flags & ~k_private_rfq : flags);
    add(AddAttributedOrder{.nanosecond = nanosecond,
                           .order_id = order.id,
                           .side = side,
                           .quantity = order.quantity,
                           .instrument_id = instrument,
                           .price = order.price,
                           .attribution = order.attribution,
                           .flags = attributed});
  }
}

}  // namespace dojima::mitch
