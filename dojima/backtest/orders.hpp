#pragma once

// The words between a strategy and an exchange: what it asks for, what is reported to it, and the state of an own order
// as far as it knows. Prices and quantities are whole numbers in units of the recorded instrument (recorded/event.hpp).
// Plain values.

#include <cstdint>
#include <string_view>

#include "dojima/market/order.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"

namespace dojima::backtest {

using market::Side;
using time::Duration;
using time::Time;

/// An own order for the length of a run: 1, 2, 3 as they are submitted. 0 is no order.
using OrderNumber = std::uint64_t;

/// What a strategy wants. Market and limit orders everywhere; icebergs and stop orders where the exchange matches.
struct OrderRequest {
  std::uint32_t instrument = 0;
  Side side = Side::none;
  market::OrderType type = market::OrderType::limit;
  /// good_till_cancel, immediate_or_cancel or fill_or_kill.
  market::TimeInForce time_in_force = market::TimeInForce::good_till_cancel;
  bool is_post_only = false;   ///< expires instead of taking
  std::int64_t price = 0;      ///< of limit orders
  std::int64_t quantity = 0;   ///< > 0
  std::int64_t displayed = 0;  ///< 0: all of it; else the peak of an iceberg
  std::int64_t stop = 0;       ///< of stop and stop-limit orders
};

enum class RequestKind : std::uint8_t { submit, cancel, replace };
inline constexpr std::size_t k_request_kinds = 3;

/// On its way to the exchange.
struct Request {
  RequestKind kind = RequestKind::submit;
  OrderNumber order = 0;
  OrderRequest terms{};  ///< of a replacement: instrument and side, the new price and the new total quantity
  Time sent{};
};

enum class ReportKind : std::uint8_t {
  accepted,          ///< the order is at the exchange and rests
  traded,            ///< `quantity` at `price`
  replaced,          ///< it rests at `price` with `leaves`
  cancelled,         ///< at the strategy's request; `quantity` is what went
  expired,           ///< the exchange ended it, `reason`; `quantity` is what went
  rejected,          ///< it was never accepted, `reason`
  request_rejected,  ///< a cancel or replace came to nothing, `reason`; an order that is there stays as it was
};
inline constexpr std::size_t k_report_kinds = 7;
[[nodiscard]] std::string_view name_of(ReportKind kind) noexcept;

/// What the exchange reports of an own order.
struct Report {
  OrderNumber order = 0;
  Time at{};        ///< when it happened at the exchange
  Time received{};  ///< when the strategy gets it
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::int64_t leaves = 0;  ///< of the order, behind this
  Duration rested{};        ///< traded: since the order took the place in the queue that it traded from
  std::uint32_t instrument = 0;
  ReportKind kind = ReportKind::accepted;
  Side side = Side::none;
  market::Reason reason = market::Reason::none;
  bool is_maker = false;  ///< traded: it rested when it met the other
};

/// An own order as the strategy knows it.
struct OwnOrder {
  OrderNumber number = 0;
  std::uint32_t instrument = 0;
  Side side = Side::none;
  bool is_accepted = false;  ///< the exchange has said so
  bool is_changing = false;  ///< a cancel or replacement is on its way
  std::int64_t price = 0;    ///< as last confirmed; of the request while it is not accepted
  std::int64_t quantity = 0;
  std::int64_t leaves = 0;
  Time sent{};
  friend bool operator==(const OwnOrder&, const OwnOrder&) = default;
};

}  // namespace dojima::backtest
