#pragma once

// BookGeneralPath: commands in a book in which everything is possible. Plain ones mostly take the fast path
// (fast_path.hpp); those that it leaves, and all others, come here. Included by matching.hpp only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_general_path.hpp"

namespace dojima::book {

// ---- New orders ----------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BookGeneralPath<Queue>::apply_general(const market::NewOrder& command) {
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

// ---- Replace -------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BookGeneralPath<Queue>::apply_general(const market::Replace& command) {
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

template <SideQueue Queue>
void BookGeneralPath<Queue>::change_in_place(Slot slot, const market::OrderTerms& terms) {
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
void BookGeneralPath<Queue>::move(Slot slot, const market::OrderTerms& terms, std::uint8_t passive) {
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
void BookGeneralPath<Queue>::apply_general(const market::Cancel& command) {
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
void BookGeneralPath<Queue>::apply(const market::MassCancel& command) {
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
void BookGeneralPath<Queue>::apply(const market::Expire& command) {
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
void BookGeneralPath<Queue>::end_all(market::BookReportKind kind, Reason reason, std::span<const Slot> ending,
                                     Fits fits) {
  for (const Slot slot : ending)
    if (orders_[slot].instrument == instrument_.id && fits(orders_.terms(slot)))
      take_out_and_finish(slot, kind, reason);
  if (specials_ != 0) settle();
}

template <SideQueue Queue>
void BookGeneralPath<Queue>::expire(OrderId id, Reason reason) {
  const Slot slot = find_own(id);
  DOJIMA_ASSERT(slot != k_no_slot, "only a live order of this book expires", id, instrument_.id);
  take_out_and_finish(slot, market::BookReportKind::expired, reason);
}

template <SideQueue Queue>
void BookGeneralPath<Queue>::cancel(OrderId id, Reason reason) {
  const Slot slot = find_own(id);
  DOJIMA_ASSERT(slot != k_no_slot, "only a live order of this book is cancelled", id, instrument_.id);
  take_out_and_finish(slot, market::BookReportKind::cancelled, reason);
}

template <SideQueue Queue>
void BookGeneralPath<Queue>::apply(const market::PhaseChange& command) {
  if (static_cast<std::uint8_t>(command.phase) >= market::k_phases)
    return reject({}, Side::none, Reason::not_supported, 0);
  leave_phase(command);
  begin_phase(command);
  enter_waiting();
  settle();
}

/// A plain limit order that lasts enters a call: the checks that are left of check_new(), in its order.
template <SideQueue Queue>
void BookGeneralPath<Queue>::collect_plain(const market::NewOrder& command) {
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
  forget_largest(side, level);
  orders_.compact(slot);
  levels_->add(side, level, quantity);
  report_plain(market::BookReportKind::added, side, orders_.id(slot), terms.limit, quantity, quantity);
  settle_phase();
}

}  // namespace dojima::book
