#include "dojima/backtest/exchanges/match_exchange.hpp"

#include <algorithm>

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
using recorded::OrderStep;
using recorded::RecordedEvent;

namespace {

constexpr std::uint16_t k_own_user = 1;

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
    : settings_(settings),
      record_(recorded::DepthBooks::Tags::kept),
      books_({.capacity = settings.orders, .owners = 2, .memory = Memory::gradual}, settings.ticks) {}

std::optional<recorded::DepthLevel> MatchExchange::best(std::uint32_t instrument, Side side) const {
  if (instrument >= books_.size()) return std::nullopt;
  const book::Book& book = books_.of(instrument);
  const auto price = book.best(side);
  if (!price) return std::nullopt;
  return recorded::DepthLevel{price->units, book.total(side, *price).lots};
}

// ---- Recorded orders -----------------------------------------------------------------------------------------------

void MatchExchange::on_event(const RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                             Time now) {
  now_ = now;
  ++counts_.events;
  if (states_.size() < instruments.size()) [[unlikely]] {
    books_.add_books(instruments);
    states_.resize(instruments.size());
  }
  books_.set_time(now);
  states_[event.instrument].last_event = now;
  bool is_done = false;
  switch (event.kind) {
    case EventKind::add:
      is_done = follow_usual<EventKind::add>(event, instruments);
      break;
    case EventKind::execute:
      is_done = follow_usual<EventKind::execute>(event, instruments);
      break;
    case EventKind::remove:
      is_done = follow_usual<EventKind::remove>(event, instruments);
      break;
    case EventKind::reduce:
      is_done = follow_usual<EventKind::reduce>(event, instruments);
      break;
    default:
      break;
  }
  if (!is_done) [[unlikely]]
    follow_any(event, instruments);
}

/// The record finds the order, and beside it lies what it is here. False: it is not where most are, nothing was done.
template <EventKind Kind>
bool MatchExchange::follow_usual(const RecordedEvent& event,
                                 std::span<const recorded::RecordedInstrument> instruments) {
  OrderStep step;
  if (!record_.apply_usual<Kind>(event, instruments, step)) [[unlikely]]
    return false;
  std::uint64_t& tag = record_.tag(*step.order);
  if (Kind == EventKind::add) {
    const OrderId entered = enter(event, event.side);
    tag = entered.value;
    if (event.order <= highest_ended_) [[unlikely]] {
      const Known before = forget_ended(event.order, event.instrument);
      if (entered.value == 0) tag = before.id.value;
    }
    return true;
  }
  const Known known{{tag}, step.price, step.side};
  const OrderId left = Kind == EventKind::execute ? take(event, known) : change(event, known);
  tag = left.value;
  if (step.after == 0 && left.value != 0) [[unlikely]]
    note_ended(event.order, event.instrument, {left, known.price, known.side});
  return true;
}

/// Step by step, whatever the event is and wherever the record has its order.
void MatchExchange::follow_any(const RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments) {
  const std::uint64_t order = event.order;
  const std::uint32_t instrument = event.instrument;
  const Known known = find(order, instrument);
  const bool is_other = event.kind == EventKind::replace && event.other != order;
  const Known other = is_other ? find(event.other, instrument) : Known{};
  if (event.kind == EventKind::clear) keep_cleared(event);
  record_.apply(event, instruments);
  switch (event.kind) {
    case EventKind::add: {
      const OrderId entered = enter(event, event.side);
      return keep(order, instrument, entered.value != 0 ? Known{entered, event.price, event.side} : known);
    }
    case EventKind::execute:
      return keep(order, instrument, {take(event, known), known.price, known.side});
    case EventKind::reduce:
    case EventKind::remove:
      return keep(order, instrument, {change(event, known), known.price, known.side});
    case EventKind::amend: {
      const std::int64_t price = event.price != k_unknown ? event.price : known.price;
      return keep(order, instrument, {change(event, known), price, known.side});
    }
    case EventKind::replace:
      return replace(event, known, other);
    case EventKind::level:
      ++counts_.refused;
      return;
    case EventKind::status: {
      const auto state = static_cast<MarketState>(event.code);
      states_[instrument].is_open = state == MarketState::unknown || state == MarketState::trading ||
                                    state == MarketState::quoting || state == MarketState::start_of_messages;
      return;
    }
    default:
      return;
  }
}

OrderId MatchExchange::enter(const RecordedEvent& event, Side side) {
  if (side == Side::none || event.price == k_unknown || event.quantity <= 0) {
    ++counts_.refused;
    return {};
  }
  books_.enter(event.instrument, side, event.price, event.quantity);
  const std::span<const BookReport> said = books_.reports();
  if (said.empty() || said.front().kind == BookReportKind::rejected) {
    ++counts_.refused;
    return {};
  }
  const OrderId entered = said.front().order;
  report_own_orders(nullptr);
  // Also where it has traded at once: the record will name it, and miss it.
  return entered;
}

book::Slot MatchExchange::slot_of(const Known& known) {
  const book::Slot slot = known.id.value == 0 ? book::k_no_slot : books_.orders().find(known.id);
  if (slot == book::k_no_slot) {
    ++counts_.unknown;
    if (known.id.value != 0) ++counts_.missing;
  }
  return slot;
}

/// Somebody takes what the record says was taken, at the price where it says it was.
OrderId MatchExchange::take(const RecordedEvent& event, const Known& known) {
  const book::Slot slot = slot_of(known);
  if (event.quantity <= 0) return known.id;
  if (slot != book::k_no_slot) {
    const bool is_same = books_.execute(event.instrument, slot, event.quantity);
    ++(is_same ? counts_.matched : counts_.matched_others);
    report_own_orders(nullptr);
    return is_same && books_.orders().find(known.id) == book::k_no_slot ? OrderId{} : known.id;
  }
  // Where the record's order was never seen, nobody is known to have been met.
  if (known.id.value == 0 && own_.empty()) return known.id;
  const Side side = known.id.value != 0 ? known.side : event.side;
  const std::int64_t price = known.id.value != 0 && event.price == k_unknown ? known.price : event.price;
  if (side == Side::none || price == k_unknown) return known.id;
  books_.enter(event.instrument, market::opposite(side), price, event.quantity, TimeInForce::immediate_or_cancel);
  report_own_orders(nullptr);
  return known.id;
}

OrderId MatchExchange::change(const RecordedEvent& event, const Known& known) {
  const book::Slot slot = slot_of(known);
  if (slot == book::k_no_slot) return event.kind == EventKind::reduce ? known.id : OrderId{};
  const bool goes_on = books_.change(event, slot);
  report_own_orders(nullptr);
  return goes_on ? known.id : OrderId{};
}

void MatchExchange::replace(const RecordedEvent& event, const Known& before, const Known& other) {
  const bool is_here = before.id.value != 0 && books_.orders().find(before.id) != book::k_no_slot;
  const Side side = event.side != Side::none || !is_here ? event.side : before.side;
  const OrderId left = change(event, before);
  keep(event.order, event.instrument, {left, before.price, before.side});
  const OrderId entered = side != Side::none || is_here ? enter(event, side) : OrderId{};
  keep(event.other, event.instrument, entered.value != 0 ? Known{entered, event.price, side} : other);
}

// ---- What they are here --------------------------------------------------------------------------------------------

MatchExchange::Known MatchExchange::known_of(const OrderMap::Order& ended) {
  return {{static_cast<std::uint64_t>(ended.price)}, price_of_code(ended.quantity), ended.side};
}

MatchExchange::Known MatchExchange::find(std::uint64_t order, std::uint32_t instrument) {
  if (const OrderMap::Order* known = record_.order(order, instrument))
    return {{record_.tag(*known)}, known->price, known->side};
  const OrderMap::Order* const ended = find_ended(order, instrument);
  return ended == nullptr ? Known{} : known_of(*ended);
}

void MatchExchange::keep(std::uint64_t order, std::uint32_t instrument, const Known& known) {
  static_cast<void>(forget_ended(order, instrument));
  if (const OrderMap::Order* recorded = record_.order(order, instrument)) {
    record_.tag(*recorded) = known.id.value;
  } else {
    note_ended(order, instrument, known);
  }
}

void MatchExchange::note_ended(std::uint64_t order, std::uint32_t instrument, const Known& known) {
  if (known.id.value == 0) return;
  highest_ended_ = std::max(highest_ended_, order);
  ended_lately_.push_back({.id = order,
                           .price = static_cast<std::int64_t>(known.id.value),
                           .quantity = code_of_price(known.price),
                           .instrument = instrument,
                           .side = known.side});
}

OrderMap::Order* MatchExchange::find_ended(std::uint64_t order, std::uint32_t instrument) {
  if (order > highest_ended_) return nullptr;
  for (const OrderMap::Order& ended : ended_lately_) ended_.insert(ended);
  ended_lately_.clear();
  return ended_.find(order, instrument);
}

MatchExchange::Known MatchExchange::forget_ended(std::uint64_t order, std::uint32_t instrument) {
  OrderMap::Order* const ended = find_ended(order, instrument);
  if (ended == nullptr) return {};
  const Known known = known_of(*ended);
  ended_.erase(*ended);
  return known;
}

void MatchExchange::keep_cleared(const RecordedEvent& event) {
  record_.each_order([&](const OrderMap::Order& order) {
    if (order.instrument == event.instrument && (event.side == Side::none || event.side == order.side))
      note_ended(order.id, order.instrument, {{record_.tag(order)}, order.price, order.side});
  });
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
  books_.set_time(now);
  const State& state = states_[request.terms.instrument];
  if (request.kind == RequestKind::submit) return submit_own(request, state);
  change_own(request, state);
}

void MatchExchange::submit_own(const Request& request, const State& state) {
  const OrderRequest& wanted = request.terms;
  if (!state.is_open) return refuse(request, ReportKind::rejected, Reason::book_closed);
  const auto other = books_.of(wanted.instrument).best(market::opposite(wanted.side));
  const bool takes =
      other && (wanted.type == OrderType::market ||
                (wanted.side == Side::buy ? wanted.price >= other->units : wanted.price <= other->units));
  if (takes && settings_.silence > Duration{} && now_ - state.last_event > settings_.silence)
    return refuse(request, ReportKind::rejected, Reason::no_price);
  market::NewOrder order;
  order.terms = terms_of(wanted);
  books_.submit(wanted.instrument, order, k_own_user);
  const std::span<const BookReport> said = books_.reports();
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

void MatchExchange::change_own(const Request& request, const State& state) {
  const auto found = std::ranges::find(own_, request.order, &Own::number);
  if (found == own_.end()) return refuse(request, ReportKind::request_rejected, Reason::unknown_order);
  if (request.kind == RequestKind::cancel) {
    market::Cancel cancel{.order = found->id, .side = found->side};
    books_.submit(request.terms.instrument, cancel, k_own_user);
  } else {
    if (!state.is_open) return refuse(request, ReportKind::request_rejected, Reason::book_closed);
    market::Replace replace{.order = found->id,
                            .limit = {request.terms.price},
                            .stop = {-1},
                            .quantity = {request.terms.quantity},
                            .side = found->side};
    replace.displayed = {request.terms.displayed == 0 ? request.terms.quantity : request.terms.displayed};
    replace.passive = request.terms.is_post_only ? k_never_take : 0;
    books_.submit(request.terms.instrument, replace, k_own_user);
  }
  const std::span<const BookReport> said = books_.reports();
  if (!said.empty() && said.front().kind == BookReportKind::rejected)
    return refuse(request, ReportKind::request_rejected, said.front().reason);
  report_own_orders(&request);
}

void MatchExchange::report_own_orders(const Request* request) {
  if (own_.empty()) return;
  for (const BookReport& booked : books_.reports()) {
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
