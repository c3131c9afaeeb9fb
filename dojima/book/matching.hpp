#pragma once

// The bodies of BasicBook, for the one .cpp per storage that instantiates it. Nobody else includes this.

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"
#include "dojima/book/digest.hpp"

namespace dojima::book {

/// The level beyond every level on the aggressor's side: no limit.
[[nodiscard]] constexpr Level no_limit(Side aggressor) noexcept {
  return Level{aggressor == Side::buy ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int32_t>::min()};
}

[[nodiscard]] constexpr bool may_rest(const market::OrderTerms& terms) noexcept {
  return terms.type == market::OrderType::limit && terms.time_in_force == market::TimeInForce::day;
}

template <SideQueue Queue>
BasicBook<Queue>::BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports,
                            BookLimits limits)
    : instrument_(instrument),
      orders_(orders),
      reports_(reports),
      limits_(limits),
      bids_(Side::buy, orders, limits.levels),
      asks_(Side::sell, orders, limits.levels) {
  if (limits.levels == 0) throw std::invalid_argument("book: at least one level per side");
  const std::int64_t largest = instrument.maximum_quantity.lots;
  if (largest <= 0 || static_cast<std::uint64_t>(largest) >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / orders.capacity())
    throw std::invalid_argument("book: maximum quantity times order capacity must lie between 1 and 2^63");
}

// ---- Checks: nothing changes until they have all passed ------------------------------------------------------------

template <SideQueue Queue>
Reason BasicBook<Queue>::check_terms(const market::OrderTerms& terms) const {
  using market::OrderType;
  using market::TimeInForce;
  if (terms.type != OrderType::market && terms.type != OrderType::limit) return Reason::not_supported;
  if (terms.time_in_force != TimeInForce::day && terms.time_in_force != TimeInForce::immediate_or_cancel &&
      terms.time_in_force != TimeInForce::fill_or_kill)
    return Reason::not_supported;
  if (terms.side != Side::buy && terms.side != Side::sell) return Reason::not_supported;
  if (terms.sub_type != market::OrderSubType::plain || terms.passive != 0 || terms.offset_bp != 0 ||
      terms.minimum.lots != 0)
    return Reason::not_supported;
  if (terms.quantity.lots <= 0 || terms.quantity > instrument_.maximum_quantity) return Reason::quantity_out_of_range;
  if (terms.displayed.lots < 0 || terms.displayed > terms.quantity) return Reason::display_not_allowed;
  if (terms.displayed < terms.quantity) return Reason::not_supported;  // hidden and iceberg orders
  return Reason::none;
}

template <SideQueue Queue>
Reason BasicBook<Queue>::check_price(Price price, Level& level) const {
  if (!instrument_.ticks.contains(price)) return Reason::price_out_of_range;
  const std::optional<Level> found = instrument_.ticks.level_of(price);
  if (!found) return Reason::price_not_on_tick;
  level = *found;
  return Reason::none;
}

template <SideQueue Queue>
Reason BasicBook<Queue>::check_replace(const market::Replace& command, Slot slot, Level& level) const {
  const Order& order = orders_[slot];
  if (order.owner != command.header.user) return Reason::not_owner;
  if (order.side != command.side) return Reason::side_mismatch;
  if (command.offset_bp != 0 || command.minimum.lots != 0) return Reason::not_supported;
  if (command.quantity.lots <= 0 || command.quantity > instrument_.maximum_quantity)
    return Reason::quantity_out_of_range;
  const Quantity executed = orders_.executed(slot);
  if (command.quantity <= executed) return Reason::quantity_already_executed;
  // All of what is left must show: less would make a visible order hidden or an iceberg.
  if (command.displayed > command.quantity || command.displayed < command.quantity - executed)
    return Reason::display_not_allowed;
  if (const Reason reason = check_price(command.limit, level); reason != Reason::none) return reason;
  const Queue& own = queue(order.side);
  const Level now = own.level_of(slot);
  if (level == now) return Reason::none;
  if (command.passive != 0) return Reason::not_supported;
  const std::size_t freed = own.count(now) == 1 ? 1 : 0;
  if (!has_level_for_rest(order.side, level, command.quantity - executed, freed)) return Reason::levels_full;
  return Reason::none;
}

/// Whether an order with that much to trade and that limit finds a level for what would be left of it, when `freed`
/// levels of its side disappear first.
template <SideQueue Queue>
bool BasicBook<Queue>::has_level_for_rest(Side side, Level limit, Quantity quantity, std::size_t freed) const {
  const Queue& own = queue(side);
  if (own.level_count() - freed < limits_.levels || own.count(limit) != 0) return true;
  return reachable(side, limit, quantity) >= quantity;
}

/// What an order can trade within its limit, counted until there is `enough`. O(levels within the limit).
template <SideQueue Queue>
Quantity BasicBook<Queue>::reachable(Side aggressor, Level limit, Quantity enough) const {
  const Queue& opposite = queue(market::opposite(aggressor));
  Quantity sum;
  for (Level level = opposite.best(); level != k_no_level && sum < enough && is_within(aggressor, level, limit);
       level = opposite.worse(level))
    sum += opposite.total(level);
  return sum;
}

template <SideQueue Queue>
bool BasicBook<Queue>::is_within(Side aggressor, Level level, Level limit) noexcept {
  return aggressor == Side::buy ? level <= limit : level >= limit;
}

/// The live order of that id, if it is of this book.
template <SideQueue Queue>
Slot BasicBook<Queue>::find_own(OrderId id) const {
  const Slot slot = orders_.find(id);
  return slot != k_no_slot && orders_[slot].instrument == instrument_.id ? slot : k_no_slot;
}

// ---- Commands ------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::NewOrder& command) {
  market::OrderTerms terms = command.terms;
  terms.owner = command.header.user;
  const bool is_limit = terms.type == market::OrderType::limit;
  if (!is_limit) terms.limit = {};
  Level limit = no_limit(terms.side);
  Reason reason = check_terms(terms);
  if (reason == Reason::none && is_limit) reason = check_price(terms.limit, limit);
  if (reason == Reason::none && orders_.is_full()) reason = Reason::order_table_full;
  if (reason == Reason::none && may_rest(terms) && !has_level_for_rest(terms.side, limit, terms.quantity, 0))
    reason = Reason::levels_full;
  if (reason != Reason::none) return reject({}, terms.side, reason, 0);

  const Slot slot = orders_.add(terms, command.labels, instrument_.id);
  report(market::BookReportKind::accepted, slot).quantity = terms.quantity;
  enter(slot, limit);
}

template <SideQueue Queue>
void BasicBook<Queue>::apply(const market::Replace& command) {
  const Slot slot = find_own(command.order);
  if (slot == k_no_slot) return reject(command.order, command.side, Reason::unknown_order, market::k_replacement);
  Level level{};
  if (const Reason reason = check_replace(command, slot, level); reason != Reason::none)
    return reject(command.order, command.side, reason, market::k_replacement);

  DOJIMA_ASSERT(orders_[slot].is_resting(), "between commands every live order rests");
  market::OrderTerms& terms = orders_.terms(slot);
  if (command.group != 0) terms.group = command.group;
  if (level == queue(terms.side).level_of(slot) && command.quantity <= terms.quantity)
    resize_in_place(slot, command);
  else
    move(slot, command, level);
}

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
  queue(command.side).erase(slot);
  finish(slot, market::BookReportKind::cancelled, Reason::by_owner, market::k_was_resting);
}

template <SideQueue Queue>
void BasicBook<Queue>::expire(OrderId id, Reason reason) {
  const Slot slot = find_own(id);
  DOJIMA_ASSERT(slot != k_no_slot, "only a live order of this book expires");
  queue(orders_[slot].side).erase(slot);
  finish(slot, market::BookReportKind::expired, reason, market::k_was_resting);
}

template <SideQueue Queue>
void BasicBook<Queue>::resize_in_place(Slot slot, const market::Replace& command) {
  market::OrderTerms& terms = orders_.terms(slot);
  queue(terms.side).resize(slot, command.quantity - terms.quantity);
  terms.quantity = terms.displayed = command.quantity;
  report(market::BookReportKind::replaced, slot).quantity = command.quantity;
}

template <SideQueue Queue>
void BasicBook<Queue>::move(Slot slot, const market::Replace& command, Level level) {
  market::OrderTerms& terms = orders_.terms(slot);
  queue(terms.side).erase(slot);
  orders_[slot].standing += command.quantity - terms.quantity;
  terms.limit = command.limit;
  terms.quantity = terms.displayed = command.quantity;
  market::BookReport& replaced = report(market::BookReportKind::replaced, slot);
  replaced.quantity = command.quantity;
  replaced.flags = market::k_lost_priority;
  enter(slot, level);
}

// ---- Matching ------------------------------------------------------------------------------------------------------

/// A live order outside the book comes in: it trades what it can, then rests, expires or is done.
template <SideQueue Queue>
void BasicBook<Queue>::enter(Slot slot, Level limit) {
  const market::OrderTerms& terms = orders_.terms(slot);
  const Quantity wanted = orders_[slot].leaves();
  const bool is_killed =
      terms.time_in_force == market::TimeInForce::fill_or_kill && reachable(terms.side, limit, wanted) < wanted;
  if (!is_killed) match(slot, limit);
  if (orders_[slot].leaves().lots == 0)
    orders_.release(slot);
  else if (may_rest(terms))
    rest(slot, limit);
  else
    finish(slot, market::BookReportKind::expired, Reason::time_in_force, 0);
}

template <SideQueue Queue>
void BasicBook<Queue>::match(Slot aggressor, Level limit) {
  Order& taker = orders_[aggressor];
  const Side side = taker.side;
  const OrderId taker_id = orders_.id(aggressor);
  Queue& opposite = queue(market::opposite(side));
  for (Level level = opposite.best(); level != k_no_level && is_within(side, level, limit); level = opposite.best()) {
    if (taker.leaves().lots == 0) return;
    const Slot front = opposite.front(level);
    Order& maker = orders_[front];
    const Quantity quantity = std::min(taker.leaves(), maker.leaves());
    taker.standing -= quantity;
    opposite.resize(front, Quantity{} - quantity);
    market::BookReport& traded = report(market::BookReportKind::traded, front);
    traded.other = taker_id;
    traded.quantity = quantity;
    if (maker.leaves().lots == 0) {
      opposite.erase(front);
      orders_.release(front);
    }
  }
}

template <SideQueue Queue>
void BasicBook<Queue>::rest(Slot slot, Level level) {
  queue(orders_[slot].side).append(level, slot);
  report(market::BookReportKind::added, slot).quantity = orders_.terms(slot).quantity;
}

/// The order outside the queues ends with what it has left.
template <SideQueue Queue>
void BasicBook<Queue>::finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags) {
  market::BookReport& ended = report(kind, slot);
  ended.quantity = ended.leaves;
  ended.leaves = ended.displayed = {};
  ended.reason = reason;
  ended.flags = flags;
  orders_.release(slot);
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

/// A report about an order as it is now; the quantity is the caller's.
template <SideQueue Queue>
market::BookReport& BasicBook<Queue>::report(market::BookReportKind kind, Slot slot) {
  const Order& order = orders_[slot];
  market::BookReport& report = reports_.append();
  report.kind = kind;
  report.order = orders_.id(slot);
  report.price = orders_.terms(slot).limit;
  report.leaves = report.displayed = order.leaves();
  report.instrument = instrument_.id;
  report.side = order.side;
  return report;
}

// ---- Mirror --------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
bool BasicBook<Queue>::mirror(const market::BookReport& report) {
  using market::BookReportKind;
  if (report.instrument != instrument_.id) return false;
  const bool is_ended = report.kind == BookReportKind::cancelled || report.kind == BookReportKind::expired;
  if (report.kind == BookReportKind::accepted || report.kind == BookReportKind::rejected) return true;
  if (is_ended && (report.flags & market::k_was_resting) == 0) return true;
  if (report.kind == BookReportKind::added) return mirror_added(report);

  const Slot slot = find_own(report.order);
  if (slot == k_no_slot || orders_[slot].side != report.side) return false;
  const Order& order = orders_[slot];
  if (report.kind == BookReportKind::traded) {
    if (report.quantity.lots <= 0 || order.leaves() - report.quantity != report.leaves) return false;
    return mirror_leaves(slot, report.leaves);
  }
  if (report.kind == BookReportKind::replaced && (report.flags & market::k_lost_priority) == 0)
    return report.leaves.lots > 0 && mirror_leaves(slot, report.leaves);
  if (report.kind != BookReportKind::replaced && !is_ended) return false;
  if (is_ended && report.quantity != order.leaves()) return false;
  mirror_removed(slot);
  return true;
}

template <SideQueue Queue>
bool BasicBook<Queue>::mirror_added(const market::BookReport& report) {
  const std::optional<Level> level = instrument_.ticks.level_of(report.price);
  if (!level || report.leaves.lots <= 0 || report.leaves > instrument_.maximum_quantity) return false;
  if (report.side != Side::buy && report.side != Side::sell) return false;
  Queue& own = queue(report.side);
  if (own.level_count() >= limits_.levels && own.count(*level) == 0) return false;
  const market::OrderTerms terms{.limit = report.price,
                                 .quantity = report.leaves,
                                 .displayed = report.displayed,
                                 .side = report.side,
                                 .type = market::OrderType::limit};
  const Slot slot = orders_.adopt(report.order, terms, instrument_.id);
  if (slot == k_no_slot) return false;
  own.append(*level, slot);
  return true;
}

/// A mirrored order has `leaves` left at its place; with nothing left it goes.
template <SideQueue Queue>
bool BasicBook<Queue>::mirror_leaves(Slot slot, Quantity leaves) {
  if (leaves.lots < 0 || leaves > instrument_.maximum_quantity) return false;
  if (leaves.lots == 0) {
    mirror_removed(slot);
    return true;
  }
  const Order& order = orders_[slot];
  queue(order.side).resize(slot, leaves - order.leaves());
  market::OrderTerms& terms = orders_.terms(slot);
  terms.quantity = terms.displayed = leaves;
  return true;
}

template <SideQueue Queue>
void BasicBook<Queue>::mirror_removed(Slot slot) {
  queue(orders_[slot].side).erase(slot);
  orders_.release(slot);
}

// ---- Views ---------------------------------------------------------------------------------------------------------

template <SideQueue Queue>
std::optional<Price> BasicBook<Queue>::best(Side side) const {
  const Level level = queue(side).best();
  if (level == k_no_level) return std::nullopt;
  return instrument_.ticks.price_of(level);
}

template <SideQueue Queue>
Quantity BasicBook<Queue>::total(Side side, Price price) const {
  const std::optional<Level> level = instrument_.ticks.level_of(price);
  return level ? queue(side).total(*level) : Quantity{};
}

template <SideQueue Queue>
std::uint64_t BasicBook<Queue>::digest() const {
  Digest digest;
  digest.add(instrument_.id);
  for (const Side side : {Side::buy, Side::sell}) {
    digest.add(side);
    each_resting(side, [&digest](const RestingOrder& order) {
      digest.add(order.id);
      digest.add(order.price);
      digest.add(order.leaves);
    });
  }
  return digest.value();
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency(bool may_be_crossed) const {
  if (const char* wrong = inconsistency(Side::buy)) return wrong;
  if (const char* wrong = inconsistency(Side::sell)) return wrong;
  const bool is_two_sided = bids_.best() != k_no_level && asks_.best() != k_no_level;
  if (!may_be_crossed && is_two_sided && bids_.best() >= asks_.best()) return "the book is crossed";
  return nullptr;
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency(Side side) const {
  const Queue& own = queue(side);
  if (const char* wrong = own.inconsistency()) return wrong;
  std::size_t levels = 0;
  for (Level level = own.best(); level != k_no_level; level = own.worse(level), ++levels) {
    Quantity total;
    std::uint32_t count = 0;
    for (Slot slot = own.front(level); slot != k_no_slot; slot = own.next(slot), ++count) {
      const Order& order = orders_[slot];
      if (!order.is_live() || !order.is_resting()) return "an ended order is in the book";
      if (own.level_of(slot) != level || order.side != side) return "an order stands in another's level";
      if (order.leaves().lots <= 0) return "an order without leaves is in the book";
      total += order.leaves();
    }
    if (count == 0) return "a level without orders";
    if (own.count(level) != count || own.total(level) != total) return "a level's totals are wrong";
  }
  if (levels != own.level_count()) return "the number of levels is wrong";
  if (levels > limits_.levels) return "more levels than there may be";
  return nullptr;
}

}  // namespace dojima::book
