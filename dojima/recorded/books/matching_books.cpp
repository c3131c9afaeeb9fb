#include "dojima/recorded/books/matching_books.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::recorded {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;

MatchingBooks::MatchingBooks(const book::OrderTableOptions& orders, std::vector<std::int64_t> ticks)
    : orders_(orders), ticks_(std::move(ticks)) {
  entering_.terms.type = market::OrderType::limit;
}

void MatchingBooks::add_book(const RecordedInstrument& recorded) {
  const std::size_t at = books_.size();
  std::int64_t tick = recorded.tick != 0 ? recorded.tick : at < ticks_.size() ? ticks_[at] : 1;
  tick = std::max<std::int64_t>(tick, 1);
  // As many ticks as a table can number, most of them above zero.
  constexpr std::int64_t k_below = std::int64_t{1} << 28, k_above = std::int64_t{1} << 30;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / tick;
  auto table = market::TickTable::uniform({tick}, {-tick * std::min(k_below, most)}, {tick * std::min(k_above, most)});
  const std::int64_t largest =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(orders_.capacity() + 1);
  books_.push_back(std::make_unique<One>(market::Instrument{.id = static_cast<std::uint32_t>(at + 1),
                                                            .symbol = recorded.symbol,
                                                            .ticks = std::move(table).value(),
                                                            .maximum_quantity = {largest}},
                                         orders_, reports_));
}

bool MatchingBooks::execute(std::uint32_t instrument, book::Slot meant, std::int64_t quantity) {
  const book::Order& order = orders_[meant];
  const OrderId id = orders_.id(meant);
  // Nothing is left of what takes no more than rests there, and the book is fastest with what may rest itself.
  const bool is_plain = order.is_resting() && order.leaves.lots >= quantity;
  enter(instrument, market::opposite(order.side), orders_.limit(meant).units, quantity,
        is_plain ? market::TimeInForce::good_till_cancel : market::TimeInForce::immediate_or_cancel);
  bool is_met = false;
  for (const BookReport& report : reports())
    if (report.kind == BookReportKind::traded) is_met = report.order == id && report.quantity.lots == quantity;
  DOJIMA_ASSERT(!is_plain || reports().empty() || reports().back().kind != BookReportKind::added,
                "an order that takes no more than rests at its price never rests", id, quantity);
  return is_met;
}

bool MatchingBooks::change(const RecordedEvent& event, book::Slot slot) {
  const book::Order& order = orders_[slot];
  const OrderId id = orders_.id(slot);
  const market::Side side = order.side;
  const bool is_amend = event.kind == EventKind::amend;
  std::int64_t left = 0;
  if (event.kind == EventKind::reduce) left = std::max<std::int64_t>(order.leaves.lots - event.quantity, 0);
  if (is_amend) left = event.quantity == k_unknown ? order.leaves.lots : event.quantity;
  if (left <= 0) {
    market::Cancel cancel{.order = id, .side = side};
    submit(event.instrument, cancel, 0);
    return false;
  }
  market::Replace replace{
      .order = id,
      .limit = is_amend && event.price != k_unknown ? market::Price{event.price} : orders_.limit(slot),
      .stop = {-1},
      .quantity = orders_.executed(slot) + market::Quantity{left},
      .side = side};
  replace.displayed = replace.quantity;
  submit(event.instrument, replace, 0);
  return true;
}

}  // namespace dojima::recorded
