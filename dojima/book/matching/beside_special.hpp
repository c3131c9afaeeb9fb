#pragma once

// BasicBook: plain orders in a book where something special lives, on the fast path as long as it does not concern
// them. Included by matching.hpp only.

#include <algorithm>
#include <cstdint>

#include "dojima/book/matching/book_checks.hpp"

namespace dojima::book {

/// Whether what is special can act on any plain command, whatever it is: trading is not continuous, or an order waits
/// outside the levels that others can wake by leaving: a pegged one follows the touch, dark orders may meet each other,
/// or their owners' other orders stand in their way. With the nearest rank of the dark orders of either side.
template <SideQueue Queue>
typename BasicBook<Queue>::Bars BasicBook<Queue>::bars_now() const {
  Bars bars;
  bool is_barred = phase_ != market::Phase::continuous || (!dark_bids_.is_empty() && !dark_asks_.is_empty());
  for (const Side side : {Side::buy, Side::sell})
    for (Slot slot = dark(side).first(); slot != k_no_slot; slot = dark(side).next(slot)) {
      is_barred = is_barred || is_pegged(orders_.terms(slot)) || rules_.self_trade != SelfTrade::allowed;
      std::int64_t& nearest = bars.dark_ranks[side == Side::buy ? 0 : 1];
      nearest = std::min(nearest, rank_of(side, instrument_.ticks.level_or_none(orders_.limit(slot))));
    }
  bars.word = (bars_ & k_forbidden) | (is_barred ? 1 : 0);
  return bars;
}

template <SideQueue Queue>
void BasicBook<Queue>::set_bars() {
  const Bars bars = bars_now();
  bars_ = bars.word;
  dark_ranks_ = bars.dark_ranks;
}

/// Whether an order that reaches `limit` could meet what the levels do not show, or would not trade in the order of
/// time where more than plain orders may stand in the levels, or not all of them are to be traded with.
template <SideQueue Queue>
bool BasicBook<Queue>::needs_general_path(Side makers, Level limit, bool is_whole) const {
  if (hidden(makers).meets(limit) || rank_of(makers, limit) >= dark_ranks_[makers == Side::buy ? 0 : 1]) return true;
  const bool is_by_time = rules_.policy == Policy::fifo;
  const bool has_plain_levels = specials_ == k_rules && rules_.self_trade == SelfTrade::allowed;
  return lit(makers).meets(limit) && (is_whole || (!is_by_time && !has_plain_levels));
}

/// Whether the book's rules are all that is special in it, and do not concern this order: self-trade prevention within
/// groups, and it is of none.
template <SideQueue Queue>
bool BasicBook<Queue>::is_beside_rule(const market::NewOrder& command) const noexcept {
  const bool is_group_rule = rules_.self_trade != SelfTrade::allowed && rules_.scope == SelfTradeScope::group;
  return specials_ == k_rules && is_group_rule && rules_.policy == Policy::fifo && command.terms.group == 0;
}

/// Stop orders learn what was traded: prices that only rise or only fall are as good as their first and their last.
template <SideQueue Queue>
void BasicBook<Queue>::wake(const Sweep& swept) {
  follow(swept.first);
  follow(swept.last);
  settle();
}

/// An order that stands before something special goes on by the general path.
template <SideQueue Queue>
void BasicBook<Queue>::go_on(Slot slot, const Sweep& swept) {
  if (swept.has_traded) {
    follow(swept.first);
    follow(swept.last);
  }
  middle_ = middle();
  if (match(slot)) conclude(slot);
  settle();
}

}  // namespace dojima::book
