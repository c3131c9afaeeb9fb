#pragma once

// A book that matches (book::Book) for each recorded instrument, over one table of orders, and how recorded orders are
// carried out in them: they enter as they did, and a recorded execution is an order that takes as much, at the price
// of the order that it met in the record, so that it meets the order that is first now. Who keeps which recorded order
// is which here is the caller's business.
//
//   MatchingBooks books({.capacity = 1 << 18}, ticks);
//   books.add_books(reader.instruments());
//   books.enter(event.instrument, event.side, event.price, event.quantity);  // books.reports() says what it did
//
// A call is a command of its own. One thread; memory for orders is taken once, as the table says.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class MatchingBooks {
 public:
  /// `ticks`: of each instrument whose reader has none; may be shorter. Throws std::bad_alloc.
  MatchingBooks(const book::OrderTableOptions& orders, std::vector<std::int64_t> ticks);

  /// Those that are not there yet.
  void add_books(std::span<const RecordedInstrument> instruments) {
    while (books_.size() < instruments.size()) [[unlikely]]
      add_book(instruments[books_.size()]);
  }
  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] book::Book& of(std::uint32_t instrument) noexcept { return books_[instrument]->book; }
  [[nodiscard]] const book::Book& of(std::uint32_t instrument) const noexcept { return books_[instrument]->book; }
  [[nodiscard]] book::OrderTable& orders() noexcept { return orders_; }
  [[nodiscard]] const book::OrderTable& orders() const noexcept { return orders_; }

  /// The time of commands from here on.
  void set_time(Time now) noexcept { now_ = now; }
  /// A command of `user`, below the table's owners. Its instrument, time and user are set here.
  template <class Command>
  void submit(std::uint32_t instrument, Command& command, std::uint16_t user) {
    One& one = *books_[instrument];
    command.header.instrument = one.instrument.id;
    command.header.time = now_;
    command.header.user = user;
    reports_.begin_command(now_);
    one.book.apply(command);
    reports_.end_command();
  }
  /// What the last command did, oldest first, until the next one; at least that it was refused.
  [[nodiscard]] std::span<const market::BookReport> reports() const noexcept { return reports_.all(); }

  // Recorded orders, all of user 0.

  void enter(std::uint32_t instrument, market::Side side, std::int64_t price, std::int64_t quantity,
             market::TimeInForce time_in_force = market::TimeInForce::good_till_cancel) {
    market::OrderTerms& terms = entering_.terms;
    terms.limit = {price};
    terms.quantity = terms.displayed = {quantity};
    terms.side = side;
    terms.time_in_force = time_in_force;
    submit(instrument, entering_, 0);
  }
  /// Somebody takes what the record says was taken of the order in that slot, which lives: from who is first at its
  /// price, if it is not that order itself. True: it met that order last, and for all of the quantity; without reports
  /// where it met nobody else.
  [[nodiscard]] bool execute(std::uint32_t instrument, book::Slot meant, std::int64_t quantity);
  /// A reduction, removal, amendment or replacement of the order in that slot, which lives; of a replacement the end
  /// alone. False: the order was to end. What becomes of one that changes the reports say.
  bool change(const RecordedEvent& event, book::Slot slot);

 private:
  /// The last command's reports, where the book wrote them unless they are more than there is room for.
  class LastReports final : public book::ReportBuffer {
   public:
    LastReports() : ReportBuffer(64) {}
    void begin_command(Time now) {
      taken();
      if (!overflow_.empty()) [[unlikely]]
        overflow_.clear();
      begin({++commands_}, now);
    }
    void end_command() {
      if (!overflow_.empty()) [[unlikely]]
        finish();
    }
    [[nodiscard]] std::span<const market::BookReport> all() const noexcept {
      return overflow_.empty() ? pending() : std::span<const market::BookReport>(overflow_);
    }

   private:
    void drain(std::span<const market::BookReport> reports, Time) override {
      overflow_.insert(overflow_.end(), reports.begin(), reports.end());
    }
    std::vector<market::BookReport> overflow_;
    std::uint64_t commands_ = 0;
  };
  struct One {
    One(market::Instrument of, book::OrderTable& orders, book::ReportBuffer& reports)
        : instrument(std::move(of)), book(instrument, orders, reports, {.levels = orders.capacity()}) {}
    market::Instrument instrument;
    book::Book book;
  };
  void add_book(const RecordedInstrument& recorded);

  LastReports reports_;
  market::NewOrder entering_;  // what is the same for each is set once
  Time now_{};
  book::OrderTable orders_;
  std::vector<std::int64_t> ticks_;
  std::vector<std::unique_ptr<One>> books_;
};

// Here, so that callers have them inlined: they are what each event of a day does.

inline bool MatchingBooks::execute(std::uint32_t instrument, book::Slot meant, std::int64_t quantity) {
  const book::Order& order = orders_[meant];
  const market::OrderId id = orders_.id(meant);
  // Mostly it is first here as well, and nobody else has anything of it.
  if (of(instrument).trade_with_first(meant, {quantity})) [[likely]] {
    reports_.begin_command(now_);
    return true;
  }
  // Nothing is left of what takes no more than rests there, and the book is fastest with what may rest itself.
  const bool is_plain = order.is_resting() && order.leaves.lots >= quantity;
  enter(instrument, market::opposite(order.side), orders_.limit(meant).units, quantity,
        is_plain ? market::TimeInForce::good_till_cancel : market::TimeInForce::immediate_or_cancel);
  const std::span<const market::BookReport> said = reports();
  DOJIMA_ASSERT(!is_plain || said.empty() || said.back().kind != market::BookReportKind::added,
                "an order that takes no more than rests at its price never rests", id, quantity);
  // The last trade is mostly the last report.
  for (std::size_t at = said.size(); at-- != 0;)
    if (said[at].kind == market::BookReportKind::traded)
      return said[at].order == id && said[at].quantity.lots == quantity;
  return false;
}

inline bool MatchingBooks::change(const RecordedEvent& event, book::Slot slot) {
  const book::Order& order = orders_[slot];
  const market::OrderId id = orders_.id(slot);
  const market::Side side = order.side;
  const bool is_amend = event.kind == EventKind::amend;
  std::int64_t left = 0;
  if (event.kind == EventKind::reduce) left = std::max<std::int64_t>(order.leaves.lots - event.quantity, 0);
  if (is_amend) left = event.quantity == k_unknown ? order.leaves.lots : event.quantity;
  if (left <= 0) {
    market::Cancel cancel{.order = id, .side = side};
    submit(event.instrument, cancel, 0);
    return false;
  }
  market::Replace replace{
      .order = id,
      .limit = is_amend && event.price != k_unknown ? market::Price{event.price} : orders_.limit(slot),
      .stop = {-1},
      .quantity = orders_.executed(slot) + market::Quantity{left},
      .side = side};
  replace.displayed = replace.quantity;
  submit(event.instrument, replace, 0);
  return true;
}

}  // namespace dojima::recorded
