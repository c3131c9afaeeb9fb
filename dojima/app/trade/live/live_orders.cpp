#include "dojima/app/trade/live/live_orders.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "dojima/app/trade/report_text.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::app {
namespace {

using backtest::OrderNumber;
using backtest::ReportKind;

constexpr std::uint8_t k_rests_only = 99;

}  // namespace

LiveOrders::LiveOrders(Blotter& blotter, OrderMarket& market, TradeSession& session,
                       std::vector<backtest::Report>& reports, std::string prefix, LiveStrategy::Print print)
    : blotter_(blotter),
      market_(market),
      session_(session),
      reports_(reports),
      print_(std::move(print)),
      prefix_(std::move(prefix)) {}

void LiveOrders::report_unsent() {
  reports_.insert(reports_.end(), unsent_.begin(), unsent_.end());
  unsent_.clear();
}

BlotterOrder* LiveOrders::order_of(OrderNumber number) {
  const auto found = std::ranges::lower_bound(numbers_, number);
  if (found == numbers_.end() || *found != number) return nullptr;
  return blotter_.find(static_cast<std::uint32_t>(found - numbers_.begin()) + 1);
}

BlotterOrder* LiveOrders::order_of(const TradeReport& report) {
  for (const std::string* id : {&report.id, &report.original_id})
    if (const auto found = orders_by_id_.find(*id); found != orders_by_id_.end()) return blotter_.find(found->second);
  return report.order_id.empty() || report.order_id == "NONE" ? nullptr : blotter_.find_by_order_id(report.order_id);
}

/// Reported in the next turn: a strategy that asks again at once would keep this one from ending.
void LiveOrders::refuse(const backtest::Request& request, ReportKind kind, const std::string& why, Time now) {
  if (!why.empty()) print_(fmt::format("{} not sent: {}", request.order, why));
  backtest::Report& report = unsent_.emplace_back();
  report = {.order = request.order, .at = now, .price = request.terms.price, .instrument = request.terms.instrument};
  report.quantity = kind == ReportKind::rejected ? request.terms.quantity : 0;
  report.kind = kind;
  report.side = request.terms.side;
  report.reason = market::Reason::unknown_order;
}

void LiveOrders::send(const backtest::Request& request, Time now) {
  ++counts_.requests;
  if (request.kind == backtest::RequestKind::submit) return enter(request, now);
  BlotterOrder* const order = order_of(request.order);
  if (order == nullptr || !order->is_open()) return refuse(request, ReportKind::request_rejected, {}, now);
  const std::string id = next_id();
  TradeCommand command;
  command.number = order->number;
  command.verb = request.kind == backtest::RequestKind::cancel ? TradeVerb::cancel : TradeVerb::amend;
  if (command.verb == TradeVerb::amend) {
    command.amendment.quantity = market::Quantity{request.terms.quantity};
    command.amendment.limit = market::Price{request.terms.price};
  }
  orders_by_id_[id] = order->number;
  const auto sent = session_.send({.command = command, .id = id, .order = order, .time = now});
  if (!sent) refuse(request, ReportKind::request_rejected, sent.error(), now);
}

void LiveOrders::enter(const backtest::Request& request, Time now) {
  const backtest::OrderRequest& terms = request.terms;
  const std::string id = next_id();
  TradeCommand command;
  command.verb = TradeVerb::enter;
  OrderEntry& entry = command.order;
  entry.symbol = market_.instruments()[terms.instrument].symbol;
  entry.terms.limit = {terms.price};
  entry.terms.stop = {terms.stop};
  entry.terms.quantity = {terms.quantity};
  entry.terms.displayed = {terms.displayed == 0 ? terms.quantity : terms.displayed};
  entry.terms.side = terms.side;
  entry.terms.type = terms.type;
  // Nothing is to stay behind when the strategy has gone.
  entry.terms.time_in_force =
      terms.time_in_force == market::TimeInForce::good_till_cancel ? market::TimeInForce::day : terms.time_in_force;
  entry.terms.passive = terms.is_post_only ? k_rests_only : 0;
  BlotterOrder& order = blotter_.enter(entry, id);
  numbers_.push_back(request.order);
  since_.push_back(now);
  orders_by_id_[id] = order.number;
  const auto sent = session_.send({.command = command, .id = id, .order = &order, .time = now});
  if (sent) return;
  static_cast<void>(blotter_.apply(order, {.kind = TradeReportKind::rejected}));
  refuse(request, ReportKind::rejected, sent.error(), now);
}

backtest::Report& LiveOrders::say(const BlotterOrder& order, ReportKind kind, Time now) {
  backtest::Report& report = reports_.emplace_back();
  report = {.order = numbers_[order.number - 1], .at = now};
  report.price = order.entry.terms.limit.units;
  report.quantity = report.leaves = order.leaves.lots;
  report.instrument = market_.place_of(order.entry.symbol);
  report.kind = kind;
  report.side = order.entry.terms.side;
  market_.note_news();
  return report;
}

void LiveOrders::say_rejected(const BlotterOrder& order, market::Quantity left, Time now) {
  backtest::Report& report = say(order, ReportKind::rejected, now);
  report.quantity = left.lots;
  report.leaves = 0;
}

void LiveOrders::on_report(const TradeReport& from, Time now) {
  BlotterOrder* order = order_of(from);
  if (order == nullptr) {
    if (from.kind != TradeReportKind::other && from.kind != TradeReportKind::answer) print_(foreign_line(from));
    return;
  }
  const bool was_sent = order->state == OrderState::sent;
  const market::Quantity left = was_sent ? order->entry.terms.quantity : order->leaves;
  if (!blotter_.apply(*order, from)) return;
  Time& since = since_[order->number - 1];
  switch (from.kind) {
    case TradeReportKind::accepted:
    case TradeReportKind::parked: {
      since = now;
      say(*order, ReportKind::accepted, now);
      const auto id = mit::parse_base62(from.order_id);
      if (!id) return;
      market_.take_own(*id, order->number, now);
      return;
    }
    case TradeReportKind::traded: {
      ++counts_.fills;
      backtest::Report& report = say(*order, ReportKind::traded, now);
      report.price = from.last_price.units;
      report.quantity = from.last_quantity.lots;
      report.is_maker = from.liquidity == 'A';
      if (report.is_maker) report.rested = now - since;
      return;
    }
    case TradeReportKind::replaced:
    case TradeReportKind::restated:
      since = now;
      say(*order, ReportKind::replaced, now);
      return;
    case TradeReportKind::cancelled:
    case TradeReportKind::expired: {
      const bool is_asked = from.kind == TradeReportKind::cancelled;
      backtest::Report& report = say(*order, is_asked ? ReportKind::cancelled : ReportKind::expired, now);
      report.quantity = left.lots;
      report.leaves = 0;
      return;
    }
    case TradeReportKind::rejected:
      print_(report_line(*order, from));
      return say_rejected(*order, left, now);
    case TradeReportKind::change_rejected:
    case TradeReportKind::request_rejected:
      // A request that was the order itself: a venue that is drained, a partition that takes none.
      if (was_sent && order->state == OrderState::rejected) {
        print_(report_line(*order, from));
        return say_rejected(*order, left, now);
      }
      say(*order, ReportKind::request_rejected, now).quantity = 0;
      return;
    case TradeReportKind::busted:
    case TradeReportKind::corrected:
      return print_(report_line(*order, from) + "; the account still has it as it was");
    default:
      return;
  }
}

void LiveOrders::on_refused(const std::string& id, const std::string& text, Time now) {
  print_(fmt::format("refused: {}", text));
  const auto found = orders_by_id_.find(id);
  BlotterOrder* order = found == orders_by_id_.end() ? nullptr : blotter_.find(found->second);
  if (order == nullptr) return;
  if (order->state != OrderState::sent) {
    say(*order, ReportKind::request_rejected, now).quantity = 0;
    return;
  }
  static_cast<void>(blotter_.apply(*order, {.kind = TradeReportKind::rejected}));
  say_rejected(*order, order->entry.terms.quantity, now);
}

}  // namespace dojima::app
