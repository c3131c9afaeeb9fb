#pragma once

// BookAuctions: the phases of a day, and what becomes of orders when one ends and another begins. Included by
// matching.hpp only.

#include <algorithm>

#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_auctions.hpp"

namespace dojima::book {

template <SideQueue Queue>
void BookAuctions<Queue>::leave_phase(const market::PhaseChange& command) {
  using market::Phase;
  if (phase_ == Phase::closing_price_cross && command.phase != phase_) end_collected(cross_price_);
  const bool is_end = market::is_call(phase_) && (command.phase == Phase::closing_price_cross || command.is_uncrossed);
  if (is_collected_ && (command.phase == Phase::continuous || is_end)) uncross();
}

template <SideQueue Queue>
void BookAuctions<Queue>::begin_phase(const market::PhaseChange& command) {
  using market::Phase;
  const Phase before = phase_;
  phase_ = command.phase;
  if (before == Phase::continuous && phase_ != before) ++specials_;
  if (before != Phase::continuous && phase_ == Phase::continuous) --specials_;
  set_bars();
  reference_ = command.reference.units != 0 ? std::optional(command.reference) : std::nullopt;
  if (market::is_call(phase_) || phase_ == Phase::closing_price_cross) is_collected_ = true;
  if (market::is_call(phase_)) {
    if (!is_counting_) count_levels(expected_level());
  } else {
    is_counting_ = false;
    indicative_ = {};
  }
  if (phase_ == Phase::closing_price_cross) {
    if (!cross_price_) cross_price_ = reference_ ? reference_ : last_trade_;
  } else if (market::is_open(phase_)) {
    cross_price_.reset();
  }
  if (phase_ == Phase::continuous && before != phase_ && last_trade_) {
    traded_low_ = traded_low_ ? std::min(*traded_low_, *last_trade_) : *last_trade_;
    traded_high_ = traded_high_ ? std::max(*traded_high_, *last_trade_) : *last_trade_;
  }
  market::BookReport& changed = reports_.append();
  changed.kind = market::BookReportKind::phase_changed;
  changed.instrument = instrument_.id;
  changed.price = command.reference;
  changed.flags = static_cast<std::uint8_t>(phase_);
}

/// An order enters a phase in which nothing trades by entering.
template <SideQueue Queue>
void BookAuctions<Queue>::collect(Slot slot) {
  const market::OrderTerms& terms = orders_.terms(slot);
  if (is_offset(terms)) {
    const std::optional<Price> price = offset_price(terms);
    if (!price) {
      const bool has_reference = reference_ || last_trade_;
      return finish(slot, market::BookReportKind::expired,
                    has_reference ? Reason::price_out_of_range : Reason::no_price, 0);
    }
    orders_.change_terms(slot).limit = *price;
  }
  if (is_for_auctions(terms.time_in_force)) has_auction_orders_ = true;
  const bool is_unlimited = !has_limit(terms) && !is_dark(terms);
  is_unlimited ? append_unlimited(slot) : rest(slot);
}

template <SideQueue Queue>
void BookAuctions<Queue>::append_unlimited(Slot slot) {
  make_special(slot).entered = ++entries_;
  Order& order = orders_[slot];
  order.set_place(Place::market);
  unlimited(order.side).append(slot);
  if (is_counting_) levels_->add_market(order.side, order.leaves);
  market::BookReport& added = report(market::BookReportKind::added, slot);
  added.quantity = orders_.terms(slot).quantity;
  added.flags = market::k_auction;
}

/// What happens behind a command where trading is not continuous.
template <SideQueue Queue>
void BookAuctions<Queue>::settle_phase() {
  if (phase_ == market::Phase::closing_price_cross) {
    if (cross_price_) static_cast<void>(cross(*cross_price_));
    return;
  }
  if (!is_counting_) return;
  const Auction now = auction_now();
  if (now == indicative_) return;
  indicative_ = now;
  report_book(market::BookReportKind::indicative, now);
}

/// The auction or the cross is over: orders without a limit and orders for auctions alone do not stay. Buyers, then
/// sellers; those without a limit, then displayed from the best price, then hidden. O(orders of the book) if there were
/// orders for auctions alone.
template <SideQueue Queue>
void BookAuctions<Queue>::end_collected(std::optional<Price> price) {
  using market::BookReportKind;
  for (const Side side : {Side::buy, Side::sell}) {
    for (Slot slot = unlimited(side).first(), next{}; slot != k_no_slot; slot = next) {
      next = unlimited(side).next(slot);
      market::OrderTerms& terms = orders_.change_terms(slot);
      const bool is_to_limit = terms.type == market::OrderType::market_to_limit;
      if (!is_to_limit || !is_lasting(terms.time_in_force) || !price) {
        take_out_and_finish(slot, BookReportKind::expired,
                            is_to_limit && !price ? Reason::no_price : Reason::time_in_force);
        continue;
      }
      take_out(slot);
      terms.type = market::OrderType::limit;
      terms.limit = instrument_.ticks.price_of(*tick_beside(*price, opposite(side)));
      market::BookReport& replaced = report(BookReportKind::replaced, slot);
      replaced.quantity = terms.quantity;
      replaced.flags = market::k_lost_priority;
      rest(slot);
    }
    if (!has_auction_orders_) continue;
    for (const Queue* queue : {&lit(side), &hidden(side)})
      for (Level level = queue->best(), worse{}; level != k_no_level; level = worse) {
        worse = queue->worse(level);
        for (Slot slot = queue->front(level), next{}; slot != k_no_slot; slot = next) {
          next = queue->next(slot);
          if (is_for_auctions(orders_.terms(slot).time_in_force))
            take_out_and_finish(slot, BookReportKind::expired, Reason::time_in_force);
        }
      }
  }
  has_auction_orders_ = false;
}

}  // namespace dojima::book
