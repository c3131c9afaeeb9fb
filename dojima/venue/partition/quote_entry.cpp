#include "dojima/venue/partition/quote_entry.hpp"

namespace dojima::venue {

using market::OrderId;
using market::Quantity;
using market::Reason;
using market::Side;

namespace {

[[nodiscard]] Quantity size_of_side(const market::Quote& quote, Side side) noexcept {
  return side == Side::buy ? quote.bid_size : quote.ask_size;
}

[[nodiscard]] market::Price price_of_side(const market::Quote& quote, Side side) noexcept {
  return side == Side::buy ? quote.bid : quote.ask;
}

/// A side that has no order yet, as an order.
[[nodiscard]] market::NewOrder new_side(const market::Quote& quote, Side side) noexcept {
  market::NewOrder order;
  order.header = quote.header;
  order.header.type = market::CommandType::new_order;
  order.labels = quote.labels;
  order.labels.account = {};
  order.terms.limit = price_of_side(quote, side);
  order.terms.quantity = order.terms.displayed = size_of_side(quote, side);
  order.terms.owner = quote.header.user;
  order.terms.side = side;
  order.terms.type = market::OrderType::limit;
  order.terms.time_in_force = quote.time_in_force;
  order.terms.capacity = quote.capacity;
  order.terms.peg = quote.peg;
  order.terms.flags = static_cast<std::uint8_t>(quote.flags | market::k_quote);
  return order;
}

[[nodiscard]] market::Cancel cancel_of_side(const market::CommandHeader& header, const Text<20>& client_order_id,
                                            Side side, OrderId order) noexcept {
  market::Cancel cancel;
  cancel.header = header;
  cancel.header.type = market::CommandType::cancel;
  cancel.order = order;
  cancel.client_order_id = client_order_id;
  cancel.side = side;
  return cancel;
}

[[nodiscard]] bool is_crossed(const market::Quote& quote) noexcept {
  return quote.bid_size.lots > 0 && quote.ask_size.lots > 0 && quote.bid >= quote.ask;
}

}  // namespace

/// What the side's order becomes: a size is what is left, so what was executed comes on top.
market::Replace QuoteEntry::amendment(const market::Quote& quote, Side side, OrderId order) const {
  market::Replace replace;
  replace.header = quote.header;
  replace.header.type = market::CommandType::replace;
  replace.order = order;
  replace.limit = price_of_side(quote, side);
  replace.stop.units = -1;
  replace.quantity = replace.displayed = size_of_side(quote, side) + orders_.executed(orders_.slot_of(order));
  replace.side = side;
  replace.client_order_id = quote.labels.client_order_id;
  return replace;
}

Reason QuoteEntry::refusal_of_side(const market::Quote& quote, Side side, OrderId order, const book::Book& book) const {
  if (size_of_side(quote, side).lots == 0) return Reason::none;
  if (price_of_side(quote, side).units <= 0) return Reason::price_out_of_range;
  return order.value != 0 ? book.refusal(amendment(quote, side, order)) : book.refusal(new_side(quote, side));
}

std::uint32_t QuoteEntry::new_orders(const market::Quote& quote, const QuoteSides& live) const noexcept {
  const bool has_new_bid = quote.bid_size.lots != 0 && live.bid.value == 0;
  const bool has_new_ask = quote.ask_size.lots != 0 && live.ask.value == 0;
  return std::uint32_t{has_new_bid} + std::uint32_t{has_new_ask};
}

Reason QuoteEntry::refusal(const market::Quote& quote, const book::Book& book) const {
  if (!risk_.is_known(quote.header.user)) return Reason::unknown_user;
  const QuoteSides live = owned_.quotes().find(quote.header.user, quote.header.instrument);
  if (const Reason reason = risk_.check(quote, true, new_orders(quote, live)); reason != Reason::none) return reason;
  if (limits_.is_on())
    if (const Reason reason = limits_.refusal(limits_.request_of(quote, live.bid, live.ask)); reason != Reason::none)
      return reason;
  return refusal_of_book(quote, book);
}

/// Of the quote in hand: what its user may do.
Reason QuoteEntry::admit(const market::Quote& quote) {
  if (!risk_.is_known(quote.header.user)) return Reason::unknown_user;
  const QuoteSides live = owned_.quotes().find(quote.header.user, quote.header.instrument);
  if (const Reason reason = risk_.check(quote, true, new_orders(quote, live)); reason != Reason::none) return reason;
  return limits_.is_on() ? limits_.admit(limits_.request_of(quote, live.bid, live.ask)) : Reason::none;
}

Reason QuoteEntry::refusal_of_book(const market::Quote& quote, const book::Book& book) const {
  const QuoteSides live = owned_.quotes().find(quote.header.user, quote.header.instrument);
  const bool has_quote = live.bid.value != 0 || live.ask.value != 0;
  const bool is_empty = quote.bid_size.lots == 0 && quote.ask_size.lots == 0;
  if (quote.bid_size.lots < 0 || quote.ask_size.lots < 0 || (is_empty && !has_quote))
    return Reason::quantity_out_of_range;
  if (is_crossed(quote)) return Reason::price_out_of_range;
  if (!has_quote && owned_.quotes().is_full()) return Reason::order_table_full;
  if (orders_.capacity() - orders_.size() < new_orders(quote, live)) return Reason::order_table_full;
  const Reason of_bid = refusal_of_side(quote, Side::buy, live.bid, book);
  return of_bid != Reason::none ? of_bid : refusal_of_side(quote, Side::sell, live.ask, book);
}

void QuoteEntry::enter(const market::Quote& quote, book::Book* book) {
  Reason reason = book != nullptr ? admit(quote) : risk_.check(quote, false, 0);
  if (reason == Reason::none) reason = refusal_of_book(quote, *book);
  if (reason != Reason::none) return refuse(quote, reason);
  // The side that moves out of the way of the other comes first: a quote never meets itself.
  const QuoteSides live = owned_.quotes().find(quote.header.user, quote.header.instrument);
  const bool is_raised =
      live.ask.value != 0 && quote.bid_size.lots != 0 && quote.bid >= orders_.limit(orders_.slot_of(live.ask));
  const Side first = is_raised ? Side::sell : Side::buy;
  apply_side(quote, first, *book);
  apply_side(quote, market::opposite(first), *book);
}

/// One refusal for each side that is meant. A command for no book or user here concerns no side.
void QuoteEntry::refuse(const market::Quote& quote, Reason reason) {
  const bool is_whole = reason == Reason::unknown_instrument || reason == Reason::unknown_user;
  const QuoteSides live = owned_.quotes().find(quote.header.user, quote.header.instrument);
  const bool is_ask = quote.ask_size.lots != 0 || live.ask.value != 0;
  if (is_whole || !is_ask || quote.bid_size.lots != 0 || live.bid.value != 0)
    reports_.refuse(new_side(quote, Side::buy), reason);
  if (is_ask && !is_whole) reports_.refuse(new_side(quote, Side::sell), reason);
}

/// What the first side has set off may have ended this one meanwhile: it is looked up now. Its reports are handed over
/// before the next side's, as they answer as another kind of request.
void QuoteEntry::apply_side(const market::Quote& quote, Side side, book::Book& book) {
  const OrderId order = owned_.quotes().find(quote.header.user, quote.header.instrument).at(side);
  const bool is_wanted = size_of_side(quote, side).lots != 0;
  if (order.value != 0 && is_wanted) {
    const market::Replace replace = amendment(quote, side, order);
    book.apply(owned_.begin(replace));
    reports_.finish();
  } else if (order.value != 0) {
    const market::Cancel cancel = cancel_of_side(quote.header, quote.labels.client_order_id, side, order);
    book.apply(owned_.begin(cancel));
    reports_.finish();
  } else if (is_wanted) {
    const market::NewOrder entry = new_side(quote, side);
    book.apply(owned_.begin(entry));
    reports_.finish();
  }
}

/// The other side of the quote that the order is of; 0: it is of none, or there is no other, or it will be refused.
OrderId QuoteEntry::other_side(const market::Cancel& command) const noexcept {
  const book::Slot slot = orders_.find(command.order);
  if (slot == book::k_no_slot || (orders_.flags(slot) & market::k_quote) == 0) [[likely]]
    return {};
  const book::Order& order = orders_[slot];
  if (order.owner != command.header.user || order.side != command.side || order.instrument != command.header.instrument)
    return {};
  return owned_.quotes().find(order.owner, order.instrument).at(market::opposite(order.side));
}

void QuoteEntry::cancel_with_quote(const market::Cancel& command, book::Book& book) {
  const OrderId other = other_side(command);
  book.apply(command);
  if (other.value == 0) [[likely]]
    return;
  // What the first has set off may have ended the other.
  reports_.finish();
  if (orders_.find(other) == book::k_no_slot) return;
  book.apply(cancel_of_side(command.header, command.client_order_id, market::opposite(command.side), other));
}

}  // namespace dojima::venue
