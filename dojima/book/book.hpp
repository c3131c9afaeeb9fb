#pragma once

// The order book of one instrument: price-time matching at the resting order's price, for limit and market orders
// (day, immediate-or-cancel, fill-or-kill). Commands go in, reports come out through a ReportBuffer; a refusal is a
// report too, and every capacity is checked before anything is changed. The same commands give the same reports with
// every storage. docs/book.md has the priority table and the reports of each command.
//
// O(log levels) per order, cancel, replace and fill; nothing is allocated after construction. One thread. Instrument,
// table and buffer must outlive the book.
//
//   OrderTable orders({.capacity = 1000});
//   Book book(instrument, orders, reports, {.levels = 100});
//   reports.begin(sequence, now);  book.apply(new_order);  reports.finish();

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dojima/book/intrusive_queue.hpp"
#include "dojima/book/ladder_queue.hpp"
#include "dojima/book/list_map_queue.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/book/side_queue.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

using market::Reason;

struct BookLimits {
  std::size_t levels = 4096;  ///< occupied price levels per side, >= 1
};

/// An order as it stands in the book.
struct RestingOrder {
  OrderId id;
  Side side = Side::none;
  Price price;
  Quantity leaves;
  std::uint16_t owner = 0;
};

template <SideQueue Queue>
class BasicBook {
 public:
  /// Throws std::bad_alloc, and std::invalid_argument where the largest order times the table's capacity does not fit
  /// a Quantity, so that no total can ever overflow.
  BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits);

  /// `accepted`, then `traded` per fill, then `added` (the rest stands in the book) or `expired` (the rest of an
  /// immediate-or-cancel, fill-or-kill or market order); or `rejected`. `header.user` is the owner.
  void apply(const market::NewOrder& command);

  /// `replaced`, then as a new order when it lost its place (the order is outside the book until `added`); or
  /// `rejected` with k_replacement. `order` must be set; `header.user` must be the owner.
  void apply(const market::Replace& command);

  /// `cancelled`, or `rejected` with k_replacement. `order` must be set; `header.user` must be the owner.
  void apply(const market::Cancel& command);

  /// The system ends a resting order of this book: `expired` with `reason`.
  void expire(OrderId order, Reason reason);

  /// Rebuilds a book from reports, without matching and without reports of its own; the order table must hold foreign
  /// ids. Crossed input is fine. False: the report does not fit what is here (unknown or known id, other leaves, a
  /// price off the table) or a capacity is used up; nothing changed.
  [[nodiscard]] bool mirror(const market::BookReport& report);

  [[nodiscard]] const market::Instrument& instrument() const noexcept { return instrument_; }
  /// The best price of a side; none when it is empty.
  [[nodiscard]] std::optional<Price> best(Side side) const;
  /// What stands at a price.
  [[nodiscard]] Quantity total(Side side, Price price) const;
  [[nodiscard]] std::size_t level_count(Side side) const noexcept { return queue(side).level_count(); }

  /// Calls `visit(const RestingOrder&)` for the side's orders, best price first, oldest first within a price.
  template <class Visit>
  void each_resting(Side side, Visit&& visit) const {
    const Queue& orders = queue(side);
    for (Level level = orders.best(); level != k_no_level; level = orders.worse(level)) {
      const Price price = instrument_.ticks.price_of(level);
      for (Slot slot = orders.front(level); slot != k_no_slot; slot = orders.next(slot)) {
        const Order& order = orders_[slot];
        visit(RestingOrder{orders_.id(slot), side, price, order.leaves(), order.owner});
      }
    }
  }

  /// Over id, side, price and leaves of every resting order in priority order: what the reports tell, so that a mirror
  /// has the same digest. O(orders).
  [[nodiscard]] std::uint64_t digest() const;

  /// Null when level totals, counts, links and order states agree and, unless `may_be_crossed`, no bid meets an ask;
  /// else what is wrong. O(orders). For tests.
  [[nodiscard]] const char* inconsistency(bool may_be_crossed = false) const;

 private:
  [[nodiscard]] Queue& queue(Side side) noexcept { return side == Side::buy ? bids_ : asks_; }
  [[nodiscard]] const Queue& queue(Side side) const noexcept { return side == Side::buy ? bids_ : asks_; }
  [[nodiscard]] static bool is_within(Side aggressor, Level level, Level limit) noexcept;

  [[nodiscard]] Reason check_terms(const market::OrderTerms& terms) const;
  [[nodiscard]] Reason check_price(Price price, Level& level) const;
  [[nodiscard]] Reason check_replace(const market::Replace& command, Slot slot, Level& level) const;
  [[nodiscard]] Quantity reachable(Side aggressor, Level limit, Quantity enough) const;
  [[nodiscard]] bool has_level_for_rest(Side side, Level limit, Quantity quantity, std::size_t freed) const;
  [[nodiscard]] Slot find_own(OrderId id) const;

  void enter(Slot slot, Level limit);
  void match(Slot aggressor, Level limit);
  void rest(Slot slot, Level level);
  void finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags);
  void resize_in_place(Slot slot, const market::Replace& command);
  void move(Slot slot, const market::Replace& command, Level level);
  void reject(OrderId order, Side side, Reason reason, std::uint8_t flags);
  market::BookReport& report(market::BookReportKind kind, Slot slot);

  [[nodiscard]] bool mirror_added(const market::BookReport& report);
  [[nodiscard]] bool mirror_leaves(Slot slot, Quantity leaves);
  void mirror_removed(Slot slot);
  [[nodiscard]] const char* inconsistency(Side side) const;

  const market::Instrument& instrument_;
  OrderTable& orders_;
  ReportBuffer& reports_;
  BookLimits limits_;
  Queue bids_;
  Queue asks_;
};

using MapBook = BasicBook<MapQueue>;
using PooledBook = BasicBook<PooledQueue>;
using IntrusiveBook = BasicBook<IntrusiveQueue>;
using LadderBook = BasicBook<LadderQueue>;
extern template class BasicBook<MapQueue>;        // in map_book.cpp
extern template class BasicBook<PooledQueue>;     // in pooled_book.cpp
extern template class BasicBook<IntrusiveQueue>;  // in intrusive_book.cpp
extern template class BasicBook<LadderQueue>;     // in ladder_book.cpp

/// The storage that is used.
using Book = LadderBook;

}  // namespace dojima::book
