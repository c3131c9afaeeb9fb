#pragma once

// BookData: how a book begins, and how it reports. Included by matching.hpp only.

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_data.hpp"

namespace dojima::book {

template <SideQueue Queue>
BookData<Queue>::BookData(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports,
                          BookLimits limits, BookRules rules)
    : instrument_(instrument),
      orders_(orders),
      reports_(reports),
      limits_(limits),
      maximum_quantity_(instrument.maximum_quantity),
      lit_{Queue(Side::buy, orders, limits.levels), Queue(Side::sell, orders, limits.levels)},
      rules_(std::move(rules)),
      largest_(rules_.policy != Policy::fifo ? std::make_unique<LargestOrders>() : nullptr),
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

template <SideQueue Queue>
bool BookData<Queue>::is_within(Side aggressor, Level level, Level limit) noexcept {
  // Without a branch: which side comes next cannot be guessed.
  const std::int32_t flip = aggressor == Side::buy ? 0 : -1;
  return (index_of(level) ^ flip) <= (index_of(limit) ^ flip);
}

/// The live order of that id, if it is of this book.
template <SideQueue Queue>
Slot BookData<Queue>::find_own(OrderId id) const {
  const Slot slot = orders_.find(id);
  return slot != k_no_slot && orders_[slot].instrument == instrument_.id ? slot : k_no_slot;
}

/// What an order shows, or would show if it came to rest.
template <SideQueue Queue>
Quantity BookData<Queue>::displayed_of(Slot slot) const {
  const Order& order = orders_[slot];
  if (!order.is_special()) return order.leaves;
  const market::OrderTerms& terms = orders_.terms(slot);
  if (order.is_resting() && order.place() != Place::lit) return {};
  if (is_dark(terms) || is_stop(terms) || terms.type == market::OrderType::trailing_stop) return {};
  if (orders_.extra(slot).is_iceberg) return orders_.extra(slot).displayed;
  return std::min(terms.displayed, order.leaves);
}

template <SideQueue Queue>
RestingOrder BookData<Queue>::resting_order(Slot slot) const {
  const Order& order = orders_[slot];
  return {orders_.id(slot),   order.side,  orders_.limit(slot), order.leaves,
          displayed_of(slot), order.owner, order.place()};
}

/// A report about an order as it is now; the quantity is the caller's.
template <SideQueue Queue>
market::BookReport& BookData<Queue>::report(market::BookReportKind kind, Slot slot) {
  const Order& order = orders_[slot];
  market::BookReport& report = reports_.append();
  report.kind = kind;
  report.order = orders_.id(slot);
  report.price = orders_.limit(slot);
  report.leaves = order.leaves;
  report.displayed = displayed_of(slot);
  report.instrument = instrument_.id;
  report.side = order.side;
  return report;
}

/// A report about the book as a whole.
template <SideQueue Queue>
void BookData<Queue>::report_book(market::BookReportKind kind, const Auction& auction) {
  market::BookReport& report = reports_.append();
  report.kind = kind;
  report.instrument = instrument_.id;
  report.price = auction.price;
  report.quantity = auction.volume;
  report.leaves = auction.surplus;
  report.side = auction.surplus_side;
}

/// A report about a plain order, which shows all it has left.
template <SideQueue Queue>
void BookData<Queue>::report_plain(market::BookReportKind kind, Side side, OrderId order, Price price,
                                   Quantity quantity, Quantity leaves, OrderId other, Reason reason,
                                   std::uint8_t flags) {
  Writer out(reports_, instrument_.id);
  out.room();
  out.write(kind, side, order, other, price, quantity, leaves, reason, flags);
  out.done();
}

template <SideQueue Queue>
void BookData<Queue>::reject(OrderId order, Side side, Reason reason, std::uint8_t flags) {
  report_plain(market::BookReportKind::rejected, side, order, {}, {}, {}, {}, reason, flags);
}

template <SideQueue Queue>
std::optional<Price> BookData<Queue>::best(Side side) const {
  const Level level = lit(side).best();
  if (level == k_no_level) return std::nullopt;
  return instrument_.ticks.price_of(level);
}

}  // namespace dojima::book
