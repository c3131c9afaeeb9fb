#pragma once

// The order book of one instrument: price, then display, then time, or another policy (rules.hpp); every order is
// matched at the resting order's price, and auctions uncross at one price. Commands go in, reports come out through a
// ReportBuffer; a refusal is a report too, and every capacity is checked before anything is changed. The same commands
// give the same reports on every machine and compiler. docs/book.md has the order types, the rules, the priority table
// and the reports, docs/auctions.md the phases.
//
// While no order in the book waits, hides or is linked, a plain order costs O(log levels) and O(1) per fill. A step of
// matching against dark orders (pegged, minimum execution size, all-or-none) costs O(dark orders). Nothing is allocated
// after construction but the levels of auctions, at the first change of phase. One thread. Instrument, table and buffer
// must outlive the book.
//
//   OrderTable orders({.capacity = 1000});
//   Book book(instrument, orders, reports, {.levels = 100});
//   reports.begin(sequence, now);  book.apply(new_order);  reports.finish();
//
// Its levels are kept by a ladder of ticks; books over the storages that it is measured against are in storages.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/book/auction.hpp"
#include "dojima/book/book_types.hpp"
#include "dojima/book/matching/basic_book.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/book/queues/ladder_queue.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/book/rules.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

extern template class BasicBook<LadderQueue>;  // in matching/ladder_book.cpp

class Book {
 public:
  /// Throws std::bad_alloc, and std::invalid_argument where the largest order times the table's capacity does not fit
  /// a Quantity, so that no total can ever overflow.
  Book(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
       BookRules rules = {})
      : book_(instrument, orders, reports, limits, std::move(rules)) {}

  /// `accepted`, then `traded` per fill, then `added` (the rest rests in the book), `parked` (a stop order waits) or
  /// `expired`; or `rejected`. `header.user` is the owner.
  void apply(const market::NewOrder& command) { book_.apply(command); }

  /// `replaced`, then as a new order when it lost its place (the order is outside the book until `added`); or
  /// `rejected` with k_replacement. `order` must be set; `header.user` must be the owner.
  void apply(const market::Replace& command) { book_.apply(command); }

  /// `cancelled`, or `rejected` with k_replacement. `order` must be set; `header.user` must be the owner.
  void apply(const market::Cancel& command) { book_.apply(command); }

  /// `cancelled` per order of this book that fits: owner by owner, each in the order of entry. `segment` is not looked
  /// at: a book knows its instrument only. O(live orders of the owners).
  void apply(const market::MassCancel& command) { book_.apply(command); }

  /// `expired` per order of this book whose time is over, in the same order. O(live orders).
  void apply(const market::Expire& command) { book_.apply(command); }

  /// The book goes into another phase (docs/auctions.md). What was collected is uncrossed first where the command says
  /// so: `traded` with k_auction per trade, `uncrossed`, then `expired`, or `replaced` and `added`, per order that
  /// cannot stay as it is. Then `phase_changed`; `triggered` and `added` for orders that waited for this phase; what
  /// waiting orders do, or `indicative`. A phase that is none is `rejected`. The first call takes memory for its
  /// levels. O(orders that trade + orders that waited), and O(orders of the book) when orders for auctions alone were
  /// in it.
  void apply(const market::PhaseChange& command) { book_.apply(command); }

  /// The system ends a live order of this book: `expired` with `reason`. Orders that waited for it do nothing before
  /// settle().
  void expire(OrderId order, Reason reason) { book_.expire(order, reason); }
  /// The same as `cancelled`.
  void cancel(OrderId order, Reason reason) { book_.cancel(order, reason); }

  /// Lets waiting orders act on what has changed: stop orders whose price was traded, dark orders that can trade now.
  void settle() { book_.settle(); }

  /// Every command takes the general path from now on, which gives the same bytes. For tests.
  void forbid_fast_path() noexcept { book_.forbid_fast_path(); }

  /// Rebuilds a book from reports, without matching and without writing reports; the order table must hold foreign ids.
  /// Crossed input is taken as it is, and counted by crossings(). False: the report does not fit what is here (unknown
  /// or known id, other leaves, a price off the table) or a capacity is used up; nothing changed.
  [[nodiscard]] bool mirror(const market::BookReport& report) { return book_.mirror(report); }
  [[nodiscard]] const Crossings& crossings() const noexcept { return book_.crossings(); }

  // Rebuilding by slot, for callers that map another venue's order numbers to slots themselves: plain orders, no
  // reports, no matching, crossed or not, and crossings() does not look. In a table of issued ids.

  /// An order that shows all it has comes to the back of its level. No slot: a capacity is used up, or price, quantity
  /// or side is none that the book could have; nothing changed. O(1) near the touch, O(log levels) outside.
  [[nodiscard]] Slot place(Side side, Price price, Quantity quantity) { return book_.place(side, price, quantity); }
  /// The plain order that rests in the slot has `leaves` from now on, 1 to the instrument's largest quantity; it keeps
  /// its place. O(1).
  void change(Slot slot, Quantity leaves) { book_.change(slot, leaves); }
  /// The plain order that rests in the slot is gone. O(1).
  void remove(Slot slot) { book_.remove(slot); }

  /// Somebody's order takes `quantity`, which rests nowhere before or behind that, from the plain order in the slot: as
  /// an immediate-or-cancel order at its price would, without an order and without reports. True: that is how it went.
  /// False, and nothing changed: the order is not the first of its side, has less, or something lives here that might
  /// act on a trade. In a table of issued ids. O(1).
  [[nodiscard]] bool trade_with_first(Slot slot, Quantity quantity) { return book_.trade_with_first(slot, quantity); }

  /// Hints for callers that have the next commands at hand: this order will be cancelled or replaced a few commands
  /// from here; that will be reported to its owner; and, a few commands after the first hint, what rests beside it in
  /// its level will be needed. Any id is fine, and nothing changes but what the cache holds. No branch depends on the
  /// order.
  [[gnu::always_inline]] void prefetch(OrderId order) const noexcept { book_.prefetch(order); }
  [[gnu::always_inline]] void prefetch_terms(OrderId order) const noexcept { book_.prefetch_terms(order); }
  [[gnu::always_inline]] void prefetch_neighbours(OrderId order) const noexcept { book_.prefetch_neighbours(order); }

  [[nodiscard]] const market::Instrument& instrument() const noexcept { return book_.instrument(); }
  [[nodiscard]] const BookRules& rules() const noexcept { return book_.rules(); }
  /// The best displayed price of a side; none when nothing is displayed.
  [[nodiscard]] std::optional<Price> best(Side side) const { return book_.best(side); }
  /// The same as a level of the instrument's tick table, `market::TickTable::k_none` where best() is none.
  /// Inlined: who looks at both sides before each order waits for nothing (TickTable::level_or_none says why). O(1).
  [[nodiscard]] market::Level level_of_best(Side side) const noexcept { return book_.level_of_best(side); }
  /// The same with what rests there. O(1).
  [[nodiscard]] std::optional<PriceLevel> best_level(Side side) const { return book_.best_level(side); }
  /// What rests at a price, undisplayed reserves of icebergs included, hidden and dark orders not.
  [[nodiscard]] Quantity total(Side side, Price price) const { return book_.total(side, price); }
  /// What is displayed at a price. O(orders of the level).
  [[nodiscard]] Quantity displayed(Side side, Price price) const { return book_.displayed(side, price); }
  /// Occupied displayed levels.
  [[nodiscard]] std::size_t level_count(Side side) const noexcept { return book_.level_count(side); }
  [[nodiscard]] market::Phase phase() const noexcept { return book_.phase(); }
  /// What uncrossing now would give, in a call; nothing in other phases. O(1), as reported last.
  [[nodiscard]] const Auction& indicative() const noexcept { return book_.indicative(); }
  /// The price of the last trade.
  [[nodiscard]] std::optional<Price> last_trade() const noexcept { return book_.last_trade(); }
  /// The price of the last level, displayed or hidden, that an order would reach which trades `quantity` at once and up
  /// to `limit` (none: at any price); none: it reaches nobody. Its own orders count as others'. O(levels reached).
  [[nodiscard]] std::optional<Price> worst_reached(Side aggressor, std::optional<Price> limit,
                                                   Quantity quantity) const {
    return book_.worst_reached(aggressor, limit, quantity);
  }
  /// Why this order would be refused now; `none`: it would be accepted.
  [[nodiscard]] Reason refusal(const market::NewOrder& command) const { return book_.refusal(command); }
  /// The same of a replace, whose order must be set.
  [[nodiscard]] Reason refusal(const market::Replace& command) const { return book_.refusal(command); }

  /// Calls `visit(const RestingOrder&)` for the side's orders: the displayed levels, best price first, oldest first
  /// within a price; then the hidden ones likewise; then the dark orders in the order of entry; then those that have no
  /// limit in a call likewise.
  template <class Visit>
  void each_resting(Side side, Visit&& visit) const {
    book_.each_resting(side, std::forward<Visit>(visit));
  }

  /// Calls `visit(PriceLevel, std::uint32_t orders)` for at most so many of the side's displayed levels, best price
  /// first, with what is displayed there. O(levels), of icebergs O(orders of the level).
  template <class Visit>
  void each_level(Side side, std::size_t most, Visit&& visit) const {
    book_.each_level(side, most, std::forward<Visit>(visit));
  }

  /// Over every resting order as each_resting() shows it, its owner aside: what the reports say, so that a mirror has
  /// the same digest. O(orders).
  [[nodiscard]] std::uint64_t digest() const { return book_.digest(); }

  /// Over all that decides what the book does next and is not in the order table. O(orders).
  [[nodiscard]] std::uint64_t state_digest() const { return book_.state_digest(); }

  /// Where its orders rest, and all else that decides what it does next; the orders themselves are their table's.
  /// O(orders).
  void save(StateWriter& out) const { book_.save(out); }
  /// Into a book that was made with the same instrument, limits and rules and has seen nothing, once the table was
  /// loaded. False: the reader failed, or what it read is no such book; book and table are of no use then. O(orders).
  [[nodiscard]] bool load(StateReader& in) { return book_.load(in); }

  /// Null when level totals, counts, links and order states agree and, unless `may_be_crossed`, no bid meets an ask;
  /// else what is wrong. O(orders). For tests.
  [[nodiscard]] const char* inconsistency(bool may_be_crossed = false) const {
    return book_.inconsistency(may_be_crossed);
  }

 private:
  BasicBook<LadderQueue> book_;
};

}  // namespace dojima::book
