#pragma once

// BookWaiting: orders that wait outside the book, and what wakes them. Included by matching.hpp only.

#include <algorithm>
#include <optional>

#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_waiting.hpp"

namespace dojima::book {

/// A stop order comes to wait.
template <SideQueue Queue>
void BookWaiting<Queue>::park(Slot slot) {
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

template <SideQueue Queue>
void BookWaiting<Queue>::settle() {
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
Slot BookWaiting<Queue>::next_triggered() const {
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
bool BookWaiting<Queue>::is_triggered(const market::OrderTerms& terms) const {
  if (!last_trade_ || phase_ != market::Phase::continuous) return false;
  return terms.side == Side::buy ? *last_trade_ >= terms.stop : *last_trade_ <= terms.stop;
}

/// A waiting order, already out of its place, enters.
template <SideQueue Queue>
void BookWaiting<Queue>::trigger(Slot slot, std::uint8_t flags) {
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

/// The dark order of either side that came first of those that can trade now. O(dark orders of both sides), more where
/// they meet.
template <SideQueue Queue>
Slot BookWaiting<Queue>::next_waking() {
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

/// Orders that waited for this phase enter, in the order in which they came to wait.
template <SideQueue Queue>
void BookWaiting<Queue>::enter_waiting() {
  for (Slot slot = waiting_.first(), next{}; slot != k_no_slot; slot = next) {
    next = waiting_.next(slot);
    const market::OrderTerms& terms = orders_.terms(slot);
    if (!takes_part(terms.time_in_force, phase_)) continue;
    take_out(slot);
    report(market::BookReportKind::triggered, slot).quantity = terms.quantity;
    collect(slot);
  }
}

/// An order waits for its phase.
template <SideQueue Queue>
void BookWaiting<Queue>::wait(Slot slot) {
  make_special(slot).entered = ++entries_;
  orders_[slot].set_place(Place::auction);
  waiting_.append(slot);
  report(market::BookReportKind::parked, slot).quantity = orders_.terms(slot).quantity;
}

}  // namespace dojima::book
