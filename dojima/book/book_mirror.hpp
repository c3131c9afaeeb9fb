#pragma once

// BasicBook: rebuilding a book from reports. Included by matching.hpp only.

#include "dojima/book/book_checks.hpp"

namespace dojima::book {

template <SideQueue Queue>
bool BasicBook<Queue>::mirror(const market::BookReport& report) {
  using market::BookReportKind;
  if (report.instrument != instrument_.id) return false;
  const bool was_resting = (report.flags & market::k_was_resting) != 0;
  switch (report.kind) {
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
      return true;
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
  return mirror_change(slot, report);
}

template <SideQueue Queue>
bool BasicBook<Queue>::mirror_added(const market::BookReport& report) {
  const bool is_dark_order = (report.flags & market::k_dark) != 0;
  const bool is_hidden = (report.flags & market::k_hidden) != 0;
  const std::optional<Level> level = instrument_.ticks.level_of(report.price);
  if (report.leaves.lots <= 0 || report.leaves > instrument_.maximum_quantity) return false;
  if (report.side != Side::buy && report.side != Side::sell) return false;
  if (report.displayed.lots < 0 || report.displayed > report.leaves) return false;
  if (is_hidden != (report.displayed.lots == 0)) return false;
  Queue& own = is_hidden ? hidden(report.side) : lit(report.side);
  if (!is_dark_order) {
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
  if (is_hidden) make_special(slot);
  if (is_dark_order) {
    orders_[slot].set_place(Place::dark);
    orders_.extra(slot).entered = ++entries_;
    dark(report.side).append(slot);
    return true;
  }
  orders_[slot].set_place(is_hidden ? Place::hidden : Place::lit);
  own.append(*level, slot);
  mirror_displayed(slot, report.displayed);
  return true;
}

/// A change of an order that stands here.
template <SideQueue Queue>
bool BasicBook<Queue>::mirror_change(Slot slot, const market::BookReport& report) {
  using market::BookReportKind;
  Order& order = orders_[slot];
  const bool is_lost = report.kind == BookReportKind::replaced && (report.flags & market::k_lost_priority) != 0;
  const bool is_ended = report.kind == BookReportKind::cancelled || report.kind == BookReportKind::expired;
  if (is_ended && report.quantity != order.leaves()) return false;
  if (is_ended || is_lost || report.kind == BookReportKind::triggered) {
    mirror_removed(slot);
    return true;
  }
  const bool is_smaller = report.kind == BookReportKind::traded || report.kind == BookReportKind::reduced;
  if (is_smaller && (report.quantity.lots <= 0 || order.leaves() - report.quantity != report.leaves)) return false;
  if (report.displayed.lots < 0 || report.displayed > report.leaves) return false;
  if (report.leaves.lots < 0 || report.leaves > instrument_.maximum_quantity) return false;
  if (report.leaves.lots == 0) {
    if (report.kind != BookReportKind::traded) return false;
    mirror_removed(slot);
    return true;
  }
  if (report.kind == BookReportKind::replenished) {
    if (order.stands_in() != Place::lit || report.leaves != order.leaves()) return false;
    const Level level = lit(report.side).level_of(slot);
    lit(report.side).erase(slot);
    lit(report.side).append(level, slot);
  } else {
    resize(slot, report.leaves - order.leaves());
    orders_.terms(slot).quantity = report.leaves;
  }
  mirror_displayed(slot, report.displayed);
  return true;
}

template <SideQueue Queue>
void BasicBook<Queue>::mirror_displayed(Slot slot, Quantity displayed) {
  Order& order = orders_[slot];
  if (order.stands_in() != Place::lit) return;
  orders_.terms(slot).displayed = displayed;
  if (displayed == order.leaves()) {
    if (order.is_special()) orders_.extra(slot).is_iceberg = false;
    return make_plain(slot);
  }
  OrderExtra& extra = make_special(slot);
  extra.is_iceberg = true;
  extra.displayed = displayed;
}

template <SideQueue Queue>
void BasicBook<Queue>::mirror_removed(Slot slot) {
  take_out(slot);
  end(slot);
}

}  // namespace dojima::book
