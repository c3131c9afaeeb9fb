#pragma once

// BookFastPath: plain orders that sweep levels which are not traded in the order of time: pro rata (pro_rata.hpp), or
// the largest first (size_first.hpp). Where only plain orders rest in the levels; the general path (book_matching.hpp)
// gives the same trades. A short level is walked through; of a long one its largest orders are known
// (largest_orders.hpp). Included by matching.hpp only.

#include "dojima/book/matching/level_trades.hpp"
#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/pro_rata.hpp"
#include "dojima/book/matching/size_first.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"
#include "dojima/book/queues/largest_orders.hpp"

namespace dojima::book {

/// As sweep(), by the book's own policy.
template <SideQueue Queue>
typename BookFastPath<Queue>::Sweep BookFastPath<Queue>::sweep_by_policy(Writer& out, Slot taker, Side makers,
                                                                         OrderId id, Level limit) {
  Queue& queue = lit(makers);
  LevelTrades<Queue> trades(orders_, queue, out, taker, makers, id);
  Sweep swept{.first = instrument_.ticks.price_of(queue.best()), .has_traded = true};
  do {
    const Level level = queue.best();
    const Quantity total = queue.total(level);
    swept.last = trades.price = instrument_.ticks.price_of(level);
    if (rules_.policy == Policy::size_time) {
      trade_by_size(trades, *largest_, level);
    } else if (trades.left >= total) {
      trades.by_time();
    } else {
      const Quantity before = rules_.policy == Policy::top_pro_rata ? trades.top() : Quantity{};
      if (trades.left.lots != 0) trade_pro_rata(trades, *largest_, level, total - before);
    }
  } while (trades.left.lots != 0 && queue.meets(limit));
  last_trade_.emplace(swept.last);
  swept.left = trades.left;
  return swept;
}

}  // namespace dojima::book
