#include "dojima/backtest/exchanges/match_exchange.hpp"

#include <algorithm>
#include <limits>

#include "dojima/backtest/exchanges/request_terms.hpp"
#include "dojima/base/assert.hpp"

namespace dojima::backtest {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::OrderType;
using market::Reason;
using market::TimeInForce;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::MarketState;
using recorded::OrderMap;
using recorded::RecordedEvent;

namespace {

constexpr std::uint16_t k_recorded_user = 0, k_own_user = 1;

/// A price as a number above zero, as the cells of an order map hold, and back. Prices of at most 2^62 either way.
[[nodiscard]] constexpr std::int64_t code_of_price(std::int64_t price) {
  return price >= 0 ? 2 * price + 2 : -2 * price - 1;
}
[[nodiscard]] constexpr std::int64_t price_of_code(std::int64_t code) {
  return code % 2 == 0 ? code / 2 - 1 : -(code + 1) / 2;
}
static_assert(price_of_code(code_of_price(0)) == 0 && price_of_code(code_of_price(-1)) == -1 &&
              price_of_code(code_of_price(7)) == 7 && code_of_price(-1) > 0);

}  // namespace

MatchExchange::MatchExchange(const ExchangeSettings& settings)
    : settings_(settings), orders_({.capacity = settings.orders, .owners = 2, .memory = book::Memory::gradual}) {
  entering_.terms.type = OrderType::limit;
}

void MatchExchange::add_book(const recorded::RecordedInstrument& recorded) {
  const std::size_t at = books_.size();
  const std::int64_t found = at < settings_.ticks.size() ? settings_.ticks[at] : 1;
  const std::int64_t tick = std::max<std::int64_t>(recorded.tick != 0 ? recorded.tick : found, 1);
  // As many ticks as a table can number, most of them above zero.
  constexpr std::int64_t k_below = std::int64_t{1} << 28, k_above = std::int64_t{1} << 30;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / tick;
  auto table = market::TickTable::uniform({tick}, {-tick * std::min(k_below, most)}, {tick * std::min(k_above, most)});
  const std::int64_t largest =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(orders_.capacity() + 1);
  books_.push_back(std::make_unique<One>(market::Instrument{.id = static_cast<std::uint32_t>(at + 1),
                                                            .symbol = recorded.symbol,
                                                            .ticks = std::move(table).value(),
                                                            .maximum_quantity = {largest}},
                                         orders_, last_reports_));
}

std::optional<recorded::DepthLevel> MatchExchange::best(std::uint32_t instrument, Side side) const {
  if (instrument >= books_.size()) return std::nullopt;
  const book::Book& book = books_[instrument]->book;
  const auto price = book.best(side);
  if (!price) return std::nullopt;
  return recorded::DepthLevel{price->units, book.total(side, *price).lots};
}

template <class Command>
void MatchExchange::submit(One& one, Command& command, std::uint16_t user) {
  command.header.instrument = one.instrument.id;
  command.header.time = now_;
  command.header.user = user;
  last_reports_.begin_command({counts_.events + counts_.requests}, now_);
  one.book.apply(command);
  last_reports_.end_command();
}

// ---- Recorded orders -----------------------------------------------------------------------------------------------

void MatchExchange::on_event(const RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                             Time now) {
  now_ = now;
  ++counts_.events;
  while (books_.size() < instruments.size()) add_book(instruments[books_.size()]);
  One& one = *books_[event.instrument];
  one.last_event = now;
  switch (event.kind) {
    case EventKind::add:
      return enter(event, event.order, event.side);
    case EventKind::execute:
      return take(event);
    case EventKind::reduce:
    case EventKind::remove:
    case EventKind::amend:
    case EventKind::replace:
      return change(event);
    case EventKind::level:
      ++counts_.refused;
      return;
    case EventKind::status: {
      const auto state = static_cast<MarketState>(event.code);
      one.is_open = state == MarketState::unknown || state == MarketState::trading || state == MarketState::quoting ||
                    state == MarketState::start_of_messages;
      return;
    }
    default:
      return;
  }
}

void MatchExchange::enter_recorded(std::uint32_t instrument, Side side, std::int64_t price, std::int64_t quantity,
                                   TimeInForce time_in_force) {
  market::OrderTerms& terms = entering_.terms;
  terms.limit = {price};
  terms.quantity = terms.displayed = {quantity};
  terms.side = side;
  terms.time_in_force = time_in_force;
  submit(*books_[instrument], entering_, k_recorded_user);
}

void MatchExchange::enter(const RecordedEvent& event, std::uint64_t id, Side side) {
  if (side == Side::none || event.price == k_unknown || event.quantity <= 0) {
    ++counts_.refused;
    return;
  }
  enter_recorded(event.instrument, side, event.price, event.quantity, TimeInForce::good_till_cancel);
  const std::span<const BookReport> said = last_reports_.all();
  if (said.empty() || said.front().kind == BookReportKind::rejected) {
    ++counts_.refused;
    return;
  }
  const OrderId entered = said.front().order;
  forget(id, event.instrument);
  // In place of its price the number that the book gave it, also where it has traded at once: the record will name it,
  // and miss it. In place of its quantity the price, for executions that name none when it is gone.
  ours_.insert({.id = id,
                .price = static_cast<std::int64_t>(entered.value),
                .quantity = code_of_price(event.price),
                .instrument = event.instrument,
                .side = side});
  report_own_orders(nullptr);
}

void MatchExchange::forget(std::uint64_t id, std::uint32_t instrument) {
  if (OrderMap::Order* known = ours_.find(id, instrument)) ours_.erase(*known);
}

/// Counts what is not there.
MatchExchange::Found MatchExchange::find(const RecordedEvent& event) {
  OrderMap::Order* const known = ours_.find(event.order, event.instrument);
  const book::Slot slot = known == nullptr ? book::k_no_slot : orders_.find({static_cast<std::uint64_t>(known->price)});
  if (slot != book::k_no_slot) return {known, slot};
  ++counts_.unknown;
  if (known != nullptr) ++counts_.missing;
  return {known, slot};
}

/// Somebody takes what the record says was taken, at the price where it says it was.
void MatchExchange::take(const RecordedEvent& event) {
  const auto [known, slot] = find(event);
  const bool is_there = slot != book::k_no_slot;
  const OrderId meant = is_there ? orders_.id(slot) : OrderId{};
  std::int64_t price = is_there ? orders_.limit(slot).units : event.price;
  if (price == k_unknown && known != nullptr) price = price_of_code(known->quantity);
  const Side side = is_there ? orders_[slot].side : known != nullptr ? known->side : event.side;
  if (side == Side::none || price == k_unknown || event.quantity <= 0) return;
  // Where the record's order was never seen, nobody is known to have been met.
  if (!is_there && known == nullptr && own_.empty()) return;
  // Nothing is left of what takes no more than rests there, and the book is fastest with what may rest itself.
  const bool is_plain = is_there && orders_[slot].is_resting() && orders_[slot].leaves.lots >= event.quantity;
  enter_recorded(event.instrument, market::opposite(side), price, event.quantity,
                 is_plain ? TimeInForce::good_till_cancel : TimeInForce::immediate_or_cancel);
  DOJIMA_ASSERT(!is_plain || last_reports_.all().back().kind != BookReportKind::added,
                "an order that takes no more than rests at its price never rests", event.order, event.quantity, price);
  bool is_same = false;
  for (const BookReport& report : last_reports_.all())
    if (report.kind == BookReportKind::traded)
      is_same = report.order == meant && report.quantity.lots == event.quantity;
  if (is_there) ++(is_same ? counts_.matched : counts_.matched_others);
  report_own_orders(nullptr);
  if (is_there && is_same && orders_.find(meant) == book::k_no_slot) ours_.erase(*known);
}

void MatchExchange::change(const RecordedEvent& event) {
  One& one = *books_[event.instrument];
  const auto [known, slot] = find(event);
  if (slot == book::k_no_slot) {
    if (known != nullptr && event.kind != EventKind::reduce) ours_.erase(*known);
    if (event.kind == EventKind::replace && event.side != Side::none) enter(event, event.other, event.side);
    return;
  }
  const Side side = orders_[slot].side;
  const std::int64_t leaves = orders_[slot].leaves.lots;
  const bool is_amend = event.kind == EventKind::amend;
  std::int64_t left = 0;  // of the order
  if (event.kind == EventKind::reduce) left = std::max<std::int64_t>(leaves - event.quantity, 0);
  if (is_amend) left = event.quantity == k_unknown ? leaves : event.quantity;
  if (left > 0) {
    const market::Price limit = orders_.limit(slot);
    market::Replace replace{.order = orders_.id(slot),
                            .limit = is_amend && event.price != k_unknown ? market::Price{event.price} : limit,
                            .stop = {-1},
                            .quantity = orders_.executed(slot) + market::Quantity{left},
                            .side = side};
    replace.displayed = replace.quantity;
    submit(one, replace, k_recorded_user);
    known->quantity = code_of_price(replace.limit.units);
    return report_own_orders(nullptr);
  }
  market::Cancel cancel{.order = orders_.id(slot), .side = side};
  submit(one, cancel, k_recorded_user);
  report_own_orders(nullptr);
  ours_.erase(*known);
  if (event.kind == EventKind::replace) enter(event, event.other, event.side == Side::none ? side : event.side);
}

// ---- Own orders ----------------------------------------------------------------------------------------------------

MatchExchange::Own* MatchExchange::own_of(OrderId id) {
  const auto found = std::ranges::find(own_, id, &Own::id);
  return found == own_.end() ? nullptr : &*found;
}

void MatchExchange::drop(const Own& own) {
  std::erase_if(own_, [number = own.number](const Own& one) { return one.number == number; });
}

Report& MatchExchange::add_report(OrderNumber number, std::uint32_t instrument, Side side, ReportKind kind) {
  reports.push_back({.order = number, .at = now_, .instrument = instrument, .kind = kind, .side = side});
  return reports.back();
}

void MatchExchange::refuse(const Request& request, ReportKind kind, Reason reason) {
  Report& report = add_report(request.order, request.terms.instrument, request.terms.side, kind);
  report.reason = reason;
  report.price = request.terms.price;
  report.quantity = kind == ReportKind::request_rejected ? 0 : request.terms.quantity;
}

void MatchExchange::on_request(const Request& request, Time now) {
  now_ = now;
  ++counts_.requests;
  if (request.terms.instrument >= books_.size())
    return refuse(request, ReportKind::rejected, Reason::unknown_instrument);
  One& one = *books_[request.terms.instrument];
  if (request.kind == RequestKind::submit) return submit_own(request, one);
  change_own(request, one);
}

void MatchExchange::submit_own(const Request& request, One& one) {
  const OrderRequest& wanted = request.terms;
  if (!one.is_open) return refuse(request, ReportKind::rejected, Reason::book_closed);
  const auto other = one.book.best(market::opposite(wanted.side));
  const bool takes =
      other && (wanted.type == OrderType::market ||
                (wanted.side == Side::buy ? wanted.price >= other->units : wanted.price <= other->units));
  if (takes && settings_.silence > Duration{} && now_ - one.last_event > settings_.silence)
    return refuse(request, ReportKind::rejected, Reason::no_price);
  market::NewOrder order;
  order.terms = terms_of(wanted);
  submit(one, order, k_own_user);
  const std::span<const BookReport> said = last_reports_.all();
  if (said.empty()) return;
  if (said.front().kind == BookReportKind::rejected) return refuse(request, ReportKind::rejected, said.front().reason);
  own_.push_back({.number = request.order,
                  .id = said.front().order,
                  .leaves = wanted.quantity,
                  .price = wanted.price,
                  .since = now_,
                  .instrument = wanted.instrument,
                  .side = wanted.side});
  report_own_orders(&request);
}

void MatchExchange::change_own(const Request& request, One& one) {
  const auto found = std::ranges::find(own_, request.order, &Own::number);
  if (found == own_.end()) return refuse(request, ReportKind::request_rejected, Reason::unknown_order);
  if (request.kind == RequestKind::cancel) {
    market::Cancel cancel{.order = found->id, .side = found->side};
    submit(one, cancel, k_own_user);
  } else {
    if (!one.is_open) return refuse(request, ReportKind::request_rejected, Reason::book_closed);
    market::Replace replace{.order = found->id,
                            .limit = {request.terms.price},
                            .stop = {-1},
                            .quantity = {request.terms.quantity},
                            .side = found->side};
    replace.displayed = {request.terms.displayed == 0 ? request.terms.quantity : request.terms.displayed};
    replace.passive = request.terms.is_post_only ? k_never_take : 0;
    submit(one, replace, k_own_user);
  }
  const std::span<const BookReport> said = last_reports_.all();
  if (!said.empty() && said.front().kind == BookReportKind::rejected)
    return refuse(request, ReportKind::request_rejected, said.front().reason);
  report_own_orders(&request);
}

void MatchExchange::report_own_orders(const Request* request) {
  if (own_.empty()) return;
  for (const BookReport& booked : last_reports_.all()) {
    if (booked.kind == BookReportKind::traded) {
      for (const OrderId id : {booked.order, booked.other}) {
        Own* own = own_of(id);
        if (own == nullptr) continue;
        ++counts_.fills;
        own->leaves -= booked.quantity.lots;
        own->executed += booked.quantity.lots;
        Report& report = add_report(own->number, own->instrument, own->side, ReportKind::traded);
        report.price = booked.price.units;
        report.quantity = booked.quantity.lots;
        report.leaves = own->leaves;
        report.is_maker = id == booked.order;
        if (report.is_maker) report.rested = now_ - own->since;
        if (own->leaves == 0) drop(*own);
      }
      continue;
    }
    Own* own = own_of(booked.order);
    if (own == nullptr) continue;
    const bool is_replacement = request != nullptr && request->kind == RequestKind::replace;
    switch (booked.kind) {
      case BookReportKind::replaced: {
        own->price = booked.price.units;
        own->leaves = booked.leaves.lots;
        if ((booked.flags & market::k_lost_priority) == 0) {
          Report& report = add_report(own->number, own->instrument, own->side, ReportKind::replaced);
          report.price = own->price;
          report.quantity = report.leaves = own->leaves;
        }
        break;
      }
      case BookReportKind::added:
      case BookReportKind::parked: {
        if (own->is_resting && !is_replacement) break;
        own->is_resting = true;
        own->since = now_;
        Report& report = add_report(own->number, own->instrument, own->side,
                                    is_replacement ? ReportKind::replaced : ReportKind::accepted);
        report.price = booked.price.units;
        report.quantity = report.leaves = own->leaves;
        break;
      }
      case BookReportKind::cancelled:
      case BookReportKind::expired: {
        const bool is_cancel = booked.kind == BookReportKind::cancelled;
        Report& report = add_report(own->number, own->instrument, own->side,
                                    is_cancel ? ReportKind::cancelled : ReportKind::expired);
        report.price = own->price;
        report.quantity = own->leaves;
        report.reason = is_cancel ? Reason::none : booked.reason;
        drop(*own);
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace dojima::backtest
