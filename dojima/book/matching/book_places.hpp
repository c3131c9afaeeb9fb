#pragma once

// BasicBook: where an order rests when it does not trade, what wakes it, and how it ends. Included by matching.hpp
// only.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/book_checks.hpp"

namespace dojima::book {

/// What is left of an order outside the book comes to rest in it.
template <SideQueue Queue>
void BasicBook<Queue>::rest(Slot slot) {
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
  if (is_counting_) levels_->add(terms.side, level, order.leaves);
  market::BookReport& added = report(BookReportKind::added, slot);
  added.quantity = terms.quantity;
  if (is_hidden) added.flags = market::k_hidden;
}

/// A stop order comes to wait.
template <SideQueue Queue>
void BasicBook<Queue>::park(Slot slot) {
  Order& order = orders_[slot];
  OrderExtra& extra = make_special(slot);
  const market::OrderTerms& terms = orders_.terms(slot);
  const bool is_trailing = terms.type == market::OrderType::trailing_stop;
  Price stop = terms.stop;
  if (is_trailing) {
    if (extra.entered == 0) extra.trigger = moved(*last_trade_, terms.side == Side::buy ? stop.units : -stop.units);
    stop = extra.trigger;
    order.set_place(Place::trailing);
    extra.entered = ++entries_;
    trailing_.append(slot);
  } else {
    order.set_place(Place::stop);
    stops(terms.side).append(instrument_.ticks.level_or_none(stop), slot);
  }
  market::BookReport& parked = report(market::BookReportKind::parked, slot);
  parked.quantity = terms.quantity;
  parked.price = stop;
}

/// An order that rests or waits leaves its place. It stays special until it rests as a plain one.
template <SideQueue Queue>
void BasicBook<Queue>::take_out(Slot slot) {
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
void BasicBook<Queue>::resize(Slot slot, Quantity change) {
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
void BasicBook<Queue>::end(Slot slot) {
  unlink(slot);
  if (orders_[slot].is_special()) {
    orders_[slot].state &= static_cast<std::uint8_t>(~k_special);
    --specials_;
  }
  orders_.release(slot);
}

/// The order outside the book ends with what it has left.
template <SideQueue Queue>
void BasicBook<Queue>::finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags) {
  market::BookReport& ended = report(kind, slot);
  ended.quantity = ended.leaves;
  ended.leaves = ended.displayed = {};
  ended.reason = reason;
  ended.flags = flags;
  end(slot);
}

template <SideQueue Queue>
void BasicBook<Queue>::take_out_and_finish(Slot slot, market::BookReportKind kind, Reason reason) {
  const bool was_waiting = waits_outside(orders_[slot].place());
  take_out(slot);
  finish(slot, kind, reason, was_waiting ? std::uint8_t{0} : std::uint8_t{market::k_was_resting});
}

// ---- One cancels the other -----------------------------------------------------------------------------------------

/// Neither is linked from now on; whom it was linked with.
template <SideQueue Queue>
OrderId BasicBook<Queue>::unlink(Slot slot) {
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
void BasicBook<Queue>::cancel_linked(OrderId linked) {
  if (linked.value == 0) return;
  take_out_and_finish(orders_.find(linked), market::BookReportKind::cancelled, Reason::linked_executed);
}

template <SideQueue Queue>
OrderExtra& BasicBook<Queue>::make_special(Slot slot) {
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
void BasicBook<Queue>::make_plain(Slot slot) {
  Order& order = orders_[slot];
  if (order.is_special()) {
    if (orders_.extra(slot).linked.value != 0) return;
    order.state &= static_cast<std::uint8_t>(~k_special);
    --specials_;
  }
  orders_.compact(slot);
}

// ---- What wakes a waiting order ------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::settle() {
  if (phase_ != market::Phase::continuous) return settle_phase();
  for (;;) {
    const Slot stop = next_triggered();
    if (stop != k_no_slot) {
      take_out(stop);
      trigger(stop, 0);
      continue;
    }
    traded_low_ = traded_high_ = std::nullopt;
    const Slot waking = next_waking();
    if (waking == k_no_slot) return;
    take_out(waking);
    trigger(waking, market::k_was_resting);
  }
}

/// The stop order whose turn it is: buyers from the lowest stop price up, then sellers from the highest down, then
/// trailing ones, each in the order of entry.
template <SideQueue Queue>
Slot BasicBook<Queue>::next_triggered() const {
  if (traded_high_)
    for (const Side side : {Side::buy, Side::sell}) {
      const Level level = stops(side).best();
      if (level == k_no_level) continue;
      const Price stop = instrument_.ticks.price_of(level);
      if (side == Side::buy ? stop <= *traded_high_ : stop >= *traded_low_) return stops(side).front(level);
    }
  for (Slot slot = trailing_.first(); slot != k_no_slot; slot = trailing_.next(slot))
    if (orders_.extra(slot).is_triggered) return slot;
  return k_no_slot;
}

/// Whether a stop order need not wait at all.
template <SideQueue Queue>
bool BasicBook<Queue>::is_triggered(const market::OrderTerms& terms) const {
  if (!last_trade_ || phase_ != market::Phase::continuous) return false;
  return terms.side == Side::buy ? *last_trade_ >= terms.stop : *last_trade_ <= terms.stop;
}

/// A waiting order, already out of its place, enters.
template <SideQueue Queue>
void BasicBook<Queue>::trigger(Slot slot, std::uint8_t flags) {
  market::OrderTerms& terms = orders_.change_terms(slot);
  const bool was_stop = is_stop(terms) || terms.type == market::OrderType::trailing_stop;
  if (was_stop)
    terms.type = terms.type == market::OrderType::stop_limit ? market::OrderType::limit : market::OrderType::market;
  market::BookReport& triggered = report(market::BookReportKind::triggered, slot);
  triggered.quantity = terms.quantity;
  triggered.flags = flags;
  if (was_stop) cancel_linked(unlink(slot));
  enter(slot, 0);
}

/// A trade was made: remembers it for the stop orders, and the trailing ones follow it.
template <SideQueue Queue>
void BasicBook<Queue>::follow(Price price) {
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

/// The dark order of either side that came first of those that can trade now. O(dark orders of both sides), more where
/// they meet.
template <SideQueue Queue>
Slot BasicBook<Queue>::next_waking() {
  if (dark_bids_.is_empty() && dark_asks_.is_empty()) return k_no_slot;
  middle_ = middle();
  Slot bid = dark_bids_.first(), ask = dark_asks_.first();
  while (bid != k_no_slot || ask != k_no_slot) {
    const bool is_bid =
        ask == k_no_slot || (bid != k_no_slot && orders_.extra(bid).entered < orders_.extra(ask).entered);
    Slot& next = is_bid ? bid : ask;
    const Slot slot = next;
    next = (is_bid ? dark_bids_ : dark_asks_).next(slot);
    const Quantity lots = tradable(slot);
    if (is_all_or_none(orders_.terms(slot)) ? lots >= orders_[slot].leaves : lots.lots > 0) return slot;
  }
  return k_no_slot;
}

// ---- What others see -----------------------------------------------------------------------------------------------

/// What an order shows, or would show if it came to rest.
template <SideQueue Queue>
Quantity BasicBook<Queue>::displayed_of(Slot slot) const {
  const Order& order = orders_[slot];
  if (!order.is_special()) return order.leaves;
  const market::OrderTerms& terms = orders_.terms(slot);
  if (order.is_resting() && order.place() != Place::lit) return {};
  if (is_dark(terms) || is_stop(terms) || terms.type == market::OrderType::trailing_stop) return {};
  if (orders_.extra(slot).is_iceberg) return orders_.extra(slot).displayed;
  return std::min(terms.displayed, order.leaves);
}

template <SideQueue Queue>
RestingOrder BasicBook<Queue>::resting_order(Slot slot) const {
  const Order& order = orders_[slot];
  return {orders_.id(slot),   order.side,  orders_.limit(slot), order.leaves,
          displayed_of(slot), order.owner, order.place()};
}

/// A report about an order as it is now; the quantity is the caller's.
template <SideQueue Queue>
market::BookReport& BasicBook<Queue>::report(market::BookReportKind kind, Slot slot) {
  const Order& order = orders_[slot];
  market::BookReport& report = reports_.append();
  report.kind = kind;
  report.order = orders_.id(slot);
  report.price = orders_.limit(slot);
  report.leaves = order.leaves;
  report.displayed = displayed_of(slot);
  report.instrument = instrument_.id;
  report.side = order.side;
  return report;
}

}  // namespace dojima::book
