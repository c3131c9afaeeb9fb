#pragma once

// BookPlaces: where an order rests when it does not trade, what wakes it, and how it ends. Included by matching.hpp
// only.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/base/splitmix.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_places.hpp"

namespace dojima::book {

/// What is left of an order outside the book comes to rest in it.
template <SideQueue Queue>
void BookPlaces<Queue>::rest(Slot slot) {
  using market::BookReportKind;
  Order& order = orders_[slot];
  const market::OrderTerms& terms = orders_.terms(slot);
  if (is_dark(terms)) {
    order.set_place(Place::dark);
    make_special(slot).entered = ++entries_;
    dark(terms.side).append(slot);
    set_bars();
    market::BookReport& added = report(BookReportKind::added, slot);
    added.quantity = terms.quantity;
    added.flags = market::k_hidden | market::k_dark;
    return;
  }
  const bool is_hidden = terms.displayed.lots == 0;
  Queue& queue = is_hidden ? hidden(terms.side) : lit(terms.side);
  const Level level = instrument_.ticks.level_or_none(terms.limit);
  // Seen to before an order enters; but a stop order's limit, a market-to-limit order's price and what self-trade
  // prevention leaves are not known then.
  if (queue.count(level) == 0 && queue.level_count() >= (is_hidden ? limits_.hidden_levels : limits_.levels))
    return finish(slot, BookReportKind::expired, Reason::levels_full, 0);
  order.set_place(is_hidden ? Place::hidden : Place::lit);
  if (is_hidden) {
    make_special(slot);
  } else if (terms.displayed < order.leaves) {
    OrderExtra& extra = make_special(slot);
    extra.is_iceberg = true;
    extra.displayed = drawn_peak(terms);
  } else {
    make_plain(slot);
  }
  queue.append(level, slot);
  if (!is_hidden) forget_largest(terms.side, level);
  if (is_counting_) levels_->add(terms.side, level, order.leaves);
  market::BookReport& added = report(BookReportKind::added, slot);
  added.quantity = terms.quantity;
  if (is_hidden) added.flags = market::k_hidden;
}

/// An order that rests or waits leaves its place. It stays special until it rests as a plain one.
template <SideQueue Queue>
void BookPlaces<Queue>::take_out(Slot slot) {
  const Order& order = orders_[slot];
  const Side side = order.side;
  if (is_counting_) count_change(slot, Quantity{} - order.leaves);
  switch (order.place()) {
    case Place::lit:
      lit(side).erase(slot);
      if (order.is_special()) orders_.extra(slot).is_iceberg = false;
      return;
    case Place::hidden:
      return hidden(side).erase(slot);
    case Place::stop:
      return stops(side).erase(slot);
    case Place::dark:
      dark(side).erase(slot);
      return set_bars();
    case Place::trailing:
      return trailing_.erase(slot);
    case Place::auction:
      return waiting_.erase(slot);
    case Place::market:
      return unlimited(side).erase(slot);
  }
}

/// Changes what an order has left, wherever it is.
template <SideQueue Queue>
void BookPlaces<Queue>::resize(Slot slot, Quantity change) {
  Order& order = orders_[slot];
  if (!order.is_resting()) {
    order.leaves += change;
    return;
  }
  if (is_counting_) count_change(slot, change);
  switch (order.place()) {
    case Place::lit:
      return lit(order.side).resize(slot, change);
    case Place::hidden:
      return hidden(order.side).resize(slot, change);
    case Place::stop:
      return stops(order.side).resize(slot, change);
    case Place::dark:
      return dark(order.side).resize(slot, change);
    case Place::trailing:
      return trailing_.resize(slot, change);
    case Place::auction:
      return waiting_.resize(slot, change);
    case Place::market:
      return unlimited(order.side).resize(slot, change);
  }
}

/// An order outside the book is no more.
template <SideQueue Queue>
void BookPlaces<Queue>::end(Slot slot) {
  unlink(slot);
  if (orders_[slot].is_special()) {
    orders_[slot].state &= static_cast<std::uint8_t>(~k_special);
    --specials_;
  }
  orders_.release(slot);
}

/// The order outside the book ends with what it has left.
template <SideQueue Queue>
void BookPlaces<Queue>::finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags) {
  market::BookReport& ended = report(kind, slot);
  ended.quantity = ended.leaves;
  ended.leaves = ended.displayed = {};
  ended.reason = reason;
  ended.flags = flags;
  end(slot);
}

template <SideQueue Queue>
void BookPlaces<Queue>::take_out_and_finish(Slot slot, market::BookReportKind kind, Reason reason) {
  const bool was_waiting = waits_outside(orders_[slot].place());
  take_out(slot);
  finish(slot, kind, reason, was_waiting ? std::uint8_t{0} : std::uint8_t{market::k_was_resting});
}

// ---- One cancels the other -----------------------------------------------------------------------------------------

/// Neither is linked from now on; whom it was linked with.
template <SideQueue Queue>
OrderId BookPlaces<Queue>::unlink(Slot slot) {
  if (!orders_[slot].is_special()) return {};
  const OrderId other = orders_.extra(slot).linked;
  if (other.value == 0) return {};
  orders_.extra(slot).linked = {};
  const Slot partner = orders_.find(other);
  DOJIMA_ASSERT(partner != k_no_slot, "a link holds between live orders");
  orders_.extra(partner).linked = {};
  for (const Slot each : {slot, partner})
    if (orders_[each].is_resting() && orders_[each].place() == Place::lit && !orders_.extra(each).is_iceberg)
      make_plain(each);
  return other;
}

template <SideQueue Queue>
void BookPlaces<Queue>::cancel_linked(OrderId linked) {
  if (linked.value == 0) return;
  take_out_and_finish(orders_.find(linked), market::BookReportKind::cancelled, Reason::linked_executed);
}

template <SideQueue Queue>
OrderExtra& BookPlaces<Queue>::make_special(Slot slot) {
  Order& order = orders_[slot];
  if (!order.is_special()) {
    static_cast<void>(orders_.change_terms(slot));  // a special order is not compact
    order.state |= k_special;
    ++specials_;
    orders_.extra(slot) = {};
  }
  return orders_.extra(slot);
}

/// The order shows all it has in a lit level; only a link can still make it special.
template <SideQueue Queue>
void BookPlaces<Queue>::make_plain(Slot slot) {
  Order& order = orders_[slot];
  if (order.is_special()) {
    if (orders_.extra(slot).linked.value != 0) return;
    order.state &= static_cast<std::uint8_t>(~k_special);
    --specials_;
  }
  orders_.compact(slot);
}

/// A trade was made: remembers it for the stop orders, and the trailing ones follow it.
template <SideQueue Queue>
void BookPlaces<Queue>::follow(Price price) {
  last_trade_ = price;
  traded_low_ = traded_low_ ? std::min(*traded_low_, price) : price;
  traded_high_ = traded_high_ ? std::max(*traded_high_, price) : price;
  for (Slot slot = trailing_.first(); slot != k_no_slot; slot = trailing_.next(slot)) {
    const market::OrderTerms& terms = orders_.terms(slot);
    OrderExtra& extra = orders_.extra(slot);
    if (extra.is_triggered) continue;
    const bool is_buy = terms.side == Side::buy;
    extra.is_triggered = is_buy ? price >= extra.trigger : price <= extra.trigger;
    const Price trailed = moved(price, is_buy ? terms.stop.units : -terms.stop.units);
    extra.trigger = is_buy ? std::min(extra.trigger, trailed) : std::max(extra.trigger, trailed);
  }
}

/// What an order that rests in the book has left changes.
template <SideQueue Queue>
void BookPlaces<Queue>::count_change(Slot slot, Quantity change) {
  const Order& order = orders_[slot];
  switch (order.place()) {
    case Place::lit:
      return levels_->add(order.side, lit(order.side).level_of(slot), change);
    case Place::hidden:
      return levels_->add(order.side, hidden(order.side).level_of(slot), change);
    case Place::market:
      return levels_->add_market(order.side, change);
    default:
      return;
  }
}

/// An iceberg whose peak is used up shows the next one, behind all others of its level.
template <SideQueue Queue>
void BookPlaces<Queue>::replenish(Slot slot) {
  Order& order = orders_[slot];
  const market::OrderTerms& terms = orders_.terms(slot);
  Queue& queue = lit(order.side);
  const Level level = queue.level_of(slot);
  queue.erase(slot);
  const bool has_more = terms.displayed < order.leaves;
  orders_.extra(slot).displayed = has_more ? drawn_peak(terms) : order.leaves;
  queue.append(level, slot);
  forget_largest(order.side, level);
  market::BookReport& replenished = report(market::BookReportKind::replenished, slot);
  replenished.quantity = terms.quantity;
}

/// The next peak of an order that has more than it shows: fixed, or drawn between half of it and all of it.
template <SideQueue Queue>
Quantity BookPlaces<Queue>::drawn_peak(const market::OrderTerms& terms) {
  if (terms.sub_type != market::OrderSubType::random_peak) return terms.displayed;
  const std::uint64_t value = splitmix64(random_);
  const auto choices = static_cast<std::uint64_t>(terms.displayed.lots) / 2 + 1;
  return {terms.displayed.lots - static_cast<std::int64_t>(value % choices)};
}

/// Whether what is special can act on any plain command, whatever it is: trading is not continuous, or an order waits
/// outside the levels that others can wake by leaving: a pegged one follows the touch, dark orders may meet each other,
/// or other orders of their owners prevent a trade. With the nearest rank of the dark orders of either side.
template <SideQueue Queue>
typename BookPlaces<Queue>::Bars BookPlaces<Queue>::bars_now() const {
  Bars bars;
  bool is_barred = phase_ != market::Phase::continuous || (!dark_bids_.is_empty() && !dark_asks_.is_empty());
  for (const Side side : {Side::buy, Side::sell})
    for (Slot slot = dark(side).first(); slot != k_no_slot; slot = dark(side).next(slot)) {
      is_barred = is_barred || is_pegged(orders_.terms(slot)) || rules_.self_trade != SelfTrade::allowed;
      std::int64_t& nearest = bars.dark_ranks[side == Side::buy ? 0 : 1];
      nearest = std::min(nearest, rank_of(side, instrument_.ticks.level_or_none(orders_.limit(slot))));
    }
  bars.word = (bars_ & k_forbidden) | (is_barred ? 1 : 0);
  return bars;
}

template <SideQueue Queue>
void BookPlaces<Queue>::set_bars() {
  const Bars bars = bars_now();
  bars_ = bars.word;
  dark_ranks_ = bars.dark_ranks;
}

}  // namespace dojima::book
