#pragma once

// BasicBook: its commands, and the short way of plain orders. Included by matching.hpp only.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/book_checks.hpp"

namespace dojima::book {

/// The last 8 bytes of a report in one store.
inline void write_small_fields(market::BookReport& report, std::uint32_t instrument, market::BookReportKind kind,
                               Side side, Reason reason, std::uint8_t flags) noexcept {
  struct Fields {
    std::uint32_t instrument;
    market::BookReportKind kind;
    Side side;
    Reason reason;
    std::uint8_t flags;
  };
  constexpr std::size_t k_begin = offsetof(market::BookReport, instrument);
  static_assert(sizeof(Fields) == 8 && k_begin + sizeof(Fields) == sizeof(market::BookReport) &&
                offsetof(market::BookReport, kind) == k_begin + offsetof(Fields, kind) &&
                offsetof(market::BookReport, flags) == k_begin + offsetof(Fields, flags));
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    word = std::uint64_t{instrument} | std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 |
           std::uint64_t{static_cast<std::uint8_t>(side)} << 40 |
           std::uint64_t{static_cast<std::uint8_t>(reason)} << 48 | std::uint64_t{flags} << 56;
  } else {
    word = std::bit_cast<std::uint64_t>(Fields{instrument, kind, side, reason, flags});
  }
  std::memcpy(reinterpret_cast<std::byte*>(&report) + k_begin, &word, sizeof word);
}

/// All from the offset to the owner's type, 16 bytes.
inline void copy_small_fields(market::OrderTerms& to, const market::OrderTerms& from) noexcept {
  constexpr std::size_t k_begin = offsetof(market::OrderTerms, offset_bp);
  static_assert(k_begin + 16 == sizeof(market::OrderTerms));
  std::memcpy(reinterpret_cast<std::byte*>(&to) + k_begin, reinterpret_cast<const std::byte*>(&from) + k_begin, 16);
}

template <SideQueue Queue>
BasicBook<Queue>::BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports,
                            BookLimits limits, BookRules rules)
    : instrument_(instrument),
      orders_(orders),
      reports_(reports),
      limits_(limits),
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
  if (rules_.policy != Policy::fifo || rules_.self_trade != SelfTrade::allowed) specials_ = 1;
}

// ---- New orders ----------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::NewOrder& command) {
  DOJIMA_CHECK_SLOW(command.header.instrument == instrument_.id, "an order comes to the book of its instrument",
                    command.header.instrument, instrument_.id);
  const bool is_plain_order = is_plain(command);
  if (is_plain_order && specials_ == 0) [[likely]] {
    return apply_plain(command);
  }
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

/// A plain order for a book where nothing waits, hides or is linked: the checks that are left of check_new(), in its
/// order.
template <SideQueue Queue>
void BasicBook<Queue>::apply_plain(const market::NewOrder& command) {
  const market::OrderTerms& terms = command.terms;
  const bool is_limit = terms.type == market::OrderType::limit;
  const Side side = terms.side;
  const market::TimeInForce time_in_force = terms.time_in_force;
  const bool may_stay = is_limit && is_lasting(time_in_force);
  const Price limit = is_limit ? terms.limit : Price{};
  const Quantity quantity = terms.quantity;
  Level level = no_limit(side);
  Reason reason = Reason::none;
  if (quantity.lots <= 0 || quantity > instrument_.maximum_quantity)
    reason = Reason::quantity_out_of_range;
  else if (is_timed(time_in_force) && terms.expiry <= command.header.time)
    reason = Reason::expiry_passed;
  else if (is_limit)
    reason = check_price(limit, level);
  if (reason == Reason::none && orders_.is_full()) reason = Reason::order_table_full;
  if (may_stay && lit(side).level_count() >= limits_.levels) [[unlikely]] {
    if (reason == Reason::none && !has_level_for_rest(lit(side), side, level, quantity, 0))
      reason = Reason::levels_full;
  }
  if (reason != Reason::none) [[unlikely]] {
    return reject({}, side, reason, 0);
  }

  const Slot slot = orders_.add(side, command.header.user, quantity, command.labels, instrument_.id);
  // As kept_terms() has them, field by field: what a plain order does not have is known without looking, and its small
  // fields are the command's but for the owner.
  market::OrderTerms& kept = orders_.terms(slot);
  kept.limit = limit;
  kept.stop = {};
  kept.quantity = kept.displayed = quantity;
  kept.minimum = {};
  kept.expiry = is_timed(time_in_force) ? terms.expiry : time::Time{};
  copy_small_fields(kept, terms);
  kept.owner = command.header.user;
  const OrderId id = orders_.id(slot);
  report_plain(market::BookReportKind::accepted, side, id, limit, quantity, quantity);
  enter_plain(slot, {.id = id,
                     .side = side,
                     .time_in_force = time_in_force,
                     .may_rest = may_stay,
                     .level = level,
                     .limit = limit,
                     .quantity = quantity,
                     .wanted = quantity});
}

/// A plain order enters such a book: it trades what it can, then rests, expires or is done.
template <SideQueue Queue>
void BasicBook<Queue>::enter_plain(Slot slot, const Entry& entry) {
  const Quantity wanted = entry.wanted;
  const bool is_killed =
      entry.time_in_force == market::TimeInForce::fill_or_kill && reachable(entry.side, entry.level, wanted) < wanted;
  const Quantity left = is_killed ? wanted : match_plain(slot, entry);
  if (left.lots == 0) {
    orders_.release(slot);
  } else if (entry.may_rest) {
    lit(entry.side).append(entry.level, slot);
    report_plain(market::BookReportKind::added, entry.side, entry.id, entry.limit, entry.quantity, left);
  } else {
    report_plain(market::BookReportKind::expired, entry.side, entry.id, entry.limit, left, {}, {},
                 Reason::time_in_force);
    orders_.release(slot);
  }
}

/// What the aggressor has left.
template <SideQueue Queue>
Quantity BasicBook<Queue>::match_plain(Slot aggressor, const Entry& entry) {
  Queue& opposite = lit(market::opposite(entry.side));
  Quantity left = entry.wanted;
  for (Slot front = opposite.front(); front != k_no_slot; front = opposite.front()) {
    const Level level = opposite.best();
    if (!is_within(entry.side, level, entry.level)) return left;
    const Order& maker = orders_[front];
    const Quantity quantity = std::min(left, maker.leaves);
    const Price price = instrument_.ticks.price_of(level);
    const OrderId maker_id = orders_.id(front);
    const Quantity maker_left = maker.leaves - quantity;
    left -= quantity;
    orders_[aggressor].leaves = left;
    last_trade_ = price;
    const bool is_filled = opposite.fill(front, quantity);
    report_plain(market::BookReportKind::traded, market::opposite(entry.side), maker_id, price, quantity, maker_left,
                 entry.id);
    if (is_filled) orders_.release(front);
    if (left.lots == 0) return left;
  }
  return left;
}

/// A report about a plain order, which shows all it has left. Every field is written once and nothing is read: a record
/// that is put together elsewhere and copied in one piece waits until its parts have left the store buffer.
template <SideQueue Queue>
void BasicBook<Queue>::report_plain(market::BookReportKind kind, Side side, OrderId order, Price price,
                                    Quantity quantity, Quantity leaves, OrderId other, Reason reason,
                                    std::uint8_t flags) {
  const std::uint32_t instrument = instrument_.id;
  market::BookReport& report = reports_.append_raw();
  report.order = order;
  report.other = other;
  report.price = price;
  report.quantity = quantity;
  report.leaves = leaves;
  report.displayed = leaves;
  write_small_fields(report, instrument, kind, side, reason, flags);
}

// ---- Replace -------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::Replace& command) {
  const Slot slot = find_own(command.order);
  if (slot != k_no_slot && is_plain(command, slot)) [[likely]] {
    return apply_plain(command, slot);
  }
  const Reason reason = slot == k_no_slot ? Reason::unknown_order : check_replace(command, slot);
  if (reason != Reason::none) return reject(command.order, command.side, reason, market::k_replacement);
  const market::OrderTerms terms = changed_terms(command, slot);
  if (keeps_place(terms, slot))
    change_in_place(slot, terms);
  else
    move(slot, terms, terms.limit != orders_.terms(slot).limit ? command.passive : std::uint8_t{0});
  if (specials_ != 0) settle();
}

/// A plain order of such a book that stays plain: the checks that are left of check_replace(), in its order, and what
/// move() or change_in_place() would do. A plain order that rests is a limit order and displays all that is left of it.
template <SideQueue Queue>
void BasicBook<Queue>::apply_plain(const market::Replace& command, Slot slot) {
  Order& order = orders_[slot];
  market::OrderTerms& terms = orders_.terms(slot);
  Queue& queue = lit(order.side);
  const bool has_end = is_timed(terms.time_in_force);
  const Price limit = command.limit;
  const Quantity quantity = command.quantity;
  const Quantity executed = terms.quantity - order.leaves;
  const bool keeps_its_place = limit == terms.limit && quantity <= terms.quantity;
  Level level{};
  Reason reason = Reason::none;
  if (order.owner != command.header.user)
    reason = Reason::not_owner;
  else if (order.side != command.side)
    reason = Reason::side_mismatch;
  else if (quantity.lots <= 0 || quantity > instrument_.maximum_quantity)
    reason = Reason::quantity_out_of_range;
  else if (quantity <= executed)
    reason = Reason::quantity_already_executed;
  else if (has_end && command.expiry <= command.header.time)
    reason = Reason::expiry_passed;
  else
    reason = check_price(limit, level);
  if (reason == Reason::none && !keeps_its_place && queue.level_count() >= limits_.levels) [[unlikely]] {
    const std::size_t freed = queue.count(queue.level_of(slot)) == 1 ? 1 : 0;
    if (!has_level_for_rest(queue, order.side, level, quantity - executed, freed)) reason = Reason::levels_full;
  }
  if (reason != Reason::none) [[unlikely]] {
    return reject(command.order, command.side, reason, market::k_replacement);
  }

  const Quantity left = quantity - executed;
  if (keeps_its_place) {
    queue.resize(slot, left - order.leaves);
  } else {
    queue.erase(slot);
    order.leaves = left;
    terms.limit = limit;
  }
  terms.quantity = terms.displayed = quantity;
  if (has_end) terms.expiry = command.expiry;
  if (command.group != 0) terms.group = command.group;
  report_plain(market::BookReportKind::replaced, command.side, command.order, limit, quantity, left, {}, Reason::none,
               keeps_its_place ? std::uint8_t{0} : std::uint8_t{market::k_lost_priority});
  if (keeps_its_place) return;
  enter_plain(slot, {.id = command.order,
                     .side = command.side,
                     .time_in_force = terms.time_in_force,
                     .may_rest = true,
                     .level = level,
                     .limit = limit,
                     .quantity = quantity,
                     .wanted = left});
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
  orders_.terms(slot) = terms;
  if (order.place() == Place::lit && shown < order.leaves) {
    OrderExtra& extra = make_special(slot);
    extra.is_iceberg = true;
    extra.displayed = shown;
  } else if (order.place() == Place::lit && order.is_special() && orders_.extra(slot).is_iceberg) {
    orders_.extra(slot).displayed = shown;
  }
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
  orders_.terms(slot) = terms;
  if (terms.displayed < order.leaves) make_special(slot);
  market::BookReport& replaced = report(market::BookReportKind::replaced, slot);
  replaced.quantity = terms.quantity;
  replaced.flags = was_waiting ? market::k_lost_priority | market::k_parked : market::k_lost_priority;
  if (specials_ == 0 && passive == 0)
    enter_plain(slot, {.id = orders_.id(slot),
                       .side = terms.side,
                       .time_in_force = terms.time_in_force,
                       .may_rest = may_rest(terms),
                       .level = instrument_.ticks.level_or_none(terms.limit),
                       .limit = terms.limit,
                       .quantity = terms.quantity,
                       .wanted = order.leaves});
  else if (place == Place::auction)
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
void BasicBook<Queue>::apply(const market::Cancel& command) {
  const Slot slot = find_own(command.order);
  Reason reason = Reason::none;
  if (slot == k_no_slot)
    reason = Reason::unknown_order;
  else if (orders_[slot].owner != command.header.user)
    reason = Reason::not_owner;
  else if (orders_[slot].side != command.side)
    reason = Reason::side_mismatch;
  if (reason != Reason::none) return reject(command.order, command.side, reason, market::k_replacement);
  if (!orders_[slot].is_special()) [[likely]] {
    // It rests in a lit level, which is in the cache by now; its terms are not.
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
                   (command.group == 0 || terms.group == command.group) &&
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
void BasicBook<Queue>::reject(OrderId order, Side side, Reason reason, std::uint8_t flags) {
  market::BookReport& rejected = reports_.append();
  rejected.kind = market::BookReportKind::rejected;
  rejected.order = order;
  rejected.instrument = instrument_.id;
  rejected.side = side;
  rejected.reason = reason;
  rejected.flags = flags;
}

}  // namespace dojima::book
