#include "dojima/backtest/exchanges/levels_exchange.hpp"

#include <algorithm>

namespace dojima::backtest {

using recorded::EventKind;
using recorded::RecordedEvent;

void LevelsExchange::place(RestingOwn& order) {
  order.place = QueuePlace::behind(books_.of(order.instrument).on(order.side).quantity_at(order.price));
}

void LevelsExchange::change_level(OwnBook& own, Side side, std::int64_t price, std::int64_t before,
                                  std::int64_t after) {
  for (RestingOwn& order : own.on(side))
    if (order.price == price) order.place.on_level(settings().queue, before, after, unit_of(order.instrument));
}

/// Of levels that were there before, those which meet own orders have been looked at when they came, unless the
/// exchange was closed.
[[gnu::always_inline]] inline bool LevelsExchange::concerns(const RecordedEvent& level, OwnBook& own) const noexcept {
  if (!own.taken.empty() || own.has_opened_for(market::opposite(level.side))) [[unlikely]]
    return true;
  for (const RestingOwn& order : own.on(level.side))
    if (order.price == level.price) return true;
  const std::vector<RestingOwn>& others = own.on(market::opposite(level.side));
  return level.quantity > 0 && !others.empty() && !is_better(level.side, others.front().price, level.price);
}

void LevelsExchange::follow_level(const RecordedEvent& event, OwnBook& own) {
  if (event.side == Side::none || event.price == recorded::k_unknown || !concerns(event, own)) return apply(event);
  const recorded::DepthSide* levels =
      event.instrument < books_.size() ? &books_.of(event.instrument).on(event.side) : nullptr;
  const std::int64_t before = levels != nullptr ? levels->quantity_at(event.price) : 0;
  const auto best_before = best(event.instrument, event.side);
  apply(event);
  const auto best_now = best(event.instrument, event.side);
  change_level(own, event.side, event.price, before, event.quantity);
  renew(own, event.side, event.price);
  const bool has_come_nearer = best_now && (!best_before || is_better(event.side, best_now->price, best_before->price));
  if (has_come_nearer || (settings().fills == FillRule::partial && event.quantity > 0))
    meet(own, event.instrument, market::opposite(event.side));
}

void LevelsExchange::follow_order(const RecordedEvent& event, OwnBook& own) {
  struct Seen {
    Side side;
    std::int64_t price, quantity;
  };
  std::vector<Seen> seen;
  const auto note = [&](Side side, std::int64_t price) {
    const auto is_it = [&](const Seen& one) { return one.side == side && one.price == price; };
    if (std::ranges::none_of(seen, is_it))
      seen.push_back({side, price, books_.of(event.instrument).on(side).quantity_at(price)});
  };
  const bool is_known = event.instrument < books_.size();
  if (is_known) {
    for (const Side side : {Side::buy, Side::sell})
      for (const RestingOwn& order : own.on(side)) note(side, order.price);
    for (const OwnBook::Taken& taken : own.taken) note(taken.side, taken.price);
  }
  if (event.kind == EventKind::execute && is_known) {
    const recorded::OrderMap::Order* known = books_.order(event.order, event.instrument);
    const Side resting = known != nullptr ? known->side : event.side;
    const std::int64_t price = known != nullptr ? known->price : event.price;
    if (resting != Side::none && price != recorded::k_unknown)
      trade(own, market::opposite(resting), price, event.quantity, true);
  }
  const auto bid_before = best(event.instrument, Side::buy), ask_before = best(event.instrument, Side::sell);
  apply(event);
  for (const Seen& one : seen) {
    const std::int64_t after = books_.of(event.instrument).on(one.side).quantity_at(one.price);
    if (after == one.quantity) continue;
    change_level(own, one.side, one.price, one.quantity, after);
    limit_taken(own, one.side, one.price, after);
  }
  const auto bid = best(event.instrument, Side::buy), ask = best(event.instrument, Side::sell);
  if (bid && (!bid_before || bid->price > bid_before->price || settings().fills == FillRule::partial))
    meet(own, event.instrument, Side::sell);
  if (ask && (!ask_before || ask->price < ask_before->price || settings().fills == FillRule::partial))
    meet(own, event.instrument, Side::buy);
}

void LevelsExchange::trade(OwnBook& own, Side aggressor, std::int64_t price, std::int64_t quantity,
                           bool comes_in_turn) {
  const Side side = market::opposite(aggressor);
  std::vector<RestingOwn>& orders = own.on(side);
  if (orders.empty() || quantity <= 0 || !own.is_open) return;
  std::int64_t left = quantity;  // of the trade, for own orders
  const bool is_whole = settings().fills == FillRule::whole;
  for (RestingOwn& order : orders) {
    if (is_better(side, price, order.price)) break;
    const bool is_passed = is_better(side, order.price, price);
    if (!is_passed && !comes_in_turn) break;
    std::int64_t reached = is_passed ? left : 0;
    if (!is_passed) {
      order.place.on_trade(quantity);
      // What came past those before it, less what other own orders took of it, is for this one.
      reached = std::min(order.place.excess(settings().lot) - (quantity - left), left);
    }
    if (reached <= 0) continue;
    const std::int64_t filled = is_whole ? order.leaves : std::min(reached, order.leaves);
    fill(order, filled);
    if (is_whole) continue;
    left -= filled;
    if (!is_passed) order.place.ahead += static_cast<double>(filled);
  }
  settle(own, side);
}

void LevelsExchange::follow(const RecordedEvent& event, OwnBook& own) {
  switch (event.kind) {
    case EventKind::level:
      return follow_level(event, own);
    case EventKind::trade:
    case EventKind::hidden_trade: {
      apply(event);
      Side aggressor = event.side;
      const auto bid = best(event.instrument, Side::buy), ask = best(event.instrument, Side::sell);
      if (aggressor == Side::none && ask && event.price >= ask->price) aggressor = Side::buy;
      if (aggressor == Side::none && bid && event.price <= bid->price) aggressor = Side::sell;
      if (aggressor != Side::none && event.price != recorded::k_unknown)
        trade(own, aggressor, event.price, event.quantity, event.kind == EventKind::trade);
      return;
    }
    case EventKind::clear:
      apply(event);
      forget_taken(own,
                   [&](const OwnBook::Taken& taken) { return event.side == Side::none || taken.side == event.side; });
      return;
    case EventKind::add:
    case EventKind::reduce:
    case EventKind::remove:
    case EventKind::amend:
    case EventKind::replace:
    case EventKind::execute:
      return follow_order(event, own);
    default:
      return apply(event);
  }
}

}  // namespace dojima::backtest
