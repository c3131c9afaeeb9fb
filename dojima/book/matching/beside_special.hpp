#pragma once

// BookFastPath: plain orders in a book where something special lives, on the fast path as long as it does not concern
// them, and icebergs that come to rest or are met. Included by matching.hpp only.

#include <algorithm>
#include <cstdint>

#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"

namespace dojima::book {

/// Whether an order that reaches `limit` could meet what the levels do not show, or would not trade in the order of
/// time where more than plain orders may rest in the levels, or not all of them are to be traded with.
template <SideQueue Queue>
bool BookFastPath<Queue>::needs_general_path(Side makers, Level limit, bool is_whole) const {
  // Whether there are hidden orders at all can be guessed; which side they are on cannot.
  const bool has_hidden = (hidden_bids_.level_count() | hidden_asks_.level_count()) != 0;
  if (has_hidden && hidden(makers).meets(limit)) return true;
  if (rank_of(makers, limit) >= dark_ranks_[makers == Side::buy ? 0 : 1]) return true;
  const bool is_by_time = rules_.policy == Policy::fifo;
  const bool has_plain_levels = specials_ == k_rules && rules_.self_trade == SelfTrade::allowed;
  return (is_whole || (!is_by_time && !has_plain_levels)) && lit(makers).meets(limit);
}

/// Whether the book's rules are all that is special in it, and do not concern this order: self-trade prevention within
/// groups, and it is of none.
template <SideQueue Queue>
bool BookFastPath<Queue>::is_beside_rule(const market::NewOrder& command) const noexcept {
  const bool is_group_rule = rules_.self_trade != SelfTrade::allowed && rules_.scope == SelfTradeScope::group;
  return specials_ == k_rules && is_group_rule && rules_.policy == Policy::fifo && command.terms.group == 0;
}

/// An iceberg for the day or till cancelled that trades with nobody comes to rest. False: it does not, and nothing was
/// done.
template <SideQueue Queue>
bool BookFastPath<Queue>::rest_iceberg(const market::NewOrder& command) {
  const market::OrderTerms& terms = command.terms;
  const Side side = terms.side;
  const Quantity quantity = terms.quantity, shown = terms.displayed;
  if (conditions_of(command) != 0 || shown.lots <= 0 || shown >= quantity || quantity > maximum_quantity_ ||
      !is_peak(terms)) {
    return false;
  }
  const Level level = instrument_.ticks.level_or_none(terms.limit);
  Queue& own = lit(side);
  if (level == market::TickTable::k_none || orders_.is_full() || own.level_count() >= limits_.levels ||
      needs_general_path(market::opposite(side), level, true)) {
    return false;
  }
  const Slot slot = orders_.add(kept_terms(command), command.labels, instrument_.id);
  Order& order = orders_[slot];
  OrderExtra& extra = orders_.extra(slot);
  extra = {};
  extra.displayed = shown;
  extra.is_iceberg = true;
  order.links = own.join(level, slot, quantity);
  order.state |= k_special | k_resting;
  ++specials_;
  if (largest_ != nullptr) largest_->joined(side, level, slot, quantity, order.entry);

  const OrderId id = orders_.slots().id_of(slot, order.generation);
  Writer out(reports_, instrument_.id);
  for (const market::BookReportKind kind : {market::BookReportKind::accepted, market::BookReportKind::added}) {
    out.room();
    out.write(kind, side, id, {}, terms.limit, quantity, quantity);
    out.shows(shown);
  }
  out.done();
  return true;
}

/// Whether an order in the lit levels is special only for showing less than it has.
template <SideQueue Queue>
bool BookFastPath<Queue>::is_iceberg_alone(Slot slot) const noexcept {
  if (!orders_[slot].is_special()) return false;
  const OrderExtra& extra = orders_.extra(slot);
  return extra.is_iceberg && extra.linked.value == 0;
}

/// A taker that has `left` meets an iceberg at the front of the best level, and trades with what it shows. The next
/// peak goes to the back. What the taker has left then.
template <SideQueue Queue>
Quantity BookFastPath<Queue>::trade_with_iceberg(Writer& out, Slot taker, OrderId id, Slot slot, Price price,
                                                 Quantity left) {
  const Order& maker = orders_[slot];
  const Side side = maker.side;
  OrderExtra& extra = orders_.extra(slot);
  const Quantity quantity = std::min(left, extra.displayed);
  if (out.is_full()) [[unlikely]] {
    orders_[taker].leaves = left;
    out.room();
  }
  extra.displayed -= quantity;
  left -= quantity;
  out.write(market::BookReportKind::traded, side, orders_.slots().id_of(slot, maker.generation), id, price, quantity,
            maker.leaves - quantity);
  out.shows(extra.displayed);
  if (lit(side).fill(slot, quantity)) {
    extra.is_iceberg = false;
    end(slot);
  } else if (extra.displayed.lots == 0) {
    orders_[taker].leaves = left;
    out.done();
    replenish(slot);
    out.resume();
  }
  return left;
}

/// Stop orders learn what was traded: prices that only rise or only fall are as good as their first and their last.
template <SideQueue Queue>
void BookFastPath<Queue>::wake(const Sweep& swept) {
  const bool has_stops = (stop_buys_.level_count() | stop_sells_.level_count()) != 0 || !trailing_.is_empty();
  if (!has_stops && dark_bids_.is_empty() && dark_asks_.is_empty()) return;
  follow(swept.first);
  follow(swept.last);
  settle();
}

/// An order whose next match is special goes on by the general path.
template <SideQueue Queue>
void BookFastPath<Queue>::go_on(Slot slot, const Sweep& swept) {
  if (swept.has_traded) {
    follow(swept.first);
    follow(swept.last);
  }
  middle_ = middle();
  if (match(slot)) conclude(slot);
  settle();
}

}  // namespace dojima::book
