#include "dojima/backtest/exchange.hpp"

#include "dojima/backtest/exchanges/levels_exchange.hpp"
#include "dojima/backtest/exchanges/match_exchange.hpp"
#include "dojima/backtest/exchanges/orders_exchange.hpp"

namespace dojima::backtest {

std::string_view name_of(ExchangeKind kind) noexcept {
  return kind == ExchangeKind::levels ? "levels" : kind == ExchangeKind::orders ? "orders" : "match";
}

std::string_view name_of(FillRule rule) noexcept {
  return rule == FillRule::partial ? "partial" : "whole";
}

std::string_view name_of(ReportKind kind) noexcept {
  switch (kind) {
    case ReportKind::accepted:
      return "accepted";
    case ReportKind::traded:
      return "traded";
    case ReportKind::replaced:
      return "replaced";
    case ReportKind::cancelled:
      return "cancelled";
    case ReportKind::expired:
      return "expired";
    case ReportKind::rejected:
      return "rejected";
    case ReportKind::request_rejected:
      return "request_rejected";
  }
  return "?";
}

std::unique_ptr<Exchange> make_exchange(const ExchangeSettings& settings) {
  switch (settings.kind) {
    case ExchangeKind::orders:
      return std::make_unique<OrdersExchange>(settings);
    case ExchangeKind::match:
      return std::make_unique<MatchExchange>(settings);
    case ExchangeKind::levels:
      break;
  }
  return std::make_unique<LevelsExchange>(settings);
}

}  // namespace dojima::backtest
