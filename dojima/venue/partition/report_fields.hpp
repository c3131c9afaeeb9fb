#pragma once

// A report to an owner, field by field, and how it is written: each field once, in its place in the report log. What is
// not given is nothing. Compilers keep the fields in registers; an OwnerReport put together in memory is cleared and
// copied first.

#include <cstdint>

#include "dojima/market/report.hpp"

namespace dojima::venue {

struct ReportFields {
  market::Sequence sequence;
  market::Sequence command;
  time::Time time;
  market::OrderId order;
  market::OrderId public_order;
  std::uint64_t execution = 0;
  std::uint64_t trade = 0;
  market::Price price;
  market::Quantity quantity;
  market::Quantity leaves;
  market::Quantity displayed;
  market::Quantity minimum;
  const Text<20>* client_order_id = nullptr;  // must be given
  std::uint32_t instrument = 0;
  std::uint16_t user = 0;
  std::uint8_t partition = 0;
  market::OwnerReportKind kind = market::OwnerReportKind::none;
  market::OrderStatus status = market::OrderStatus::new_order;
  market::Side side = market::Side::none;
  market::Reason reason = market::Reason::none;
  market::Capacity capacity = market::Capacity::none;
  char liquidity = '\0';
  std::uint8_t restatement = 0;
  std::uint8_t peg = 0;
  std::uint8_t owner_type = 0;
  std::uint8_t last_market = 0;
  std::uint8_t type_of_trade = 0;
};

/// What no report has a value for, but one that takes an execution back.
[[gnu::always_inline]] inline void clear_tail(market::OwnerReport& report) noexcept {
  auto& reserved = report.reserved;
  reserved[0] = reserved[1] = reserved[2] = reserved[3] = reserved[4] = reserved[5] = 0;
  report.reference = 0;
}

/// Over the whole report, whatever it held.
[[gnu::always_inline]] inline void write_report(market::OwnerReport& report, const ReportFields& fields) noexcept {
  static_assert(sizeof report == 160);
  report.sequence = fields.sequence;
  report.command = fields.command;
  report.time = fields.time;
  report.order = fields.order;
  report.public_order = fields.public_order;
  report.execution = fields.execution;
  report.trade = fields.trade;
  report.price = fields.price;
  report.quantity = fields.quantity;
  report.leaves = fields.leaves;
  report.displayed = fields.displayed;
  report.minimum = fields.minimum;
  report.client_order_id = *fields.client_order_id;
  report.counterparty = {};
  report.partition = fields.partition;
  report.instrument = fields.instrument;
  report.user = fields.user;
  report.kind = fields.kind;
  report.status = fields.status;
  report.side = fields.side;
  report.reason = fields.reason;
  report.capacity = fields.capacity;
  report.liquidity = fields.liquidity;
  report.restatement = fields.restatement;
  report.peg = fields.peg;
  report.owner_type = fields.owner_type;
  report.waiver = 0;
  report.last_market = fields.last_market;
  report.type_of_trade = fields.type_of_trade;
  clear_tail(report);
}

}  // namespace dojima::venue
