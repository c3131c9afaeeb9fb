#pragma once

// What drives the life of an order at the venue (order_life_machine.hpp): its states, what comes in from a book, and
// what is reported to its owner.

#include <cstdint>

#include "dojima/book/order_table.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/report.hpp"

namespace dojima::venue {

/// Where an order is in its life.
enum class OrderLifeState : std::uint8_t {
  entering,
  live,
  partly_filled,
  filled,
  cancelled,
  expired,
  rejected,
  suspended,  ///< waits outside the book, as reported to its owner
};

/// What is sent to an owner for a book's report, as far as the life of the order decides it.
struct OwnerNotice {
  market::OwnerReportKind kind = market::OwnerReportKind::none;  ///< none: nothing
  market::Restatement restatement = market::Restatement::none;
  bool is_answer = false;  ///< it carries the client order id of the request, not the order's
  bool has_price = false;  ///< the price of the book's report
};

/// A book's report as one order's owner sees it.
struct OrderLifeInput {
  const market::BookReport& report;
  market::OrderId order;
  book::Slot slot = book::k_no_slot;  ///< of the order; none: it is not there
  market::Quantity leaves;            ///< what the order has left then
  OwnerNotice& outgoing;              ///< rows say here what they know
};

}  // namespace dojima::venue
