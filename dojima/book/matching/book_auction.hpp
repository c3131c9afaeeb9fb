#pragma once

// BookAuctions: what an auction would give, and the uncross. Included by matching.hpp only.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_auctions.hpp"

namespace dojima::book {

// ---- What rests in the book ---------------------------------------------------------------------------------------

/// Counts all that rests in the book anew, around where it would trade.
template <SideQueue Queue>
void BookAuctions<Queue>::count_levels(Level middle) {
  if (levels_ == nullptr) levels_ = std::make_unique<AuctionLevels>(2 * (limits_.levels + limits_.hidden_levels));
  levels_->start(middle);
  far_looks_ = 0;
  for (const Side side : {Side::buy, Side::sell}) {
    for (const Queue* queue : {&lit(side), &hidden(side)})
      for (Level level = queue->best(); level != k_no_level; level = queue->worse(level))
        levels_->add(side, level, queue->total(level));
    for (Slot slot = unlimited(side).first(); slot != k_no_slot; slot = unlimited(side).next(slot))
      levels_->add_market(side, orders_[slot].leaves);
  }
  is_counting_ = true;
}

/// Where the prices of a call are to be expected.
template <SideQueue Queue>
Level BookAuctions<Queue>::expected_level() const {
  for (const Side side : {Side::buy, Side::sell})
    if (const Level level = lit(side).best(); level != k_no_level) return level;
  const Price price = reference_ ? *reference_ : last_trade_.value_or(instrument_.reference);
  return nearest(price, Level{0}, Level{instrument_.ticks.level_count() - 1});
}

/// The tick of a stretch that is nearest to a price, the upper one of two.
template <SideQueue Queue>
Level BookAuctions<Queue>::nearest(Price price, Level first, Level last) const {
  const market::TickTable& ticks = instrument_.ticks;
  if (price <= ticks.price_of(first)) return first;
  if (price >= ticks.price_of(last)) return last;
  const Level above = *tick_beside(price, Side::buy);
  if (ticks.price_of(above) == price) return above;
  const Level below{index_of(above) - 1};
  return ticks.price_of(above).units - price.units <= price.units - ticks.price_of(below).units ? above : below;
}

/// What uncrossing now would give.
template <SideQueue Queue>
Auction BookAuctions<Queue>::auction_now() {
  const auto outcome = [](Price price, std::int64_t volume, std::int64_t surplus) -> Auction {
    if (volume == 0) return {};
    const Side side = surplus > 0 ? Side::buy : surplus < 0 ? Side::sell : Side::none;
    return {price, {volume}, {surplus < 0 ? -surplus : surplus}, side};
  };
  const std::optional<Price> reference = reference_ ? reference_ : last_trade_;
  if (!levels_->has_limits()) {
    if (!reference) return {};
    const Level level = nearest(*reference, Level{0}, Level{instrument_.ticks.level_count() - 1});
    const auto [asks, bids] = levels_->market();
    return outcome(instrument_.ticks.price_of(level), std::min(asks, bids), bids - asks);
  }
  const AuctionLevels::Best best = levels_->best();
  // The price has left the window: follow it, as soon as looking outside has cost as much as counting anew will.
  if (levels_->is_far() && ++far_looks_ > lit(Side::buy).level_count() + lit(Side::sell).level_count())
    count_levels(Level{std::max(best.first, 0)});
  if (best.volume == 0) return {};
  std::int32_t level = best.first;
  if (best.first != best.last) {
    level = reference ? index_of(nearest(*reference, Level{best.first}, Level{best.last}))
                      : best.first + (best.last - best.first + 1) / 2;
  }
  return outcome(instrument_.ticks.price_of(Level{level}), best.volume,
                 level <= best.split ? best.surplus : best.surplus_beyond);
}

// ---- Uncross -------------------------------------------------------------------------------------------------------

/// A call ends: all that can trade does, at one price.
template <SideQueue Queue>
void BookAuctions<Queue>::uncross() {
  if (!is_counting_) count_levels(expected_level());
  Auction auction = auction_now();
  is_counting_ = false;
  const bool has_price = auction.volume.lots != 0;
  if (has_price) auction.volume = cross(auction.price);
  report_book(market::BookReportKind::uncrossed, auction);
  if (phase_ == market::Phase::closing_call) cross_price_ = has_price ? std::optional(auction.price) : std::nullopt;
  end_collected(has_price ? std::optional(auction.price) : std::nullopt);
  is_collected_ = false;
  indicative_ = {};
}

/// Trades all that can trade at a price, in the order of priority on both sides: those without a limit, then the better
/// limit, at one limit the displayed before the hidden ones, then time. An iceberg has all that is left of it at its
/// place. How much it was. O(orders that trade).
template <SideQueue Queue>
Quantity BookAuctions<Queue>::cross(Price price) {
  const std::optional<Level> highest = tick_beside(price, Side::sell), lowest = tick_beside(price, Side::buy);
  const Level buy_limit = lowest.value_or(no_limit(Side::buy)), sell_limit = highest.value_or(no_limit(Side::sell));
  Quantity volume;
  Slot buyer = k_no_slot, seller = k_no_slot;
  OrderId last_buyer, last_seller;
  for (;;) {
    buyer = first_at(Side::buy, buy_limit);
    seller = first_at(Side::sell, sell_limit);
    if (buyer == k_no_slot || seller == k_no_slot) break;
    if (is_plain_in_front(buyer) && is_plain_in_front(seller)) {
      volume += cross_plain(price);
      last_buyer = last_seller = {};
      continue;
    }
    const Quantity quantity = std::min(orders_[buyer].leaves, orders_[seller].leaves);
    last_buyer = orders_.id(buyer);
    last_seller = orders_.id(seller);
    trade_both(buyer, seller, price, quantity);
    volume += quantity;
  }
  if (volume.lots == 0) return volume;
  follow(price);
  for (const OrderId last : {last_buyer, last_seller}) {
    const Slot slot = last.value == 0 ? k_no_slot : orders_.find(last);
    if (slot == k_no_slot || !orders_[slot].is_special() || orders_[slot].place() != Place::lit) continue;
    if (orders_.extra(slot).is_iceberg && orders_.extra(slot).displayed.lots == 0) replenish(slot);
  }
  return volume;
}

template <SideQueue Queue>
bool BookAuctions<Queue>::is_plain_in_front(Slot slot) const {
  const Order& order = orders_[slot];
  return !order.is_special() && order.place() == Place::lit;
}

/// Plain orders of the best displayed level of either side trade with each other until a level is used up or an order
/// comes that is not plain. What every order would cost by itself, its way out of the level, is done once at the end.
template <SideQueue Queue>
Quantity BookAuctions<Queue>::cross_plain(Price price) {
  struct Front {
    Queue& queue;
    Slot slot;
    OrderId id;
    Quantity left, gone{};
    std::uint32_t orders_gone = 0;
  };
  const auto front_of = [this](Side side) {
    Queue& queue = lit(side);
    const Slot slot = queue.front();
    return Front{queue, slot, orders_.id(slot), orders_[slot].leaves};
  };
  Front buy = front_of(Side::buy), sell = front_of(Side::sell);
  Quantity volume;
  // The order in front has traded in full; whether another plain one rests behind it.
  const auto step = [this](Front& front) {
    Order& order = orders_[front.slot];
    const Slot done = front.slot;
    front.gone += order.leaves;
    ++front.orders_gone;
    front.slot = front.queue.next(done);
    order.leaves = {};
    order.state &= static_cast<std::uint8_t>(~k_resting);
    orders_.release(done);
    if (front.slot == k_no_slot) return false;
    const Order& next = orders_[front.slot];
    front.id = orders_.id(front.slot);
    front.left = next.leaves;
    if (const Slot ahead = front.queue.next(front.slot); ahead != k_no_slot) __builtin_prefetch(&orders_[ahead], 1);
    return !next.is_special();
  };
  for (bool goes_on = true; goes_on;) {
    const Quantity quantity = std::min(buy.left, sell.left);
    buy.left -= quantity;
    sell.left -= quantity;
    volume += quantity;
    report_plain(market::BookReportKind::traded, Side::buy, buy.id, price, quantity, buy.left, sell.id, Reason::none,
                 market::k_auction);
    if (buy.left.lots == 0) goes_on = step(buy);
    if (sell.left.lots == 0) goes_on = step(sell) && goes_on;
  }
  for (Front* front : {&buy, &sell}) {
    if (front->orders_gone != 0) front->queue.drop_front(front->slot, front->orders_gone, front->gone);
    if (front->slot == k_no_slot) continue;
    if (const Quantity taken = orders_[front->slot].leaves - front->left; taken.lots != 0)
      front->queue.resize(front->slot, Quantity{} - taken);
  }
  return volume;
}

/// The first order of a side that trades at a limit or better.
template <SideQueue Queue>
Slot BookAuctions<Queue>::first_at(Side side, Level limit) const {
  if (const Slot slot = unlimited(side).first(); slot != k_no_slot) return slot;
  const Level shown = lit(side).best(), unseen = hidden(side).best();
  const auto is_good = [side, limit](Level level) {
    return level != k_no_level && is_within(opposite(side), level, limit);
  };
  if (is_good(shown) && (unseen == k_no_level || is_within(opposite(side), shown, unseen))) return lit(side).front();
  return is_good(unseen) ? hidden(side).front() : k_no_slot;
}

template <SideQueue Queue>
void BookAuctions<Queue>::trade_both(Slot buyer, Slot seller, Price price, Quantity quantity) {
  take_off(buyer, quantity);
  take_off(seller, quantity);
  market::BookReport& traded = reports_.append_raw();
  traded.order = orders_.id(buyer);
  traded.other = orders_.id(seller);
  traded.price = price;
  traded.quantity = quantity;
  traded.leaves = orders_[buyer].leaves;
  traded.displayed = shown_in_cross(buyer);
  traded.instrument = instrument_.id;
  traded.kind = market::BookReportKind::traded;
  traded.side = Side::buy;
  traded.reason = Reason::none;
  traded.flags = market::k_auction;
  const OrderId linked_with_buyer = unlink(buyer), linked_with_seller = unlink(seller);
  for (const Slot slot : {buyer, seller})
    if (orders_[slot].leaves.lots == 0) end_traded(slot);
  cancel_linked(linked_with_buyer);
  cancel_linked(linked_with_seller);
}

/// Takes what was traded off an order that rests in the book; a plain one without a rest leaves its level.
template <SideQueue Queue>
void BookAuctions<Queue>::take_off(Slot slot, Quantity quantity) {
  const Order& order = orders_[slot];
  if (!order.is_special()) [[likely]] {
    static_cast<void>(lit(order.side).fill(slot, quantity));
    return;
  }
  resize(slot, Quantity{} - quantity);
  OrderExtra& extra = orders_.extra(slot);
  if (extra.is_iceberg) extra.displayed = std::max(extra.displayed - quantity, Quantity{});
}

template <SideQueue Queue>
Quantity BookAuctions<Queue>::shown_in_cross(Slot slot) const {
  const Order& order = orders_[slot];
  return order.is_special() ? displayed_of(slot) : order.leaves;
}

template <SideQueue Queue>
void BookAuctions<Queue>::end_traded(Slot slot) {
  if (orders_[slot].is_resting()) take_out(slot);
  end(slot);
}

}  // namespace dojima::book
