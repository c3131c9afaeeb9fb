#pragma once

// What a peer says about requests and orders, the same for FIX and MIT203: one plain record, its texts its own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dojima/market/order.hpp"

namespace dojima::app {

enum class TradeReportKind : std::uint8_t {
  accepted,
  parked,    ///< waits outside the book: a stop order, an order for an auction
  rejected,  ///< a new order was refused
  traded,
  corrected,  ///< an execution has other terms now
  busted,     ///< an execution is void
  cancelled,
  replaced,
  expired,
  restated,          ///< an order changed without a request
  status,            ///< an answer to a question, of an order
  change_rejected,   ///< a cancel or replace was refused
  request_rejected,  ///< a request could not be served
  mass_cancelled,    ///< a mass cancel was taken; each order's end follows
  answer,            ///< to a question that is of no order: `lines`
  other,             ///< needs no action
};

struct TradeReport {
  TradeReportKind kind = TradeReportKind::other;
  std::string id{};           ///< of the request that it answers, or of the order
  std::string original_id{};  ///< of the order, where `id` is a request's
  std::string order_id{};     ///< the venue's
  std::string execution_id{};
  std::string reference_id{};  ///< corrected, busted: the execution meant
  std::string symbol{};
  std::string trade_id{};
  std::string counterparty{};
  std::string venue_fields{};  ///< what the venue's own fields say, in words
  std::string text{};
  std::string status{};  ///< of a status: the order's, in words
  std::vector<std::string> lines{};
  market::Side side = market::Side::none;
  char liquidity = '\0';
  std::int64_t reason = 0;
  /// What the peer says of the whole order; none: it does not.
  std::optional<market::Quantity> total{}, leaves{}, executed{};
  std::optional<market::Price> limit{}, stop{}, average{};
  std::optional<market::Quantity> displayed{};
  market::Quantity last_quantity{};
  market::Price last_price{};
  bool is_last = true;  ///< of several answers to one request
};

}  // namespace dojima::app
