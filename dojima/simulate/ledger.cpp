#include "dojima/simulate/ledger.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/mit/identifiers.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::simulate {
namespace {

using flow::IntentKind;
using market::Side;

constexpr std::size_t k_list_capacity = 4096;        // orders of a list beyond it are not picked
constexpr std::size_t k_happenings_per_request = 4;  // one going out, one answer, the rest executions

const char* name_of(IntentKind kind) {
  return kind == IntentKind::enter ? "enter" : kind == IntentKind::replace ? "replace" : "cancel";
}

const char* name_of(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::accepted:
      return "accepted";
    case AnswerKind::rejected:
      return "rejected";
    case AnswerKind::traded:
      return "traded";
    case AnswerKind::cancelled:
      return "cancelled";
    case AnswerKind::replaced:
      return "replaced";
    case AnswerKind::expired:
      return "expired";
    case AnswerKind::change_rejected:
      return "change rejected";
    case AnswerKind::business_rejected:
      return "business reject";
    case AnswerKind::suspended:
      return "suspended";
    case AnswerKind::restated:
      return "restated";
    case AnswerKind::trade_cancelled:
      return "trade cancelled";
    case AnswerKind::other:
      return "another report";
  }
  return "unnamed answer";
}

}  // namespace

Ledger::Ledger(std::size_t requests, std::uint32_t clients, std::uint32_t instruments)
    : instruments_(instruments),
      requests_(requests),
      orders_(requests),
      lists_(std::size_t{2} * clients * instruments),
      positions_(std::size_t{clients} * instruments),
      happenings_(requests * k_happenings_per_request) {
  for (auto& list : lists_) list.reserve(k_list_capacity);
}

void Ledger::open(Number number, const flow::Intent& intent, IntentKind kind, Number target, time::Time now) {
  Request& request = requests_[number];
  request = {.quantity = intent.quantity.lots,
             .price = intent.price,
             .order = kind == IntentKind::enter ? number : target,
             .client = static_cast<std::uint8_t>(intent.client),
             .instrument = static_cast<std::uint8_t>(intent.instrument),
             .kind = kind,
             .side = intent.side,
             .type = intent.type,
             .time_in_force = intent.time_in_force,
             .is_sent = true};
  if (kind == IntentKind::enter) {
    orders_[number] = {.total = request.quantity, .current = number, .phase = OrderPhase::pending};
  } else {
    unlist(target);
  }
  ++counts_.sent;
  end_ = std::max(end_, number + 1);
  note({.time = now, .quantity = request.quantity, .price = request.price, .order = request.order, .request = number});
}

void Ledger::withdraw(Number number) {
  Request& request = requests_[number];
  request.is_sent = false;
  --counts_.sent;
  ++counts_.unsent;
  if (request.kind == IntentKind::enter) {
    orders_[number].phase = OrderPhase::none;
  } else {
    list(request.order);
  }
}

bool Ledger::apply(std::uint32_t client, Number number, const Answer& answer, time::Time now) {
  if (number >= end_ || !requests_[number].is_sent || requests_[number].client != client) {
    ++counts_.strange;
    return false;
  }
  Request& request = requests_[number];
  const Number target = request.order;
  ClientOrder& order = orders_[target];
  note({.time = now,
        .quantity = answer.last_quantity.lots,
        .leaves = answer.leaves.lots,
        .price = answer.last_price,
        .order = target,
        .request = number,
        .answer = answer.kind,
        .is_answer = true});
  switch (answer.kind) {
    case AnswerKind::accepted:
      return accept(target, answer) && note_answer(request);
    case AnswerKind::rejected:
      order.phase = OrderPhase::rejected;
      order.total = 0;
      ++counts_.rejected;
      return note_answer(request);
    case AnswerKind::traded:
      trade(target, answer);
      return false;
    case AnswerKind::cancelled:
      order.cancelled += order.leaves;
      finish(target, OrderPhase::cancelled);
      // Unasked, it names the order's own request, which had its answer.
      return request.kind == IntentKind::cancel && note_answer(request);
    case AnswerKind::replaced:
      order.total = answer.total.lots;
      order.leaves = order.total - order.executed;
      order.current = number;
      if (order.leaves != answer.leaves.lots) ++counts_.strange;
      list(target);
      return note_answer(request);
    case AnswerKind::expired:
      order.expired += order.leaves;
      finish(target, OrderPhase::expired);
      return false;
    case AnswerKind::change_rejected:
    case AnswerKind::business_rejected:
      if (request.kind == IntentKind::enter) {
        order.phase = OrderPhase::rejected;
        order.total = 0;
        ++counts_.rejected;
      } else {
        ++counts_.changes_rejected;
        list(target);
      }
      return note_answer(request);
    case AnswerKind::suspended:
      order.is_suspended = true;
      return false;
    case AnswerKind::restated:
      if (!restate(order, answer)) break;
      return false;
    case AnswerKind::trade_cancelled:  // nobody busts trades in a simulation
    case AnswerKind::other:
      break;
  }
  ++counts_.strange;
  return false;
}

/// False: this answers no request, as when an order that waited outside the book has entered it.
bool Ledger::accept(Number number, const Answer& answer) {
  ClientOrder& order = orders_[number];
  if (order.is_suspended && order.phase == OrderPhase::open) {
    order.is_suspended = false;
    return false;
  }
  const auto id = mit::parse_base62(answer.order_id);
  if (order.phase != OrderPhase::pending || !id) {
    ++counts_.strange;
    return false;
  }
  order.id = *id;
  order.phase = OrderPhase::open;
  order.leaves = order.total;
  ++counts_.accepted;
  list(number);
  return true;
}

/// The venue changed the order by itself. False: it cannot have.
bool Ledger::restate(ClientOrder& order, const Answer& answer) {
  if (order.phase != OrderPhase::open || answer.leaves.lots > order.leaves) return false;
  order.total -= order.leaves - answer.leaves.lots;
  order.leaves = answer.leaves.lots;
  return true;
}

bool Ledger::note_answer(Request& request) {
  if (request.answers != 0xff) ++request.answers;
  if (request.answers != 1) return false;
  ++counts_.answered;
  return true;
}

void Ledger::trade(Number number, const Answer& answer) {
  ClientOrder& order = orders_[number];
  const Request& entry = requests_[number];
  const std::int64_t lots = answer.last_quantity.lots;
  order.executed += lots;
  order.leaves -= lots;
  if (order.executed != answer.cumulative.lots || order.leaves != answer.leaves.lots) ++counts_.strange;
  ++counts_.executions;
  positions_[entry.client * instruments_ + entry.instrument] += entry.side == Side::buy ? lots : -lots;
  if (order.leaves == 0) finish(number, OrderPhase::filled);
}

void Ledger::finish(Number number, OrderPhase phase) {
  ClientOrder& order = orders_[number];
  order.leaves = 0;
  order.phase = phase;
  unlist(number);
}

/// Only orders that can rest are picked for changes.
void Ledger::list(Number number) {
  ClientOrder& order = orders_[number];
  const Request& entry = requests_[number];
  if (order.phase != OrderPhase::open || order.is_listed || order.leaves <= 0) return;
  if (entry.type != market::OrderType::limit || entry.time_in_force != market::TimeInForce::day) return;
  auto& list = lists_[place(entry.client, entry.instrument, entry.side)];
  if (list.size() == k_list_capacity) return;
  list.push_back(number);
  order.is_listed = true;
}

void Ledger::unlist(Number number) {
  ClientOrder& order = orders_[number];
  if (!order.is_listed) return;
  const Request& entry = requests_[number];
  auto& list = lists_[place(entry.client, entry.instrument, entry.side)];
  list.erase(std::find(list.begin(), list.end(), number));
  order.is_listed = false;
}

void Ledger::note(const Happening& happening) {
  if (happened_ < happenings_.size()) happenings_[happened_++] = happening;
}

std::vector<std::string> Ledger::history(Number order) const {
  std::vector<std::string> lines;
  const Request& entry = requests_[order];
  lines.push_back(fmt::format("order {}: client {}, instrument {}, {}, venue id {:x}", order, entry.client + 1,
                              entry.instrument + 1, entry.side == Side::buy ? "buy" : "sell", orders_[order].id));
  for (std::size_t index = 0; index < happened_; ++index) {
    const Happening& happening = happenings_[index];
    if (happening.order != order) continue;
    char time[time::k_timestamp_max], price[market::k_price_text_max];
    const auto when = time::format_timestamp(happening.time, 9, time);
    const auto what = market::format_price(happening.price, price);
    lines.push_back(happening.is_answer
                        ? fmt::format("  {} request {} {}: {} @ {}, leaves {}", when, happening.request,
                                      name_of(happening.answer), happening.quantity, what, happening.leaves)
                        : fmt::format("  {} request {} sent: {} {} @ {}", when, happening.request,
                                      name_of(requests_[happening.request].kind), happening.quantity, what));
  }
  if (happened_ == happenings_.size()) lines.emplace_back("  (the log of the run was full: there may be more)");
  const ClientOrder& state = orders_[order];
  lines.push_back(fmt::format("  at the end: total {}, executed {}, leaves {}, cancelled {}, expired {}", state.total,
                              state.executed, state.leaves, state.cancelled, state.expired));
  return lines;
}

}  // namespace dojima::simulate
