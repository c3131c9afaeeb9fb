#include "dojima/backtest/exchanges/record_exchange.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::backtest {

using market::OrderType;
using market::Reason;
using market::TimeInForce;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::MarketState;
using recorded::RecordedEvent;

namespace {

/// Whether an exchange in this state matches orders as they come.
[[nodiscard]] bool is_open_in(MarketState state) noexcept {
  return state == MarketState::unknown || state == MarketState::trading || state == MarketState::quoting ||
         state == MarketState::start_of_messages;
}

}  // namespace

void RecordExchange::on_event(const RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                              Time now) {
  instruments_ = instruments;
  now_ = now;
  OwnBook& own = own_of(event.instrument);
  own.last_event = now;
  if (event.kind == EventKind::status) [[unlikely]]
    return on_status(event, own);
  if (own.is_quiet()) return apply(event);
  follow(event, own);
}

[[gnu::noinline]] void RecordExchange::on_status(const RecordedEvent& event, OwnBook& own) {
  const bool was_open = std::exchange(own.is_open, is_open_in(static_cast<MarketState>(event.code)));
  if (own.is_open && !was_open) own.has_opened_for_bids = own.has_opened_for_asks = true;
  note_prices(own);
}

[[gnu::noinline]] void RecordExchange::add_own(std::uint32_t instrument) {
  for (auto next = static_cast<std::uint32_t>(own_.size()); next <= instrument; ++next) {
    own_.emplace_back().instrument = next;
    prices_.emplace_back();
  }
  // How long an instrument has had no event, on_event() notes.
  if (settings_.silence > Duration{}) return;
  quiet.own = prices_.data();
  quiet.size = prices_.size();
}

OwnPrices OwnBook::prices() const noexcept {
  OwnPrices prices{.keys = {}, .is_quiet = is_quiet()};
  if (!bids.empty()) prices.keys[0] = {.first = ~bids.front().price, .last = ~bids.back().price};
  if (!asks.empty()) prices.keys[1] = {.first = asks.front().price, .last = asks.back().price};
  // Where own orders have taken, or may be met by what was there before, every event is looked at.
  constexpr OwnPrices::Keys k_all{.first = std::numeric_limits<std::int64_t>::min(),
                                  .last = std::numeric_limits<std::int64_t>::max()};
  if (!taken.empty() || has_opened_for_bids || has_opened_for_asks) prices.keys = {k_all, k_all};
  return prices;
}

void RecordExchange::on_request(const Request& request, Time now) {
  now_ = now;
  ++counts_.requests;
  OwnBook& own = own_of(request.terms.instrument);
  switch (request.kind) {
    case RequestKind::submit:
      return submit(request, own);
    case RequestKind::cancel:
      return cancel(request, own);
    case RequestKind::replace:
      return replace(request, own);
  }
}

const ExchangeCounts& RecordExchange::counts() const {
  const recorded::DepthCounts& of_books = books_.counts();
  counts_.events = of_books.events;
  counts_.unknown = of_books.unknown;
  counts_.refused = of_books.duplicates + of_books.too_much + of_books.nonsense;
  return counts_;
}

double RecordExchange::unit_of(std::uint32_t instrument) const {
  double unit = 1;
  for (unsigned decimal = 0; decimal < instruments_[instrument].quantity_decimals; ++decimal) unit *= 10;
  return unit;
}

// ---- What they took ------------------------------------------------------------------------------------------------

std::int64_t RecordExchange::available(const OwnBook& own, Side side, const DepthLevel& level) const {
  std::int64_t quantity = level.quantity;
  for (const OwnBook::Taken& taken : own.taken)
    if (taken.side == side && taken.price == level.price) quantity -= taken.quantity;
  return std::max<std::int64_t>(quantity, 0);
}

void RecordExchange::note_taken(OwnBook& own, Side side, std::int64_t price, std::int64_t quantity) {
  for (OwnBook::Taken& taken : own.taken) {
    if (taken.side != side || taken.price != price) continue;
    taken.quantity += quantity;
    return;
  }
  own.taken.push_back({.price = price, .quantity = quantity, .side = side});
  note_prices(own);
}

void RecordExchange::limit_taken(OwnBook& own, Side side, std::int64_t price, std::int64_t there) {
  for (OwnBook::Taken& taken : own.taken)
    if (taken.side == side && taken.price == price) taken.quantity = std::min(taken.quantity, there);
  forget_taken(own, [](const OwnBook::Taken& taken) { return taken.quantity == 0; });
}

void RecordExchange::renew(OwnBook& own, Side side, std::int64_t price) {
  forget_taken(own, [&](const OwnBook::Taken& taken) { return taken.side == side && taken.price == price; });
}

// ---- Fills ---------------------------------------------------------------------------------------------------------

void RecordExchange::fill(RestingOwn& order, std::int64_t quantity) {
  quantity = std::min(quantity, order.leaves);
  if (quantity <= 0) return;
  order.leaves -= quantity;
  order.executed += quantity;
  ++counts_.fills;
  reports.push_back({.order = order.number,
                     .at = now_,
                     .price = order.price,
                     .quantity = quantity,
                     .leaves = order.leaves,
                     .rested = now_ - order.since,
                     .instrument = order.instrument,
                     .kind = ReportKind::traded,
                     .side = order.side,
                     .is_maker = true});
}

void RecordExchange::settle(OwnBook& own, Side side) {
  std::vector<RestingOwn>& orders = own.on(side);
  const std::size_t before = orders.size();
  std::erase_if(orders, [](const RestingOwn& order) { return order.leaves == 0; });
  DOJIMA_ASSERT(before - orders.size() <= resting_, "no more orders end than rest", before, orders.size(), resting_);
  resting_ -= before - orders.size();
  note_prices(own);
}

void RecordExchange::meet(OwnBook& own, std::uint32_t instrument, Side side) {
  std::vector<RestingOwn>& orders = own.on(side);
  if (own.is_open && std::exchange(own.has_opened_for(side), false)) note_prices(own);
  if (orders.empty() || !own.is_open) return;
  const Side other = market::opposite(side);
  for (RestingOwn& order : orders) {
    bool is_met = false;
    books_.of(instrument).on(other).each([&](const DepthLevel& level) {
      if (is_better(other, order.price, level.price)) return false;  // too dear for it
      is_met = true;
      if (settings_.fills == FillRule::whole) {
        fill(order, order.leaves);
        return false;
      }
      const std::int64_t quantity = std::min(available(own, other, level), order.leaves);
      fill(order, quantity);
      if (quantity > 0) note_taken(own, other, level.price, quantity);
      return order.leaves > 0;
    });
    if (!is_met) break;  // nor will those behind it be
  }
  settle(own, side);
}

// ---- Requests ------------------------------------------------------------------------------------------------------

Report& RecordExchange::add_report(const Request& request, ReportKind kind) {
  reports.push_back({.order = request.order,
                     .at = now_,
                     .price = request.terms.price,
                     .instrument = request.terms.instrument,
                     .kind = kind,
                     .side = request.terms.side});
  return reports.back();
}

void RecordExchange::end(const Request& request, ReportKind kind, Reason reason, std::int64_t quantity) {
  Report& report = add_report(request, kind);
  report.reason = reason;
  report.quantity = quantity;
}

bool RecordExchange::is_marketable(const OrderRequest& terms) const {
  const auto level = best(terms.instrument, market::opposite(terms.side));
  return level &&
         (terms.type == OrderType::market || !is_better(market::opposite(terms.side), terms.price, level->price));
}

std::int64_t RecordExchange::reachable(const OwnBook& own, const OrderRequest& terms, std::int64_t enough) const {
  const Side other = market::opposite(terms.side);
  std::int64_t found = 0;
  if (terms.instrument >= books_.size()) return 0;
  books_.of(terms.instrument).on(other).each([&](const DepthLevel& level) {
    if (terms.type != OrderType::market && is_better(other, terms.price, level.price)) return false;
    found += available(own, other, level);
    return found < enough;
  });
  return found;
}

Reason RecordExchange::refusal(const OrderRequest& terms, const OwnBook& own) const {
  const bool is_plain =
      (terms.type == OrderType::limit || terms.type == OrderType::market) && terms.stop == 0 &&
      (terms.displayed == 0 || terms.displayed == terms.quantity) &&
      (terms.time_in_force == TimeInForce::good_till_cancel ||
       terms.time_in_force == TimeInForce::immediate_or_cancel || terms.time_in_force == TimeInForce::fill_or_kill) &&
      !(terms.type == OrderType::market && terms.is_post_only);
  if (!is_plain) return Reason::not_supported;
  return own.is_open ? Reason::none : Reason::book_closed;
}

void RecordExchange::submit(const Request& request, OwnBook& own) {
  const OrderRequest& terms = request.terms;
  if (const Reason reason = refusal(terms, own); reason != Reason::none)
    return end(request, ReportKind::rejected, reason, terms.quantity);
  const bool is_taking = is_marketable(terms);
  const bool is_stale = settings_.silence > Duration{} && now_ - own.last_event > settings_.silence;
  if (is_taking && is_stale) return end(request, ReportKind::rejected, Reason::no_price, terms.quantity);
  if (is_taking && terms.is_post_only) return end(request, ReportKind::expired, Reason::passive_only, terms.quantity);
  const bool rests = terms.type == OrderType::limit && terms.time_in_force == TimeInForce::good_till_cancel;
  if (!is_taking) {
    if (rests) return rest(request, own, terms.quantity, 0, ReportKind::accepted);
    const Reason reason = terms.type == OrderType::market ? Reason::no_price : Reason::time_in_force;
    return end(request, ReportKind::expired, reason, terms.quantity);
  }
  const bool must_be_all = terms.time_in_force == TimeInForce::fill_or_kill && settings_.fills == FillRule::partial;
  if (must_be_all && reachable(own, terms, terms.quantity) < terms.quantity)
    return end(request, ReportKind::expired, Reason::time_in_force, terms.quantity);
  const std::int64_t left = take(request, own, terms.quantity);
  if (left == 0) return;
  if (rests) return rest(request, own, left, terms.quantity - left, ReportKind::accepted);
  end(request, ReportKind::expired, Reason::time_in_force, left);
}

std::int64_t RecordExchange::take(const Request& request, OwnBook& own, std::int64_t quantity) {
  const OrderRequest& terms = request.terms;
  const Side other = market::opposite(terms.side);
  std::int64_t left = quantity;
  const auto trade = [&](std::int64_t price, std::int64_t traded) {
    left -= traded;
    ++counts_.fills;
    Report& report = add_report(request, ReportKind::traded);
    report.price = price;
    report.quantity = traded;
    report.leaves = left;
  };
  if (settings_.fills == FillRule::whole) {
    trade(best(terms.instrument, other)->price, left);
    return 0;
  }
  books_.of(terms.instrument).on(other).each([&](const DepthLevel& level) {
    if (terms.type != OrderType::market && is_better(other, terms.price, level.price)) return false;
    const std::int64_t traded = std::min(available(own, other, level), left);
    if (traded > 0) {
      trade(level.price, traded);
      note_taken(own, other, level.price, traded);
    }
    return left > 0;
  });
  return left;
}

void RecordExchange::rest(const Request& request, OwnBook& own, std::int64_t leaves, std::int64_t executed,
                          ReportKind as) {
  RestingOwn order{.number = request.order,
                   .price = request.terms.price,
                   .leaves = leaves,
                   .executed = executed,
                   .since = now_,
                   .instrument = request.terms.instrument,
                   .side = request.terms.side};
  if (order.instrument < books_.size()) place(order);
  std::vector<RestingOwn>& orders = own.on(order.side);
  const auto behind = std::ranges::find_if(
      orders, [&](const RestingOwn& other) { return is_better(order.side, order.price, other.price); });
  orders.insert(behind, order);
  note_prices(own);
  ++resting_;
  Report& report = add_report(request, as);
  report.quantity = leaves;
  report.leaves = leaves;
}

void RecordExchange::cancel(const Request& request, OwnBook& own) {
  std::vector<RestingOwn>& orders = own.on(request.terms.side);
  const auto found = std::ranges::find(orders, request.order, &RestingOwn::number);
  if (found == orders.end()) return end(request, ReportKind::request_rejected, Reason::unknown_order, 0);
  Report& report = add_report(request, ReportKind::cancelled);
  report.price = found->price;
  report.quantity = found->leaves;
  orders.erase(found);
  note_prices(own);
  --resting_;
}

void RecordExchange::replace(const Request& request, OwnBook& own) {
  std::vector<RestingOwn>& orders = own.on(request.terms.side);
  const auto found = std::ranges::find(orders, request.order, &RestingOwn::number);
  if (found == orders.end()) return end(request, ReportKind::request_rejected, Reason::unknown_order, 0);
  const std::int64_t leaves = request.terms.quantity - found->executed;
  if (leaves <= 0) return end(request, ReportKind::request_rejected, Reason::quantity_already_executed, 0);
  if (!own.is_open) return end(request, ReportKind::request_rejected, Reason::book_closed, 0);
  if (request.terms.price == found->price && leaves <= found->leaves) {
    found->leaves = leaves;
    shrink(*found);
    Report& report = add_report(request, ReportKind::replaced);
    report.quantity = leaves;
    report.leaves = leaves;
    return;
  }
  const RestingOwn before = *found;
  orders.erase(found);
  note_prices(own);
  --resting_;
  const bool is_stale = settings_.silence > Duration{} && now_ - own.last_event > settings_.silence;
  std::int64_t left = leaves;
  if (is_marketable(request.terms)) {
    if (is_stale || request.terms.is_post_only)
      return end(request, ReportKind::expired, is_stale ? Reason::no_price : Reason::passive_only, before.leaves);
    left = take(request, own, leaves);
  }
  if (left > 0) rest(request, own, left, request.terms.quantity - left, ReportKind::replaced);
}

}  // namespace dojima::backtest
