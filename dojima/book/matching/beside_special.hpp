#pragma once

// BookFastPath: plain orders in a book where something special lives, on the fast path as long as it does not concern
// them. Included by matching.hpp only.

#include <algorithm>
#include <cstdint>

#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"

namespace dojima::book {

/// Whether an order that reaches `limit` could meet what the levels do not show, or would not trade in the order of
/// time where more than plain orders may stand in the levels, or not all of them are to be traded with.
template <SideQueue Queue>
bool BookFastPath<Queue>::needs_general_path(Side makers, Level limit, bool is_whole) const {
  if (hidden(makers).meets(limit) || rank_of(makers, limit) >= dark_ranks_[makers == Side::buy ? 0 : 1]) return true;
  const bool is_by_time = rules_.policy == Policy::fifo;
  const bool has_plain_levels = specials_ == k_rules && rules_.self_trade == SelfTrade::allowed;
  return lit(makers).meets(limit) && (is_whole || (!is_by_time && !has_plain_levels));
}

/// Whether the book's rules are all that is special in it, and do not concern this order: self-trade prevention within
/// groups, and it is of none.
template <SideQueue Queue>
bool BookFastPath<Queue>::is_beside_rule(const market::NewOrder& command) const noexcept {
  const bool is_group_rule = rules_.self_trade != SelfTrade::allowed && rules_.scope == SelfTradeScope::group;
  return specials_ == k_rules && is_group_rule && rules_.policy == Policy::fifo && command.terms.group == 0;
}

/// Stop orders learn what was traded: prices that only rise or only fall are as good as their first and their last.
template <SideQueue Queue>
void BookFastPath<Queue>::wake(const Sweep& swept) {
  follow(swept.first);
  follow(swept.last);
  settle();
}

/// An order that stands before something special goes on by the general path.
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
