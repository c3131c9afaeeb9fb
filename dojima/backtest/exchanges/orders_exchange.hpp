#pragma once

// The exchange `orders`: data with orders. An own order's place is exact, price first, then first in, first out: what
// was there when it came is ahead of it, what came later is behind. It is filled
//
//   by an execution of a recorded order that is behind it or at a worse price: the own one had been first,
//   by a recorded order that enters at a price that meets it.
//
// So an own order that is alone before the recorded best has the next execution first. An execution or an entering
// order fills own orders for no more than its own quantity.
//
// Of recorded orders, only those are remembered by their arrival that came to a level where an own order rests; all
// others were there before. So an event costs what its level book costs and one look at own orders of its price.

#include "dojima/backtest/exchanges/record_exchange.hpp"

namespace dojima::backtest {

class OrdersExchange final : public RecordExchange {
 public:
  using RecordExchange::RecordExchange;

 private:
  /// A recorded order before and behind an event.
  struct Seen {
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    Side side = Side::none;
    bool is_later = false;  // it came behind an own order
  };
  void follow(const recorded::RecordedEvent& event, OwnBook& own) override;
  /// Whether an own order may see what an event did to a recorded one: it is at its price, was to be executed before
  /// it, or meets it, or own orders have taken of the book.
  [[nodiscard]] bool is_seen(recorded::EventKind kind, const recorded::OrderStep& step, const OwnBook& own) const;
  /// The own orders behind an event about one recorded order, which the book has taken.
  void react(const recorded::RecordedEvent& event, OwnBook& own, const Seen& before, std::uint64_t id,
             const Seen& after);
  void place(RestingOwn& order) override;
  [[nodiscard]] Seen find(std::uint64_t id, std::uint32_t instrument);
  /// When the recorded order of an event came; 0: before any own order of its price.
  [[nodiscard]] std::uint64_t arrival_of(const recorded::RecordedEvent& event, const Seen& known);
  void execute(OwnBook& own, const recorded::RecordedEvent& event, const Seen& known);
  /// Own orders before an order of that price and arrival get what it got in the record.
  void take_before(OwnBook& own, Side side, std::int64_t price, std::uint64_t arrival, std::int64_t quantity);
  void leave(OwnBook& own, const recorded::RecordedEvent& event, const Seen& known, std::int64_t quantity);
  void arrive(OwnBook& own, const recorded::RecordedEvent& event, std::uint64_t id, const Seen& now_there);
  void forget(std::uint64_t id, std::uint32_t instrument);

  std::uint64_t arrivals_ = 0;
  /// Recorded orders that came behind an own one; the price is the arrival. Those of them that live are marked in the
  /// record, so that nobody looks for others here.
  recorded::OrderMap later_;
};

}  // namespace dojima::backtest
