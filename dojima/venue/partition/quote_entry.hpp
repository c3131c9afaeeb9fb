#pragma once

// Quotes of users in the books: both sides of one change together or not at all, and end together when their owner
// cancels one of them. docs/venue.md has the rules. As BasicBook per order, no allocation. One thread.

#include <cstdint>

#include "dojima/book/book.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition/book_reports.hpp"
#include "dojima/venue/partition/owned_orders.hpp"
#include "dojima/venue/partition/quotes.hpp"
#include "dojima/venue/partition/risk.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue {

class QuoteEntry {
 public:
  /// All must outlive it; they may be constructed later.
  QuoteEntry(const Risk& risk, RiskLimits& limits, const book::OrderTable& orders, OwnedOrders& owned,
             BookReports& reports)
      : risk_(risk), limits_(limits), orders_(orders), owned_(owned), reports_(reports) {}

  /// The quote becomes what the command says, or both sides are refused. `book`: of its instrument; null: there is
  /// none.
  void enter(const market::Quote& quote, book::Book* book);
  /// Why nothing of the quote, which has its time, would be taken now; `none`: it would.
  [[nodiscard]] market::Reason refusal(const market::Quote& quote, const book::Book& book) const;
  /// Cancels an order; where it is one side of a quote the other side, too, behind it.
  void cancel(const market::Cancel& command, book::Book& book) {
    if (owned_.quotes().is_empty()) [[likely]]
      return book.apply(command);
    cancel_with_quote(command, book);
  }

 private:
  void cancel_with_quote(const market::Cancel& command, book::Book& book);
  void refuse(const market::Quote& quote, market::Reason reason);
  [[nodiscard]] std::uint32_t new_orders(const market::Quote& quote, const QuoteSides& live) const noexcept;
  [[nodiscard]] market::Reason admit(const market::Quote& quote);
  [[nodiscard]] market::Reason refusal_of_book(const market::Quote& quote, const book::Book& book) const;
  void apply_side(const market::Quote& quote, market::Side side, book::Book& book);
  [[nodiscard]] market::Reason refusal_of_side(const market::Quote& quote, market::Side side, market::OrderId order,
                                               const book::Book& book) const;
  [[nodiscard]] market::Replace amendment(const market::Quote& quote, market::Side side, market::OrderId order) const;
  [[nodiscard]] market::OrderId other_side(const market::Cancel& command) const noexcept;

  const Risk& risk_;
  RiskLimits& limits_;
  const book::OrderTable& orders_;
  OwnedOrders& owned_;
  BookReports& reports_;
};

}  // namespace dojima::venue
