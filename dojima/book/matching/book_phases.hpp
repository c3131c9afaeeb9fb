#pragma once

// BasicBook: the phases of a day, and what becomes of orders when one ends and another begins. Included by matching.hpp
// only.

#include <algorithm>

#include "dojima/book/matching/book_checks.hpp"

namespace dojima::book {

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::PhaseChange& command) {
  if (static_cast<std::uint8_t>(command.phase) >= market::k_phases)
    return reject({}, Side::none, Reason::not_supported, 0);
  leave_phase(command);
  begin_phase(command);
  enter_waiting();
  settle();
}

template <SideQueue Queue>
void BasicBook<Queue>::leave_phase(const market::PhaseChange& command) {
  using market::Phase;
  if (phase_ == Phase::closing_price_cross && command.phase != phase_) end_collected(cross_price_);
  const bool is_end = market::is_call(phase_) && (command.phase == Phase::closing_price_cross || command.is_uncrossed);
  if (is_collected_ && (command.phase == Phase::continuous || is_end)) uncross();
}

template <SideQueue Queue>
void BasicBook<Queue>::begin_phase(const market::PhaseChange& command) {
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

/// Orders that waited for this phase enter, in the order in which they came to wait.
template <SideQueue Queue>
void BasicBook<Queue>::enter_waiting() {
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
void BasicBook<Queue>::wait(Slot slot) {
  make_special(slot).entered = ++entries_;
  orders_[slot].set_place(Place::auction);
  waiting_.append(slot);
  report(market::BookReportKind::parked, slot).quantity = orders_.terms(slot).quantity;
}

/// An order enters a phase in which nothing trades by entering.
template <SideQueue Queue>
void BasicBook<Queue>::collect(Slot slot) {
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

/// A plain limit order that lasts enters a call: the checks that are left of check_new(), in its order.
template <SideQueue Queue>
void BasicBook<Queue>::collect_plain(const market::NewOrder& command) {
  const market::OrderTerms& terms = command.terms;
  const Side side = terms.side;
  const Quantity quantity = terms.quantity;
  Level level{};
  Reason reason = Reason::none;
  if (quantity.lots <= 0 || quantity > instrument_.maximum_quantity)
    reason = Reason::quantity_out_of_range;
  else if (is_timed(terms.time_in_force) && terms.expiry <= command.header.time)
    reason = Reason::expiry_passed;
  else
    reason = check_price(terms.limit, level);
  if (reason == Reason::none && orders_.is_full()) reason = Reason::order_table_full;
  Queue& own = lit(side);
  if (reason == Reason::none && own.level_count() >= limits_.levels && own.count(level) == 0)
    reason = Reason::levels_full;
  if (reason != Reason::none) return reject({}, side, reason, 0);

  const Slot slot = orders_.add(kept_terms(command), command.labels, instrument_.id);
  report_plain(market::BookReportKind::accepted, side, orders_.id(slot), terms.limit, quantity, quantity);
  own.append(level, slot);
  orders_.compact(slot);
  levels_->add(side, level, quantity);
  report_plain(market::BookReportKind::added, side, orders_.id(slot), terms.limit, quantity, quantity);
  settle_phase();
}

template <SideQueue Queue>
void BasicBook<Queue>::append_unlimited(Slot slot) {
  make_special(slot).entered = ++entries_;
  Order& order = orders_[slot];
  order.set_place(Place::market);
  unlimited(order.side).append(slot);
  if (is_counting_) levels_->add_market(order.side, order.leaves);
  market::BookReport& added = report(market::BookReportKind::added, slot);
  added.quantity = orders_.terms(slot).quantity;
  added.flags = market::k_auction;
}

/// The price of an offset order: so many basis points from the reference towards the other side, on the tick that is
/// more careful, and no further than the limit that was given. None: there is no reference, or no such price.
template <SideQueue Queue>
std::optional<Price> BasicBook<Queue>::offset_price(const market::OrderTerms& terms) const {
  const std::optional<Price> reference = reference_ ? reference_ : last_trade_;
  if (!reference) return std::nullopt;
  constexpr int k_whole = 10'000;
  const bool is_buy = terms.side == Side::buy;
  __extension__ using Wide = __int128;
  const Wide product =
      static_cast<Wide>(reference->units) * (is_buy ? k_whole + terms.offset_bp : k_whole - terms.offset_bp);
  Wide units = product / k_whole;
  if (is_buy && units * k_whole > product) --units;
  if (!is_buy && units * k_whole < product) ++units;
  const Wide lowest = instrument_.ticks.lowest().units, highest = instrument_.ticks.highest().units;
  if (is_buy ? units < lowest : units > highest) return std::nullopt;
  const Price wanted{static_cast<std::int64_t>(std::min(std::max(units, lowest), highest))};
  const std::optional<Level> level = tick_beside(wanted, is_buy ? Side::sell : Side::buy);
  if (!level) return std::nullopt;
  const Price price = instrument_.ticks.price_of(*level);
  if (terms.stop.units == 0) return price;
  return is_buy ? std::min(price, terms.stop) : std::max(price, terms.stop);
}

/// The tick at a price or the next one beside it: below, where a seller would go, or above. None: beyond the table.
template <SideQueue Queue>
std::optional<Level> BasicBook<Queue>::tick_beside(Price price, Side towards) const {
  const market::TickTable& ticks = instrument_.ticks;
  if (const Level level = ticks.level_or_none(price); level != market::TickTable::k_none) return level;
  std::int32_t below = -1, above = ticks.level_count();  // the price lies between these two
  while (above - below > 1) {
    const std::int32_t middle = below + (above - below) / 2;
    (ticks.price_of(Level{middle}) < price ? below : above) = middle;
  }
  const std::int32_t found = towards == Side::sell ? below : above;
  if (found < 0 || found >= ticks.level_count()) return std::nullopt;
  return Level{found};
}

/// What happens behind a command where trading is not continuous.
template <SideQueue Queue>
void BasicBook<Queue>::settle_phase() {
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

/// A report about the book as a whole.
template <SideQueue Queue>
void BasicBook<Queue>::report_book(market::BookReportKind kind, const Auction& auction) {
  market::BookReport& report = reports_.append();
  report.kind = kind;
  report.instrument = instrument_.id;
  report.price = auction.price;
  report.quantity = auction.volume;
  report.leaves = auction.surplus;
  report.side = auction.surplus_side;
}

/// The auction or the cross is over: orders without a limit and orders for auctions alone do not stay. Buyers, then
/// sellers; those without a limit, then displayed from the best price, then hidden. O(orders of the book) if there were
/// orders for auctions alone.
template <SideQueue Queue>
void BasicBook<Queue>::end_collected(std::optional<Price> price) {
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
