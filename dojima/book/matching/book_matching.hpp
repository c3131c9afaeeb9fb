#pragma once

// BookMatching: how an order enters a book in which everything is possible. Included by matching.hpp only.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_matching.hpp"

namespace dojima::book {

/// A live order outside the book comes in: it trades what it can, then rests, expires or is done.
template <SideQueue Queue>
void BookMatching<Queue>::enter(Slot slot, std::uint8_t passive) {
  if (phase_ != market::Phase::continuous) return collect(slot);
  Order& order = orders_[slot];
  const market::OrderTerms& terms = orders_.terms(slot);
  middle_ = middle();
  if (terms.type == market::OrderType::market_to_limit) {
    const std::optional<Price> touch = best(market::opposite(terms.side));
    if (!touch) return finish(slot, market::BookReportKind::expired, Reason::no_price, 0);
    market::OrderTerms& limited = orders_.change_terms(slot);
    limited.type = market::OrderType::limit;
    limited.limit = *touch;
  }
  if (passive != 0 && !is_passive(terms, passive))
    return finish(slot, market::BookReportKind::expired, Reason::passive_only, 0);
  const bool is_whole = terms.time_in_force == market::TimeInForce::fill_or_kill || is_all_or_none(terms);
  const bool is_kept_back = is_whole && tradable(slot) < order.leaves;
  if (is_kept_back || match(slot)) conclude(slot);
}

/// An order outside the book has traded what it can: what is left of it rests or expires.
template <SideQueue Queue>
void BookMatching<Queue>::conclude(Slot slot) {
  if (orders_[slot].leaves.lots == 0)
    end(slot);
  else if (may_rest(orders_.terms(slot)))
    rest(slot);
  else
    finish(slot, market::BookReportKind::expired, Reason::time_in_force, 0);
}

/// Whether a limit order is as passive as its rule asks: nothing displayed would trade with it, and it rests near
/// enough to its side's best displayed price.
template <SideQueue Queue>
bool BookMatching<Queue>::is_passive(const market::OrderTerms& terms, std::uint8_t rule) const {
  const std::optional<Price> touch = best(market::opposite(terms.side));
  if (touch && Reach{terms.side, terms.limit}.meets(*touch)) return false;
  if (rule == 99) return true;
  const Queue& own = lit(terms.side);
  const Level level = instrument_.ticks.level_or_none(terms.limit);
  std::uint8_t better = 0;
  Level at = own.best();
  for (; at != k_no_level && at != level && is_within(terms.side, level, at) && better < 4; at = own.worse(at))
    ++better;
  if (rule == 100) return better == 0 && at != level;
  return better < rule;
}

/// Trades until nothing more fits. False: the order ended by self-trade prevention.
template <SideQueue Queue>
bool BookMatching<Queue>::match(Slot aggressor) {
  const Order& taker = orders_[aggressor];
  while (taker.leaves.lots != 0) {
    const Candidate next = first_eligible(aggressor);
    if (next.slot == k_no_slot) return true;
    const Order& maker = orders_[next.slot];
    if (is_shared_out() && maker.place() == Place::lit) {
      const Level level = lit(maker.side).level_of(next.slot);
      const Slot own = first_own(level, aggressor);
      if (own == k_no_slot)
        share_out(aggressor, level);
      else if (!prevent(aggressor, own))
        return false;
    } else if (is_own(aggressor, next.slot)) {
      if (!prevent(aggressor, next.slot)) return false;
    } else {
      const Quantity most = maker.place() == Place::lit ? displayed_of(next.slot) : maker.leaves;
      trade(aggressor, next.slot, next.price, std::min(taker.leaves, most));
    }
  }
  return true;
}

/// One round at one level: each order displayed there gets its share, in the order of time.
template <SideQueue Queue>
void BookMatching<Queue>::share_out(Slot aggressor, Level level) {
  const Order& taker = orders_[aggressor];
  const Queue& queue = lit(market::opposite(taker.side));
  const Price price = instrument_.ticks.price_of(level);
  if (rules_.policy == Policy::top_pro_rata) {
    const Slot top = queue.front(level);
    trade(aggressor, top, price, std::min(taker.leaves, displayed_of(top)));
    if (taker.leaves.lots == 0 || queue.count(level) == 0) return;
  }
  // The top order may have been replenished: it rests at the back now and shares with the others.
  Quantity displayed;
  std::uint32_t orders = 0;
  for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot), ++orders)
    displayed += displayed_of(slot);
  const Quantity wanted = taker.leaves;
  const auto share = [&](Quantity of) -> Quantity {
    if (wanted >= displayed) return of;
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(wanted.lots) * static_cast<Wide>(of.lots);
    return {static_cast<std::int64_t>(product / static_cast<Wide>(displayed.lots))};
  };
  Quantity over = std::min(wanted, displayed);
  for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) over -= share(displayed_of(slot));
  for (Slot slot = queue.front(level), next{}; orders != 0; slot = next, --orders) {
    next = queue.next(slot);
    const Quantity of = displayed_of(slot);
    const Quantity extra = std::min(over, of - share(of));
    over -= extra;
    if (const Quantity quantity = share(of) + extra; quantity.lots != 0) trade(aggressor, slot, price, quantity);
  }
}

template <SideQueue Queue>
void BookMatching<Queue>::trade(Slot aggressor, Slot resting, Price price, Quantity quantity) {
  Order& taker = orders_[aggressor];
  Order& maker = orders_[resting];
  const Place place = maker.place();
  const bool is_iceberg = maker.is_special() && orders_.extra(resting).is_iceberg;
  taker.leaves -= quantity;
  resize(resting, Quantity{} - quantity);
  if (is_iceberg) orders_.extra(resting).displayed -= quantity;
  market::BookReport& traded = report(market::BookReportKind::traded, resting);
  traded.other = orders_.id(aggressor);
  traded.price = price;
  traded.quantity = quantity;
  if (place != Place::lit) traded.flags = market::k_hidden;
  follow(price);
  const OrderId linked_with_maker = unlink(resting);
  const OrderId linked_with_taker = unlink(aggressor);
  if (maker.leaves.lots == 0) {
    take_out(resting);
    end(resting);
  } else if (is_iceberg && orders_.extra(resting).displayed.lots == 0) {
    replenish(resting);
  }
  cancel_linked(linked_with_maker);
  cancel_linked(linked_with_taker);
}

// ---- Self-trade prevention -----------------------------------------------------------------------------------------

template <SideQueue Queue>
bool BookMatching<Queue>::is_own(Slot one, Slot other) const {
  if (rules_.self_trade == SelfTrade::allowed) return false;
  const std::uint16_t first = orders_[one].owner, second = orders_[other].owner;
  if (rules_.scope == SelfTradeScope::group)
    return first == second && orders_.group(one) == orders_.group(other) && orders_.group(one) != 0;
  return rules_.scope == SelfTradeScope::account ? rules_.is_one_account(first, second) : first == second;
}

/// The taker's own order that has rested longest in a level.
template <SideQueue Queue>
Slot BookMatching<Queue>::first_own(Level level, Slot taker) const {
  if (rules_.self_trade == SelfTrade::allowed) return k_no_slot;
  const Queue& queue = lit(market::opposite(orders_[taker].side));
  Slot slot = queue.front(level);
  while (slot != k_no_slot && !is_own(taker, slot)) slot = queue.next(slot);
  return slot;
}

/// An order met its own side. False: the aggressor ended.
template <SideQueue Queue>
bool BookMatching<Queue>::prevent(Slot aggressor, Slot resting) {
  using market::BookReportKind;
  const Quantity taker = orders_[aggressor].leaves, maker = orders_[resting].leaves;
  const bool is_decrement = rules_.self_trade == SelfTrade::decrement;
  const bool ends_maker = is_decrement ? maker <= taker : rules_.self_trade != SelfTrade::cancel_newest;
  const bool ends_taker = is_decrement ? taker <= maker : rules_.self_trade != SelfTrade::cancel_oldest;
  if (ends_maker) take_out_and_finish(resting, BookReportKind::expired, Reason::self_trade);
  if (is_decrement && !ends_maker) reduce(resting, aggressor, taker);
  if (is_decrement && !ends_taker) reduce(aggressor, resting, maker);
  if (ends_taker) finish(aggressor, BookReportKind::expired, Reason::self_trade, 0);
  return !ends_taker;
}

template <SideQueue Queue>
void BookMatching<Queue>::reduce(Slot slot, Slot other, Quantity quantity) {
  Order& order = orders_[slot];
  resize(slot, Quantity{} - quantity);
  market::OrderTerms& terms = orders_.change_terms(slot);
  terms.quantity -= quantity;
  terms.displayed = std::min(terms.displayed, terms.quantity);
  terms.minimum = std::min(terms.minimum, terms.quantity);
  if (order.is_special() && orders_.extra(slot).is_iceberg)
    orders_.extra(slot).displayed = std::min(orders_.extra(slot).displayed, order.leaves);
  market::BookReport& reduced = report(market::BookReportKind::reduced, slot);
  reduced.other = orders_.id(other);
  reduced.quantity = quantity;
  if (order.is_resting()) reduced.flags = market::k_was_resting;
}

// ---- Who comes next ------------------------------------------------------------------------------------------------

/// What an order could trade now. A price at which its owner's orders rest is not counted, nor the prices behind it,
/// unless those orders are what expires: then only they are not counted.
template <SideQueue Queue>
Quantity BookMatching<Queue>::tradable(Slot aggressor) const {
  const Order& taker = orders_[aggressor];
  const Reach reach = reach_of(aggressor);
  if (reach.side == Side::none) return {};
  const Quantity wanted = taker.leaves;
  Quantity sum, before;
  std::optional<Price> price;
  Walk at = walk(market::opposite(taker.side));
  for (Candidate next = current(at); next.slot != k_no_slot && reach.meets(next.price); next = current(at)) {
    if (price != next.price) {
      if (sum >= wanted) break;
      price = next.price;
      before = sum;
    }
    if (is_own(aggressor, next.slot)) {
      if (rules_.self_trade != SelfTrade::cancel_oldest) return before;
    } else if (sum < wanted && is_eligible(aggressor, next.slot, wanted - sum)) {
      sum += std::min(wanted - sum, orders_[next.slot].leaves);
    }
    advance(at, next.slot);
  }
  return sum;
}

/// The best order of the other side that this one may trade with now; none when there is none within its limit.
template <SideQueue Queue>
typename BookMatching<Queue>::Candidate BookMatching<Queue>::first_eligible(Slot aggressor) const {
  const Order& taker = orders_[aggressor];
  const Reach reach = reach_of(aggressor);
  if (reach.side == Side::none) return {};
  Walk at = walk(market::opposite(taker.side));
  for (Candidate next = current(at); next.slot != k_no_slot && reach.meets(next.price); next = current(at)) {
    if (is_eligible(aggressor, next.slot, taker.leaves)) {
      // By size and time there are no conditions, so the walk has not left the best level.
      if (rules_.policy == Policy::size_time && next.slot == at.lit)
        next.slot = largest(lit(at.side), lit(at.side).best());
      return next;
    }
    advance(at, next.slot);
  }
  return {};
}

/// Whether the conditions of both let them trade, when the aggressor has that much left.
template <SideQueue Queue>
bool BookMatching<Queue>::is_eligible(Slot aggressor, Slot resting, Quantity left) const {
  const market::OrderTerms& taker = orders_.terms(aggressor);
  const Order& maker = orders_[resting];
  if (maker.place() == Place::dark) {
    const Quantity least =
        is_all_or_none(orders_.terms(resting)) ? maker.leaves : std::min(orders_.terms(resting).minimum, maker.leaves);
    if (std::min(left, maker.leaves) < least) return false;
  }
  if (taker.minimum.lots == 0) return true;
  const Quantity most = maker.place() == Place::lit ? displayed_of(resting) : maker.leaves;
  return std::min(left, most) >= std::min(taker.minimum, left);
}

/// No side: a pegged order without a price.
template <SideQueue Queue>
typename BookMatching<Queue>::Reach BookMatching<Queue>::reach_of(Slot slot) const {
  const market::OrderTerms& terms = orders_.terms(slot);
  if (is_pegged(terms)) {
    const std::optional<Price> price = dark_price(slot);
    return price ? Reach{terms.side, price} : Reach{Side::none, {}};
  }
  return {terms.side, has_limit(terms) ? std::optional<Price>(terms.limit) : std::nullopt};
}

template <SideQueue Queue>
typename BookMatching<Queue>::Walk BookMatching<Queue>::walk(Side side) const {
  const auto first = [](const Queue& queue) {
    return queue.best() == k_no_level ? k_no_slot : queue.front(queue.best());
  };
  return {side, first(lit(side)), first(hidden(side)), next_dark(side, k_no_slot)};
}

/// The order of a level that displays most, the oldest of those that do.
template <SideQueue Queue>
Slot BookMatching<Queue>::largest(const Queue& queue, Level level) const {
  Slot found = queue.front(level);
  for (Slot slot = queue.next(found); slot != k_no_slot; slot = queue.next(slot))
    if (displayed_of(slot) > displayed_of(found)) found = slot;
  return found;
}

template <SideQueue Queue>
typename BookMatching<Queue>::Candidate BookMatching<Queue>::current(const Walk& walk) const {
  const auto is_better = [&walk](Price one, Price other) { return walk.side == Side::buy ? one > other : one < other; };
  Candidate found;
  const auto consider = [&](Slot slot, Price price) {
    if (found.slot == k_no_slot || is_better(price, found.price)) found = {slot, price};
  };
  if (walk.lit != k_no_slot) consider(walk.lit, orders_.limit(walk.lit));
  if (walk.hidden != k_no_slot) consider(walk.hidden, orders_.terms(walk.hidden).limit);
  if (walk.dark != k_no_slot) consider(walk.dark, *dark_price(walk.dark));
  return found;
}

template <SideQueue Queue>
void BookMatching<Queue>::advance(Walk& walk, Slot slot) const {
  const auto behind = [](const Queue& queue, Slot before) {
    if (const Slot next = queue.next(before); next != k_no_slot) return next;
    const Level level = queue.worse(queue.level_of(before));
    return level == k_no_level ? k_no_slot : queue.front(level);
  };
  if (slot == walk.dark)
    walk.dark = next_dark(walk.side, slot);
  else if (slot == walk.hidden)
    walk.hidden = behind(hidden(walk.side), slot);
  else
    walk.lit = behind(lit(walk.side), slot);
}

/// The dark order that comes after another by price and entry; the first one after no slot. O(dark orders).
template <SideQueue Queue>
Slot BookMatching<Queue>::next_dark(Side side, Slot after) const {
  const auto is_before = [side](Price one, std::uint64_t entered, Price other, std::uint64_t other_entered) {
    if (one != other) return side == Side::buy ? one > other : one < other;
    return entered < other_entered;
  };
  const std::optional<Price> from = after == k_no_slot ? std::nullopt : dark_price(after);
  Slot found = k_no_slot;
  Price found_price;
  for (Slot slot = dark(side).first(); slot != k_no_slot; slot = dark(side).next(slot)) {
    const std::optional<Price> price = dark_price(slot);
    if (!price) continue;
    const std::uint64_t entered = orders_.extra(slot).entered;
    if (from && !is_before(*from, orders_.extra(after).entered, *price, entered)) continue;
    if (found != k_no_slot && !is_before(*price, entered, found_price, orders_.extra(found).entered)) continue;
    found = slot;
    found_price = *price;
  }
  return found;
}

/// Where a dark order trades now: a pegged one at the middle of the touch plus its offset, no further than its limit;
/// nowhere while there is no touch.
template <SideQueue Queue>
std::optional<Price> BookMatching<Queue>::dark_price(Slot slot) const {
  const market::OrderTerms& terms = orders_.terms(slot);
  if (!is_pegged(terms)) return terms.limit;
  if (!middle_) return std::nullopt;
  const bool is_buy = terms.side == Side::buy;
  const Price pegged = moved(*middle_, is_buy ? terms.stop.units : -terms.stop.units);
  if (!has_limit(terms)) return pegged;
  return is_buy ? std::min(pegged, terms.limit) : std::max(pegged, terms.limit);
}

/// Half-way between the best displayed prices.
template <SideQueue Queue>
std::optional<Price> BookMatching<Queue>::middle() const {
  const std::optional<Price> bid = best(Side::buy), ask = best(Side::sell);
  if (!bid || !ask) return std::nullopt;
  const std::uint64_t spread = static_cast<std::uint64_t>(ask->units) - static_cast<std::uint64_t>(bid->units);
  return Price{static_cast<std::int64_t>(static_cast<std::uint64_t>(bid->units) + spread / 2)};
}

}  // namespace dojima::book
