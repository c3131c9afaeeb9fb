#include "dojima/backtest/exchanges/orders_exchange.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/base/straight_line.hpp"

namespace dojima::backtest {

using recorded::EventKind;
using recorded::OrderMap;
using recorded::OrderStep;
using recorded::RecordedEvent;

void OrdersExchange::place(RestingOwn& order) {
  order.arrival = ++arrivals_;
  order.ahead = books_.of(order.instrument).on(order.side).quantity_at(order.price);
}

OrdersExchange::Seen OrdersExchange::find(std::uint64_t id, std::uint32_t instrument) {
  const OrderMap::Order* known = books_.order(id, instrument);
  return known == nullptr ? Seen{} : Seen{known->price, known->quantity, known->side, known->mark != 0};
}

std::uint64_t OrdersExchange::arrival_of(const RecordedEvent& event, const Seen& known) {
  if (!known.is_later) return 0;
  const OrderMap::Order* later = later_.find(event.order, event.instrument);
  return later == nullptr ? 0 : static_cast<std::uint64_t>(later->price);
}

void OrdersExchange::forget(std::uint64_t id, std::uint32_t instrument) {
  if (OrderMap::Order* later = later_.find(id, instrument)) later_.erase(*later);
}

void OrdersExchange::execute(OwnBook& own, const RecordedEvent& event, const Seen& known) {
  const Side side = known.side != Side::none ? known.side : event.side;
  const std::int64_t price = known.side != Side::none ? known.price : event.price;
  if (side != Side::none && price != recorded::k_unknown)
    take_before(own, side, price, arrival_of(event, known), event.quantity);
}

void OrdersExchange::take_before(OwnBook& own, Side side, std::int64_t price, std::uint64_t arrival,
                                 std::int64_t quantity) {
  if (own.on(side).empty()) return;
  std::int64_t left = quantity;
  for (RestingOwn& order : own.on(side)) {
    if (left <= 0 || is_better(side, price, order.price)) break;
    if (order.price == price && order.arrival > arrival) break;  // those behind came later still
    const std::int64_t filled = std::min(left, order.leaves);
    fill(order, filled);
    left -= filled;
  }
  settle(own, side);
}

void OrdersExchange::leave(OwnBook& own, const RecordedEvent& event, const Seen& known, std::int64_t quantity) {
  const std::uint64_t arrival = arrival_of(event, known);
  for (RestingOwn& order : own.on(known.side))
    if (order.price == known.price && order.arrival > arrival)
      order.ahead = std::max<std::int64_t>(order.ahead - quantity, 0);
  limit_taken(own, known.side, known.price, books_.of(event.instrument).on(known.side).quantity_at(known.price));
}

void OrdersExchange::arrive(OwnBook& own, const RecordedEvent& event, std::uint64_t id, const Seen& now_there) {
  bool is_behind_ours = false;
  for (RestingOwn& order : own.on(now_there.side)) {
    if (order.price != now_there.price) continue;
    if (event.has(recorded::k_snapshot)) {
      order.ahead += now_there.quantity;  // it had been there before
    } else {
      is_behind_ours = true;
    }
  }
  if (is_behind_ours) {
    forget(id, event.instrument);  // of an order that had this number and went unseen
    later_.insert({.id = id,
                   .price = static_cast<std::int64_t>(++arrivals_),
                   .quantity = 1,
                   .instrument = event.instrument,
                   .side = now_there.side});
    books_.mark(id, event.instrument, 1);
  }
  if (event.has(recorded::k_snapshot) || !own.is_open) return;
  // It meets ours, which rested before it came.
  const Side side = market::opposite(now_there.side);
  std::int64_t left = now_there.quantity;
  for (RestingOwn& order : own.on(side)) {
    if (left == 0 || is_better(side, now_there.price, order.price)) break;
    const std::int64_t filled = std::min(left, order.leaves);
    fill(order, filled);
    note_taken(own, now_there.side, now_there.price, filled);
    left -= filled;
  }
  settle(own, side);
}

/// Without a branch: no branch prediction could know what comes next. Prices among own ones count as theirs, for which
/// nothing follows.
[[gnu::always_inline]] inline bool OrdersExchange::is_seen(EventKind kind, const OrderStep& step,
                                                           const OwnBook& own) const {
  DOJIMA_CHECK_SLOW(prices_of(own) == own.prices(), "own prices are noted as the lists have them", own.instrument,
                    own.bids.size(), own.asks.size(), own.taken.size());
  const OwnPrices::Place place = prices_of(own).place_of(step.side, step.price);
  return !all(!place.is_among, !all(kind == EventKind::execute, place.is_behind_first),
              !all(kind == EventKind::add, place.meets));
}

void OrdersExchange::react(const RecordedEvent& event, OwnBook& own, const Seen& before, std::uint64_t id,
                           const Seen& after) {
  const bool keeps_place = event.kind != EventKind::replace && event.kind != EventKind::add && after.quantity > 0 &&
                           after.price == before.price && after.quantity <= before.quantity;
  if (before.quantity > 0) {
    leave(own, event, before, before.quantity - (keeps_place ? after.quantity : 0));
    if (!keeps_place && before.is_later) {
      forget(event.order, event.instrument);
      books_.mark(event.order, event.instrument, 0);
    }
  }
  if (!keeps_place && after.quantity > 0) arrive(own, event, id, after);
}

void OrdersExchange::follow(const RecordedEvent& event, OwnBook& own) {
  switch (event.kind) {
    case EventKind::add:
    case EventKind::reduce:
    case EventKind::remove:
    case EventKind::execute: {
      OrderStep step;
      if (!apply_usual(event, step)) break;
      if (is_seen(event.kind, step, own)) {
        const Seen before{step.price, step.before, step.side, step.mark != 0};
        if (event.kind == EventKind::execute) execute(own, event, before);
        react(event, own, before, event.order, {step.price, step.after, step.side});
      } else if (all(step.mark != 0, step.after == 0)) {
        forget(event.order, event.instrument);  // or its number would stay for ever
      }
      return;
    }
    case EventKind::amend:
    case EventKind::replace:
      break;
    case EventKind::fill:  // the change of the order comes as an event of its own
      execute(own, event, find(event.order, event.instrument));
      return apply(event);
    case EventKind::hidden_trade: {
      // Displayed orders go before hidden ones of their price.
      apply(event);
      constexpr std::uint64_t k_behind_all = ~std::uint64_t{0};
      if (event.side != Side::none && event.price != recorded::k_unknown)
        take_before(own, market::opposite(event.side), event.price, k_behind_all, event.quantity);
      return;
    }
    case EventKind::clear:
      apply(event);
      later_.erase_if([&](const OrderMap::Order& later) {
        return later.instrument == event.instrument && (event.side == Side::none || event.side == later.side);
      });
      for (const Side side : {Side::buy, Side::sell}) {
        if (event.side != Side::none && event.side != side) continue;
        for (RestingOwn& order : own.on(side)) order.ahead = 0;
        forget_taken(own, [side](const OwnBook::Taken& taken) { return taken.side == side; });
      }
      return;
    default:
      return apply(event);
  }
  const Seen before = event.kind == EventKind::add ? Seen{} : find(event.order, event.instrument);
  if (event.kind == EventKind::execute) execute(own, event, before);
  apply(event);
  const std::uint64_t new_id = event.kind == EventKind::replace ? event.other : event.order;
  react(event, own, before, new_id, find(new_id, event.instrument));
}

}  // namespace dojima::backtest
