#pragma once

// BookMirror: rebuilding a book from reports. Included by matching.hpp only.

#include <algorithm>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_mirror.hpp"

namespace dojima::book {

template <SideQueue Queue>
bool BookMirror<Queue>::mirror(const market::BookReport& report) {
  forget_largest();
  if (!mirror_any(report)) return false;
  look_for_crossing(report.order);
  return true;
}

/// Counts a crossing that was not there before the report. Before an auction and in a halt orders rest crossed by
/// right.
template <SideQueue Queue>
void BookMirror<Queue>::look_for_crossing(OrderId order) {
  const bool has_hidden = hidden_bids_.level_count() + hidden_asks_.level_count() != 0;
  const bool is_crossed = has_hidden || lit(Side::sell).meets(lit(Side::buy).best());
  if (!is_crossed || phase_ != market::Phase::continuous) [[likely]] {
    crossings_.now.reset();
    return;
  }
  const std::optional<Price> bid = best_in_levels(Side::buy), ask = best_in_levels(Side::sell);
  if (!bid || !ask || *bid < *ask) {
    crossings_.now.reset();
    return;
  }
  if (crossings_.now && crossings_.now->bid == *bid && crossings_.now->ask == *ask) return;
  ++crossings_.count;
  crossings_.last = {*bid, *ask, order};
  crossings_.now = crossings_.last;
}

template <SideQueue Queue>
bool BookMirror<Queue>::mirror_any(const market::BookReport& report) {
  using market::BookReportKind;
  if (report.instrument != instrument_.id) return false;
  const bool was_resting = (report.flags & market::k_was_resting) != 0;
  switch (report.kind) {
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
    case BookReportKind::uncrossed:
    case BookReportKind::indicative:
      return true;
    case BookReportKind::phase_changed:
      return mirror_phase(report);
    case BookReportKind::added:
      return mirror_added(report);
    case BookReportKind::cancelled:
    case BookReportKind::expired:
    case BookReportKind::triggered:
    case BookReportKind::reduced:
      if (!was_resting) return true;
      break;
    case BookReportKind::replaced:
      if ((report.flags & market::k_parked) != 0) return true;
      break;
    case BookReportKind::traded:
    case BookReportKind::replenished:
      break;
    default:
      return false;
  }
  const Slot slot = find_own(report.order);
  if (slot == k_no_slot || orders_[slot].side != report.side) return false;
  if ((report.flags & market::k_auction) != 0) return mirror_cross(slot, report);
  return mirror_change(slot, report);
}

/// A plain order comes to rest, written once: with somebody else's id, or in a table of issued ids with none.
template <SideQueue Queue>
Slot BookMirror<Queue>::place(Side side, Price price, Quantity quantity, OrderId foreign) {
  const bool is_foreign = orders_.ids() == Ids::foreign;
  const Level level = instrument_.ticks.level_or_none(price);
  if (static_cast<std::uint64_t>(quantity.lots) - 1 >= static_cast<std::uint64_t>(maximum_quantity_.lots) ||
      level == market::TickTable::k_none || (side != Side::buy && side != Side::sell) || orders_.is_full()) {
    return k_no_slot;
  }
  Queue& own = lit(side);
  if (own.level_count() >= limits_.levels && own.count(level) == 0) return k_no_slot;
  const Slot slot = is_foreign ? orders_.take_for(foreign) : orders_.slots().take();
  if (slot == k_no_slot) return k_no_slot;
  Order& order = orders_[slot];
  const OrderKey key{.generation = is_foreign ? order.generation : orders_.slots().next_generation(slot),
                     .side = side,
                     .state = k_live | k_resting | k_compact};
  order.leaves = order.quantity = quantity;
  order.links = own.join(level, slot, quantity);
  forget_largest(side, level);
  order.instrument = instrument_.id;
  order.entry = orders_.next_entry();
  order.limit = price;
  order.plain = {.type = market::OrderType::limit};
  orders_.count_in(key.owner);
  order.set_key(key.word());
  return slot;
}

template <SideQueue Queue>
Slot BookMirror<Queue>::place(Side side, Price price, Quantity quantity) {
  DOJIMA_ASSERT(orders_.ids() == Ids::issued && !is_counting_, "orders are placed by slot in continuous trading",
                phase_);
  return place(side, price, quantity, {});
}

template <SideQueue Queue>
void BookMirror<Queue>::change(Slot slot, Quantity leaves) {
  Order& order = orders_[slot];
  DOJIMA_ASSERT(order.is_compact() && order.is_resting() && order.instrument == instrument_.id,
                "a plain order of this book is changed", order.state, order.instrument, instrument_.id);
  DOJIMA_ASSERT(leaves.lots > 0 && leaves <= maximum_quantity_, "what a resting order has left", leaves,
                maximum_quantity_);
  lit(order.side).resize(slot, leaves - order.leaves);
  forget_largest(order.side, lit(order.side).level_of(slot));
  order.quantity = leaves;
  order.state &= static_cast<std::uint8_t>(~k_expanded);
}

template <SideQueue Queue>
void BookMirror<Queue>::remove(Slot slot) {
  const Order& order = orders_[slot];
  DOJIMA_ASSERT(order.is_compact() && order.is_resting() && order.instrument == instrument_.id,
                "a plain order of this book is removed", order.state, order.instrument, instrument_.id);
  lit(order.side).erase(slot);
  orders_.release(slot);
}

template <SideQueue Queue>
bool BookMirror<Queue>::mirror_phase(const market::BookReport& report) {
  if (report.flags >= market::k_phases) return false;
  const bool was_continuous = phase_ == market::Phase::continuous;
  phase_ = static_cast<market::Phase>(report.flags);
  const bool is_continuous = phase_ == market::Phase::continuous;
  if (was_continuous && !is_continuous) ++specials_;
  if (!was_continuous && is_continuous) --specials_;
  if (is_continuous) is_collected_ = false;
  if (market::is_call(phase_) || phase_ == market::Phase::closing_price_cross) is_collected_ = true;
  return true;
}

/// A trade of an auction, which takes its quantity from both.
template <SideQueue Queue>
bool BookMirror<Queue>::mirror_cross(Slot buyer, const market::BookReport& report) {
  const Slot seller = find_own(report.other);
  if (seller == k_no_slot || orders_[seller].side != Side::sell || report.side != Side::buy) return false;
  if (report.kind != market::BookReportKind::traded || orders_[seller].leaves < report.quantity) return false;
  market::BookReport other = report;
  other.order = report.other;
  other.side = Side::sell;
  other.leaves = orders_[seller].leaves - report.quantity;
  const bool is_iceberg = orders_[seller].is_special() && orders_.extra(seller).is_iceberg;
  other.displayed = !is_iceberg ? shown_in_cross(seller) : std::max(displayed_of(seller) - report.quantity, Quantity{});
  if (!orders_[seller].is_special()) other.displayed = other.leaves;
  return mirror_change(buyer, report) && mirror_change(seller, other);
}

template <SideQueue Queue>
bool BookMirror<Queue>::mirror_added(const market::BookReport& report) {
  const bool is_dark_order = (report.flags & market::k_dark) != 0;
  const bool is_unlimited = (report.flags & market::k_auction) != 0;
  const bool is_hidden = (report.flags & market::k_hidden) != 0;
  if (!is_dark_order && !is_unlimited && !is_hidden && report.displayed == report.leaves) [[likely]]
    return place(report.side, report.price, report.leaves, report.order) != k_no_slot;
  const std::optional<Level> level = instrument_.ticks.level_of(report.price);
  if (report.leaves.lots <= 0 || report.leaves > instrument_.maximum_quantity) return false;
  if (report.side != Side::buy && report.side != Side::sell) return false;
  if (report.displayed.lots < 0 || report.displayed > report.leaves) return false;
  if ((is_hidden || is_unlimited) != (report.displayed.lots == 0)) return false;
  Queue& own = is_hidden ? hidden(report.side) : lit(report.side);
  if (!is_dark_order && !is_unlimited) {
    const std::size_t most = is_hidden ? limits_.hidden_levels : limits_.levels;
    if (!level || (own.level_count() >= most && own.count(*level) == 0)) return false;
  }

  market::OrderTerms terms;
  terms.limit = report.price;
  terms.quantity = report.leaves;
  terms.displayed = report.displayed;
  terms.side = report.side;
  terms.type = market::OrderType::limit;
  const Slot slot = orders_.adopt(report.order, terms, instrument_.id);
  if (slot == k_no_slot) return false;
  if (is_hidden || is_unlimited) make_special(slot);
  if (is_dark_order || is_unlimited) {
    orders_[slot].set_place(is_dark_order ? Place::dark : Place::market);
    orders_.extra(slot).entered = ++entries_;
    (is_dark_order ? dark(report.side) : unlimited(report.side)).append(slot);
    return true;
  }
  orders_[slot].set_place(is_hidden ? Place::hidden : Place::lit);
  own.append(*level, slot);
  mirror_displayed(slot, report.displayed);
  return true;
}

/// A change of an order that rests here.
template <SideQueue Queue>
bool BookMirror<Queue>::mirror_change(Slot slot, const market::BookReport& report) {
  using market::BookReportKind;
  Order& order = orders_[slot];
  const bool is_lost = report.kind == BookReportKind::replaced && (report.flags & market::k_lost_priority) != 0;
  const bool is_ended = report.kind == BookReportKind::cancelled || report.kind == BookReportKind::expired;
  if (is_ended && report.quantity != order.leaves) return false;
  if (is_ended || is_lost || report.kind == BookReportKind::triggered) {
    mirror_removed(slot);
    return true;
  }
  const bool is_smaller = report.kind == BookReportKind::traded || report.kind == BookReportKind::reduced;
  if (is_smaller && (report.quantity.lots <= 0 || order.leaves - report.quantity != report.leaves)) return false;
  if (report.displayed.lots < 0 || report.displayed > report.leaves) return false;
  if (report.leaves.lots < 0 || report.leaves > instrument_.maximum_quantity) return false;
  if (report.leaves.lots == 0) {
    if (report.kind != BookReportKind::traded) return false;
    mirror_removed(slot);
    return true;
  }
  if (report.kind == BookReportKind::replenished) {
    if (order.place() != Place::lit || report.leaves != order.leaves) return false;
    const Level level = lit(report.side).level_of(slot);
    lit(report.side).erase(slot);
    lit(report.side).append(level, slot);
  } else {
    resize(slot, report.leaves - order.leaves);
    if (order.is_compact() && report.displayed == report.leaves) {
      order.quantity = report.leaves;
      order.state &= static_cast<std::uint8_t>(~k_expanded);
      return true;
    }
    orders_.change_terms(slot).quantity = report.leaves;
  }
  mirror_displayed(slot, report.displayed);
  return true;
}

template <SideQueue Queue>
void BookMirror<Queue>::mirror_displayed(Slot slot, Quantity displayed) {
  Order& order = orders_[slot];
  if (order.place() != Place::lit) return;
  orders_.change_terms(slot).displayed = displayed;
  if (displayed == order.leaves) {
    if (order.is_special()) orders_.extra(slot).is_iceberg = false;
    return make_plain(slot);
  }
  OrderExtra& extra = make_special(slot);
  extra.is_iceberg = true;
  extra.displayed = displayed;
}

template <SideQueue Queue>
void BookMirror<Queue>::mirror_removed(Slot slot) {
  take_out(slot);
  end(slot);
}

/// The best price of the lit and hidden levels together.
template <SideQueue Queue>
std::optional<Price> BookMirror<Queue>::best_in_levels(Side side) const {
  std::optional<Price> found = best(side);
  const Level level = hidden(side).best();
  if (level == k_no_level) return found;
  const Price price = instrument_.ticks.price_of(level);
  if (!found || (side == Side::buy ? price > *found : price < *found)) found = price;
  return found;
}

}  // namespace dojima::book
