#pragma once

// BasicBook: commands in a book in which everything is possible. Plain ones mostly take the fast path (fast_path.hpp);
// those that it leaves, and all others, come here. Included by matching.hpp only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/book_checks.hpp"
#include "dojima/book/matching/plain_terms.hpp"

namespace dojima::book {

template <SideQueue Queue>
BasicBook<Queue>::BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports,
                            BookLimits limits, BookRules rules)
    : instrument_(instrument),
      orders_(orders),
      reports_(reports),
      limits_(limits),
      maximum_quantity_(instrument.maximum_quantity),
      lit_{Queue(Side::buy, orders, limits.levels), Queue(Side::sell, orders, limits.levels)},
      rules_(std::move(rules)),
      hidden_bids_(Side::buy, orders, limits.hidden_levels),
      hidden_asks_(Side::sell, orders, limits.hidden_levels),
      stop_buys_(Side::sell, orders, limits.stop_levels),
      stop_sells_(Side::buy, orders, limits.stop_levels),
      dark_bids_(orders),
      dark_asks_(orders),
      trailing_(orders),
      has_exact_middles_(instrument.ticks.has_exact_middles()),
      random_(rules_.seed),
      waiting_(orders),
      unlimited_bids_(orders),
      unlimited_asks_(orders) {
  if (limits.levels == 0 || limits.hidden_levels == 0 || limits.stop_levels == 0)
    throw std::invalid_argument("book: at least one level per side");
  const std::int64_t largest = instrument.maximum_quantity.lots;
  if (largest <= 0 || static_cast<std::uint64_t>(largest) >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / orders.capacity())
    throw std::invalid_argument("book: maximum quantity times order capacity must lie between 1 and 2^63");
  if (rules_.policy != Policy::fifo || rules_.self_trade != SelfTrade::allowed) specials_ = k_rules;
  if (orders.ids() == Ids::foreign) forbid_fast_path();
}

// ---- New orders ----------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply_general(const market::NewOrder& command) {
  const bool is_plain_order = is_plain(command);
  if (is_plain_order && is_counting_ && command.terms.type == market::OrderType::limit &&
      is_lasting(command.terms.time_in_force))
    return collect_plain(command);
  const market::OrderTerms terms = kept_terms(command);
  Level limit{};
  if (const Reason reason = check_new(command, terms, limit); reason != Reason::none)
    return reject({}, terms.side, reason, 0);

  const Slot slot = orders_.add(terms, command.labels, instrument_.id);
  if (!is_plain_order) {
    OrderExtra& extra = make_special(slot);
    if (command.linked.value != 0) {
      extra.linked = command.linked;
      make_special(orders_.find(command.linked)).linked = orders_.id(slot);
    }
  }
  report(market::BookReportKind::accepted, slot).quantity = terms.quantity;

  if (is_for_auctions(terms.time_in_force) && !takes_part(terms.time_in_force, phase_))
    wait(slot);
  else if (terms.type == market::OrderType::trailing_stop || (is_stop(terms) && !is_triggered(terms)))
    park(slot);
  else if (is_stop(terms))
    trigger(slot, 0);
  else
    enter(slot, terms.passive);
  settle();
}

/// A report about a plain order, which shows all it has left.
template <SideQueue Queue>
void BasicBook<Queue>::report_plain(market::BookReportKind kind, Side side, OrderId order, Price price,
                                    Quantity quantity, Quantity leaves, OrderId other, Reason reason,
                                    std::uint8_t flags) {
  Writer out(reports_, instrument_.id);
  out.room();
  out.write(kind, side, order, other, price, quantity, leaves, reason, flags);
  out.done();
}

// ---- Replace -------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply_general(const market::Replace& command) {
  const Slot slot = find_own(command.order);
  const Reason reason = slot == k_no_slot ? Reason::unknown_order : check_replace(command, slot);
  if (reason != Reason::none) return reject(command.order, command.side, reason, market::k_replacement);
  const market::OrderTerms terms = changed_terms(command, slot);
  if (keeps_place(terms, slot))
    change_in_place(slot, terms);
  else
    move(slot, terms, terms.limit != orders_.terms(slot).limit ? command.passive : std::uint8_t{0});
  settle();
}

/// The order's terms after a replace.
template <SideQueue Queue>
market::OrderTerms BasicBook<Queue>::changed_terms(const market::Replace& command, Slot slot) const {
  market::OrderTerms terms = orders_.terms(slot);
  terms.quantity = command.quantity;
  terms.displayed = may_display(terms) ? command.displayed : command.quantity;
  terms.minimum = command.minimum;
  if (has_limit(terms)) terms.limit = command.limit;
  if (is_stop(terms) && command.stop.units >= 0) terms.stop = command.stop;
  if (is_timed(terms.time_in_force)) terms.expiry = command.expiry;
  if (command.group != 0) terms.group = command.group;
  if (is_offset(terms)) {
    terms.offset_bp = command.offset_bp;
    terms.stop = command.limit;
    terms.limit = orders_[slot].place() == Place::auction ? Price{} : offset_price(terms).value_or(Price{});
  }
  return terms;
}

/// The priority table: a smaller total or display and anything that is not a price keep the place.
template <SideQueue Queue>
bool BasicBook<Queue>::keeps_place(const market::OrderTerms& terms, Slot slot) const {
  const Order& order = orders_[slot];
  const market::OrderTerms& old = orders_.terms(slot);
  const Quantity shown = std::min(terms.displayed, terms.quantity - orders_.executed(slot));
  return terms.limit == old.limit && (terms.stop == old.stop || is_offset(terms)) && terms.quantity <= old.quantity &&
         (!may_display(old) || shown <= std::min(old.displayed, order.leaves));
}

template <SideQueue Queue>
void BasicBook<Queue>::change_in_place(Slot slot, const market::OrderTerms& terms) {
  Order& order = orders_[slot];
  const Quantity shown = order.place() == Place::lit
                             ? std::min({displayed_of(slot), terms.displayed, terms.quantity - orders_.executed(slot)})
                             : Quantity{};
  const Quantity change = terms.quantity - orders_.terms(slot).quantity;
  resize(slot, change);
  orders_.change_terms(slot) = terms;
  if (order.place() == Place::lit && shown < order.leaves) {
    OrderExtra& extra = make_special(slot);
    extra.is_iceberg = true;
    extra.displayed = shown;
  } else if (order.place() == Place::lit && order.is_special() && orders_.extra(slot).is_iceberg) {
    orders_.extra(slot).displayed = shown;
  }
  if (!order.is_special()) orders_.compact(slot);
  market::BookReport& replaced = report(market::BookReportKind::replaced, slot);
  replaced.quantity = terms.quantity;
  if (waits_outside(order.place())) replaced.flags = market::k_parked;
}

/// The order loses its place: it is taken out, changed, and comes in again.
template <SideQueue Queue>
void BasicBook<Queue>::move(Slot slot, const market::OrderTerms& terms, std::uint8_t passive) {
  Order& order = orders_[slot];
  const Place place = order.place();
  const bool was_waiting = waits_outside(place);
  take_out(slot);
  order.leaves += terms.quantity - orders_.terms(slot).quantity;
  orders_.change_terms(slot) = terms;
  if (terms.displayed < order.leaves) make_special(slot);
  market::BookReport& replaced = report(market::BookReportKind::replaced, slot);
  replaced.quantity = terms.quantity;
  replaced.flags = was_waiting ? market::k_lost_priority | market::k_parked : market::k_lost_priority;
  if (place == Place::auction)
    wait(slot);
  else if (is_stop(terms) && is_triggered(terms))
    trigger(slot, 0);
  else if (was_waiting)
    park(slot);
  else
    enter(slot, passive);
}

// ---- Ends ----------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply_general(const market::Cancel& command) {
  const Slot slot = find_own(command.order);
  Reason reason = Reason::none;
  if (slot == k_no_slot)
    reason = Reason::unknown_order;
  else if (orders_[slot].owner != command.header.user)
    reason = Reason::not_owner;
  else if (orders_[slot].side != command.side)
    reason = Reason::side_mismatch;
  if (reason != Reason::none) return reject(command.order, command.side, reason, market::k_replacement);
  if (!orders_[slot].is_special()) {
    Queue& queue = lit(command.side);
    const Price price = instrument_.ticks.price_of(queue.level_of(slot));
    const Quantity left = orders_[slot].leaves;
    if (is_counting_) [[unlikely]] {
      levels_->add(command.side, queue.level_of(slot), Quantity{} - left);
    }
    queue.erase(slot);
    report_plain(market::BookReportKind::cancelled, command.side, command.order, price, left, {}, {}, Reason::by_owner,
                 market::k_was_resting);
    orders_.release(slot);
  } else {
    take_out_and_finish(slot, market::BookReportKind::cancelled, Reason::by_owner);
  }
  if (specials_ != 0) settle();
}

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::MassCancel& command) {
  const std::uint16_t user = command.header.user;
  const bool is_of_others = command.is_everyone || command.is_account;
  end_all(market::BookReportKind::cancelled, Reason::by_owner, is_of_others ? orders_.live() : orders_.of_owner(user),
          [&, user](const market::OrderTerms& terms) {
            return (command.side == Side::none || terms.side == command.side) &&
                   (command.group == 0 || terms.group == command.group) && is_meant(command.of, terms) &&
                   (command.is_everyone || !command.is_account || rules_.is_one_account(terms.owner, user));
          });
}

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::Expire& command) {
  end_all(market::BookReportKind::expired, Reason::time_expired, orders_.live(),
          [&command](const market::OrderTerms& terms) {
            if (is_timed(terms.time_in_force)) return terms.expiry <= command.header.time;
            // A stop order that is good only at once is still waiting for its moment: it has the day.
            return command.is_end_of_day && terms.time_in_force != market::TimeInForce::good_till_cancel;
          });
}

/// Ends those of the orders that are of this book and fit, and lets the waiting ones act only then.
template <SideQueue Queue>
template <class Fits>
void BasicBook<Queue>::end_all(market::BookReportKind kind, Reason reason, std::span<const Slot> ending, Fits fits) {
  for (const Slot slot : ending)
    if (orders_[slot].instrument == instrument_.id && fits(orders_.terms(slot)))
      take_out_and_finish(slot, kind, reason);
  if (specials_ != 0) settle();
}

template <SideQueue Queue>
void BasicBook<Queue>::expire(OrderId id, Reason reason) {
  const Slot slot = find_own(id);
  DOJIMA_ASSERT(slot != k_no_slot, "only a live order of this book expires", id, instrument_.id);
  take_out_and_finish(slot, market::BookReportKind::expired, reason);
}

template <SideQueue Queue>
void BasicBook<Queue>::cancel(OrderId id, Reason reason) {
  const Slot slot = find_own(id);
  DOJIMA_ASSERT(slot != k_no_slot, "only a live order of this book is cancelled", id, instrument_.id);
  take_out_and_finish(slot, market::BookReportKind::cancelled, reason);
}

template <SideQueue Queue>
void BasicBook<Queue>::reject(OrderId order, Side side, Reason reason, std::uint8_t flags) {
  report_plain(market::BookReportKind::rejected, side, order, {}, {}, {}, {}, reason, flags);
}

}  // namespace dojima::book
