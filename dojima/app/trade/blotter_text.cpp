#include "dojima/app/trade/blotter_text.hpp"

#include <fmt/core.h>

#include "dojima/app/trade/order_language.hpp"

namespace dojima::app {
namespace {

using market::OrderSubType, market::OrderType, market::Side, market::TimeInForce;

const char* name_of(Side side) {
  return side == Side::buy ? "buy" : "sell";
}

std::string kind_text(const market::OrderTerms& terms) {
  const std::string limit = "@ " + price_text(terms.limit);
  if (terms.sub_type == OrderSubType::pegged) return terms.type == OrderType::limit ? "peg " + limit : "peg";
  if (terms.sub_type == OrderSubType::offset)
    return fmt::format("offset {}{}", terms.offset_bp, terms.limit.units == 0 ? "" : " " + limit);
  switch (terms.type) {
    case OrderType::market:
      return "market";
    case OrderType::market_to_limit:
      return "mtl";
    case OrderType::stop:
      return "stop " + price_text(terms.stop);
    case OrderType::stop_limit:
      return "stop " + price_text(terms.stop) + " " + limit;
    default:
      return limit;
  }
}

/// A field of a CSV line.
std::string in_quotes(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + "\"";
}

std::string order_csv(const Blotter& blotter) {
  std::string csv = "order,id,venue id,side,quantity,symbol,terms,time in force,state,executed,left,average\n";
  for (const BlotterOrder& order : blotter.orders()) {
    const market::OrderTerms& terms = order.entry.terms;
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", order.number, in_quotes(order.id),
                       in_quotes(order.order_id), name_of(terms.side), terms.quantity.lots,
                       in_quotes(order.entry.symbol), in_quotes(kind_text(terms)), time_in_force_text(terms),
                       name_of(order.state), order.executed.lots, order.leaves.lots, price_text(order.average()));
  }
  return csv;
}

std::string trade_csv(const Blotter& blotter) {
  std::string csv = "trade,order,side,quantity,symbol,price,execution id,trade id,counterparty,liquidity,state\n";
  for (const Trade& trade : blotter.trades())
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", trade.number, trade.order, name_of(trade.side),
                       trade.quantity.lots, in_quotes(trade.symbol), price_text(trade.price),
                       in_quotes(trade.execution_id), in_quotes(trade.trade_id), in_quotes(trade.counterparty),
                       trade.liquidity == '\0' ? "" : std::string(1, trade.liquidity), name_of(trade.state));
  return csv;
}

std::string position_csv(const Blotter& blotter) {
  std::string csv = "symbol,net,bought,average bought,sold,average sold\n";
  for (const auto& [symbol, position] : blotter.positions())
    csv += fmt::format("{},{},{},{},{},{}\n", in_quotes(symbol), position.net(), position.bought,
                       price_text(mean_price(position.bought_value, {position.bought})), position.sold,
                       price_text(mean_price(position.sold_value, {position.sold})));
  return csv;
}

}  // namespace

std::string order_text(const OrderEntry& order) {
  const market::OrderTerms& terms = order.terms;
  const std::string end = terms.time_in_force == TimeInForce::day ? "" : " " + time_in_force_text(terms);
  return fmt::format("{} {} {} {}{}", name_of(terms.side), terms.quantity.lots, order.symbol, kind_text(terms), end);
}

std::vector<std::string> order_lines(const Blotter& blotter) {
  std::vector<std::string> lines;
  for (const BlotterOrder& order : blotter.orders())
    lines.push_back(fmt::format(
        "{}: {}, {}, {} done{}, {} left", order.number, order_text(order.entry), name_of(order.state),
        order.executed.lots, order.executed.lots == 0 ? "" : " at " + price_text(order.average()), order.leaves.lots));
  if (lines.empty()) lines.emplace_back("no orders");
  return lines;
}

std::vector<std::string> trade_lines(const Blotter& blotter) {
  std::vector<std::string> lines;
  for (const Trade& trade : blotter.trades())
    lines.push_back(fmt::format("{}: order {}, {} {} {} @ {}{}{}", trade.number, trade.order,
                                trade.side == Side::buy ? "bought" : "sold", trade.quantity.lots, trade.symbol,
                                price_text(trade.price),
                                trade.execution_id.empty() ? "" : ", execution " + trade.execution_id,
                                trade.state == TradeState::done ? "" : fmt::format(", {}", name_of(trade.state))));
  if (lines.empty()) lines.emplace_back("no trades");
  return lines;
}

std::vector<std::string> position_lines(const Blotter& blotter, const std::string& symbol) {
  std::vector<std::string> lines;
  for (const auto& [name, position] : blotter.positions()) {
    if (!symbol.empty() && symbol != name) continue;
    lines.push_back(fmt::format("{}: {}, bought {} at {}, sold {} at {}", name, position.net(), position.bought,
                                price_text(mean_price(position.bought_value, {position.bought})), position.sold,
                                price_text(mean_price(position.sold_value, {position.sold}))));
  }
  if (lines.empty()) lines.push_back(symbol.empty() ? "no positions" : symbol + ": 0");
  return lines;
}

std::string csv_of(const Blotter& blotter, BlotterTable table) {
  switch (table) {
    case BlotterTable::orders:
      return order_csv(blotter);
    case BlotterTable::trades:
      return trade_csv(blotter);
    case BlotterTable::positions:
      break;
  }
  return position_csv(blotter);
}

}  // namespace dojima::app
