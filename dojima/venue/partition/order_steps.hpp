#pragma once

// One step of an order's life, inlined into whatever reports it. Included by owner_reports.cpp only.

#include <array>
#include <cstddef>

#include "dojima/base/assert.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/venue/order_life_machine.hpp"

namespace dojima::venue {

/// What an order is to its owner in each state of its life.
inline constexpr std::array k_statuses{market::OrderStatus::new_order,        market::OrderStatus::new_order,
                                       market::OrderStatus::partially_filled, market::OrderStatus::filled,
                                       market::OrderStatus::cancelled,        market::OrderStatus::expired,
                                       market::OrderStatus::rejected,         market::OrderStatus::suspended};

template <market::BookReportKind Kind>
inline void OwnedOrders::set_leaves(book::Slot slot, market::Quantity leaves, const market::BookReport& report) {
  using market::BookReportKind;
  DOJIMA_CHECK_SLOW(orders_.terms(slot).owner < totals_.size(), "an order has a known owner", orders_.terms(slot).owner,
                    totals_.size(), report.order);
  DOJIMA_CHECK_SLOW(orders_[slot].instrument == report.instrument, "an order is in the book that reports on it",
                    orders_[slot].instrument, report.instrument, report.order, report.kind);
  const BookReportKind kind = Kind == BookReportKind::none ? report.kind : Kind;
  market::Quantity& last = known(slot).leaves;
  const bool is_new_total = kind == BookReportKind::accepted || kind == BookReportKind::replaced;
  const market::Quantity most = is_new_total ? report.quantity : last;
  // Compared without a sign, a negative number is above any quantity.
  DOJIMA_ASSERT(lots_of(leaves) <= lots_of(most), "leaves are never negative nor above the order's quantity", leaves,
                most, report.order, report.kind);
  last = leaves;
}

template <market::BookReportKind Kind>
inline market::OrderStatus OwnedOrders::advance(const LifeInput& input, OrderState& state) {
  const auto outcome = [&] {
    if constexpr (Kind == market::BookReportKind::none)
      return fsm::process<OrderLife>(state, input.report.kind, *this, input);
    else
      return fsm::process<OrderLife, Kind>(state, *this, input);
  }();
  DOJIMA_ASSERT(outcome.is_handled(), "a book reports only what the life of an order allows", outcome.from,
                input.report.kind, input.order, input.report.sequence);
  return k_statuses[static_cast<std::size_t>(outcome.to)];
}

inline market::Quantity OwnedOrders::reduce_aggressor(const market::BookReport& report) {
  DOJIMA_ASSERT(report.other == request_.order, "the aggressor is the order in hand", report.other, request_.order,
                report.sequence);
  DOJIMA_CHECK_SLOW(orders_.slot_of(report.other) == request_.slot, "the aggressor is where it entered", report.other,
                    request_.slot, report.sequence);
  request_.leaves -= report.quantity;
  return request_.leaves;
}

[[gnu::always_inline]] inline void OwnedOrders::count_fill(book::Slot slot, market::Quantity quantity) {
  const book::Order& order = orders_[slot];
  UserTotals& totals = totals_[order.owner];
  (order.side == market::Side::buy ? totals.bought : totals.sold) += lots_of(quantity);
  ++totals.trades;
  check_totals(order.owner);
}

}  // namespace dojima::venue
