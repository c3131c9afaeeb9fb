// What the commands of a terminal client do.

#include <algorithm>
#include <fmt/core.h>
#include <fstream>

#include "dojima/app/trade/blotter_text.hpp"
#include "dojima/app/trade/order_language.hpp"
#include "dojima/app/trade/trade_client.hpp"

namespace dojima::app {
namespace {

using market::OrderType;

/// That the order has what is to be changed.
Understood<void> check_amendment(const BlotterOrder& order, const Amendment& amendment) {
  const market::OrderTerms& terms = order.entry.terms;
  const bool has_limit = terms.type == OrderType::limit || terms.type == OrderType::stop_limit;
  const bool has_stop = terms.type == OrderType::stop || terms.type == OrderType::stop_limit;
  if (amendment.limit && !has_limit) return std::unexpected(fmt::format("order {} has no price", order.number));
  if (amendment.stop && !has_stop) return std::unexpected(fmt::format("order {} has no stop price", order.number));
  if (amendment.displayed && *amendment.displayed > amendment.quantity.value_or(terms.quantity))
    return std::unexpected("what is displayed is above the quantity");
  return {};
}

}  // namespace

void TradeClient::execute(const TradeCommand& command) {
  switch (command.verb) {
    case TradeVerb::enter:
    case TradeVerb::amend:
    case TradeVerb::cancel:
    case TradeVerb::cancel_all:
    case TradeVerb::mass_cancel:
    case TradeVerb::quote:
    case TradeVerb::unquote:
    case TradeVerb::status:
    case TradeVerb::status_all:
    case TradeVerb::securities:
    case TradeVerb::session_status:
    case TradeVerb::user_status:
    case TradeVerb::dont_know:
      return request(command);
    case TradeVerb::wait:
      wait_until_ = wait_for(std::chrono::seconds{command.number});
      return;
    case TradeVerb::expect:
      return expect(command.expectation);
    case TradeVerb::save:
      return save(command);
    case TradeVerb::quit:
      return finish();
    case TradeVerb::list:
    case TradeVerb::blotter:
    case TradeVerb::trades:
    case TradeVerb::positions:
    case TradeVerb::help:
      return show(command);
    case TradeVerb::nothing:
    case TradeVerb::repeat:  // the script's own
    case TradeVerb::end:
    case TradeVerb::source:
      return;
  }
}

void TradeClient::request(const TradeCommand& command) {
  switch (command.verb) {
    case TradeVerb::enter:
      return enter(command);
    case TradeVerb::amend:
      return amend(command);
    case TradeVerb::cancel:
      return cancel(command);
    case TradeVerb::cancel_all:
      return cancel_all();
    case TradeVerb::status:
      return ask_status(command);
    case TradeVerb::dont_know:
      return dont_know(command);
    case TradeVerb::quote:
      return quote(command);
    default:
      break;
  }
  const std::string id = next_id();
  send({.command = command, .id = id, .time = station_.scheduler().now()}, 0);
}

void TradeClient::enter(const TradeCommand& command) {
  const std::string id = fmt::format("{}{}", prefix_, blotter_.orders().size() + 1);
  const BlotterOrder& order = blotter_.enter(command.order, id);
  send({.command = command, .id = id, .order = &order, .time = station_.scheduler().now()}, order.number);
}

/// Each side is an order of the blotter, under one id.
void TradeClient::quote(const TradeCommand& command) {
  const std::string id = next_id();
  const QuoteTerms& terms = command.quote;
  quotes_[id] = terms;
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    const bool is_buy = side == market::Side::buy;
    const auto is_side = [&](const BlotterOrder& order) {
      return order.is_open() && is_quote_side(order) && order.entry.symbol == terms.symbol &&
             order.entry.terms.side == side;
    };
    const market::Quantity size = is_buy ? terms.bid_size : terms.ask_size;
    const auto there = std::ranges::find_if(blotter_.orders(), is_side);
    std::uint32_t number = there != blotter_.orders().end() ? there->number : 0;
    if (number == 0 && size.lots != 0) {
      OrderEntry entry{.symbol = terms.symbol, .terms = {}};
      entry.terms.limit = is_buy ? terms.bid : terms.ask;
      entry.terms.quantity = entry.terms.displayed = size;
      entry.terms.side = side;
      entry.terms.type = OrderType::limit;
      entry.terms.flags = market::k_quote;
      number = blotter_.enter(entry, id).number;
    }
    if (number != 0) orders_by_id_[side_key(id, side)] = number;
  }
  send({.command = command, .id = id, .time = station_.scheduler().now()}, 0);
}

void TradeClient::amend(const TradeCommand& command) {
  BlotterOrder* const order = open_order(command.number);
  if (order == nullptr) return;
  if (auto good = check_amendment(*order, command.amendment); !good)
    return refuse(good.error(), where_, command.number);
  const std::string id = fmt::format("{}{}.{}", prefix_, order->number, ++order->changes);
  send({.command = command, .id = id, .order = order, .time = station_.scheduler().now()}, order->number);
}

void TradeClient::cancel(const TradeCommand& command) {
  BlotterOrder* const order = open_order(command.number);
  if (order == nullptr) return;
  const std::string id = fmt::format("{}{}.{}", prefix_, order->number, ++order->changes);
  send({.command = command, .id = id, .order = order, .time = station_.scheduler().now()}, order->number);
}

void TradeClient::cancel_all() {
  for (const BlotterOrder& order : blotter_.orders())
    if (order.is_open()) cancel({.verb = TradeVerb::cancel, .number = order.number});
}

void TradeClient::ask_status(const TradeCommand& command) {
  const BlotterOrder* const order = blotter_.find(command.number);
  if (order == nullptr) return refuse(fmt::format("there is no order {}", command.number), where_);
  const std::string id = next_id();
  send({.command = command, .id = id, .order = order, .time = station_.scheduler().now()}, 0);
}

void TradeClient::dont_know(const TradeCommand& command) {
  const Trade* const trade = blotter_.find_trade(command.number);
  if (trade == nullptr) return refuse(fmt::format("there is no trade {}; trades shows them", command.number), where_);
  const std::string id = next_id();
  send({.command = command, .id = id, .trade = trade, .time = station_.scheduler().now()}, 0);
  // It has no answer.
  if (unanswered_.erase(id) != 0) print_(fmt::format("trade {} was called unknown", command.number));
}

void TradeClient::show(const TradeCommand& command) {
  switch (command.verb) {
    case TradeVerb::blotter:
      return print_all(order_lines(blotter_));
    case TradeVerb::trades:
      return print_all(trade_lines(blotter_));
    case TradeVerb::positions:
      return print_all(position_lines(blotter_, command.text));
    case TradeVerb::help:
      return print_(std::string(command.text == "order"    ? order_help()
                                : command.text == "expect" ? expectation_help()
                                                           : trade_help()));
    default:
      break;
  }
  for (const BlotterOrder& order : blotter_.orders())
    if (order.is_open())
      print_(fmt::format("{}: {}, {} left", order.number, order_text(order.entry), order.leaves.lots));
  if (blotter_.open_count() == 0) print_("no open orders");
}

void TradeClient::save(const TradeCommand& command) {
  std::ofstream file(command.text, std::ios::binary | std::ios::trunc);
  file << csv_of(blotter_, command.table);
  file.close();
  if (!file) return refuse(fmt::format("save {}: the file cannot be written", command.text), where_);
  print_(fmt::format("saved {}", command.text));
}

void TradeClient::expect(const Expectation& expectation) {
  if (expectation.what == Expected::refused) {
    if (refusals_.empty()) return refuse("expected a refusal, and nothing was refused", where_);
    refusals_.pop_back();
    return;
  }
  awaited_ = Awaited{
      .expectation = expectation, .until = wait_for(std::chrono::seconds{expectation.patience}), .where = where_};
}

/// Whether what is expected has come, or will not any more.
void TradeClient::settle_expectation(Time now) {
  if (!awaited_) return;
  const auto holds = check(awaited_->expectation, blotter_);
  if (!holds && now < awaited_->until) return;
  const Awaited settled = *std::exchange(awaited_, std::nullopt);
  if (!holds) return refuse(fmt::format("expected otherwise: {}", holds.error()), settled.where);
  if (settled.expectation.word != name_of(OrderState::rejected)) return;
  // A refusal that was expected is none.
  std::erase_if(refusals_, [&](const Refusal& refusal) { return refusal.order == settled.expectation.number; });
}

BlotterOrder* TradeClient::open_order(std::uint32_t number) {
  BlotterOrder* const order = blotter_.find(number);
  if (order != nullptr && order->is_open()) return order;
  refuse(fmt::format("there is no open order {}; list shows them", number), where_);
  return nullptr;
}

std::string TradeClient::next_id() {
  return fmt::format("{}q{}", prefix_, ++last_request_);
}

}  // namespace dojima::app
